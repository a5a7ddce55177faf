"""How far a mean or a difference may move, whatever the scores that are missing would have been.

No model of why they are missing is supposed, only the declared range (Manski 1989, Journal of Human Resources 24).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from rejudge.stats.interval import Undefined
from rejudge.stats.scale import Scale
from rejudge.stats.summary import NO_RANGE, NOTHING_PLANNED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rejudge.stats.column import Floats


class Bounds(msgspec.Struct, frozen=True, kw_only=True, tag="bounds"):
    """What a mean over `items` planned items is at least and at most; a sample's chance is not in it."""

    low: float
    high: float
    items: int

    def less(self, other: Bounds) -> Bounds:
        """The bounds of this mean less another one."""
        return Bounds(low=self.low - other.high, high=self.high - other.low, items=self.items)


class Known(NamedTuple):
    """What is known of items: of each the sum of its scored trials, how many these are, and how many were planned."""

    totals: Floats
    scored: Floats
    planned: Floats

    def at(self, items: NDArray[np.bool_]) -> Known:
        """Of some items alone."""
        return Known(self.totals[items], self.scored[items], self.planned[items])


def bounds_of_mean(known: Known, scale: Scale) -> Bounds | Undefined:
    """The bounds of the mean over items, of which each is the mean of its planned trials."""
    if not len(known.planned):
        return NOTHING_PLANNED
    if scale.low is None or scale.high is None:
        return NO_RANGE
    low, high = (
        float(((known.totals + (known.planned - known.scored) * end) / known.planned).mean())
        for end in (scale.low, scale.high)
    )
    return Bounds(low=low, high=high, items=len(known.planned))


def bounds_of_difference(first: Known, second: Known, scale: Scale) -> Bounds | Undefined:
    """The bounds of second − first over the same items in the same order."""
    before, after = bounds_of_mean(first, scale), bounds_of_mean(second, scale)
    if isinstance(before, Undefined) or isinstance(after, Undefined):
        return before if isinstance(before, Undefined) else after
    return after.less(before)
