"""Likeness by common words, as answers to questions are judged."""

from __future__ import annotations

import re
import string
from collections import Counter
from typing import Annotated, Literal

from msgspec import Meta

from rejudge.scorers.text.similarity import Similarity, SimilarityScorer, similarity
from rejudge.scorers.text.tokens import characters

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


class TokenF1(Similarity, frozen=True, kw_only=True):
    """The F1 of common words between an answer and its reference, as SQuAD counts it (Rajpurkar et al. 2016).

    Both are brought to lower case, lose the ASCII punctuation and then the words a, an and the, and are split at white
    space; a word that comes twice counts twice. Where nothing is left of one of them, the score is 1 if nothing is left
    of the other either, else 0: the answer `A` is right where the reference is `A`, and `B` is not. A text without
    spaces, as in Chinese, is one word: `characters` splits what is left into its characters. It is symmetric.
    """

    tokens: Annotated[
        Literal["words", "characters"], Meta(description="What is counted of what is left: words, or characters.")
    ] = "words"

    def scorer(self) -> SimilarityScorer:
        """The scorer that counts common words."""
        split = str.split if self.tokens == "words" else characters

        def measure(text: str, reference: str) -> float:
            return _f1(split(_normal(text)), split(_normal(reference)))

        return similarity(self, measure, kind="token_f1", settings={"normal_form": "squad", "tokens": self.tokens})


def _normal(text: str) -> str:
    return _ARTICLES.sub(" ", text.lower().translate(_WITHOUT_PUNCTUATION))


def _f1(output: list[str], reference: list[str]) -> float:
    if not output or not reference:
        return float(output == reference)
    common = (Counter(output) & Counter(reference)).total()
    return 2 * common / (len(output) + len(reference))
