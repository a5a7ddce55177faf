"""How reasons show what was judged: quoted, on one line, and short."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rejudge.domain.errors import RecordError
from rejudge.domain.view import as_text

_EDGE = 100
_KEYS = 12


def quoted(value: object, *, edge: int = _EDGE) -> str:
    """`value` for a reason: text in quotes, anything else as JSON; the middle of long text left out."""
    try:
        text = clipped(as_text(value), edge=edge)
    except RecordError:
        return f"{kind(value)} that JSON cannot say"
    return f'"{text}"' if isinstance(value, str) else text


def clipped(text: str, *, edge: int = _EDGE) -> str:
    """`text` on one line, printable, with at most `edge` characters of its beginning and of its end."""
    if len(text) > 2 * edge:
        text = f"{text[:edge]} … {text[-edge:]}"
    if not text.isprintable():
        text = "".join(mark if mark.isprintable() else _escaped(mark) for mark in text)
    return text


def counted(count: int, noun: str) -> str:
    """A number of things: `1 tool call`, `2 tool calls`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def enumerated(parts: Sequence[str], *, by: str = ", ", most: int = _KEYS) -> str:
    """The parts in their order, and how many more there are where they are many."""
    shown = by.join(parts[:most])
    return shown if len(parts) <= most else f"{shown}{by}… and {len(parts) - most:,} more"


def listed(names: Iterable[object]) -> str:
    """The names there are, for somebody who asked for another one."""
    known = sorted(map(repr, names))
    return ", ".join(known[:_KEYS]) + (", …" if len(known) > _KEYS else "") if known else "nothing"


def kind(value: object) -> str:
    """What sort of JSON value this is, in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "text"
        case int() | float():
            return "a number"
        case dict():
            return "an object"
        case list():
            return "a list"
    return f"a {type(value).__name__}"


def _escaped(mark: str) -> str:
    return mark.encode("unicode_escape").decode("ascii")
