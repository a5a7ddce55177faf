"""Likeness by what a summary has in common with its reference."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal, Protocol, TypeAlias, cast

import msgspec
from msgspec import Meta, UnsetType

from rejudge.scorers.text.library import loaded
from rejudge.scorers.text.similarity import Similarity, SimilarityScorer, similarity
from rejudge.scorers.text.tokens import SPLITS, Tokenise, over_tokens

_Formula: TypeAlias = Callable[[list[str], list[str]], float]


class Rouge(Similarity, frozen=True, kw_only=True):
    """ROUGE of Lin 2004: common words (1), pairs of words (2), or the longest common subsequence of words (L).

    The numbers of the library rouge-score; only the longest common subsequence itself comes from rapidfuzz, which finds
    the same one a hundred times faster. Its own tokens, `rouge`, are runs of the letters a to z and digits in lower
    case, and `rouge_stemmed` are those after Porter's stemmer. They lose every other letter: `naïve` is `na` and `ve`,
    and a Chinese text has no token at all. A reference that has none is a skip and no grade; `words` and
    `characters` are for such texts, in lower case too. Equal tokens score 1, also where there is only one and so no
    pair. `f1` is symmetric. Without another name, the scorer is called `rouge_1`, `rouge_2` or `rouge_l`.
    """

    variant: Annotated[
        Literal[1, 2, "L"], Meta(description="Words, pairs of words, or the longest common subsequence of words.")
    ] = "L"
    measure: Annotated[
        Literal["f1", "precision", "recall"],
        Meta(description="The share of the output found in the reference (precision), the reverse (recall), or F1."),
    ] = "f1"
    tokens: Annotated[
        Literal["rouge", "rouge_stemmed", "words", "characters"],
        Meta(description="What a token is: that of the library, its stem, or as with `bleu`."),
    ] = "rouge"

    def scorer(self) -> SimilarityScorer:
        """The scorer that computes ROUGE."""
        named = self
        if isinstance(self.name, UnsetType):
            named = msgspec.structs.replace(self, name=f"rouge_{self.variant}".lower())
        return similarity(
            named,
            over_tokens(self._tokenise(), self._subsequence() if self.variant == "L" else self._ngrams()),
            kind="rouge",
            settings={"variant": self.variant, "measure": self.measure, "tokens": self.tokens},
        )

    def _ngrams(self) -> _Formula:
        make = cast("_Make", loaded("rouge_score.rouge_scorer", "RougeScorer", kind="rouge"))
        variant = f"rouge{self.variant}"
        rouge = make([variant], tokenizer=_Ready())
        number = "fmeasure" if self.measure == "f1" else self.measure

        def formula(output: list[str], reference: list[str]) -> float:
            return float(getattr(rouge.score(reference, output)[variant], number))

        return formula

    def _subsequence(self) -> _Formula:
        lcs = loaded("rapidfuzz.distance", "LCSseq", kind="rouge")
        length = cast("Callable[[list[str], list[str]], int]", lcs.similarity)  # type: ignore[attr-defined]
        measure = self.measure

        def formula(output: list[str], reference: list[str]) -> float:
            common = length(output, reference)
            if measure == "f1":
                return 2 * common / (len(output) + len(reference))
            return common / len(output if measure == "precision" else reference)

        return formula

    def _tokenise(self) -> Tokenise:
        if self.tokens in SPLITS:
            split = SPLITS[self.tokens]
            return lambda text: split(text.lower())
        tokenize = cast("_Tokenize", loaded("rouge_score.tokenize", "tokenize", kind="rouge"))
        if self.tokens == "rouge":
            return partial(tokenize, stemmer=None)
        make = cast("Callable[[], object]", loaded("nltk.stem.porter", "PorterStemmer", kind="rouge"))
        return partial(tokenize, stemmer=make())


class _Ready:
    """A tokeniser, as the library wants one, of what is in tokens already."""

    def tokenize(self, tokens: list[str]) -> list[str]:
        return tokens


class _Metric(Protocol):
    def score(self, target: list[str], prediction: list[str]) -> dict[str, object]: ...


class _Make(Protocol):
    def __call__(self, rouge_types: list[str], *, tokenizer: _Ready) -> _Metric: ...


class _Tokenize(Protocol):
    def __call__(self, text: str, stemmer: object) -> list[str]: ...
