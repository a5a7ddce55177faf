"""What is wrong with an evaluation is found before the first task call, and costs nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import rejudge
from rejudge.wiring import Address
from tests.evaluate.conftest import QUESTIONS, Counting, length, right


def test_a_scorer_whose_field_no_item_has_is_refused_with_the_nearest_name(store: Address, adder: Counting) -> None:
    def judge(output: str, anwser: str) -> bool:
        return output == anwser

    with pytest.raises(rejudge.ConfigurationError, match="did you mean 'answer'"):
        rejudge.evaluate(QUESTIONS, adder, [judge], store=store)
    assert adder.calls == []


def test_a_task_that_asks_for_a_field_no_item_has_is_refused(store: Address) -> None:
    def task(quesiton: str) -> str:
        raise AssertionError("must not be called")

    with pytest.raises(rejudge.ConfigurationError, match="did you mean 'question'"):
        rejudge.evaluate(QUESTIONS, task, store=store)


def test_a_task_may_not_ask_for_a_reference_field(store: Address) -> None:
    def task(answer: str) -> str:
        return answer

    with pytest.raises(rejudge.ConfigurationError, match="declares as reference"):
        rejudge.evaluate(QUESTIONS, task, store=store, reference=["answer"])


def test_two_scorers_of_one_name_are_refused(store: Address, adder: Counting) -> None:
    with pytest.raises(rejudge.ConfigurationError, match="two scorers"):
        rejudge.evaluate(QUESTIONS, adder, [right, right], store=store)
    assert adder.calls == []


def test_the_same_task_twice_is_refused(store: Address, adder: Counting) -> None:
    with pytest.raises(rejudge.ConfigurationError, match="same run config"):
        rejudge.evaluate(QUESTIONS, [adder, adder], store=store)


@pytest.mark.parametrize(
    ("option", "value"),
    [("trials", 0), ("concurrency", 0), ("timeout", 0), ("retries", -1), ("stop", "sometimes"), ("stop", 0)],
)
def test_a_limit_that_makes_no_sense_is_refused(store: Address, adder: Counting, option: str, value: object) -> None:
    with pytest.raises(rejudge.ConfigurationError):
        rejudge.evaluation(QUESTIONS, adder, store=store, **{option: value})  # type: ignore[arg-type]
    assert adder.calls == []


def test_an_option_that_does_not_exist_is_refused_with_the_nearest(adder: Counting) -> None:
    with pytest.raises(rejudge.ConfigurationError, match="did you mean 'concurrency'"):
        rejudge.evaluation(QUESTIONS, adder, concurency=3)  # type: ignore[call-arg]


def test_an_unknown_scorer_type_is_refused_with_the_nearest(store: Address, adder: Counting) -> None:
    with pytest.raises(rejudge.ConfigurationError, match="exact_match"):
        rejudge.evaluate(QUESTIONS, adder, [{"type": "exact_mach"}], store=store)


def test_an_async_generator_cannot_be_a_task(store: Address) -> None:
    async def stream(question: str):  # type: ignore[no-untyped-def] # noqa: ANN202 - what is refused has no type
        yield question

    with pytest.raises(rejudge.ConfigurationError, match="async generator"):
        rejudge.evaluate(QUESTIONS, stream, store=store)


def test_a_parameter_with_a_default_is_never_filled_from_an_item(store: Address) -> None:
    def task(question: str, answer: str = "the default") -> str:
        return answer

    result = rejudge.evaluate(QUESTIONS[:1], task, [length], store=store)
    row = next(iter(result.cases()))
    assert row.trace is not None
    assert row.trace.produced.output == "the default"


def test_nothing_is_called_when_the_dataset_has_a_bad_row(store: Address, tmp_path: Path, adder: Counting) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text('{"id": "a", "question": "1+1"}\n{"id": "b", \n')
    with pytest.raises(rejudge.InputError, match=r"items\.jsonl:2"):
        rejudge.evaluate(path, adder, store=store)
    assert adder.calls == []


def test_an_item_without_a_field_that_the_task_needs_is_a_skipped_case(store: Address) -> None:
    def task(question: str) -> str:
        return question

    result = rejudge.evaluate([QUESTIONS[0], {"id": "empty", "answer": "1"}], task, [length], store=store)
    summary = result.summary("length")
    assert (summary.n, summary.skipped) == (1, 1)
    assert "missing_input_field" in str(result.runs[0].case("empty").case.reason)


def test_a_reference_key_that_is_not_declared_as_reference_is_refused(store: Address, adder: Counting) -> None:
    rows = [{**row, "days": 1} for row in QUESTIONS]
    scorer = rejudge.exact_match(name="days", reference_key="days")
    with pytest.raises(rejudge.ConfigurationError, match="reference="):
        rejudge.evaluate(rows, adder, [scorer], store=store, reference=["answer"])
    assert adder.calls == []


def test_a_plan_refuses_what_an_evaluation_refuses(store: Address, adder: Counting) -> None:
    with pytest.raises(rejudge.ConfigurationError, match="two scorers"):
        rejudge.plan(QUESTIONS, adder, [right, right], store=store)
    with pytest.raises(rejudge.ConfigurationError, match="no item has"):
        rejudge.plan(QUESTIONS, adder, [rejudge.exact_match(reference_key="anwser")], store=store)


@pytest.mark.parametrize("scorers", [3, "exact_match", object()])
def test_what_is_no_scorer_is_refused_in_words(store: Address, adder: Counting, scorers: object) -> None:
    with pytest.raises(rejudge.ConfigurationError, match="scorer"):
        rejudge.evaluate(QUESTIONS, adder, scorers, store=store)


class Bot:
    """What a user may hand in by mistake, with and without brackets."""

    def __init__(self, question: str = "") -> None:
        self.question = question

    def answer(self, question: str) -> str:
        return question


class CallableBot(Bot):
    def __call__(self, question: str) -> str:
        return question


def test_a_class_is_no_task_and_the_message_says_what_is(store: Address) -> None:
    with pytest.raises(rejudge.ConfigurationError, match=r"(?s)class Bot is no task.*method of an instance of Bot"):
        rejudge.evaluate(QUESTIONS, Bot, store=store)
    with pytest.raises(rejudge.ConfigurationError, match=r"(?s)no task.*give an instance.*CallableBot\(…\)"):
        rejudge.evaluate(QUESTIONS, [CallableBot], store=store)
    assert rejudge.evaluate(QUESTIONS, [CallableBot(), Bot().answer], store=store).complete


def test_a_misspelt_part_of_the_view_is_recognised(store: Address) -> None:
    def typo(ouput: str) -> bool:
        return bool(ouput)

    with pytest.raises(rejudge.ConfigurationError, match="did you mean 'output'"):
        rejudge.evaluate([{"country": "France"}], lambda country: country, typo, store=store)
