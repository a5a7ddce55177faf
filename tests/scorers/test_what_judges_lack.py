"""Whose fault it is where something lacks: our data's, and then nobody is asked and nothing fails."""

from __future__ import annotations

from rejudge.domain.usage import Usage
from rejudge.domain.verdict import Skip
from rejudge.domain.view import View
from rejudge.scorers import create
from tests.scorers.steps import judged
from tests.scorers.tools import trace_of


def test_a_share_of_no_passages_is_settled_before_a_model_is_asked() -> None:
    fields: dict[str, object] = {"question": "When?", "reference": "At 9", "context": []}
    view = View(output="At 9", task_input={"question": "When?"}, reference_data={"reference": "At 9"}, item=fields)
    verdict, calls = judged(create("context_precision", {"model": "m"}), view)
    assert (verdict.skip, calls) == (Skip.INCOMPATIBLE_INPUT_SHAPE, [])
    assert "'context' is a list of no passages" in verdict.reason


def test_a_null_context_of_the_task_does_not_hide_the_items() -> None:
    view = View(output="At 9", item={"context": ["Open from 9."]}, extra={"context": None})
    _, (call,) = judged(create("groundedness", {"model": "m"}), view, ["pass"])
    assert "Open from 9." in str(call.messages[-1]["content"])


def test_a_reference_that_lists_no_tool_says_nothing_about_any_of_them() -> None:
    scorer = create("tool_call_check", {"reference_key": "tools", "match_mode": "any"})
    view = View(output="x", reference_data={"tools": []}, trace=trace_of("search"))
    assert judged(scorer, view)[0].skip == Skip.MISSING_REFERENCE_KEY


def test_a_negative_smallest_number_of_steps_is_no_bound() -> None:
    scorer = create("step_count_check", {"count_type": "tool_calls", "min_count": -1})
    assert judged(scorer, View(output="x", trace=[]))[0].values == {"step_count_check": 1.0}


def test_a_cost_that_nobody_knows_is_missing_usage_in_a_prompt_as_in_a_value() -> None:
    judge = create("llm_judge", {"model": "m", "prompt_template": "{{ usage.cost }} {{ final_message }}"})
    verdict, _ = judged(judge, View(output="Paris", usage=Usage(input_tokens=3)))
    assert verdict.skip == "missing_usage"
