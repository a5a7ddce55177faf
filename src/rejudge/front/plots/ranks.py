"""Systems in the order of their means: each mean with its interval, and the ranks that the data leave open."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec

from rejudge.front.plots.axis import Axis, axis_over, horizontal
from rejudge.front.plots.estimate import Shown, drawn, reach
from rejudge.front.plots.svg import LINE, ROOMY, bold, element, fitted, hover, label, named, picture, pixels
from rejudge.front.plots.unit import Unit
from rejudge.stats.interval import Undefined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST: Final = 40
ROW: Final = 46.0
NARROW_ROW: Final = 92.0
FOOT: Final = 44.0


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """One system: its mean, the ranks that it may truly have, and the letters it shares with what it ties with."""

    shown: Shown
    best: int
    worst: int
    letters: str

    @property
    def told(self) -> str:
        """The ranks in words."""
        rank = f"rank {self.best}" if self.best == self.worst else f"rank {self.best}–{self.worst}"
        return f"{rank} · {self.letters}" if self.letters else rank


class Ranks(msgspec.Struct, frozen=True, kw_only=True):
    """The systems, best first; values stay within `low` and `high`."""

    title: str
    unit: Unit
    rows: tuple[Ranked, ...]
    low: float = -math.inf
    high: float = math.inf


def ranks(view: Ranks, *, width: float) -> str:
    """The plot for a page of `width` pixels."""
    rows = view.rows[:MOST]
    roomy = width >= ROOMY
    texts = [view.unit.estimate(row.shown.value, row.shown.interval) for row in rows]
    start, end, ranked = 12.0, width - 12.0, width - 12.0
    if roomy:
        start = min(0.26 * width, pixels(row.shown.name for row in rows)) + 16
        ranked = width - min(0.28 * width, max(112.0, 32.0 * len(view.rows)))
        end = ranked - max(bold(texts), 80) - 34
    top = 24.0 if roomy else 4.0
    step = ROW if roomy else NARROW_ROW
    bottom = top + step * len(rows)
    axis = axis_over(reach(row.shown for row in rows), start=start, end=end, low=view.low, high=view.high)
    places = Axis(
        low=0.5,
        high=len(view.rows) + 0.5,
        start=ranked if roomy else 12.0,
        end=width - 4 if roomy else width - 12.0,
    )
    body = [*horizontal(axis, view.unit, top=top, bottom=bottom)]
    if roomy:
        body += _rank_axis(places, len(view.rows), top, bottom)
    for place, (row, text) in enumerate(zip(rows, texts, strict=True)):
        draw = _roomy if roomy else _tight
        body += draw(row, text, view.unit, (axis, places), top + step * place)
    height = bottom + FOOT
    if len(view.rows) > len(rows):
        told = f"and {len(view.rows) - len(rows):,} more below them, in the table"
        body.append(label(0, height + 8, told, style="dim"))
        height += LINE
    return picture((width, height), view.title, _described(view, rows), body)


def _described(view: Ranks, rows: Sequence[Ranked]) -> str:
    told = [f"{row.told}: {row.shown.name}, {view.unit.estimate(row.shown.value, row.shown.interval)}" for row in rows]
    return f"{view.unit.name}. " + "; ".join(told)


def _roomy(row: Ranked, text: str, unit: Unit, axes: tuple[Axis, Axis], top: float) -> Iterator[str]:
    axis, places = axes
    y = top + ROW / 2
    yield named(row.shown.name, y, axis.start - 14)
    yield _mark(row, unit, axis, y)
    yield label(places.start - 14, y - 3, text, anchor="end", style="number")
    yield label(places.start - 14, y + 13, fitted(row.shown.told, 120), anchor="end", style="dim")
    yield _bar(row, places, y)


def _tight(row: Ranked, text: str, unit: Unit, axes: tuple[Axis, Axis], top: float) -> Iterator[str]:
    axis, places = axes
    yield label(0, top + 15, fitted(row.shown.name, axis.end), style="row")
    yield _mark(row, unit, axis, top + 30)
    yield label(0, top + 52, text, style="number")
    told = fitted(row.shown.told, axis.end - bold([text]))
    yield label(axis.end + 12, top + 52, told, anchor="end", style="dim")
    yield element("line", x1=places.start, x2=places.end, y1=top + 70, y2=top + 70, class_="grid")
    yield _bar(row, places, top + 70)


def _mark(row: Ranked, unit: Unit, axis: Axis, y: float) -> str:
    if isinstance(row.shown.value, Undefined):
        room = axis.end - axis.start - 12
        return label(axis.start + 6, y + 4, fitted(str(row.shown.value), room), style="dim")
    return drawn(row.shown, axis, y, unit)


def _bar(row: Ranked, places: Axis, y: float) -> str:
    """From the best rank to the worst, with its words inside where they fit, else beside it."""
    left, right = places.at(row.best - 0.45), places.at(row.worst + 0.45)
    told = f"{row.best}" if row.best == row.worst else f"{row.best}–{row.worst}"
    told = fitted(f"{told} {row.letters}".strip(), places.end - places.start)
    parts = [
        hover(f"{row.shown.name}: {row.told}"),
        element("rect", x=left, y=y - 10, width=right - left, height=20, rx=4, class_="rank"),
    ]
    room = pixels([told])
    if room + 6 <= right - left:
        parts.append(label((left + right) / 2, y + 4, told, anchor="middle", style="count on"))
    elif right + room + 4 <= places.end:
        parts.append(label(right + 4, y + 4, told, style="count"))
    elif left - room - 4 >= places.start:
        parts.append(label(left - 4, y + 4, told, anchor="end", style="count"))
    return element("g", *parts)


def _rank_axis(places: Axis, count: int, top: float, bottom: float) -> Iterator[str]:
    yield label((places.start + places.end) / 2, 12, "ranks, groups", anchor="middle", style="dim")
    every = max(1, math.ceil(count * 22 / (places.end - places.start)))
    for rank in range(1, count + 1, every):
        x = places.at(rank)
        yield element("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid")
        yield label(x, bottom + 16, f"{rank}", anchor="middle", style="tick")
    yield label((places.start + places.end) / 2, bottom + 35, "possible ranks", anchor="middle", style="name")
