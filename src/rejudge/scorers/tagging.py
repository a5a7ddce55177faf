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

_TAG = re.compile(r"</?\s*([^\W\d][\w.:-]*)[^<>]*>")
_RULE = re.compile(r"^[ \t]*(?:[^\w\s<>{}]{3,}|[=#*\[<-]+ ?[A-Z][A-Z _-]+ ?[=#*\]>-]+)[ \t]*$", re.MULTILINE)


def tagged(value: object, name: str) -> str:
    """The value between an opening and a closing tag of that name and a mark made of the text itself."""
    if not re.fullmatch(r"[A-Za-z][\w-]{0,40}", name):
        raise ValueError(f"{name!r} is no name of a tag: a letter, then letters, digits, - and _")
    text = written(value)
    mark = f"{name}-{_mark(text)}"
    return f"<{mark}>\n{text}\n</{mark}>"


def written(value: object) -> str:
    """The value as a reader likes it: text as it stands, the only field of an object alone, several with names."""
    if not isinstance(value, dict) or not value:
        return as_text(value)
    if len(value) == 1:
        return written(next(iter(value.values())))
    return "\n\n".join(f"{name}:\n{as_text(inner)}" for name, inner in value.items())


class Guard:
    """Takes out of inserted text what the prompt around it uses as a delimiter: its tags, and lines that divide it."""

    __slots__ = ("_rules", "_tags")

    def __init__(self, literals: Iterable[str]) -> None:
        texts = list(literals)
        names = sorted({found[1] for text in texts for found in _TAG.finditer(text)})
        self._tags = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(map(re.escape, names))})\b)", re.IGNORECASE)
        if not names:
            self._tags = re.compile(r"(?!)")
        self._rules = {found[0].strip().casefold() for text in texts for found in _RULE.finditer(text)}

    def neutral(self, text: str) -> str:
        """The text with `&lt;` in front of the prompt's tags, and a `\\` in front of lines that divide the prompt."""
        text = _CONTROL.sub(lambda found: "&lt;|" if found[0] == "<|" else "&#91;", text)
        text = self._tags.sub("&lt;", text)
        if not self._rules:
            return text
        return "\n".join(f"\\{line}" if self._divides(line) else line for line in text.split("\n"))

    def _divides(self, line: str) -> bool:
        return line.strip().casefold() in self._rules


def _mark(text: str) -> str:
    for number in count():
        mark = sha256(f"{number}:{text}".encode("utf-8", "surrogatepass")).hexdigest()[:MARK_LENGTH]
        if mark not in text:
            return mark
    raise AssertionError
