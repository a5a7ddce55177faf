"""Judgements of one view: values in, a verdict out."""

from rejudge.scorers.catalog import (
    CATALOG,
    all_kinds,
    contains,
    cost,
    create,
    ends_with,
    exact_match,
    is_json,
    json_fields,
    kind_named,
    latency,
    numeric_tolerance,
    pattern_match,
    set_check,
    starts_with,
    step_count_check,
    token_count,
    tool_call_check,
)
from rejudge.scorers.expected_tool import ExpectedArgument, ExpectedTool
from rejudge.scorers.function import function_scorer
from rejudge.scorers.kind import Example, Kind
from rejudge.scorers.record import Recorder, range_errors, scored_values, shape_error
from rejudge.scorers.scorer import Scorer, Way, as_verdict
from rejudge.scorers.text.kinds import bleu, chrf, embedding_similarity, gleu, levenshtein_ratio, rouge, token_f1

__all__ = [
    "CATALOG",
    "Example",
    "ExpectedArgument",
    "ExpectedTool",
    "Kind",
    "Recorder",
    "Scorer",
    "Way",
    "all_kinds",
    "as_verdict",
    "bleu",
    "chrf",
    "contains",
    "cost",
    "create",
    "embedding_similarity",
    "ends_with",
    "exact_match",
    "function_scorer",
    "gleu",
    "is_json",
    "json_fields",
    "kind_named",
    "latency",
    "levenshtein_ratio",
    "numeric_tolerance",
    "pattern_match",
    "range_errors",
    "rouge",
    "scored_values",
    "set_check",
    "shape_error",
    "starts_with",
    "step_count_check",
    "token_count",
    "token_f1",
    "tool_call_check",
]
