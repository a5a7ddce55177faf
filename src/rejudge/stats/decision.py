"""What a comparison lets one say, by rules that are stated: better, worse, nothing shown, or too little data."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Literal, TypeAlias

import msgspec

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.power import Aim
from rejudge.stats.scale import Direction

MEDIUM_EFFECT = 0.5  # Cohen 1988: half a standard deviation of the differences

InferiorityResult: TypeAlias = Literal["pass", "fail", "inconclusive"]


class ComparisonVerdict(StrEnum):
    """`different`: a difference is shown, on a score that has no better end. None of them says that two are equal."""

    BETTER = "better"
    WORSE = "worse"
    DIFFERENT = "different"
    NO_DIFFERENCE_SHOWN = "no_difference_shown"
    NOT_ENOUGH_DATA = "not_enough_data"


SHOWN = (ComparisonVerdict.BETTER, ComparisonVerdict.WORSE, ComparisonVerdict.DIFFERENT)
"""The verdicts by which a difference is shown."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict about the second of two, and the rule that led to it."""

    verdict: ComparisonVerdict
    because: str


class NonInferiority(msgspec.Struct, frozen=True, kw_only=True, tag="non-inferiority"):
    """Whether the second is worse by no more than `margin`, in the unit of the score.

    `pass` where the whole interval is above −margin, `fail` where it is all below, else `inconclusive`. For a score
    of which less is better the signs are turned.
    """

    margin: float
    result: InferiorityResult
    because: str


class Ground(msgspec.Struct, frozen=True, kw_only=True):
    """What a decision stands on: the difference over `units` independent pairs or clusters, and what could be found.

    `detectable` is the smallest difference that would have been shown with 80 % power, `smallest` the smallest that
    anybody cares for.
    """

    difference: float | Undefined
    units: int
    unit: Literal["pairs", "clusters"]
    detectable: float | Undefined
    smallest: float | None
    direction: Direction
    level: float


def decide(ground: Ground, p: float | Undefined) -> Decision:
    """The verdict of a test whose p-value is `p`.

    1. p ≤ 1 − level: better or worse. 2. Else, where a smallest interesting difference was named: not enough data
    unless a difference of that size would have been shown with 80 % power. 3. Else, not enough data where there are
    too few units to show half a standard deviation of the differences with that power (32 at 95 %). 4. Else no
    difference is shown, which is not to say that there is none.
    """
    if isinstance(p, Undefined) or isinstance(ground.difference, Undefined):
        reason = p if isinstance(p, Undefined) else ground.difference
        return Decision(verdict=ComparisonVerdict.NOT_ENOUGH_DATA, because=f"the test is {reason}")
    limit = f"{1 - ground.level:.4g}"
    if p <= 1 - ground.level:
        return Decision(verdict=_shown(ground.difference, ground.direction), because=f"p = {p:.3g} is at most {limit}")
    nothing = f"p = {p:.3g} is above {limit}"
    if (lack := _lack(ground)) is not None:
        return Decision(verdict=ComparisonVerdict.NOT_ENOUGH_DATA, because=f"{nothing}, and {lack}")
    return Decision(verdict=ComparisonVerdict.NO_DIFFERENCE_SHOWN, because=nothing)


def detectable_difference(interval: Interval | Undefined) -> float | Undefined:
    """The difference that an interval of this width would have shown with 80 % power: half-width · (1 + z_β/z_α/2).

    Source: the inverse of the sample size in Miller 2024, arXiv 2411.00640, section 5.
    """
    if isinstance(interval, Undefined):
        return interval
    shown, power = Aim(level=interval.level).quantiles
    return (interval.high - interval.low) / 2 * (1 + power / shown)


def fewest_units(level: float) -> int:
    """The number of units below which no exact test shows anything, were all of them to change the same way: 2·½ⁿ ≤ α.

    6 at 95 %.
    """
    return math.ceil(math.log2(2 / (1 - level)) - 1e-9)


def least_units(level: float) -> int:
    """The number of units from which half a standard deviation of the differences is shown with 80 % power."""
    return math.ceil((sum(Aim(level=level).quantiles) / MEDIUM_EFFECT) ** 2)


def non_inferiority(
    interval: Interval | Undefined, *, margin: float, direction: Direction
) -> NonInferiority | Undefined:
    """Whether the interval of second − first allows that the second is worse by `margin` or more.

    Undefined for an informational score. Raises ConfigurationError for a margin below 0.
    """
    if not (margin >= 0 and math.isfinite(margin)):
        raise ConfigurationError(f"{margin} is not a margin", fix="say how much worse is still acceptable, 0 or more")
    if direction == "informational":
        return Undefined("an informational score has no worse end")
    if isinstance(interval, Undefined):
        return NonInferiority(margin=margin, result="inconclusive", because=f"the interval is {interval}")
    worst, best = interval.low, interval.high
    if direction == "lower":
        worst, best = -interval.high, -interval.low
    if worst > -margin:
        return NonInferiority(margin=margin, result="pass", because="the whole interval is less than the margin worse")
    if best < -margin:
        return NonInferiority(margin=margin, result="fail", because="the whole interval is more than the margin worse")
    return NonInferiority(margin=margin, result="inconclusive", because="the interval reaches to both sides of it")


def _shown(difference: float, direction: Direction) -> ComparisonVerdict:
    if direction == "informational":
        return ComparisonVerdict.DIFFERENT
    rose = difference > 0
    return ComparisonVerdict.BETTER if rose == (direction == "higher") else ComparisonVerdict.WORSE


def _lack(ground: Ground) -> str | None:
    if ground.smallest is None:
        needed = least_units(ground.level)
        if ground.units >= needed:
            return None
        return (
            f"{ground.units} {ground.unit} are fewer than {needed}, from which a difference of half a standard "
            "deviation would be found 8 times in 10"
        )
    if isinstance(ground.detectable, Undefined):
        return f"the smallest difference that could have been found is {ground.detectable}"
    if ground.detectable > ground.smallest:
        return (
            f"only a difference of {ground.detectable:.3g} would be found 8 times in 10, "
            f"which is more than the smallest of interest, {ground.smallest:.3g}"
        )
    return None
