"""Likeness by n-grams of characters."""

from __future__ import annotations

from typing import Annotated, Final, Protocol, cast

from msgspec import Meta

from rejudge.scorers.text.library import loaded
from rejudge.scorers.text.similarity import (
    CaseSensitive,
    Similarity,
    SimilarityScorer,
    in_lower_case,
    of_blank,
    similarity,
)

CHARACTERS: Final = 6
"""The longest n-grams of characters."""

BETA: Final = 2
"""How much more recall counts than precision."""


class ChrF(Similarity, frozen=True, kw_only=True):
    """chrF of Popović 2015: the F-score of common 1- to 6-grams of characters, recall counting twice.

    As sacrebleu's sentence chrF2, divided by 100: white space is left out, and orders that a text is too short for are
    left out too. `word_order: 2` makes it chrF++. It needs no tokens, so it suits every script. It is not symmetric.
    Two texts without any character but white space are equal.
    """

    word_order: Annotated[
        int, Meta(ge=0, le=9, description="The longest n-grams of words that count too; 2 is chrF++.")
    ] = 0
    case_sensitive: CaseSensitive = True

    def scorer(self) -> SimilarityScorer:
        """The scorer that computes chrF."""
        make = cast("_Make", loaded("sacrebleu.metrics", "CHRF", kind="chrf"))
        chrf = make(char_order=CHARACTERS, word_order=self.word_order, beta=BETA)

        def measure(text: str, reference: str) -> float:
            settled = 1.0 if text == reference else of_blank(text, reference)
            return chrf.sentence_score(text, [reference]).score / 100 if settled is None else settled

        settings = {"char_order": CHARACTERS, "word_order": self.word_order, "beta": BETA}
        return similarity(
            self, measure if self.case_sensitive else in_lower_case(measure), kind="chrf", settings=settings
        )


class _Scored(Protocol):
    score: float


class _Metric(Protocol):
    def sentence_score(self, hypothesis: str, references: list[str]) -> _Scored: ...


class _Make(Protocol):
    def __call__(self, *, char_order: int, word_order: int, beta: int) -> _Metric: ...
