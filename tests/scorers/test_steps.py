"""step_count_check: what counts as a step, and which numbers pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.scale import ScoreSpec, ScoreType
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers import Scorer, as_verdict, create, step_count_check
from tests.scorers.traces import ODD_TRACES


def judged(scorer: Scorer, trace: list[object] | None) -> Verdict:
    return as_verdict(scorer.judge(View(output="a", trace=trace)), scorer.config)


def passes(scorer: Scorer, trace: list[object]) -> bool:
    verdict = judged(scorer, trace)
    assert verdict.skip is None, verdict
    return verdict.values == {"step_count_check": 1.0}


def count(kind: str, trace: list[object]) -> int:
    """The only number of steps that passes."""
    exactly = [create("step_count_check", {"count_type": kind, "min_count": n, "max_count": n}) for n in range(8)]
    (found,) = [number for number, scorer in enumerate(exactly) if passes(scorer, trace)]
    return found


def asks(*names: str) -> dict[str, object]:
    calls = [{"function": {"name": name, "arguments": "{}"}} for name in names]
    return {"role": "assistant", "content": None, "tool_calls": calls}


CONVERSATION: list[object] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi"},
    asks("a", "b"),
    {"role": "tool", "content": "x"},
    {"role": "tool", "content": "y"},
    asks("c"),
    {"role": "tool", "content": "z"},
    {"role": "assistant", "content": "Done."},
    {"role": "user", "content": "Thanks"},
]

BLOCKS: list[object] = [
    {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "…"}, {"type": "tool_use", "name": "a", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "content": "x"}]},
    {"role": "user", "content": [{"type": "tool_result", "content": "x"}, {"type": "text", "text": "go on"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
]


@pytest.mark.parametrize(
    ("trace", "tool_calls", "model_responses", "turns"), [(CONVERSATION, 3, 3, 2), (BLOCKS, 1, 2, 2), ([], 0, 0, 0)]
)
def test_steps_are_counted(trace: list[object], tool_calls: int, model_responses: int, turns: int) -> None:
    assert count("tool_calls", trace) == tool_calls
    assert count("model_responses", trace) == model_responses
    assert count("turns", trace) == turns


def test_a_call_that_a_message_says_in_two_ways_counts_once() -> None:
    both = {**asks("a"), "content": [{"type": "tool_use", "name": "a", "input": {}}]}
    assert count("tool_calls", [both]) == 1


roles = st.lists(st.sampled_from(["user", "assistant", "tool", "system"]), max_size=12)


@given(roles, st.integers(0, 5), st.integers(0, 5))
def test_the_bounds_are_included(said: list[str], low: int, high: int) -> None:
    trace: list[object] = [{"role": role, "content": "x"} for role in said]
    bounds: list[tuple[dict[str, int], bool]] = [
        ({"min_count": low}, low <= said.count("user")),
        ({"max_count": high}, said.count("user") <= high),
    ]
    if low <= high:
        bounds.append(({"min_count": low, "max_count": high}, said.count("user") in range(low, high + 1)))
    for bound, holds in bounds:
        assert passes(create("step_count_check", {"count_type": "turns", **bound}), trace) is holds


@given(ODD_TRACES)
def test_an_odd_trace_is_counted_and_never_crashes(trace: list[object]) -> None:
    for kind in ("tool_calls", "model_responses", "turns"):
        assert judged(create("step_count_check", {"count_type": kind, "min_count": 0}), trace).skip is None


def test_no_trace_is_a_skip_and_an_empty_one_has_no_steps() -> None:
    scorer = step_count_check(count_type="turns", max_count=0)
    verdict = judged(scorer, None)
    assert (verdict.skip, verdict.reason) == (Skip.MISSING_TRACE, "the task recorded no trace")
    assert passes(scorer, [])


@pytest.mark.parametrize(
    ("bounds", "reason"),
    [
        ({"max_count": 2}, "3 tool calls, expected at most 2"),
        ({"min_count": 4}, "3 tool calls, expected at least 4"),
        ({"min_count": 4, "max_count": 4}, "3 tool calls, expected exactly 4"),
        ({"min_count": 1, "max_count": 2}, "3 tool calls, expected 1 to 2"),
    ],
)
def test_a_fail_says_how_many_and_how_many_there_may_be(bounds: dict[str, int], reason: str) -> None:
    assert judged(create("step_count_check", {"count_type": "tool_calls", **bounds}), CONVERSATION).reason == reason


REFUSED: list[tuple[dict[str, object], str]] = [
    ({"max_count": 1}, "missing required field `count_type`"),
    ({"count_type": "steps", "max_count": 1}, "count_type: invalid enum value 'steps'"),
    ({"count_type": "turns"}, "step_count_check has no bound"),
    ({"count_type": "turns", "max_count": -1}, "max_count: expected `int` >= 0"),
    ({"count_type": "turns", "min_count": 3, "max_count": 2}, "min_count 3 is larger than max_count 2"),
    ({"count_type": "turns", "max_count": True}, "max_count: expected `int`, got `bool`"),
    ({"count_type": "turns", "max_count": 1.5}, "max_count: expected `int`"),
    ({"count_type": "turns", "max_count": 1, "value_expression": "output"}, "unknown parameter"),
]


@pytest.mark.parametrize(("parameters", "message"), REFUSED)
def test_a_wrong_parameter_is_refused_when_created(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        create("step_count_check", parameters)


def test_a_score_of_stars_says_what_a_pass_and_a_fail_are_worth() -> None:
    stars = ScoreSpec(name="stars", type=ScoreType.FIVE_STAR, passes_at=4)
    with pytest.raises(ConfigurationError, match="'stars' is a five_star"):
        step_count_check(count_type="turns", max_count=1, scores=[stars])
    scorer = step_count_check(count_type="turns", max_count=1, scores=[stars], pass_value=5, fail_value=2)
    assert judged(scorer, CONVERSATION).values == {"stars": 2.0}
    severe = ScoreSpec(name="severe", type=ScoreType.PASS_FAIL_CRITICAL)
    assert judged(step_count_check(count_type="turns", max_count=1, scores=[severe]), []).values == {"severe": 1.0}
