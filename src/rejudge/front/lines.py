"""Text from outputs and items as it may be shown: nothing in it steers a terminal, hides, or leaves its place."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BREAK = "⏎"
CUT = "…"

NAME, TEXT = 40, 400
"""Columns that reports give a name and a longer text."""

LEAST = 20
"""Columns that a text takes at least, however few there are."""

_DERIVED = re.compile("(item-[0-9a-f]{8})[0-9a-f]{56}")
_BREAKS = re.compile("\r\n|[\n\x85\u2028\u2029]")
_JOINERS = frozenset("\u200c\u200d")
_IDEOGRAPHIC_SPACE = "\u3000"
_EMOJI_STYLE = "\ufe0f"


def one_line(text: str) -> str:
    """`text` on one line, with everything that has no mark of its own written as an escape, as `\\x1b`."""
    return _seen(_BREAKS.sub(BREAK, text))


def block(text: str) -> list[str]:
    """The lines of `text`, each as `one_line` shows it."""
    return [_seen(line) for line in _BREAKS.split(text)]


def clipped(text: str, limit: int) -> str:
    """`one_line(text)` in at most `limit` columns of a terminal, with `…` where something was left out."""
    # Marks without a width must not let endless text through.
    longest = 4 * limit
    line = one_line(text[:longest])
    if len(text) <= longest and width(line) <= limit:
        return line
    used = 0
    for place, mark in enumerate(line):
        used += _columns(mark)
        if used >= limit:
            return line[:place] + CUT
    return line + CUT


def item_name(item_id: str, limit: int) -> str:
    """An item's id in at most `limit` columns; of one that its content derives, the beginning that tells it apart."""
    derived = _DERIVED.fullmatch(item_id)
    return derived.group(1) + CUT if derived else clipped(item_id, limit)


def is_derived(item_id: str) -> bool:
    """Whether an item's id looks like one that its content derives."""
    return _DERIVED.fullmatch(item_id) is not None


def wrapped(text: str, limit: int) -> list[str]:
    """`text` broken at blanks into lines of at most `limit` columns; a longer word is clipped."""
    lines: list[str] = []
    for word in one_line(text).split(" "):
        if lines and width(lines[-1]) + 1 + width(word) <= limit:
            lines[-1] += f" {word}"
        else:
            lines.append(clipped(word, limit))
    return lines


def hanging(head: str, text: str, limit: int) -> list[str]:
    """`text` behind a head in lines of at most `limit` columns, the further ones indented as far.

    A head that leaves it too little room stands alone, and the text below.
    """
    indent = width(head)
    if limit - indent < LEAST and indent + width(one_line(text)) > limit:
        return [clipped(head.rstrip(), limit), *(f"    {line}" for line in wrapped(text, max(LEAST, limit - 4)))]
    lines = wrapped(text, max(LEAST, limit - indent)) or [""]
    return [(head if place == 0 else " " * indent) + line for place, line in enumerate(lines)]


def broken(lines: Iterable[str], limit: int) -> Iterator[str]:
    """`lines`, those that take more than `limit` columns broken at blanks; what goes on stands two columns further."""
    for line in lines:
        if width(line) <= limit:
            yield line
            continue
        text = line.lstrip(" ")
        indent = line[: len(line) - len(text)]
        first, *more = wrapped(text, max(LEAST, limit - len(indent) - 2))
        yield indent + first
        yield from (f"{indent}  {rest}" for rest in more)


def padded(text: str, columns: int) -> str:
    """`text` with blanks behind it, up to `columns` columns."""
    return text + " " * (columns - width(text))


def width(text: str) -> int:
    """How many columns of a terminal `text` takes; where terminals disagree, the greater number."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(mark: str) -> int:
    if mark.isascii():
        return 1
    if mark in _JOINERS:
        return 0
    if unicodedata.category(mark) in ("Mn", "Me"):
        return 1 if mark == _EMOJI_STYLE else 0
    return 2 if unicodedata.east_asian_width(mark) in ("W", "F") else 1


def _seen(text: str) -> str:
    if text.isprintable():
        return text
    before = [*text[-1:], *text]
    return "".join(
        mark if mark.isprintable() or _belongs(mark, previous) else _escaped(mark)
        for previous, mark in zip(before, text, strict=False)
    )


def _belongs(mark: str, previous: str) -> bool:
    """Whether a mark that cannot be seen is part of correct writing: in Arabic and Indic scripts, between emoji."""
    if mark in _JOINERS:
        return "\u0600" <= previous <= "\u0dff" or previous == _EMOJI_STYLE or unicodedata.category(previous) == "So"
    return mark == _IDEOGRAPHIC_SPACE


def _escaped(mark: str) -> str:
    return mark.encode("unicode_escape").decode("ascii")
