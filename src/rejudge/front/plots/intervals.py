"""Estimates under each other on one axis, each with its interval, its number and its n."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec

from rejudge.front.plots.axis import Axis, Ends, axis_over, horizontal, named_ends
from rejudge.front.plots.estimate import Shown, drawn, reach
from rejudge.front.plots.svg import LINE, ROOMY, bold, element, fitted, hover, label, named, picture, pixels
from rejudge.front.plots.unit import Unit
from rejudge.stats.interval import Undefined

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST: Final = 40
"""So many rows are drawn at most; a count tells how many are left out."""

ROW: Final = 46.0
NARROW_ROW: Final = 68.0
FOOT: Final = 44.0


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A value that everything is read against, such as no difference, or what all items together came to."""

    at: float
    name: str


class Band(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the axis with a meaning, such as what is too little to matter; its name is for a caption."""

    low: float
    high: float
    name: str


class Intervals(msgspec.Struct, frozen=True, kw_only=True):
    """`rows` on an axis of `unit`, which stays within `low` and `high`."""

    title: str
    unit: Unit
    rows: tuple[Shown, ...]
    lines: tuple[Line, ...] = ()
    bands: tuple[Band, ...] = ()
    ends: Ends | None = None
    low: float = -math.inf
    high: float = math.inf
    left_out: str = ""


def intervals(view: Intervals, *, width: float) -> str:
    """The plot for a page of `width` pixels."""
    rows = view.rows[:MOST]
    roomy = width >= ROOMY
    texts = [view.unit.estimate(row.value, row.interval) for row in rows]
    start, end = 12.0, width - 12.0
    if roomy:
        start = min(0.3 * width, pixels(row.name for row in rows)) + 16
        end = width - max(bold(texts), pixels(fitted(row.told, 0.3 * width) for row in rows), 60) - 18
    top = (18.0 if view.ends else 4.0) + LINE * bool(view.lines)
    step = ROW if roomy else NARROW_ROW
    bottom = top + step * len(rows)
    values = [
        *reach(rows),
        *(line.at for line in view.lines),
        *(x for band in view.bands for x in (band.low, band.high)),
    ]
    axis = axis_over(values, start=start, end=end, low=view.low, high=view.high)
    cut = _left_out(view, len(rows))
    body = [
        *named_ends(view.ends, axis),
        *_bands(view, axis, top, bottom),
        *horizontal(axis, view.unit, top=top, bottom=bottom),
        *_lines(view, axis, top, bottom),
    ]
    for place, (row, text) in enumerate(zip(rows, texts, strict=True)):
        body += (
            _roomy(row, text, view, axis, top + step * place, width)
            if roomy
            else _tight(row, text, view, axis, top + step * place)
        )
    height = bottom + FOOT
    if cut:
        body.append(label(start if roomy else 12, height + 8, cut, style="dim"))
        height += LINE
    return picture((width, height), view.title, described(view), body)


def described(view: Intervals) -> str:
    """The plot in one sentence, for whoever does not see it."""
    rows = view.rows[:MOST]
    told = "; ".join(f"{row.name}: {_said(row, view.unit)}, {row.told}" for row in rows[:12])
    more = f"; and {len(view.rows) - 12} more, which the table holds" if len(view.rows) > 12 else ""
    return f"{view.unit.name}. {told or 'nothing to show'}{more}"


def _said(row: Shown, unit: Unit) -> str:
    return str(row.value) if isinstance(row.value, Undefined) else unit.estimate(row.value, row.interval)


def _left_out(view: Intervals, drawn_rows: int) -> str:
    more = len(view.rows) - drawn_rows
    return view.left_out or (f"and {more:,} more, which the table below holds" if more else "")


def _roomy(row: Shown, text: str, view: Intervals, axis: Axis, top: float, width: float) -> Iterator[str]:
    middle = top + ROW / 2
    yield named(row.name, middle, axis.start - 14)
    yield _mark(row, view.unit, axis, middle, axis.end - axis.start)
    yield label(width, middle - 3, text, anchor="end", style="number")
    yield label(width, middle + 13, fitted(row.told, width - axis.end - 14), anchor="end", style="dim")


def _tight(row: Shown, text: str, view: Intervals, axis: Axis, top: float) -> Iterator[str]:
    yield label(0, top + 15, fitted(row.name, axis.end), style="row")
    yield _mark(row, view.unit, axis, top + 30, axis.end - axis.start)
    yield label(0, top + 52, text, style="number")
    room = axis.end + 12 - bold([text]) - 10
    yield label(axis.end + 12, top + 52, fitted(row.told, room), anchor="end", style="dim")


def _mark(row: Shown, unit: Unit, axis: Axis, y: float, room: float) -> str:
    if isinstance(row.value, Undefined):
        return label(axis.start + 6, y + 4, fitted(str(row.value), room - 12), style="dim")
    return drawn(row, axis, y, unit)


def _bands(view: Intervals, axis: Axis, top: float, bottom: float) -> Iterator[str]:
    for band in view.bands:
        low, high = axis.at(band.low), axis.at(band.high)
        size = {"x": low, "y": top, "width": high - low, "height": bottom - top}
        yield element("rect", hover(band.name), class_="band", **size)


def _lines(view: Intervals, axis: Axis, top: float, bottom: float) -> Iterator[str]:
    """The lines with their names above, of which one that would run into another is left out."""
    taken: list[tuple[float, float]] = []
    for line in view.lines:
        x, half = axis.at(line.at), pixels([line.name]) / 2
        yield element(
            "line", hover(line.name), x1=x, x2=x, y1=top - 2, y2=bottom, class_="whole" if line.at else "zero"
        )
        middle = min(max(x, half), axis.end + 12 - half)
        if all(middle - half > right or middle + half < left for left, right in taken):
            taken.append((middle - half, middle + half))
            yield label(middle, top - 6, line.name, anchor="middle", style="dim")
