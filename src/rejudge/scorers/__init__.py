"""Judgements of one view: values in, a verdict out."""

from rejudge.scorers.catalog import CATALOG, all_kinds, contains, create, exact_match, kind_named, pattern_match
from rejudge.scorers.function import function_scorer
from rejudge.scorers.kind import Example, Kind
from rejudge.scorers.record import Recorder, scored_values
from rejudge.scorers.scorer import Scorer, Way, as_verdict
from rejudge.scorers.text.kinds import bleu, chrf, embedding_similarity, gleu, levenshtein_ratio, rouge, token_f1

__all__ = [
    "CATALOG",
    "Example",
    "Kind",
    "Recorder",
    "Scorer",
    "Way",
    "all_kinds",
    "as_verdict",
    "bleu",
    "chrf",
    "contains",
    "create",
    "embedding_similarity",
    "exact_match",
    "function_scorer",
    "gleu",
    "kind_named",
    "levenshtein_ratio",
    "pattern_match",
    "rouge",
    "scored_values",
    "token_f1",
]
