"""Likeness by meaning, as an embedding model sees it."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from operator import mul
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from rejudge.domain.call import EmbedCall, Embeddings
from rejudge.domain.demands import Demands
from rejudge.domain.errors import ConfigurationError, ScorerError
from rejudge.domain.verdict import Verdict
from rejudge.scorers.scorer import Way
from rejudge.scorers.text.similarity import Comparison, Similarity, comparison, of_blank

if TYPE_CHECKING:
    from rejudge.domain.view import View


class EmbeddingSimilarity(Similarity, frozen=True, kw_only=True):
    """The cosine between the vectors that a model gives the output and the reference; below 0 counts as 0.

    What the model measures is the model's: two texts that contradict each other can be near. The cosine before it was
    cut is kept as evidence. An empty text is sent to no model: it scores 1 beside another empty one, else 0. Nothing is
    asked, and so nothing spent, where the reference is missing or the output cannot be read.
    """

    model: Annotated[str, Meta(description="The embedding model, by the name that the provider knows.")]

    def scorer(self) -> EmbeddingScorer:
        """The scorer that asks for the vectors."""
        if not self.model.strip():
            raise ConfigurationError("model is empty", fix="name the embedding model")
        settings = {"likeness": "cosine", "cut": "below 0"}
        return EmbeddingScorer(comparison(self, kind="embedding_similarity", settings=settings), model=self.model)


class EmbeddingScorer:
    """A cosine under a config."""

    __slots__ = ("_comparison", "_model", "config", "demands", "needs", "way")

    def __init__(self, comparison: Comparison, *, model: str) -> None:
        self.config = comparison.config
        self.needs = comparison.needs
        self.way = Way.STEPS
        self.demands = Demands(embedding_models=(model,))
        self._comparison = comparison
        self._model = model

    def judge(self, view: View) -> Generator[EmbedCall, Embeddings, Verdict]:
        """Asks for the vectors of all texts at once; raises ScorerError for vectors that have no cosine."""
        pair = self._comparison.sides(view)
        if isinstance(pair, Verdict):
            return pair
        settled = [of_blank(pair.text, reference) for reference in pair.references]
        asked = [reference for reference, known in zip(pair.references, settled, strict=True) if known is None]
        if not asked:
            return self._comparison.verdict(max(known for known in settled if known is not None), pair)
        found = yield EmbedCall(model=self._model, texts=[pair.text, *asked])
        if len(found.vectors) != 1 + len(asked):
            raise ScorerError(f"{self._model} was given {1 + len(asked)} texts and gave {len(found.vectors)} vectors")
        output, *others = found.vectors
        best = max(cosine(output, other) for other in others)
        return self._comparison.verdict(best, pair, evidence={"cosine": best})


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    """The cosine of the angle between two vectors; raises ScorerError where there is none."""
    if len(left) != len(right):
        raise ScorerError(f"a vector of {len(left)} numbers and one of {len(right)} have no cosine")
    lengths = math.hypot(*left), math.hypot(*right)
    if not all(length and math.isfinite(length) for length in lengths):
        raise ScorerError("a vector that is zero or endless has no direction, and so no cosine")
    return math.fsum(map(mul, (one / lengths[0] for one in left), (one / lengths[1] for one in right)))
