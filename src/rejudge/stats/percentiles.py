"""Percentiles of what traces took (seconds, tokens, money), each with its interval.

A percentile is read as NumPy and spreadsheets read it (type 7 of Hyndman and Fan 1996). Its interval runs between two
of the values themselves and supposes nothing about their shape: Hahn and Meeker 1991, Statistical Intervals, section
5.2. For values in clusters it is Woodruff's: JASA 47, 1952.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import msgspec

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.clusters import Units
from rejudge.stats.column import column, moments_of, places
from rejudge.stats.interval import LEVEL, Interval, Undefined, check_level, t_interval

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Names, Numbers, Places

USUAL = (50.0, 90.0, 95.0, 99.0)


class Percentile(msgspec.Struct, frozen=True, kw_only=True):
    """The value that `at` percent of the values do not exceed."""

    at: float
    value: float
    interval: Interval | Undefined


class Percentiles(msgspec.Struct, frozen=True, kw_only=True):
    """The amounts of `n` traces; `missing` more have none, and are in no other number here, so `total` is of n.

    Mean, minimum and maximum are None, and percentiles empty, for n = 0; `interval` is of the mean.
    """

    n: int
    missing: int
    total: float
    mean: float | None
    interval: Interval | Undefined
    minimum: float | None
    maximum: float | None
    percentiles: tuple[Percentile, ...]


def percentiles(
    values: Numbers,
    *,
    at: Sequence[float] = USUAL,
    missing: int = 0,
    clusters: Names | None = None,
    level: float = LEVEL,
) -> Percentiles:
    """The percentiles `at` of `values`; `clusters` names the item of each where several trials of an item are given.

    Raises RecordError for values that are no numbers, ConfigurationError for a percentile not between 0 and 100.
    """
    check_level(level)
    for one in at:
        if not 0 < one < 100:
            raise ConfigurationError(f"{one:g} is not a percentile", fix="use numbers between 0 and 100, such as 95")
    if missing < 0:
        raise RecordError(f"{missing} values cannot be missing")
    numbers = column(values)
    moments = moments_of(numbers)
    groups = None if clusters is None else places(clusters, n=moments.n, what="clusters")
    if groups is None:
        interval = t_interval(moments.mean or 0.0, moments.std or 0.0, moments.n, level=level)
    else:
        interval = Units.grouped(numbers, groups[0], len(groups[1])).interval(level=level)
    return Percentiles(
        n=moments.n,
        missing=missing,
        total=moments.total,
        mean=moments.mean,
        interval=interval,
        minimum=moments.minimum,
        maximum=moments.maximum,
        percentiles=_each(numbers, at, groups, level=level) if moments.n else (),
    )


def _each(
    numbers: Floats, at: Sequence[float], groups: tuple[Places, list[Hashable]] | None, *, level: float
) -> tuple[Percentile, ...]:
    import numpy as np

    ordered = np.sort(numbers)
    found = np.quantile(ordered, [one / 100 for one in at])
    told = []
    for one, value in zip(at, found.tolist(), strict=True):
        if groups is None:
            interval = _between_values(ordered, one / 100, level=level)
        else:
            below = Units.grouped((numbers <= value).astype(float), groups[0], len(groups[1]))
            interval = _woodruff(ordered, one / 100, below, level=level)
        told.append(Percentile(at=one, value=value, interval=interval))
    return tuple(told)


def _between_values(ordered: Floats, share: float, *, level: float) -> Interval | Undefined:
    """Between the narrowest pair of values of which each excludes the percentile by chance at most in half of 1−level.

    Fewer than r values lie under the percentile with the chance P(B ≤ r − 1), B binomial of n and `share`.
    """
    import numpy as np
    from scipy.special import bdtr

    n, tail = len(ordered), (1 - level) / 2
    spread = 12 * math.sqrt(n * share * (1 - share)) + 12
    ranks = np.arange(max(1, math.floor(n * share - spread)), min(n, math.ceil(n * share + spread)) + 1)
    fewer = bdtr(ranks - 1.0, n, share)
    low, high = ranks[fewer <= tail], ranks[fewer >= 1 - tail]
    if not (len(low) and len(high)):
        least = math.ceil(math.log(tail) / math.log(max(share, 1 - share)))
        return Undefined(f"{n} values are too few for an interval of this percentile; {least} could give one")
    return Interval(
        low=float(ordered[low[-1] - 1]), high=float(ordered[high[0] - 1]), level=level, method="order-statistics"
    )


def _woodruff(ordered: Floats, share: float, below: Units, *, level: float) -> Interval | Undefined:
    """The values where the interval of the share below the percentile, which is known, begins and ends."""
    import numpy as np

    of_share = below.interval(level=level)
    if isinstance(of_share, Undefined):
        return of_share
    half = (of_share.high - of_share.low) / 2
    if share - half <= 0 or share + half >= 1:
        return Undefined(f"{len(below.sizes)} clusters are too few for an interval of this percentile")
    low, high = np.quantile(ordered, [share - half, share + half])
    return Interval(low=float(low), high=float(high), level=level, method="woodruff")
