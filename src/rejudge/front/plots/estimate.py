"""One estimate in a plot: a mark where it lies, and a line over its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from rejudge.front.plots.svg import element, hover
from rejudge.stats.interval import Interval, Undefined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rejudge.front.plots.axis import Scale
    from rejudge.front.plots.unit import Unit

Mark: TypeAlias = Literal["plain", "first", "second", "better", "worse", "different", "same", "unsure"]

SIGNS: Final[dict[Mark, str]] = {
    "plain": "●",
    "first": "○",
    "second": "●",
    "better": "▲",
    "worse": "▼",
    "different": "◆",
    "same": "○",
    "unsure": "◇",
}
"""The marks as characters, for text; each has its own shape, so that no meaning is in a colour alone."""


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """An estimate with its interval and its `n`, and a `note` in words such as a verdict.

    What is in `more`, such as a p-value, is shown where there is room: in a table, and to a pointer that rests on it.
    """

    name: str
    value: float | Undefined
    interval: Interval | Undefined
    n: int
    mark: Mark = "plain"
    note: str = ""
    more: str = ""

    @property
    def told(self) -> str:
        """What stands under the number: n and the note."""
        return f"n={self.n:,}" + (f" · {self.note}" if self.note else "")


def reach(rows: Iterable[Shown]) -> Iterator[float]:
    """Every value that an axis of these rows must hold."""
    for row in rows:
        if isinstance(row.value, Undefined):
            continue
        yield row.value
        if isinstance(row.interval, Interval):
            yield row.interval.low
            yield row.interval.high


def drawn(row: Shown, axis: Scale, y: float, unit: Unit) -> str:
    """The row's mark on the line `y`; nothing of what is undefined."""
    if isinstance(row.value, Undefined):
        return ""
    parts = [hover(f"{row.name}: {unit.estimate(row.value, row.interval)}, {row.told}{row.more and f', {row.more}'}")]
    if isinstance(row.interval, Interval):
        low, high = axis.at(row.interval.low), axis.at(row.interval.high)
        parts.append(element("line", x1=low, x2=high, y1=y, y2=y, class_="reach"))
        parts += [element("line", x1=end, x2=end, y1=y - 5, y2=y + 5, class_="end") for end in (low, high)]
    parts.append(marked(row.mark, axis.at(row.value), y))
    return element("g", *parts, class_=f"estimate {row.mark}")


def marked(mark: Mark, x: float, y: float, *, size: float = 5.5) -> str:
    """The shape of a mark with its middle at a place."""
    match mark:
        case "better":
            return element("path", d=_path((x, y - size), (x + size, y + size), (x - size, y + size)), class_="mark")
        case "worse":
            return element("path", d=_path((x, y + size), (x + size, y - size), (x - size, y - size)), class_="mark")
        case "different":
            return element("path", d=_diamond(x, y, size), class_="mark")
        case "unsure":
            return element("path", d=_diamond(x, y, size), class_="mark open")
        case "first" | "same":
            return element("circle", cx=x, cy=y, r=size - 0.5, class_="mark open")
        case "plain" | "second":
            return element("circle", cx=x, cy=y, r=size - 0.5, class_="mark")


def _diamond(x: float, y: float, size: float) -> str:
    return _path((x, y - size), (x + size, y), (x, y + size), (x - size, y))


def _path(*points: tuple[float, float]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z"
