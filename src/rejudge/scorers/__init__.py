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
    "contains",
    "cost",
    "create",
    "ends_with",
    "exact_match",
    "function_scorer",
    "is_json",
    "json_fields",
    "kind_named",
    "latency",
    "numeric_tolerance",
    "pattern_match",
    "range_errors",
    "scored_values",
    "set_check",
    "shape_error",
    "starts_with",
    "step_count_check",
    "token_count",
    "tool_call_check",
]
