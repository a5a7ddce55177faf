"""How reasons show what was judged: quoted, on one line, and short."""

from __future__ import annotations

from collections.abc import Iterable

from rejudge.domain.view import as_text

_EDGE = 100
_KEYS = 12


def quoted(value: object) -> str:
    """`value` for a reason: text in quotes, anything else as JSON; the middle of long text left out."""
    text = as_text(value)
    if len(text) > 2 * _EDGE:
        text = f"{text[:_EDGE]} … {text[-_EDGE:]}"
    if not text.isprintable():
        text = "".join(mark if mark.isprintable() else _escaped(mark) for mark in text)
    return f'"{text}"' if isinstance(value, str) else text


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
