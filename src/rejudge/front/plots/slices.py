"""A difference in every slice of the items, against what all items together came to."""

from __future__ import annotations

from typing import Final

import msgspec

from rejudge.front.plots.axis import Ends
from rejudge.front.plots.estimate import Shown
from rejudge.front.plots.intervals import Intervals, Line, intervals
from rejudge.front.plots.unit import Unit
from rejudge.stats.interval import Undefined

MOST: Final = 30
"""So many slices are drawn; of more, those that differ most from all items, in either direction."""


class Slices(msgspec.Struct, frozen=True, kw_only=True):
    """`whole` is what all items came to; `ends` say what lies to either side of no difference."""

    title: str
    unit: Unit
    rows: tuple[Shown, ...]
    whole: float | Undefined
    ends: Ends | None = None


def slices(view: Slices, *, width: float) -> str:
    """The plot for a page of `width` pixels: slices from the highest value to the lowest, those without one last."""
    whole = 0.0 if isinstance(view.whole, Undefined) else view.whole
    lines = [Line(at=0.0, name="no difference")]
    if not isinstance(view.whole, Undefined) and view.whole:
        lines.insert(0, Line(at=view.whole, name="all items"))
    shown = sorted(view.rows, key=lambda row: -_far(row, whole))[:MOST]
    more = len(view.rows) - len(shown)
    return intervals(
        Intervals(
            title=view.title,
            unit=view.unit,
            rows=tuple(sorted(shown, key=_descending)),
            lines=tuple(lines),
            ends=view.ends,
            left_out=f"and {more:,} slices that lie nearer to all items, in the table" if more else "",
        ),
        width=width,
    )


def _far(row: Shown, whole: float) -> float:
    return -1.0 if isinstance(row.value, Undefined) else abs(row.value - whole)


def _descending(row: Shown) -> tuple[int, float]:
    return (1, 0.0) if isinstance(row.value, Undefined) else (0, -row.value)
