"""Axes: which place in pixels a value has, and round numbers to mark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

import msgspec

from rejudge.front.plots.svg import Anchor, element, fitted, label, pixels
from rejudge.front.plots.unit import Unit

_STEPS: Final = (1.0, 2.0, 5.0, 10.0)
_MARGIN: Final = 0.04
_LARGEST: Final = 1e308


class Scale(Protocol):
    """Values on a line of pixels."""

    @property
    def start(self) -> float:
        """The pixel of the low end."""

    @property
    def end(self) -> float:
        """The pixel of the high end."""

    def at(self, value: float) -> float:
        """The pixel of a value; one outside the axis is drawn at its end."""

    def ticks(self, most: int) -> list[tuple[float, float]]:
        """About so many round values, each with the size of its last digit."""


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """From the value `low` at the pixel `start` to `high` at `end`; a vertical one starts at the bottom."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of a value; one outside the axis is drawn at its end."""
        # In halves, because the whole range of floats is wider than a float.
        share = (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)

    def ticks(self, most: int) -> list[tuple[float, float]]:
        """Multiples of 1, 2 or 5 times a power of ten."""
        least = min(_LARGEST, (self.high / 2 - self.low / 2) / max(1, most) * 2)
        power = 10.0 ** math.floor(math.log10(least))
        step = min(_LARGEST, next(power * one for one in _STEPS if power * one >= least * (1 - 1e-9)))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [(place * step, step) for place in range(first, last + 1)][: most + 1]


class LogAxis(msgspec.Struct, frozen=True, kw_only=True):
    """As `Axis`, for positive values that differ by orders of magnitude: equal ratios are equally far apart."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of a value; one outside the axis is drawn at its end."""
        inside = min(self.high, max(self.low, value))
        share = (math.log(inside) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int) -> list[tuple[float, float]]:
        """1, 2 and 5 times powers of ten, of many only the powers."""
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        found = [one * 10.0**power for power in powers for one in _STEPS[:3]]
        inside = [one for one in found if self.low <= one <= self.high]
        if len(inside) > most:
            inside = [one for one in inside if abs(math.log10(one) - round(math.log10(one))) < 1e-9]
            inside = inside[:: max(1, math.ceil(len(inside) / max(1, most)))]
        return [(one, one) for one in inside]


def axis_over(
    values: Iterable[float], *, start: float, end: float, low: float = -math.inf, high: float = math.inf
) -> Axis:
    """An axis that holds all `values` with a margin, and stays within `low` and `high`, beyond which nothing can be.

    Equal values get room on both sides; without values it goes from 0 to 1.
    """
    known = [*values] or [0.0, 1.0]
    bottom, top = min(known), max(known)
    room = _MARGIN * (top - bottom) if top - bottom > 1e-12 * max(abs(top), abs(bottom)) else 0.0
    if not room or not math.isfinite(room):
        room = abs(top) / 10 or 1.0
    lowest, highest = max(-_LARGEST, bottom - room), min(_LARGEST, top + room)
    # A value beyond what should be possible is still drawn where it is.
    lowest = max(lowest, min(low, bottom))
    highest = min(highest, max(high, top))
    if highest <= lowest:
        lowest, highest = lowest - room, highest + room
    return Axis(low=lowest, high=highest, start=start, end=end)


class Ends(msgspec.Struct, frozen=True, kw_only=True):
    """What the ends of an axis mean: `left` or `right`, followed by `word`, as in "baseline better"."""

    left: str
    right: str
    word: str = ""


def named_ends(ends: Ends | None, axis: Scale) -> Iterator[str]:
    """Both ends in words above an axis, the names cut to what fits."""
    if ends is None:
        return
    room = axis.end / 2 - pixels([f"◂ {ends.word} "])
    left, right = (f"{fitted(name, room)} {ends.word}".rstrip() for name in (ends.left, ends.right))
    yield label(0, 12, f"◂ {left}", style="dim")
    yield label(axis.end, 12, f"{right} ▸", anchor="end", style="dim")


def horizontal(axis: Scale, unit: Unit, *, top: float, bottom: float) -> Iterator[str]:
    """Lines of a grid from `top` to `bottom`, with their values and the unit's name below; takes 42 pixels more."""
    most = max(2, int((axis.end - axis.start) / 70))
    marks = axis.ticks(most)
    for value, step in marks if len(marks) > 1 else axis.ticks(2 * most):
        x = axis.at(value)
        yield element("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid")
        yield label(x, bottom + 16, unit.tick(value, step), anchor=_anchor(axis, x), style="tick")
    yield element("line", x1=axis.start, x2=axis.end, y1=bottom, y2=bottom, class_="axis")
    middle = (axis.start + axis.end) / 2
    room = axis.end - axis.start
    # A title that is longer than its axis may stand over what is left of it.
    if pixels([unit.name]) > room:
        yield label(axis.end, bottom + 35, fitted(unit.name, axis.end), anchor="end", style="name")
    else:
        yield label(middle, bottom + 35, unit.name, anchor="middle", style="name")


def _anchor(axis: Scale, x: float) -> Anchor:
    if x - axis.start < 12:
        return "start" if axis.start < 24 else "middle"
    return "end" if axis.end - x < 12 else "middle"
