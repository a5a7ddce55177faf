"""Judges at work: nothing is asked that cannot be judged, and all that was asked and said is kept."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import rejudge
from rejudge.front.case_document import case_dict
from rejudge.front.overview import scorers_of
from rejudge.front.report import case_report
from rejudge.providers.provider import Abilities
from rejudge.scorers import llm_judge
from rejudge.wiring import Address

ROWS: list[dict[str, object]] = [
    {"id": "1", "question": "Capital of France?", "gold": "Paris"},
    {"id": "2", "question": "Capital of Spain?", "gold": None},
]


def answer(question: str) -> str:
    return f"It is the capital of {question.rsplit(maxsplit=1)[-1]}"


class Judges:
    """A provider whose models judge, and may say what they cannot do."""

    def __init__(self, script: Callable[[rejudge.ModelCall], str], *, logprobs: bool | None = None) -> None:
        self.scripted = rejudge.ScriptedProvider(
            lambda call: rejudge.Reply(
                text=script(call), model=f"{call.model}-0613", usage=rejudge.Usage(input_tokens=7, cost=0.25)
            )
        )
        self._abilities = Abilities(logprobs=logprobs)

    async def answer(self, call: rejudge.ModelCall) -> rejudge.Reply:
        return await self.scripted.answer(call)

    def abilities(self, model: str) -> Abilities:
        return self._abilities


def test_all_that_was_asked_and_said_is_kept_with_the_score(store: Address) -> None:
    replies = iter(["Well.", '{"reasoning": "Right city.", "llm_judge": "pass"}'])
    provider = Judges(lambda call: next(replies))
    judge = llm_judge(model="gpt", judge_instructions=("Is it right?",))
    result = rejudge.evaluate(ROWS[:1], answer, judge, store=store, provider=provider)
    row = next(iter(result.cases()))
    (score,) = row.scores
    assert score.reason == "Right city."
    assert score.usage == rejudge.Usage(input_tokens=14, cost=0.5)
    assert [record.reply.text for record in score.calls if isinstance(record.reply, rejudge.Reply)] == [
        "Well.",
        '{"reasoning": "Right city.", "llm_judge": "pass"}',
    ]
    assert row.trace is not None
    assert row.trace.usage is None
    run = result.runs[0]
    shown = case_report(row, scorers_of(run, result))
    for words in ("1. Is it right?", "It is the capital of France?", "Well.", "gpt-0613", "7 tokens in"):
        assert words in shown
    document = case_dict(row, run, scorers_of(run, result))
    (stated,) = json.loads(json.dumps(document["scores"]))
    assert stated["calls"][1]["reply"]["model"] == "gpt-0613"
    assert stated["evidence"]["members"][0]["version"] == "gpt-0613"


def test_a_missing_reference_is_skipped_before_anything_is_spent(store: Address) -> None:
    provider = Judges(lambda call: "pass")
    judge = llm_judge(model="m", reference_keys=("gold",))
    result = rejudge.evaluate(ROWS, answer, judge, store=store, provider=provider, reference=["gold"])
    assert [score.cause for row in result.cases() for score in row.scores] == [None, "missing_reference_key"]
    assert len(provider.scripted.calls) == 1


def test_a_reply_that_cannot_be_read_is_a_stored_error_and_is_tried_again_by_resuming(store: Address) -> None:
    said = {"text": "no idea"}
    provider = Judges(lambda call: said["text"])
    result = rejudge.evaluate(ROWS[:1], answer, llm_judge(model="m"), store=store, provider=provider)
    (score,) = next(iter(result.cases())).scores
    assert score.status == "error"
    assert score.reason.startswith("grade_parse_failure: m after 2 replies")
    assert score.usage == rejudge.Usage(input_tokens=14, cost=0.5)
    assert len(score.calls) == 2
    assert result.summary("llm_judge").counts.scorer_errors == 1
    said["text"] = "pass"
    again = rejudge.evaluate_experiment(result.name, llm_judge(model="m"), store=store, provider=provider)
    (score,) = next(iter(again.cases())).scores
    assert [value.number for value in score.values] == [1.0]


def test_a_model_without_log_probabilities_is_refused_before_the_first_call(store: Address) -> None:
    provider = Judges(lambda call: "pass", logprobs=False)
    asked: list[str] = []

    def task(question: str) -> str:
        asked.append(question)
        return question

    judge = llm_judge(model="m", g_eval=True, scores=[rejudge.ScoreSpec(name="ok", passes_at=0.5)])
    with pytest.raises(rejudge.ConfigurationError, match=r"weighs log-probabilities, which 'm' does not give"):
        rejudge.evaluate(ROWS, task, judge, store=store, provider=provider)
    assert not asked
    assert not provider.scripted.calls


def test_a_judge_that_names_no_model_is_refused_before_the_first_call(store: Address) -> None:
    with pytest.raises(rejudge.ConfigurationError, match="asks a model, and none is named"):
        rejudge.evaluate(ROWS, answer, llm_judge(), store=store, provider=Judges(lambda call: "pass"))
    with pytest.raises(rejudge.ConfigurationError, match="provider="):
        rejudge.evaluate(ROWS, answer, llm_judge(model="m"), store=store)


def test_a_reference_key_that_no_item_has_is_refused_before_the_first_call(store: Address) -> None:
    judge = llm_judge(model="m", reference_keys=("golden",))
    with pytest.raises(rejudge.ConfigurationError, match="'golden', which no item has"):
        rejudge.evaluate(ROWS, answer, judge, store=store, provider=Judges(lambda call: "pass"))


def test_a_panel_costs_what_all_its_members_cost(store: Address) -> None:
    provider = Judges(lambda call: "fail" if call.model == "c" else "pass")
    judge = llm_judge(panel=("a", "b", "c"))
    result = rejudge.evaluate(ROWS[:1], answer, judge, store=store, provider=provider)
    (score,) = next(iter(result.cases())).scores
    assert score.values[0].number == 1.0
    assert score.usage == rejudge.Usage(input_tokens=21, cost=0.75)
    assert [record.call.model for record in score.calls if isinstance(record.call, rejudge.ModelCall)] == [
        "a",
        "b",
        "c",
    ]
    assert "2 of 3 say 1" in score.reason


def test_a_second_judge_generates_nothing_and_the_first_is_not_asked_again(store: Address) -> None:
    provider = Judges(lambda call: "pass")
    generated: list[str] = []

    def task(question: str) -> str:
        generated.append(question)
        return question

    first, second = llm_judge(model="m"), llm_judge(model="n", name="other")
    rejudge.evaluate(ROWS, task, first, store=store, provider=provider, name="e", version="1")
    rejudge.evaluate(ROWS, task, [first, second], store=store, provider=provider, name="e", version="1")
    assert len(generated) == 2
    assert [call.model for call in provider.scripted.calls] == ["m", "m", "n", "n"]
