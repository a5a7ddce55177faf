"""Percentiles of what traces took, each with its interval; amounts of many sizes are on a scale of equal ratios."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rejudge.front.plots.axis import LogAxis, Scale, axis_over, horizontal
from rejudge.front.plots.estimate import Shown, drawn, reach
from rejudge.front.plots.svg import ROOMY, bold, element, fitted, hover, label, picture, pixels
from rejudge.front.plots.unit import Unit
from rejudge.stats.interval import Undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

ROW: Final = 34.0
NARROW_ROW: Final = 52.0
FOOT: Final = 44.0
ROOM: Final = 1.2
RATIO: Final = 50.0
"""Where the largest value is so many times the smallest, equal ratios are equally far apart."""


class Percentiles(msgspec.Struct, frozen=True, kw_only=True):
    """`rows` are percentiles of `n` amounts from `minimum` to `maximum`; `missing` more have no amount."""

    title: str
    unit: Unit
    rows: tuple[Shown, ...]
    n: int
    missing: int
    minimum: float | Undefined
    maximum: float | Undefined


def percentiles(view: Percentiles, *, width: float) -> str:
    """The plot for a page of `width` pixels."""
    roomy = width >= ROOMY
    texts = [_text(row, view.unit) for row in view.rows]
    start, end = 12.0, width - 12.0
    if roomy:
        start = min(0.3 * width, pixels(row.name for row in view.rows)) + 16
        end = width - max(bold(texts), 60.0) - 18
    top, row = 22.0, ROW if roomy else NARROW_ROW
    bottom = top + row * len(view.rows)
    axis = _axis(view, start, end)
    body = [label(0, 12, fitted(_of(view), width), style="dim"), *horizontal(axis, view.unit, top=top, bottom=bottom)]
    if not isinstance(view.minimum, Undefined) and not isinstance(view.maximum, Undefined):
        low, high = axis.at(view.minimum), axis.at(view.maximum)
        told = f"from {view.unit.text(view.minimum)} to {view.unit.text(view.maximum)}"
        box = {"x": low, "y": top, "width": max(1.0, high - low), "height": bottom - top}
        body.append(element("rect", hover(told), class_="band", **box))
    for place, (one, text) in enumerate(zip(view.rows, texts, strict=True)):
        y = top + row * place
        if roomy:
            body.append(label(0, y + row / 2 + 4, fitted(one.name, start - 14), style="row"))
            body.append(label(width, y + row / 2 + 4, text, anchor="end", style="number"))
        else:
            body.append(label(0, y + 18, fitted(one.name, width - bold([text]) - 10), style="row"))
            body.append(label(width, y + 18, text, anchor="end", style="number"))
        middle = y + (row / 2 if roomy else 34)
        if isinstance(one.value, Undefined):
            body.append(label(start + 6, middle + 4, fitted(str(one.value), end - start - 12), style="dim"))
        else:
            body.append(drawn(one, axis, middle, view.unit))
    told = "; ".join(f"{one.name}: {text}" for one, text in zip(view.rows, texts, strict=True))
    return picture((width, bottom + FOOT), view.title, f"{_of(view)}. {told}", body)


def _text(row: Shown, unit: Unit) -> str:
    """The estimate; where nothing says how sure it is, in about three digits."""
    if isinstance(row.value, Undefined) or not isinstance(row.interval, Undefined):
        return unit.estimate(row.value, row.interval)
    return f"{unit.text(row.value, span=abs(row.value) / 10)} [no interval]"


def _of(view: Percentiles) -> str:
    missing = f", {view.missing:,} more have none" if view.missing else ""
    return f"n={view.n:,}{missing}"


def _axis(view: Percentiles, start: float, end: float) -> Scale:
    ends = [one for one in (view.minimum, view.maximum) if not isinstance(one, Undefined)]
    values: Sequence[float] = [*reach(view.rows), *ends]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low > 0 and high / low >= RATIO:
        return LogAxis(low=low / ROOM, high=high * ROOM, start=start, end=end)
    return axis_over(values, start=start, end=end, low=0.0)
