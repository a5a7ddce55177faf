"""Curves over amounts of many sizes: equal ratios across are equally far apart, and points that are meant are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rejudge.front.plots.axis import Axis, LogAxis, axis_over, horizontal
from rejudge.front.plots.estimate import Mark, marked
from rejudge.front.plots.svg import LINE, element, fitted, hover, label, picture, pixels
from rejudge.front.plots.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Iterator

HEIGHT: Final = 260.0
TOP: Final = 26.0
Point = tuple[float, float]


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """Points from left to right; the `main` one is drawn through, any other is dashed. A pointer is shown the name."""

    name: str
    points: tuple[Point, ...]
    main: bool = False


class Meant(msgspec.Struct, frozen=True, kw_only=True):
    """A point that is meant, and what it says."""

    at: Point
    told: str
    mark: Mark = "plain"


class Curves(msgspec.Struct, frozen=True, kw_only=True):
    """Curves from `low` to `high`, both above 0; `floor` and `ceiling` bound their values, `level` is looked for."""

    title: str
    across: Unit
    up: Unit
    low: float
    high: float
    curves: tuple[Curve, ...]
    meant: tuple[Meant, ...] = ()
    level: float | None = None
    floor: float = 0.0
    ceiling: float | None = None


def curves(view: Curves, *, width: float) -> str:
    """The plot for a page of `width` pixels."""
    values = [value for one in view.curves for _, value in one.points] + [one.at[1] for one in view.meant]
    values += [view.floor, *(one for one in (view.level, view.ceiling) if one is not None)]
    bottom = TOP + HEIGHT
    up = axis_over(values, start=bottom, end=TOP, low=view.floor)
    if view.ceiling is not None:
        up = Axis(low=view.floor, high=view.ceiling, start=bottom, end=TOP)
    ticks = [(value, view.up.tick(value, step)) for value, step in up.ticks(5)]
    left = pixels(text for _, text in ticks) + 12
    across = LogAxis(low=view.low, high=view.high, start=left, end=width - 12.0)
    body = [label(0, 12, fitted(f"{view.up.name} ↑", width), style="name")]
    for value, text in ticks:
        y = up.at(value)
        body.append(element("line", x1=across.start, x2=across.end, y1=y, y2=y, class_="grid"))
        body.append(label(across.start - 6, y + 4, text, anchor="end", style="tick"))
    body += horizontal(across, view.across, top=TOP, bottom=bottom)
    if view.level is not None:
        y = up.at(view.level)
        body.append(element("line", x1=across.start, x2=across.end, y1=y, y2=y, class_="whole"))
    for curve in view.curves:
        points = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in curve.points)
        style = "course" if curve.main else "course other"
        body.append(element("polyline", hover(curve.name), points=points, class_=style))
    for one in view.meant:
        body += _point(one, across, up)
    end = bottom + 42.0
    for place, one in enumerate(view.meant):
        y = end + 18 + LINE * place
        body.append(element("g", marked(one.mark, 8, y - 4), class_=f"estimate {one.mark}"))
        body.append(label(20, y, fitted(one.told, width - 20), style="said"))
    told = "; ".join(one.told for one in view.meant) or f"{view.up.name} by {view.across.name}"
    return picture((width, end + LINE * len(view.meant) + 14), view.title, told, body)


def _point(one: Meant, across: LogAxis, up: Axis) -> Iterator[str]:
    x, y = across.at(one.at[0]), up.at(one.at[1])
    yield element(
        "polyline", points=f"{across.start:.1f},{y:.1f} {x:.1f},{y:.1f} {x:.1f},{up.start:.1f}", class_="drop"
    )
    yield element("g", hover(one.told), marked(one.mark, x, y), class_=f"estimate {one.mark}")
