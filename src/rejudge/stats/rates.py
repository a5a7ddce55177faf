"""How sure a sum of weighted pass rates is whose samples are few or without a spread, and may share items.

The variance of a few equal values is 0, and a t interval takes them for certain. The interval of a rate does not, and
those of the single rates give that of their sum: it reaches as far below as the root of Σ dᵢ² + Σ rᵢⱼ·dᵢ·dⱼ, where dᵢ
is how far the interval of the i-th weighted rate reaches below it (MOVER, the method of variance estimates recovery:
Zou and Donner 2008, Statistics in Medicine 27; for two rates Newcombe 1998, Statistics in Medicine 17, method 10). The
correlations r of rates that share items are shrunk as in his method for pairs (ibid., 2635): a few pairs that agree by
chance make nothing surer.

The interval of a rate is that of Agresti and Coull 1998, The American Statistician 52, which has the middle of Wilson's
and is wider near 0 and 1, with the quantile of t(n − 1); of items that all pass, or all fail, it is Clopper and
Pearson's. For two independent rates, of 5, 10 or 30 items beside 5 to 100, the interval of the difference holds the
truth in 93.6 % of all samples or more, in 97 to 98 % on average, whatever the rates are, but for 5 items beside 5 of
which one rate is near 0 and the other near 1: 92.6 %. From Wilson's intervals it would be 84 %, and of 5 items with a
rate of 0.97 86 % beside any number of others.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rejudge.stats.interval import LEVEL, Interval, clopper_pearson
from rejudge.stats.linear import ONE_ITEM, sum_of

if TYPE_CHECKING:
    from rejudge.stats.column import Floats
    from rejudge.stats.interval import Undefined
    from rejudge.stats.linear import Mean


def are_rates(means: list[Mean]) -> bool:
    """Whether every value that counts is 0 or 1."""
    return all(((one.values[one.chosen] == 0) | (one.values[one.chosen] == 1)).all() for one in means)


def interval_of_rates(means: list[Mean], *, level: float = LEVEL) -> Interval | Undefined:
    """The interval of `sum_of(means)` of independent items, whose values are all 0 or 1, cut where no sum lies beyond.

    Undefined where a sample has one item.
    """
    if any(one.chosen.sum() < 2 for one in means):
        return ONE_ITEM
    value = sum_of(means)
    reaches = [_reach(one, level) for one in means]
    shared = [[_correlation(one, other) for other in means] for one in means]
    low = value - _together([below for below, _ in reaches], shared)
    high = value + _together([above for _, above in reaches], shared)
    least, most = (math.fsum(side(0.0, one.weight) for one in means) for side in (min, max))
    return Interval(low=min(value, max(low, least)), high=max(value, min(high, most)), level=level, method="mover")


def _reach(mean: Mean, level: float) -> tuple[float, float]:
    """How far the interval of a weighted rate reaches below it, and above."""
    from scipy.special import stdtrit

    n, passed = int(mean.chosen.sum()), int(mean.values[mean.chosen].sum())
    rate, t = passed / n, float(stdtrit(n - 1, (1 + level) / 2))
    middle = (passed + t * t / 2) / (n + t * t)
    half = t * math.sqrt(middle * (1 - middle) / (n + t * t))
    low, high = middle - half, middle + half
    if passed in (0, n) and isinstance(exact := clopper_pearson(passed, n, level=level), Interval):
        low, high = (exact.low, high) if passed else (low, exact.high)
    below, above = abs(mean.weight) * (rate - low), abs(mean.weight) * (high - rate)
    return (below, above) if mean.weight > 0 else (above, below)


def _together(reaches: list[float], shared: list[list[float]]) -> float:
    squares = [
        correlation * one * other
        for one, row in zip(reaches, shared, strict=True)
        for other, correlation in zip(reaches, row, strict=True)
    ]
    return math.sqrt(max(0.0, math.fsum(squares)))


def _correlation(one: Mean, other: Mean) -> float:
    """How far two weighted rates move together because of the items that both are of."""
    if one is other:
        return 1.0
    sign = math.copysign(1.0, one.weight * other.weight)
    both = one.chosen & other.chosen
    apart, other_apart = _residuals(one), _residuals(other)
    common = float(apart[both] @ other_apart[both])
    spread = math.sqrt(
        float(apart[one.chosen] @ apart[one.chosen]) * float(other_apart[other.chosen] @ other_apart[other.chosen])
    )
    if not spread:
        return 0.0
    if common > 0:
        common = max(0.0, common - 0.5)
    return sign * min(1.0, max(-1.0, common / spread))


def _residuals(mean: Mean) -> Floats:
    return mean.values - float(mean.values[mean.chosen].mean())
