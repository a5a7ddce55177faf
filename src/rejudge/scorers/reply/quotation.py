"""Whether a reply says something itself, or only repeats what somebody else said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

_SUBJECT: Final = r"(?:answer|response|output|text|assistant|author|user|candidate|message|model|agent|it|he|she|they)"
_SAYING: Final = (
    r"(?:says?|said|stat(?:es?|ed)|claims?|claimed|contain(?:s|ed|ing)?|includ(?:es?|ed|ing)|wr(?:ites?|ote)|"
    r"asks?|asked|tells?|told|instruct(?:s|ed|ing)?|tr(?:ies|ied)|(?:ends?|ended|begins?|began|starts?) with|"
    r"(?:giv(?:es?|ing)|gave|award(?:s|ed|ing)?|rat(?:es?|ed|ing)|grad(?:es?|ed|ing)) (?:it|him|her|them)sel(?:f|ves)|"
    r"declare[sd]?|assert(?:s|ed)?|reads?|demand(?:s|ed)?|insist(?:s|ed)?)"
)
_ATTRIBUTED = re.compile(rf"\b{_SUBJECT}\b[^.!?\n]{{0,40}}?\b{_SAYING}\b[^.!?\n]{{0,80}}(?::\s*)?\Z", re.IGNORECASE)
_BEFORE: Final = 240
"""So many characters before a verdict can say whose it is."""

_OPENING: Final = ('"', "'", "“", "„", "‘", "«", "「", "`")
_MARKS: Final = {"“": "”", "„": "“", "«": "»", "「": "」"}


class Quotations:
    """Tells the own words of a reply from those it repeats.

    `judged` are the texts that the judge was shown, and `instructions` what of them is no material.
    """

    __slots__ = ("_instructions", "_judged", "_text")

    def __init__(self, text: str, judged: Sequence[str], instructions: str = "") -> None:
        self._text = text
        self._judged = judged
        self._instructions = instructions

    def quotes(self, start: int) -> bool:
        """Whether what begins there stands in quotation marks, in a quoted line, or as somebody's words."""
        line_start = self._text.rfind("\n", 0, start) + 1
        before = self._text[line_start:start]
        if before.lstrip().startswith(">") or before.endswith(_OPENING) or _is_open(before):
            return True
        return _ATTRIBUTED.search(self._text[max(0, start - _BEFORE) : start]) is not None

    def repeats(self, start: int, end: int) -> bool:
        """Whether the words there stand in the judged material as well; a whole reply is the judge's own."""
        words = _plain(self._text[start:end])
        pattern = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")
        own = len(pattern.findall(_plain(self._instructions)))
        return not self._is_all(words) and any(len(pattern.findall(_plain(one))) > own for one in self._judged)

    def repeats_line(self, start: int, end: int) -> bool:
        """Whether the words there are a line of the judged material as well."""
        words = _plain(self._text[start:end])
        own = _lines(self._instructions).count(words)
        return not self._is_all(words) and any(_lines(one).count(words) > own for one in self._judged)

    def _is_all(self, words: str) -> bool:
        return words == _plain(self._text)


def _lines(text: str) -> list[str]:
    return list(map(_plain, text.splitlines()))


@lru_cache(maxsize=64)
def _plain(text: str) -> str:
    """The text without case, emphasis, quotation marks, marks at its ends, and blanks that separate nothing."""
    bare = re.sub(r"[*_`\"'“”„‘’«»\\]", "", text.casefold())
    return re.sub(r"\s*([^\w\s])\s*", r"\1", " ".join(bare.split())).strip(" .,;!")


def _is_open(line: str) -> bool:
    straight = line.replace('\\"', "“").count('"')
    if straight % 2 or line.count("`") % 2:
        return True
    if line.count('\\"') % 2:
        return True
    return any(line.count(opening) > line.count(closing) for opening, closing in _MARKS.items() if opening != closing)
