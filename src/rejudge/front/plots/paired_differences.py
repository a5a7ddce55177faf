"""How far each item moved: a bar for every size of move where there are few, else all items in order of their move."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from rejudge.front.plots.axis import Axis, axis_over
from rejudge.front.plots.svg import LINE, ROOMY, element, fitted, hover, label, picture
from rejudge.front.plots.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FEW: Final = 11
"""Up to so many different sizes have a bar each."""

HEIGHT: Final = 190.0
LEFT: Final = 58.0


class PairedDifferences(msgspec.Struct, frozen=True, kw_only=True):
    """`differences` are second − first of `n` items, or of a sample of them; `better` is the end that is wanted."""

    title: str
    unit: Unit
    differences: tuple[float, ...]
    n: int
    better: Literal["higher", "lower", "informational"] = "higher"


def paired_differences(view: PairedDifferences, *, width: float) -> str:
    """The plot for a page of `width` pixels."""
    ordered = sorted(view.differences)
    told = told_moves(view, ordered)
    if not ordered:
        body = [label(0, 16, told, style="dim")]
        return picture((width, 24), view.title, told, body)
    counts = Counter(ordered)
    draw = _bars if len(counts) <= FEW else _curve
    top = 8 + LINE * (1 if width >= ROOMY else 2)
    body = [*_heads(view, ordered, width), *draw(view, ordered, width, top)]
    return picture((width, top + HEIGHT + 42), view.title, told, body)


def told_moves(view: PairedDifferences, ordered: Sequence[float]) -> str:
    """How many items moved which way, in words."""
    if not ordered:
        return "no item has both scores"
    down, up = _sides(ordered)
    sample = "" if len(ordered) == view.n else f" (from an even sample of {len(ordered):,})"
    same = len(ordered) - down - up
    parts = [
        f"{_percent(count, ordered)} {what}" for count, what in ((down, "lower"), (same, "the same"), (up, "higher"))
    ]
    return f"{view.n:,} items: {', '.join(parts)}{sample}"


def _sides(ordered: Sequence[float]) -> tuple[int, int]:
    return sum(one < 0 for one in ordered), sum(one > 0 for one in ordered)


def _percent(count: int, ordered: Sequence[float]) -> str:
    return f"{100 * count / len(ordered):.1f} %"


def _heads(view: PairedDifferences, ordered: Sequence[float], width: float) -> Iterator[str]:
    down, up = _sides(ordered)
    lower, higher = _styles(view)
    words = {"better": "▲ better", "worse": "▼ worse", "different": "◆"}
    for x, style, count, what in ((0.0, lower, down, "lower"), (width, higher, up, "higher")):
        told = f"{words[style]}: {_percent(count, ordered)} of items {what}"
        row = 0.0 if width >= ROOMY or not x else LINE
        anchor: Literal["start", "end"] = "end" if x else "start"
        yield label(x, 12 + row, fitted(told, width), anchor=anchor, style=f"said {style}")
    if width >= ROOMY:
        same = _percent(len(ordered) - down - up, ordered)
        yield label(width / 2, 12, f"{same} the same", anchor="middle", style="dim")


def _styles(view: PairedDifferences) -> tuple[str, str]:
    match view.better:
        case "higher":
            return "worse", "better"
        case "lower":
            return "better", "worse"
        case "informational":
            return "different", "different"


def _bars(view: PairedDifferences, ordered: Sequence[float], width: float, top: float) -> Iterator[str]:
    counts = Counter(ordered)
    values = sorted(counts)
    room = width / len(values)
    most = max(counts.values())
    bottom = top + HEIGHT
    lower, higher = _styles(view)
    step = min((high - low for low, high in pairwise(values)), default=abs(values[0]) or 1.0)
    for place, value in enumerate(values):
        size = (HEIGHT - 22) * counts[value] / most
        style = higher if value > 0 else lower if value < 0 else "neither"
        middle = room * (place + 0.5)
        half = min(44.0, 0.4 * room)
        share = f"{100 * counts[value] / len(ordered):.1f} %"
        told = f"{view.unit.text(value)}: {counts[value]:,} items, {share}"
        bar = {"x": middle - half, "y": bottom - size, "width": 2 * half, "height": size}
        yield element("rect", hover(told), class_=f"part {style}", **bar)
        count = f"{counts[value]:,}"
        yield label(middle, bottom - size - 6, count, anchor="middle", style="number")
        yield label(middle, bottom + 16, fitted(view.unit.tick(value, step), room), anchor="middle", style="tick")
    yield element("line", x1=0, x2=width, y1=bottom, y2=bottom, class_="axis")
    yield label(width / 2, bottom + 35, fitted(view.unit.name, width), anchor="middle", style="name")


def _curve(view: PairedDifferences, ordered: Sequence[float], width: float, top: float) -> Iterator[str]:
    bottom = top + HEIGHT
    down = axis_over([*ordered, 0.0], start=bottom, end=top)
    across = Axis(low=0.0, high=1.0, start=LEFT, end=width - 8)
    for value, step in down.ticks(5):
        y = down.at(value)
        yield element("line", x1=LEFT, x2=width - 8, y1=y, y2=y, class_="grid")
        yield label(LEFT - 6, y + 4, fitted(view.unit.tick(value, step), LEFT), anchor="end", style="tick")
    zero = down.at(0.0)
    lower, higher = _styles(view)
    for style, chosen in ((lower, [min(0.0, one) for one in ordered]), (higher, [max(0.0, one) for one in ordered])):
        if any(chosen):
            yield element("path", d=_area(chosen, across, down, zero), class_=f"part {style}")
    yield element("line", x1=LEFT, x2=width - 8, y1=zero, y2=zero, class_="zero")
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        yield label(
            across.at(share), bottom + 16, f"{100 * share:.0f} %", anchor="middle" if share < 1 else "end", style="tick"
        )
    name = f"items in order of their move; upwards: {view.unit.name}"
    yield label(width / 2, bottom + 35, fitted(name, width), anchor="middle", style="name")


def _area(heights: Sequence[float], across: Axis, down: Axis, zero: float) -> str:
    """A step for each item, as far as pixels can tell the items apart."""
    seen = min(len(heights), int(across.end - across.start))
    points = [f"M{across.start:.1f} {zero:.1f}"]
    for place in range(seen):
        height = heights[(2 * place + 1) * len(heights) // (2 * seen)]
        left, right = across.at(place / seen), across.at((place + 1) / seen)
        points.append(f"L{left:.1f} {down.at(height):.1f}H{right:.1f}")
    return "".join([*points, f"L{across.end:.1f} {zero:.1f}Z"])
