"""Figures in a terminal: a name, a number with its interval, and beside them in plain words what it means."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rejudge.front.lines import padded, width, wrapped
from rejudge.front.statistic_words import MEANINGS, SHARES
from rejudge.stats.interval import LEVEL, Interval, Undefined
from rejudge.stats.render import percent_or_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rejudge.stats.estimate import Statistic
    from rejudge.stats.scale import Kind

NAMES, NUMBERS, WIDEST = 15, 23, 80
"""Columns of the name, of the number, and of a line in all."""


class Figure(NamedTuple):
    """One line of a table of figures."""

    name: str
    number: str
    words: str


def figure(name: str, found: Statistic, words: str, *, kind: Kind = "number", n: int | None = None) -> Figure:
    """The figure of a statistic; its own n stands beside it where that is not `n`, the n of the whole table."""
    if isinstance(found, Undefined):
        return Figure(name, "undefined", f"because {found.reason}")
    number = interval_text(found.value, found.interval, kind=kind)
    if found.n != n:
        number += f" n={found.n}"
    if isinstance(found.interval, Undefined):
        words = f"{words}; no interval, because {found.interval.reason}"
    return Figure(name, number, words)


def figures(statistics: Mapping[str, Statistic], *, n: int) -> Iterator[Figure]:
    """The figures of statistics of agreement by name, over `n` units."""
    for name, found in statistics.items():
        called, words = MEANINGS.get(name, (name, ""))
        yield figure(called, found, words, kind="pass_fail" if name in SHARES else "number", n=n)


def interval_text(value: float, interval: Interval | Undefined, *, kind: Kind) -> str:
    """A value with the digits that its interval supports: `0.62 [0.40, 0.81]`."""
    if isinstance(interval, Undefined):
        return percent_or_number(kind, span=0.0, largest=abs(value))(value)
    largest = max(abs(interval.low), abs(interval.high))
    text = percent_or_number(kind, span=interval.high - interval.low, largest=largest)
    low, high = (text(end).removesuffix(" %") for end in (interval.low, interval.high))
    level = "" if interval.level == LEVEL else f" at {100 * interval.level:g} %"
    return f"{text(value)} [{low}, {high}]{level}"


def figure_lines(figures: Iterable[Figure]) -> Iterator[str]:
    """The lines of a table; words that do not fit go on below themselves."""
    indent = " " * (NAMES + NUMBERS + 2)
    for name, number, words in figures:
        first, *more = wrapped(words, WIDEST - len(indent)) or [""]
        head = f"{padded(name, NAMES)} {number}"
        if width(head) > len(indent) - 1:
            yield head
            yield f"{indent}{first}"
        else:
            yield f"{padded(head, len(indent))}{first}".rstrip()
        yield from (f"{indent}{line}" for line in more)
