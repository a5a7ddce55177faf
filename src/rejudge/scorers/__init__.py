"""Judgements of one view: values in, a verdict out."""

from rejudge.scorers.catalog import (
    CATALOG,
    all_kinds,
    code_eval,
    contains,
    create,
    exact_match,
    kind_named,
    pattern_match,
)
from rejudge.scorers.function import function_scorer
from rejudge.scorers.kind import Example, Kind
from rejudge.scorers.record import Recorder, scored_values
from rejudge.scorers.scorer import Scorer, Way, as_verdict

__all__ = [
    "CATALOG",
    "Example",
    "Kind",
    "Recorder",
    "Scorer",
    "Way",
    "all_kinds",
    "as_verdict",
    "code_eval",
    "contains",
    "create",
    "exact_match",
    "function_scorer",
    "kind_named",
    "pattern_match",
    "scored_values",
]
