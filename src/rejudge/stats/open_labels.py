"""What a correction can still say where raters differ on some traces and nobody decided: bounds, and no estimate.

What people disagree on is what is hard to judge, so the labelled rest is no sample of what was drawn. Each number lies
between the ends that it has when the open labels are decided in turn in every extreme way (Manski 2003, Partial
Identification of Probability Distributions).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from rejudge.stats.correction import Corrected, Correction
from rejudge.stats.estimate import Estimate, Statistic
from rejudge.stats.interval import Interval, Undefined

if TYPE_CHECKING:
    from rejudge.stats.judged_sample import MeanCorrection

_NUMBERS = ("human", "true_positive_rate", "true_negative_rate", "rogan_gladen", "prediction_powered", "reweighted")


class Bounds(msgspec.Struct, frozen=True, kw_only=True, tag="bounds"):
    """From the lowest to the highest end of the intervals that a number has, however the open labels are decided."""

    low: float
    high: float


class OpenLabels(msgspec.Struct, frozen=True, kw_only=True):
    """So many judged traces are open, and the bounds that this leaves for each number that the drawing allows."""

    traces: int
    bounds: dict[str, Bounds | Undefined]


def bounds_of(decided: Sequence[Correction | MeanCorrection], *, traces: int) -> OpenLabels:
    """The bounds from the corrections that there are when the open labels of `traces` are decided in extreme ways."""
    bounds: dict[str, Bounds | Undefined] = {}
    for name in _NUMBERS:
        numbers = [getattr(one, name) for one in decided if hasattr(one, name)]
        if any(isinstance(number, Estimate | Corrected) for number in numbers):
            bounds[name] = _bounds(numbers)
    return OpenLabels(traces=traces, bounds=bounds)


def rate_without_estimates(found: Correction, opened: OpenLabels, why: Undefined) -> Correction:
    """The same with the reason in place of every number that has bounds only."""
    return msgspec.structs.replace(found, formula=why, **dict.fromkeys(opened.bounds, why))


def mean_without_estimates(found: MeanCorrection, opened: OpenLabels, why: Undefined) -> MeanCorrection:
    """The same of a mean."""
    return msgspec.structs.replace(found, **dict.fromkeys(opened.bounds, why))


def _bounds(numbers: Sequence[Statistic | Corrected]) -> Bounds | Undefined:
    intervals = [number if isinstance(number, Undefined) else number.interval for number in numbers]
    for interval in intervals:
        if isinstance(interval, Undefined):
            return interval
    ends = [interval for interval in intervals if isinstance(interval, Interval)]
    return Bounds(low=min(one.low for one in ends), high=max(one.high for one in ends))
