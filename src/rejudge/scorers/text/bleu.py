"""Likeness by n-grams of tokens, as machine translation is judged: BLEU of single sentences, and GLEU.

There is no corpus BLEU here. It is one number for a whole dataset, from counts that are summed before they are divided;
the mean of what single items get is another number, and must not carry its name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final, TypeAlias, cast

from msgspec import Meta

from rejudge.scorers.text.library import loaded
from rejudge.scorers.text.similarity import CaseSensitive, Similarity, SimilarityScorer, in_lower_case, similarity
from rejudge.scorers.text.tokens import SPLITS, Split, over_tokens

_Order: TypeAlias = Annotated[int, Meta(ge=1, le=9, description="The longest n-grams that count.")]
_Formula: TypeAlias = Callable[..., float]

SMOOTHING: Final = "method1"


class Bleu(Similarity, frozen=True, kw_only=True):
    """Sentence BLEU with one reference at a time: the precision of the output's 1- to 4-grams, less for brevity.

    As nltk's `sentence_bleu` with uniform weights and smoothing method 1 of Chen and Cherry 2014, which counts 0.1 for
    an order of n-grams that finds no match. An output without a common token scores 0. Equal tokens score 1, also where
    there are fewer than `max_order`, for which the formula alone gives less. Outputs of one or two words are judged
    better with a lower `max_order`. It is not symmetric. The mean over items is no corpus BLEU.
    """

    max_order: _Order = 4
    tokens: Split = "words"
    case_sensitive: CaseSensitive = True

    def scorer(self) -> SimilarityScorer:
        """The scorer that computes BLEU."""
        sentence_bleu = cast("_Formula", loaded("nltk.translate.bleu_score", "sentence_bleu", kind="bleu"))
        smoothings = cast("Callable[[], object]", loaded("nltk.translate.bleu_score", "SmoothingFunction", kind="bleu"))
        smoothing = getattr(smoothings(), SMOOTHING)
        weights = (1 / self.max_order,) * self.max_order

        def formula(output: list[str], reference: list[str]) -> float:
            return float(sentence_bleu([reference], output, weights, smoothing))

        settings = {"max_order": self.max_order, "smoothing": SMOOTHING, "tokens": self.tokens}
        return _scorer(self, formula, kind="bleu", settings=settings)


class Gleu(Similarity, frozen=True, kw_only=True):
    """The Google BLEU of Wu et al. 2016: the share of common 1- to 4-grams, in the longer of output and reference.

    As nltk's `sentence_gleu`: the smaller of precision and recall over all orders together. It is made for single
    sentences, needs no smoothing, and is symmetric.
    """

    max_order: _Order = 4
    tokens: Split = "words"
    case_sensitive: CaseSensitive = True

    def scorer(self) -> SimilarityScorer:
        """The scorer that computes GLEU."""
        sentence_gleu = cast("_Formula", loaded("nltk.translate.gleu_score", "sentence_gleu", kind="gleu"))

        def formula(output: list[str], reference: list[str]) -> float:
            return float(sentence_gleu([reference], output, 1, self.max_order))

        return _scorer(self, formula, kind="gleu", settings={"max_order": self.max_order, "tokens": self.tokens})


def _scorer(
    parameters: Bleu | Gleu,
    formula: Callable[[list[str], list[str]], float],
    *,
    kind: str,
    settings: dict[str, object],
) -> SimilarityScorer:
    measure = over_tokens(SPLITS[parameters.tokens], formula)
    return similarity(
        parameters, measure if parameters.case_sensitive else in_lower_case(measure), kind=kind, settings=settings
    )
