"""Judged text in a prompt: between tags that it cannot close, and without what could be taken for the prompt's own.

What is judged may try to speak to its judge. Nothing here depends on chance, so the same text gives the same prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from itertools import count
from typing import Final

from rejudge.domain.view import as_text

MARK_LENGTH: Final = 12
"""Hexadecimal digits of a mark: no text is likely to hold that of its own content, and one that does gets another."""

_CONTROL = re.compile(r"<\|(?=[^|<>\s]{1,40}\|>)|\[(?=/?(?:INST|SYS)\])", re.IGNORECASE)
"""What chat templates of open models begin a turn with; some servers read it inside a message too."""

_UNSEEN: Final = r"\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
"""Marks that nobody sees, and that a model reads over."""

_MARKED = re.compile(
    rf"<(?=[\s/{_UNSEEN}]*[A-Za-z][\w{_UNSEEN}-]{{0,80}}-[{_UNSEEN}]*(?:[0-9a-f][{_UNSEEN}]*){{{MARK_LENGTH}}}\s*>)",
    re.IGNORECASE,
)
"""A tag such as `tagged` makes, of whatever name."""

_TAG = re.compile(r"</?\s*([^\W\d][\w.:-]*)[^<>]*>")
_FENCE = re.compile(r"([\"'`~<>])\1\1+")
"""What stands around a text: three quotation marks, backquotes or brackets, and more."""

_HEADING = re.compile(r"^[ \t]*(?=#{1,6}[ \t]+\S|\*\*[^*\n]+\*\*:?[ \t]*$)", re.MULTILINE)
"""Where a heading of Markdown begins, or a line in bold that serves as one."""

_RULE = re.compile(r"^[ \t]*(?:[^\w\s<>{}]{3,}|[=#*\[<-]+ ?[A-Z][A-Z _-]+ ?[=#*\]>-]+)[ \t]*$", re.MULTILINE)


def tagged(value: object, name: str) -> str:
    """The value between an opening and a closing tag of that name and a mark made of the text itself.

    What looks like such a tag inside of it gets `&lt;` for its `<`, whatever its name and mark.
    """
    if not re.fullmatch(r"[A-Za-z][\w-]{0,40}", name):
        raise ValueError(f"{name!r} is no name of a tag: a letter, then letters, digits, - and _")
    text = unmarked(written(value))
    mark = f"{name}-{_mark(text)}"
    return f"<{mark}>\n{text}\n</{mark}>"


def unmarked(text: str) -> str:
    """The text with `&lt;` in front of everything that could be taken for a tag of `tagged`."""
    return _MARKED.sub("&lt;", text)


def written(value: object) -> str:
    """The value as a reader likes it: text as it stands, the only field of an object alone, several with names."""
    if not isinstance(value, dict) or not value:
        return as_text(value)
    if len(value) == 1:
        return written(next(iter(value.values())))
    return "\n\n".join(f"{name}:\n{as_text(inner)}" for name, inner in value.items())


class Guard:
    """Takes out of inserted text what the prompt around it uses as a delimiter.

    That are its tags, its headings, lines that divide it, and quotation marks or brackets that it puts around texts.
    """

    __slots__ = ("_fences", "_has_headings", "_rules", "_tags")

    def __init__(self, literals: Iterable[str]) -> None:
        texts = list(literals)
        names = sorted({found[1] for text in texts for found in _TAG.finditer(text)})
        spelled = "|".join(f"[{_UNSEEN}]*".join(map(re.escape, name)) for name in names)
        self._tags = re.compile(rf"<(?=[\s/{_UNSEEN}]*(?:{spelled})\b)" if names else r"(?!)", re.IGNORECASE)
        fences = {found[1] for text in texts for found in _FENCE.finditer(text)}
        self._fences = re.compile("|".join(rf"{re.escape(mark)}{{3,}}" for mark in sorted(fences)) or r"(?!)")
        self._has_headings = any(_HEADING.search(text) for text in texts)
        self._rules = {found[0].strip().casefold() for text in texts for found in _RULE.finditer(text)}

    def neutral(self, text: str) -> str:
        """The text with `&lt;` in front of the prompt's tags, and a `\\` in front of what else divides the prompt."""
        text = _CONTROL.sub(lambda found: "&lt;|" if found[0] == "<|" else "&#91;", text)
        text = self._tags.sub("&lt;", text)
        text = self._fences.sub(lambda found: "".join(f"\\{mark}" for mark in found[0]), text)
        if self._rules:
            text = "\n".join(f"\\{line}" if self._divides(line) else line for line in text.split("\n"))
        return _HEADING.sub(r"\g<0>\\", text) if self._has_headings else text

    def _divides(self, line: str) -> bool:
        return line.strip().casefold() in self._rules


def _mark(text: str) -> str:
    for number in count():
        mark = sha256(f"{number}:{text}".encode("utf-8", "surrogatepass")).hexdigest()[:MARK_LENGTH]
        if mark not in text:
            return mark
    raise AssertionError
