"""A difference taken apart: each part starts where the one before it ended, and together they reach the whole."""

from __future__ import annotations

from typing import Final

import msgspec

from rejudge.front.plots.axis import Axis, Ends, axis_over, horizontal, named_ends
from rejudge.front.plots.estimate import Shown
from rejudge.front.plots.svg import LINE, ROOMY, bold, element, fitted, hover, label, named, picture, pixels
from rejudge.front.plots.unit import Unit
from rejudge.stats.interval import Interval, Undefined

ROW: Final = 46.0
NARROW_ROW: Final = 68.0
FOOT: Final = 44.0
BAR: Final = 18.0


class Split(msgspec.Struct, frozen=True, kw_only=True):
    """`parts` that add up to `whole`."""

    title: str
    unit: Unit
    parts: tuple[Shown, ...]
    whole: Shown
    ends: Ends | None = None


class _Step(msgspec.Struct, frozen=True, kw_only=True):
    row: Shown
    start: float
    end: float

    @property
    def reach(self) -> tuple[float, ...]:
        """What an axis must hold of it; the interval is drawn about the end of the bar."""
        if isinstance(self.row.interval, Undefined):
            return (self.start, self.end)
        return (self.start, self.end, self.start + self.row.interval.low, self.start + self.row.interval.high)


def split(view: Split, *, width: float) -> str:
    """The plot for a page of `width` pixels."""
    steps = _steps(view)
    roomy = width >= ROOMY
    texts = [view.unit.estimate(one.row.value, one.row.interval) for one in steps]
    start, end = 12.0, width - 12.0
    if roomy:
        start = min(0.3 * width, pixels(one.row.name for one in steps)) + 16
        end = width - max(bold(texts), 60.0) - 18
    row = ROW if roomy else NARROW_ROW
    top = 18.0 if view.ends else 4.0
    bottom = top + row * len(steps)
    axis = axis_over([0.0, *(value for one in steps for value in one.reach)], start=start, end=end)
    body = [*named_ends(view.ends, axis), *horizontal(axis, view.unit, top=top, bottom=bottom)]
    zero = axis.at(0.0)
    body.append(element("line", x1=zero, x2=zero, y1=top, y2=bottom, class_="zero"))
    for place, (one, text) in enumerate(zip(steps, texts, strict=True)):
        y = top + row * place
        middle = y + (ROW / 2 if roomy else 32)
        if place + 2 < len(steps):
            x = axis.at(one.end)
            body.append(element("line", x1=x, x2=x, y1=middle, y2=middle + row, class_="joint"))
        body.append(_bar(one, view.unit, axis, middle))
        if roomy:
            body.append(named(one.row.name, middle, start - 14))
            body.append(label(width, middle - 3, text, anchor="end", style="number"))
            told = fitted(one.row.told, width - end - 14)
            body.append(label(width, middle + 13, told, anchor="end", style="dim"))
        else:
            body.append(label(0, y + 15, fitted(one.row.name, width), style="row"))
            body.append(label(0, y + 57, text, style="number"))
            told = fitted(one.row.told, width - bold([text]) - 10)
            body.append(label(width, y + 57, told, anchor="end", style="dim"))
    told = "; ".join(
        f"{one.row.name}: {one.row.value if isinstance(one.row.value, Undefined) else text}"
        for one, text in zip(steps, texts, strict=True)
    )
    return picture((width, bottom + FOOT + LINE / 2), view.title, f"{view.unit.name}. {told}", body)


def _steps(view: Split) -> list[_Step]:
    steps, at = [], 0.0
    for part in view.parts:
        size = 0.0 if isinstance(part.value, Undefined) else part.value
        steps.append(_Step(row=part, start=at, end=at + size))
        at += size
    whole = 0.0 if isinstance(view.whole.value, Undefined) else view.whole.value
    return [*steps, _Step(row=view.whole, start=0.0, end=whole)]


def _bar(one: _Step, unit: Unit, axis: Axis, y: float) -> str:
    if isinstance(one.row.value, Undefined):
        room = axis.end - axis.start - 12
        return label(axis.start + 6, y + 4, fitted(str(one.row.value), room), style="dim")
    left, right = sorted((axis.at(one.start), axis.at(one.end)))
    bar = {"x": left, "y": y - BAR / 2, "width": max(2.0, right - left), "height": BAR}
    parts = [
        hover(f"{one.row.name}: {unit.estimate(one.row.value, one.row.interval)}, {one.row.told}"),
        element("rect", class_="bar", **bar),
    ]
    if isinstance(one.row.interval, Interval):
        low, high = (axis.at(one.start + end) for end in (one.row.interval.low, one.row.interval.high))
        parts.append(element("line", x1=low, x2=high, y1=y, y2=y, class_="reach thin"))
        parts += [element("line", x1=end, x2=end, y1=y - 5, y2=y + 5, class_="end") for end in (low, high)]
    return element("g", *parts, class_=f"estimate {one.row.mark}")
