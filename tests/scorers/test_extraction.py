"""Every kind that takes a value out of a view does the same where there is none."""

from __future__ import annotations

import pytest

from rejudge.domain.scale import Outcome
from rejudge.domain.usage import Usage
from rejudge.domain.verdict import Skip
from rejudge.domain.view import View
from rejudge.scorers import CATALOG, as_verdict, create, scored_values

KINDS: dict[str, dict[str, object]] = {
    "exact_match": {"expected_value": "7"},
    "contains": {"substring": "7"},
    "pattern_match": {"pattern": "7"},
    "set_check": {"mode": "equal", "expected_set": ["7"]},
    "starts_with": {"prefix": "7"},
    "ends_with": {"suffix": "7"},
    "numeric_tolerance": {"expected_value": 7, "absolute": 0},
    "is_json": {},
    "json_fields": {"expected_value": {"n": 7}, "passes_at": 1},
}
"""Parameters with which a kind passes on 7, or on an object that holds it."""

VIEW = View(
    output='{"n": 7, "null": null, "list": []}',
    trace=[],
    reference_data={"gold": 7},
    task_input={"asked": 7},
    item={"gold": 7, "asked": 7},
    metadata={"n": 7},
    usage=Usage(input_tokens=7),
    latency=7,
)


def outcome(kind: str, expression: str, view: View = VIEW) -> Outcome | str | None:
    """The outcome of the first score, or the cause of a skip."""
    scorer = create(kind, {**KINDS[kind], "value_expression": expression})
    verdict = as_verdict(scorer.judge(view), scorer.config)
    assert verdict.skip is None or verdict.reason
    return verdict.skip or scored_values(verdict, scorer.config)[0].outcome


every_kind = pytest.mark.parametrize("kind", KINDS)


def test_the_kinds_tried_here_are_in_the_catalog_and_take_an_expression() -> None:
    taking = {name for name, kind in CATALOG.items() if "value_expression" in kind.parameters.__struct_fields__}
    assert taking >= set(KINDS)


@every_kind
@pytest.mark.parametrize(
    "part",
    ["(final_message | fromjson).n", "metadata.n", "usage.input_tokens", "task_input.asked", "reference_data.gold"],
)
def test_every_part_of_a_view_can_be_judged(kind: str, part: str) -> None:
    expression = f"{{'n': {part}}}" if kind == "json_fields" else part
    assert outcome(kind, expression) is Outcome.PASSED


@every_kind
@pytest.mark.parametrize(
    "expression",
    [
        "(final_message | fromjson).missing",
        "(final_message | fromjson).missing.deeper.still",
        "(final_message | fromjson).null",
        "(final_message | fromjson).list[0]",
        "trace[-1].content",
        "metadata | fromjson",
        "metadata.missing",
    ],
)
def test_nothing_under_what_the_task_gave_fails(kind: str, expression: str) -> None:
    assert outcome(kind, expression) is Outcome.FAILED


@every_kind
def test_an_output_that_is_no_json_fails_where_json_is_read(kind: str) -> None:
    assert outcome(kind, "(final_message | fromjson).n", View(output="seven")) is Outcome.FAILED


@every_kind
@pytest.mark.parametrize(
    ("expression", "cause"),
    [
        ("reference_data.missing.deeper", Skip.MISSING_REFERENCE_KEY),
        ("task_input.missing", Skip.MISSING_INPUT_FIELD),
        ("item.missing", Skip.MISSING_INPUT_FIELD),
        ("usage.cost", Skip.MISSING_USAGE),
        ("latency", Skip.MISSING_USAGE),
        ("trace[-1].content", Skip.MISSING_TRACE),
    ],
)
def test_nothing_under_our_own_data_is_a_skip(kind: str, expression: str, cause: Skip) -> None:
    view = View(output="a", reference_data={}, task_input={}, usage=Usage())
    assert outcome(kind, expression, view) == cause
