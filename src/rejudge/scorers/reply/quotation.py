"""Whether a reply says something itself, or only repeats what somebody else said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_SUBJECT: Final = r"(?:answer|response|output|text|assistant|author|user|candidate|message|model|agent|it|he|she|they)"
_SAYING: Final = (
    r"(?:says?|said|stat(?:es?|ed)|claims?|claimed|contain(?:s|ed|ing)?|includ(?:es?|ed|ing)|wr(?:ites?|ote)|"
    r"asks?|asked|tells?|told|instruct(?:s|ed|ing)?|tr(?:ies|ied)|(?:ends?|ended|begins?|began|starts?) with|"
    r"declare[sd]?|assert(?:s|ed)?|reads?|demand(?:s|ed)?|insist(?:s|ed)?)"
)
_ATTRIBUTED = re.compile(rf"\b{_SUBJECT}\b[^.!?\n]{{0,40}}?\b{_SAYING}\b[^.!?\n]{{0,80}}(?::\s*)?\Z", re.IGNORECASE)
_BEFORE: Final = 240
"""So many characters before a verdict can say whose it is."""

_MARKS: Final = {"“": "”", "„": "“", "«": "»", "「": "」"}


class Quotations:
    """Tells the own words of a reply from those it repeats; `judged` are the texts that the judge was shown."""

    __slots__ = ("_judged", "_text")

    def __init__(self, text: str, judged: Sequence[str]) -> None:
        self._text = text
        self._judged = [" ".join(one.split()) for one in judged]

    def quotes(self, start: int) -> bool:
        """Whether what begins there stands in quotation marks, in a quoted line, or as somebody's words."""
        line_start = self._text.rfind("\n", 0, start) + 1
        before = self._text[line_start:start]
        if before.lstrip().startswith(">") or _is_open(before):
            return True
        return _ATTRIBUTED.search(self._text[max(0, start - _BEFORE) : start]) is not None

    def repeats(self, start: int, end: int) -> bool:
        """Whether the words there stand in the judged material as well."""
        words = " ".join(self._text[start:end].split())
        return any(words in one for one in self._judged)


def _is_open(line: str) -> bool:
    straight = line.replace('\\"', "“").count('"')
    if straight % 2 or line.count("`") % 2:
        return True
    if line.count('\\"') % 2:
        return True
    return any(line.count(opening) > line.count(closing) for opening, closing in _MARKS.items() if opening != closing)
