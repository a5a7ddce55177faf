"""How far a judge's numbers lie from the people's: mean errors, normalised ones, and Bland and Altman's limits.

Source of the limits and of their intervals: Bland and Altman 1986 and 1999 (SE of a limit ≈ √(1/n + z²/(2(n − 1)))·sd).
An error is never below 0, nor above the width of a declared range, and neither are its intervals: `score_interval`.
`items` are the places of the pairs' items, where items come more than once; intervals count items then, those of the
limits by the delta method (for what they are of several values per subject: Bland and Altman 2007, Journal of
Biopharmaceutical Statistics 17).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from rejudge.stats.column import moments_of
from rejudge.stats.confusion import NO_PAIRS, check_pairs
from rejudge.stats.differences import differences, tie_unit
from rejudge.stats.estimate import Estimate, Statistic, delta_t, quantile, spread_of
from rejudge.stats.interval import (
    LEVEL,
    ONE_VALUE,
    Interval,
    Method,
    Undefined,
    score_interval,
    student_interval,
    t_interval,
)
from rejudge.stats.scale import NO_BOUNDS, Scale
from rejudge.stats.summary import NO_RANGE

if TYPE_CHECKING:
    from rejudge.stats.ties import Codes, Floats


Power: TypeAlias = Literal[1, 2]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The judge's mean difference from the people, and between which limits 95 % of single differences lie.

    `level` of the limits is that of their intervals too. They take differences for normally distributed.
    """

    bias: Statistic
    low: Statistic
    high: Statistic
    level: float


def mean_error(
    judge: Sequence[float],
    human: Sequence[float],
    *,
    power: Power,
    scale: Scale = NO_BOUNDS,
    items: Codes | None = None,
    level: float = LEVEL,
) -> Statistic:
    """The mean of |judge − human|, or with power 2 of its square, of two sides on one scale.

    Of squares a few large errors weigh as much as many small ones.
    """
    width = None if scale.width is None else scale.width**power
    return _error_of(abs(_gaps(judge, human)) ** power, items, width=width, level=level)


def root_mean_squared_error(
    judge: Sequence[float],
    human: Sequence[float],
    *,
    scale: Scale = NO_BOUNDS,
    items: Codes | None = None,
    level: float = LEVEL,
) -> Statistic:
    """√MSE, in the unit of the score; its interval is the root of that of the MSE."""
    found = mean_error(judge, human, power=2, scale=scale, items=items, level=level)
    if isinstance(found, Undefined):
        return found
    interval = found.interval
    if isinstance(interval, Interval):
        low, high = math.sqrt(interval.low), math.sqrt(interval.high)
        interval = msgspec.structs.replace(interval, low=low, high=high)
    return Estimate(value=math.sqrt(found.value), n=found.n, interval=interval)


def normalised(statistic: Statistic, scale: Scale, *, power: Power) -> Statistic:
    """An error divided by the width of the declared range to `power`: 1 for MAE and RMSE, 2 for MSE."""
    if isinstance(statistic, Undefined):
        return statistic
    if scale.width is None:
        return NO_RANGE
    width = scale.width**power
    interval = statistic.interval
    if isinstance(interval, Interval):
        interval = msgspec.structs.replace(interval, low=interval.low / width, high=interval.high / width)
    return Estimate(value=statistic.value / width, n=statistic.n, interval=interval)


def limits_of_agreement(
    judge: Sequence[float], human: Sequence[float], *, items: Codes | None = None, level: float = LEVEL
) -> Limits:
    """The bias judge − human and the limits bias ± z·sd between which `level` of the differences lie."""
    gaps = _gaps(judge, human)
    moments = moments_of(gaps)
    bias = _mean_of(gaps, items, level=level)
    if isinstance(bias, Undefined) or moments.std is None:
        missing = bias if isinstance(bias, Undefined) else Undefined(ONE_VALUE)
        return Limits(bias=bias, low=missing, high=missing, level=level)
    z, n = quantile(level), moments.n
    error = moments.std * math.sqrt(1 / n + z * z / (2 * (n - 1)))
    ends = []
    for side in (-z, z):
        end, interval = bias.value + side * moments.std, bias.interval
        if isinstance(interval, Interval) and items is None:
            interval = student_interval(end, error, n - 1, level=level, method="t")
        elif isinstance(interval, Interval):
            # What a pair does to the mean, and to the standard deviation.
            apart = gaps - bias.value
            moves = apart + side * (apart**2 / moments.std - moments.std) / 2
            interval = delta_t(end, moves, items=items, level=level, unit=tie_unit(gaps))
        ends.append(Estimate(value=end, n=n, interval=interval))
    return Limits(bias=bias, low=ends[0], high=ends[1], level=level)


def _gaps(judge: Sequence[float], human: Sequence[float]) -> Floats:
    check_pairs(judge, human)
    return differences(human, judge)


def _error_of(errors: Floats, items: Codes | None, *, width: float | None, level: float) -> Statistic:
    """The mean of errors, none of which is below 0 or above `width`."""
    moments = moments_of(errors)
    if moments.mean is None:
        return NO_PAIRS
    if items is not None:
        around = _error_by_item(moments.mean, errors, items, width=width, level=level)
        return Estimate(value=moments.mean, n=moments.n, interval=around)
    interval: Interval | Undefined = Undefined(ONE_VALUE)
    if moments.std is not None:
        error = moments.std / math.sqrt(moments.n)
        interval = score_interval(moments.mean, error, moments.n - 1, width=width, level=level)
    return Estimate(value=moments.mean, n=moments.n, interval=interval)


def _error_by_item(
    mean: float, errors: Floats, items: Codes, *, width: float | None, level: float
) -> Interval | Undefined:
    spread = spread_of(errors, items, unit=tie_unit(errors))
    if isinstance(spread, Undefined):
        return spread
    found = score_interval(mean, spread.error, spread.freedom, width=width, level=level)
    if isinstance(found, Undefined):
        return found
    method: Method = "cluster-score-t" if found.method == "score-t" else "cluster-wilson"
    return msgspec.structs.replace(found, method=method)


def _mean_of(values: Floats, items: Codes | None, *, level: float) -> Statistic:
    moments = moments_of(values)
    if moments.mean is None:
        return NO_PAIRS
    if items is not None:
        spread = spread_of(values, items, unit=tie_unit(values))
        if isinstance(spread, Undefined):
            return Estimate(value=moments.mean, n=moments.n, interval=spread)
        around = student_interval(moments.mean, spread.error, spread.freedom, level=level, method="cluster-t")
        return Estimate(value=moments.mean, n=moments.n, interval=around)
    interval = t_interval(moments.mean, moments.std or 0.0, moments.n, level=level)
    return Estimate(value=moments.mean, n=moments.n, interval=interval)
