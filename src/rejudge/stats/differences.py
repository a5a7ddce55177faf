"""What changed for each item: second − first, 0 where only the rounding of floating point tells two values apart.

Sums take a difference as it is, however small. Where differences are ranked, or told to be equal, those within `TIE`
of the scores' size are one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import RecordError
from rejudge.stats.column import column

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Numbers, Places

TIE = 1e-9
_LAST_DIGITS = 8
_LEAST = 1e-150  # of anything smaller there is no square


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
    """second − first for each pair; 0, and all the same, where nothing but rounding makes them differ.

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
    if found.all() and (np.abs(found - found[:1]) <= room + room[:1]).all():
        found[:] = found[:1]
    return found


def rounding(*columns: Floats) -> Floats:
    """How far apart rounding may put the values of each row: some last digits of the largest of them."""
    import numpy as np

    return np.asarray(np.maximum(_LEAST, _LAST_DIGITS * np.spacing(np.abs(columns).max(axis=0))))


def tie_unit(*columns: Floats) -> float:
    """The size of which `TIE` is taken: that of most rows, at most 1, but so much that rounding makes no ranks.

    Costs of 1e-10 are told apart as shares are, and one value of 1e10 among them changes nothing. What is left of 0
    after 0.1 + 0.2 − 0.3 is 0 beside scores that reach 1, however many there are of it.
    """
    import numpy as np

    sizes = np.abs(columns).max(axis=0)
    sizes = sizes[sizes > 0]
    if not len(sizes):
        return 1.0
    typical = float(np.median(sizes))
    of_digits = max(typical, min(1.0, float(sizes.max())))
    return max(min(1.0, typical), _LAST_DIGITS * float(np.spacing(of_digits)) / TIE)


def tie_groups(ordered: Floats, *, unit: float) -> Places:
    """For each of the ascending values the number of its group, from 0; one group spans TIE at most.

    TIE is taken of `unit`, which `tie_unit` tells, and of values beyond it.
    """
    import numpy as np

    room = TIE * np.maximum(unit, np.abs(ordered))
    starts = np.diff(ordered, prepend=ordered[:1]) > room
    # A long chain of near neighbours is cut at every TIE from its start.
    start = np.maximum.accumulate(np.where(starts, ordered, ordered[:1]))
    cell = np.floor((ordered - start) / (room * (1 + TIE)))
    return np.cumsum(starts | (np.diff(cell, prepend=cell[:1]) > 0))
