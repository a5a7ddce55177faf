"""Objects with a method `score`, and whatever scorers of other libraries return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from rejudge.domain.errors import ScorerError
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers import Way, as_verdict, function_scorer

VIEW = View(
    output="42",
    trace=[{"role": "assistant", "content": "42"}],
    item={"question": "?", "reference": "42", "input": "six by seven"},
    extra={"confidence": 0.5, "reference": "the task's"},
    item_id="q1",
)


@dataclass
class Scored:
    """As other libraries return it."""

    name: str = "likeness"
    value: Any = 1.0
    reason: str | None = "the same"
    scoring_failed: bool = False
    metadata: dict[str, object] = field(default_factory=dict)


class Likeness:
    name = "likeness"

    def __init__(self, answer: object = 1.0) -> None:
        self.answer = answer
        self.given: dict[str, object] = {}

    def score(self, output: str, reference: str, **more: object) -> object:
        return self.answer if output == reference else 0.0


def verdict(answer: object) -> Verdict:
    scorer = function_scorer(Likeness(answer))
    return as_verdict(scorer.judge(VIEW), scorer.config)


def test_the_parameters_of_score_say_what_it_needs() -> None:
    class Metric:
        def score(self, output: str, input: str, reference: str, confidence: float) -> object:
            return [output, input, reference, confidence]

    scorer = function_scorer(Metric())
    assert scorer.judge(VIEW) == ["42", "six by seven", "42", 0.5]
    assert scorer.needs == {"input", "reference", "confidence"}
    assert scorer.config.name == "Metric"


def test_keywords_of_any_name_take_everything_and_defaults_nothing() -> None:
    class Metric:
        def score(self, output: str, limit: int = 3, question: str = "default", **rest: object) -> object:
            return limit, question, rest

    messages = VIEW.trace
    judged = function_scorer(Metric()).judge(VIEW)
    rest = {"reference": "42", "input": "six by seven", "confidence": 0.5, "messages": messages}
    assert judged == (3, "default", rest)


def test_the_whole_item_and_all_that_was_returned_can_be_asked_for() -> None:
    def judge(dataset_item: dict[str, object], task_outputs: dict[str, object]) -> object:
        return dataset_item, task_outputs

    returned = {"output": "42", "confidence": 0.5, "reference": "the task's", "messages": VIEW.trace}
    assert function_scorer(judge).judge(VIEW) == ({"id": "q1", **VIEW.item}, returned)
    assert function_scorer(judge).config.sees is None


def test_a_returned_dict_without_an_output_is_read_by_its_keys() -> None:
    def judge(answer: str, task_outputs: dict[str, object]) -> object:
        return answer, task_outputs["answer"]

    view = View(output={"answer": "42"}, item={"question": "?"})
    assert function_scorer(judge).judge(view) == ("42", "42")


def test_what_is_missing_is_a_skip() -> None:
    judged = function_scorer(Likeness()).judge(View(output="42"))
    assert isinstance(judged, Verdict)
    assert judged.skip == Skip.MISSING_INPUT_FIELD


def test_a_class_and_an_async_score_are_taken_too() -> None:
    class Later:
        async def score(self, output: str, **more: object) -> object:
            return True

    assert function_scorer(Likeness).judge(VIEW) == 1.0
    assert function_scorer(Later()).way is Way.LOOP


def test_the_state_of_an_object_and_its_version_are_part_of_its_identity() -> None:
    one, other = function_scorer(Likeness(1.0)).config, function_scorer(Likeness(2.0)).config
    assert one.id == function_scorer(Likeness(1.0)).config.id != other.id
    pinned = Likeness(2.0)
    pinned.version = "1"  # type: ignore[attr-defined]
    assert function_scorer(pinned).config.settings["version"] == "1"


@pytest.mark.parametrize(
    ("answer", "values", "reason"),
    [
        (1.0, {"": 1.0}, ""),
        (True, {"": True}, ""),
        ("good", {"": "good"}, ""),
        ((0.5, "half"), {"": 0.5}, "half"),
        ((0.5, None), {"": 0.5}, ""),
        ({"a": 1, "b": 0.5}, {"a": 1, "b": 0.5}, ""),
        ({"value": 1}, {"value": 1}, ""),
        ({"value": 1, "reason": "fine"}, {"": 1}, "fine"),
        ({"name": "x", "value": 1, "reason": None}, {"x": 1}, ""),
        (Scored(), {"": 1.0}, "the same"),
        (Scored(name="other", value="bad", reason=None), {"other": "bad"}, ""),
        ([Scored(name="a"), Scored(name="b", value=False, reason="no")], {"a": 1.0, "b": False}, "a: the same\nb: no"),
    ],
)
def test_what_a_scorer_returns_is_a_verdict(answer: object, values: dict[str, object], reason: str) -> None:
    found = verdict(answer)
    assert (found.values, found.reason) == (values, reason)


def test_metadata_is_kept_as_evidence() -> None:
    assert verdict(Scored(metadata={"matched": [1, 2]})).evidence == {"matched": [1, 2]}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "returned None"),
        (Scored(value=None), "returned None"),
        (Scored(value=0.0, scoring_failed=True, reason="no key"), "says that scoring failed: no key"),
        ({"value": 0.0, "scoring_failed": True}, "scoring failed: it gives no reason"),
        ([Scored(name="a"), Scored(name="b", scoring_failed=True)], "scoring of 'b' failed"),
        ([Scored(), Scored()], "two values named 'likeness'"),
        ([], "type list"),
        ([1, 2], "type list"),
        (object(), "type object"),
        (float("nan"), "nan"),
        (Scored(value=float("inf")), "inf"),
    ],
)
def test_what_is_no_score_is_an_error_of_the_scorer(answer: object, told: str) -> None:
    with pytest.raises(ScorerError, match=told):
        verdict(answer)
