"""Texts as lists of tokens. Nothing is downloaded for it: the rules are these few lines."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta

from rejudge.domain.verdict import Skip
from rejudge.scorers.gap import Gap
from rejudge.scorers.text.similarity import Measure, of_blank
from rejudge.scorers.wording import quoted

Tokenise: TypeAlias = Callable[[str], list[str]]

Split: TypeAlias = Annotated[
    Literal["words", "whitespace", "characters"],
    Meta(
        description="What a token is: `words` (a word, number, Chinese or Japanese character, or punctuation mark), "
        "`whitespace` (what white space separates), or `characters` (any character but white space)."
    ),
]

_UNSPACED: Final = (
    (0x3005, 0x3007),
    (0x3040, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
"""Code points of Han characters and kana, which are written without spaces."""


def words(text: str) -> list[str]:
    """Words and numbers as they stand; every punctuation mark, symbol, Han character and kana by itself.

    An apostrophe inside a word and a point or comma between digits belong to it. Thai, Lao, Khmer and Burmese, which
    have no spaces either, stay whole: `characters` is for them.
    """
    found: list[str] = []
    for chunk in text.split():
        if chunk.isascii() and chunk.isalnum():
            found.append(chunk)
        else:
            found += _parts(chunk)
    return found


def characters(text: str) -> list[str]:
    """Every code point but white space."""
    return [mark for mark in text if not mark.isspace()]


SPLITS: Final[Mapping[str, Tokenise]] = MappingProxyType(
    {"words": words, "whitespace": str.split, "characters": characters}
)
"""The ways to split by the names that a parameter gives them."""


def over_tokens(tokenise: Tokenise, measure: Callable[[list[str], list[str]], float]) -> Measure:
    """A measure of texts by their tokens; equal tokens are 1, an empty side beside words is 0.

    A reference that is not empty and has no token all the same is a gap in our data, whatever stands beside it.
    """

    def likeness(text: str, reference: str) -> float | Gap:
        right = tokenise(reference)
        if not right and reference and not reference.isspace():
            why = f"the reference {quoted(reference)} has no token; let `tokens` be words or characters"
            return Gap(Skip.INCOMPATIBLE_INPUT_SHAPE, why)
        if (settled := of_blank(text, reference)) is not None:
            return settled
        left = tokenise(text)
        if left == right:
            return 1.0
        return measure(left, right) if left else 0.0

    return likeness


def _parts(chunk: str) -> list[str]:
    parts: list[str] = []
    begun = ""
    for place, mark in enumerate(chunk):
        if not _stands_alone(mark) or _is_inside(chunk, place):
            begun += mark
            continue
        if begun:
            parts.append(begun)
            begun = ""
        parts.append(mark)
    return [*parts, begun] if begun else parts


def _stands_alone(mark: str) -> bool:
    if mark.isascii():
        return not mark.isalnum()
    code = ord(mark)
    return unicodedata.category(mark)[0] in "PS" or any(low <= code <= high for low, high in _UNSPACED)


def _is_inside(chunk: str, place: int) -> bool:
    """Whether the mark at `place` joins what stands around it: `don't`, `3.14`, `1,000`."""
    mark = chunk[place]
    if mark not in "'’.," or not 0 < place < len(chunk) - 1:
        return False
    before, after = chunk[place - 1], chunk[place + 1]
    return before.isdigit() and after.isdigit() if mark in ".," else before.isalpha() and after.isalpha()
