"""What changed for each item: second − first, where two values that only rounding tells apart are a tie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import RecordError
from rejudge.stats.column import column

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Numbers, Places

TIE = 1e-9  # for values beyond ±1, in proportion to them


def aligned(first: Numbers, second: Numbers) -> tuple[Floats, Floats]:
    """Both columns as arrays; raises RecordError where they differ in length or hold what is no finite number."""
    before, after = column(first), column(second)
    if len(before) != len(after):
        raise RecordError(
            f"{len(before)} values cannot be paired with {len(after)}",
            fix="give both columns over the same items, in the same order",
        )
    return before, after


def differences(first: Numbers, second: Numbers) -> Floats:
    """second − first for each pair, 0 for a tie; all the same where they differ by rounding only.

    Raises RecordError as `aligned` does, and for values too large to be subtracted.
    """
    import numpy as np

    before, after = aligned(first, second)
    with np.errstate(over="ignore"):
        found = after - before
    if not np.isfinite(found).all():
        raise RecordError("the values are too large to be subtracted", fix="use a smaller unit")
    room = rounding(before, after)
    found[np.abs(found) <= room] = 0
    if found.all() and (np.abs(found - found[:1]) <= room).all():
        found[:] = found[:1]
    return found


def rounding(before: Floats, after: Floats) -> Floats:
    """How far apart the two values of each pair may be and still tie."""
    import numpy as np

    return np.asarray(TIE * np.maximum(1, np.maximum(np.abs(before), np.abs(after))))


def tie_groups(ordered: Floats) -> Places:
    """For each of the ascending values the number of its group, from 0; one group spans TIE at most."""
    import numpy as np

    room = TIE * np.maximum(1, ordered)
    starts = np.diff(ordered, prepend=ordered[:1]) > room
    # A long chain of near neighbours is cut at every TIE from its start.
    start = np.maximum.accumulate(np.where(starts, ordered, ordered[:1]))
    cell = np.floor((ordered - start) / (room * (1 + TIE)))
    return np.cumsum(starts | (np.diff(cell, prepend=cell[:1]) > 0))
