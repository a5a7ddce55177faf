"""Likeness by edits: what share of two texts stays when one is turned into the other."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from msgspec import Meta

from rejudge.scorers.text.library import loaded
from rejudge.scorers.text.similarity import (
    CaseSensitive,
    Measure,
    Similarity,
    SimilarityScorer,
    in_lower_case,
    similarity,
)

_CLASSES = {"indel": "Indel", "levenshtein": "Levenshtein"}


class LevenshteinRatio(Similarity, frozen=True, kw_only=True):
    """How much of the output and the reference agrees, character by character: 1 for equal texts, 0 for strangers.

    `indel` counts insertions and deletions, as `ratio` of python-Levenshtein and rapidfuzz does: 1 − edits / (length of
    both together). `levenshtein` counts a substitution as one edit: 1 − edits / (length of the longer). Characters are
    code points, and nothing is brought to a normal form: `é` in one and in two code points differ. Two empty texts are
    equal.
    """

    distance: Annotated[
        Literal["indel", "levenshtein"],
        Meta(description="Which edits count: insertions and deletions, or substitutions too."),
    ] = "indel"
    case_sensitive: CaseSensitive = True

    def scorer(self) -> SimilarityScorer:
        """The scorer that counts edits."""
        kind = "levenshtein_ratio"
        distance = loaded("rapidfuzz.distance", _CLASSES[self.distance], kind=kind)
        measure = cast("Measure", distance.normalized_similarity)  # type: ignore[attr-defined]
        return similarity(
            self,
            measure if self.case_sensitive else in_lower_case(measure),
            kind=kind,
            settings={"distance": self.distance},
        )
