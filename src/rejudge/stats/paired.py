"""Two systems on the same items: the mean difference with its interval and t test, and how far the two agree.

Pairing removes what the items have in common: SE² = (σ_A² + σ_B² − 2ρσ_Aσ_B)/n, so a comparison of the same items is
sharper the more the two correlate. Source: Miller 2024, arXiv 2411.00640; d_z as in Cohen 1988, section 2.3.5.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from rejudge.stats.clusters import Units
from rejudge.stats.differences import aligned, differences, rounding
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import (
    LEVEL,
    NO_SPREAD,
    NOTHING_SCORED,
    ONE_VALUE,
    Interval,
    Undefined,
    check_level,
)
from rejudge.stats.p_value import PValue

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Names, Numbers

_TOO_FEW = Undefined("three pairs or fewer do not show how sure a correlation is")
_IN_LINE = Undefined("all pairs lie on one line, so nothing shows how far they may stray from it")
_CLUSTERED = Undefined("its interval takes items for independent, and they share clusters")


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    """The mean of second − first over `n` pairs; `units` are the pairs, or the clusters that they fall into.

    `error` is the standard error of the difference, and `unpaired_error` what it would be if the pairing were thrown
    away. `t` is Student's test on units − 1 degrees of freedom. `d_z` is the difference in standard deviations of the
    differences.
    """

    n: int
    units: int
    mean_first: float | Undefined
    mean_second: float | Undefined
    difference: float | Undefined
    sd: float | Undefined
    error: float | Undefined
    unpaired_error: float | Undefined
    interval: Interval | Undefined
    t: PValue | Undefined
    d_z: Estimate | Undefined
    correlation: Estimate | Undefined


def paired(first: Numbers, second: Numbers, *, clusters: Names | None = None, level: float = LEVEL) -> Paired:
    """The paired difference of two aligned columns of item means; `clusters` names the cluster of each item.

    The interval is by t, or by cluster-t. Raises RecordError for columns of different length and for values that are
    no finite numbers.
    """
    before, after = aligned(first, second)
    return paired_by(before, after, differences(before, after), clusters=clusters, level=level)


def paired_by(
    before: Floats, after: Floats, changes: Floats, *, clusters: Names | None = None, level: float = LEVEL
) -> Paired:
    """As `paired`, of checked columns whose `changes` are known."""
    check_level(level)
    units = _units(before, after, changes, clusters)
    n = units.n
    nothing = Undefined(NOTHING_SCORED)
    return Paired(
        n=n,
        units=len(units.sizes),
        mean_first=float(before.mean()) if n else nothing,
        mean_second=float(after.mean()) if n else nothing,
        difference=units.mean if n else nothing,
        sd=_sd(changes),
        error=units.spread,
        unpaired_error=_unpaired_error(before, after),
        interval=units.interval(level=level),
        t=_t(units),
        d_z=_d_z(units, changes, level=level),
        correlation=correlation(before, after, clusters=clusters, level=level),
    )


def _units(before: Floats, after: Floats, changes: Floats, clusters: Names | None) -> Units:
    """The units of the changes; a mean that is only rounding of the values, as of 0.1, 0.2 and −0.3, is 0."""
    last_digits = rounding(before, after)
    units = Units.of(changes, clusters, rounding=last_digits)
    exact = not units.n or abs(units.mean) > float(last_digits.mean())
    return units if exact else replace(units, mean=0.0)


def correlation(
    first: Numbers, second: Numbers, *, clusters: Names | None = None, level: float = LEVEL
) -> Estimate | Undefined:
    """Pearson's correlation of two aligned columns, with Fisher's z interval: tanh(artanh r ± z/√(n − 3)).

    Undefined where a side does not vary. The interval is undefined for items in clusters.
    """
    import numpy as np
    from scipy.special import ndtri

    before, after = aligned(first, second)
    n = len(before)
    if n < 2:
        return Undefined(ONE_VALUE if n else NOTHING_SCORED)
    centred = [values - values.mean() for values in (before, after)]
    norms = [float(np.linalg.norm(values)) for values in centred]
    for values, norm in zip((before, after), norms, strict=True):
        if norm <= 4 * math.ulp(float(np.abs(values).max())) * math.sqrt(n):
            return Undefined("one side has the same value for every item, so nothing can vary with it")
    value = float(np.clip((centred[0] / norms[0]) @ (centred[1] / norms[1]), -1, 1))
    interval: Interval | Undefined = _TOO_FEW if n <= 3 else _IN_LINE
    if clusters is not None:
        interval = _CLUSTERED
    elif n > 3 and abs(value) < 1 - 1e-12:
        half = float(ndtri((1 + level) / 2)) / math.sqrt(n - 3)
        low, high = math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)
        interval = Interval(low=low, high=high, level=level, method="fisher-z")
    return Estimate(value=value, n=n, interval=interval)


def _t(units: Units) -> PValue | Undefined:
    from scipy.special import stdtr

    if isinstance(units.spread, Undefined):
        return units.spread
    count = len(units.sizes)
    t = units.mean / units.spread
    p = min(1.0, 2 * float(stdtr(count - 1, -abs(t))))
    return PValue(test="cluster-t" if units.clustered else "t", p=p, statistic=t, n=count)


def _d_z(units: Units, changes: Floats, *, level: float) -> Estimate | Undefined:
    """The interval is d ± z·√(1/n + d²/(2(n − 1))), as in Hedges and Olkin 1985, section 5.E."""
    from scipy.special import ndtri

    sd = _sd(changes)
    if isinstance(sd, Undefined):
        return sd
    if not sd:
        return Undefined(NO_SPREAD)
    value, n = units.mean / sd, units.n
    if units.clustered:
        return Estimate(value=value, n=n, interval=_CLUSTERED)
    half = float(ndtri((1 + level) / 2)) * math.sqrt(1 / n + value * value / (2 * (n - 1)))
    interval = Interval(low=value - half, high=value + half, level=level, method="normal")
    return Estimate(value=value, n=n, interval=interval)


def _sd(values: Floats) -> float | Undefined:
    if len(values) < 2:
        return Undefined(ONE_VALUE if len(values) else NOTHING_SCORED)
    sd = float(values.std(ddof=1))
    return 0.0 if sd <= 4 * math.ulp(float(values.mean())) else sd


def _unpaired_error(before: Floats, after: Floats) -> float | Undefined:
    first, second = _sd(before), _sd(after)
    if isinstance(first, Undefined):
        return first
    if isinstance(second, Undefined):
        return second
    return math.hypot(first, second) / math.sqrt(len(before))
