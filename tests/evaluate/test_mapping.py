"""Scorers find what they ask for under other names, and need not be written for one dataset."""

from __future__ import annotations

from collections.abc import Generator

import pytest

import rejudge
from rejudge.domain.case import CaseResult
from rejudge.storage.memory import MemoryStore
from rejudge.wiring import Address
from tests.evaluate.conftest import QUESTIONS, Counting


class Equals:
    """As scorers of other libraries are written."""

    name = "equals"

    def score(self, output: str, reference: str, **ignored: object) -> float:
        return float(output == reference)


ITEMS = [{"id": row["id"], "question": row["question"], "meta": {"gold": [row["answer"]]}} for row in QUESTIONS]


def test_a_dotted_path_is_a_source(store: Address, adder: Counting) -> None:
    result = rejudge.evaluate(ITEMS, adder, [Equals()], store=store, scoring_key_mapping={"reference": "meta.gold.0"})
    assert result.summary("equals").mean == pytest.approx(5 / 6)


def test_a_scorer_of_the_catalog_is_mapped_as_well(store: Address, adder: Counting) -> None:
    scorer = rejudge.exact_match(reference_key="reference")
    result = rejudge.evaluate(
        ITEMS, adder, [scorer], store=store, scoring_key_mapping={"reference": "meta.gold.0"}, reference=["meta"]
    )
    assert result.summary().mean == pytest.approx(5 / 6)


def test_the_output_itself_can_come_from_inside_of_what_was_returned(store: Address) -> None:
    def task(question: str) -> dict[str, object]:
        return {"output": {"answer": str(eval(question))}, "sure": 0.5}

    def judge(output: str, answer: str, confidence: float) -> bool:
        return output == answer and confidence == 0.5

    mapping = {"output": "output.answer", "confidence": "output.sure"}
    scorers = [judge, rejudge.exact_match(reference_key="answer")]
    result = rejudge.evaluate(QUESTIONS, task, scorers, store=store, scoring_key_mapping=mapping, outputs=["sure"])
    assert result.summary("judge").mean == result.summary("exact_match").mean == pytest.approx(5 / 6)


def test_a_function_is_given_everything_and_cannot_change_it(store: Address, adder: Counting) -> None:
    def gold(merged: dict[str, object]) -> object:
        meta = merged["meta"]
        assert isinstance(meta, dict)
        assert merged["output"]
        return meta.pop("gold")[0]

    result = rejudge.evaluate(
        ITEMS, adder, [Equals()], store=store, scoring_key_mapping={"reference": gold, "other": gold}
    )
    assert result.summary("equals").mean == pytest.approx(5 / 6)


def test_a_function_that_raises_is_an_error_of_that_item_alone(store: Address, adder: Counting) -> None:
    def gold(merged: dict[str, object]) -> object:
        if merged["id"] == "q2":
            raise KeyError("no gold")
        return merged["answer"]

    result = rejudge.evaluate(QUESTIONS, adder, [Equals()], store=store, scoring_key_mapping={"reference": gold})
    summary = result.summary("equals")
    assert (summary.n, summary.counts.scorer_errors) == (5, 1)
    (score,) = result.run().case("q2").scores
    assert "the function that 'reference' is mapped to raised KeyError: 'no gold'" in score.reason


def test_a_parameter_with_a_default_is_filled_by_a_mapping_alone(store: Address, adder: Counting) -> None:
    def judge(output: str, answer: str = "the default") -> str:
        return answer

    plain = rejudge.evaluate(QUESTIONS[:1], adder, [judge], store=store)
    mapped = rejudge.evaluate(QUESTIONS[:1], adder, [judge], store=store, scoring_key_mapping={"answer": "answer"})
    assert list(plain.summary("judge").labels) == ["the default"]
    assert list(mapped.summary("judge").labels) == ["4"]


def test_an_item_without_the_source_is_a_skip(store: Address, adder: Counting) -> None:
    items = [*ITEMS, {"id": "q7", "question": "1+1", "meta": {}}]
    result = rejudge.evaluate(items, adder, [Equals()], store=store, scoring_key_mapping={"reference": "meta.gold.0"})
    assert (result.summary("equals").n, result.summary("equals").skipped) == (6, 1)
    assert "'reference' is mapped to 'meta.gold.0'" in result.run().case("q7").scores[0].reason


def test_steps_are_mapped_too(store: Address, adder: Counting) -> None:
    def judge(output: str, reference: str) -> Generator[object, object, bool]:
        yield from ()
        return output == reference

    result = rejudge.evaluate(
        ITEMS,
        adder,
        [judge],
        store=store,
        scoring_key_mapping={"reference": "meta.gold.0"},
        provider=rejudge.ScriptedProvider(lambda call: ""),
    )
    assert result.summary("judge").mean == pytest.approx(5 / 6)


def test_a_task_cannot_replace_a_field_of_the_item(store: Address) -> None:
    def task(question: str) -> dict[str, object]:
        return {"output": "1", "answer": "1"}

    result = rejudge.evaluate(QUESTIONS, task, [Equals()], store=store, scoring_key_mapping={"reference": "answer"})
    assert result.summary("equals").mean == 0.0


def test_another_mapping_is_another_scorer_and_costs_no_generation(adder: Counting) -> None:
    store = MemoryStore()
    first = rejudge.evaluate(QUESTIONS, adder, [Equals()], store=store, scoring_key_mapping={"reference": "answer"})
    other = rejudge.evaluate(QUESTIONS, adder, [Equals()], store=store, scoring_key_mapping={"reference": "question"})
    again = rejudge.evaluate(QUESTIONS, adder, [Equals()], store=store, scoring_key_mapping={"reference": "answer"})
    assert len(adder.calls) == 6
    assert first.run().run.scorers != other.run().run.scorers
    assert first.run().run.scorers == again.run().run.scorers

    def doubled(factor: int) -> object:
        return lambda merged: str(merged["answer"]) * factor

    ids = {
        rejudge.evaluate(
            QUESTIONS, adder, [Equals()], store=store, scoring_key_mapping={"reference": doubled(factor)}  # type: ignore[dict-item]
        ).run().run.scorers
        for factor in (1, 2, 1)
    }  # fmt: skip
    assert len(ids) == 2


def test_a_mapping_judges_what_is_stored(adder: Counting) -> None:
    store = MemoryStore()
    rejudge.evaluate(ITEMS, adder, store=store, name="sums")
    result = rejudge.evaluate_experiment(
        "sums", [Equals()], store=store, scoring_key_mapping={"reference": "meta.gold.0"}
    )
    assert result.summary("equals").mean == pytest.approx(5 / 6)
    with pytest.raises(rejudge.ConfigurationError, match=r"asks for 'meta\.gld'"):
        rejudge.evaluate_experiment("sums", [Equals()], store=store, scoring_key_mapping={"reference": "meta.gld"})


@pytest.mark.parametrize(
    ("mapping", "told"),
    [
        ({"reference": "anwser"}, "did you mean 'answer'"),
        ({"reference": "answer.deep"}, "asks for 'answer.deep'"),
        ({"reference": "output.deep"}, "asks for 'output.deep'"),
        ({"other": "answer"}, "asks for 'reference'"),
        ({"reference": 3}, "'reference' is mapped to 3"),
        ({3: "answer"}, "3 is no name"),
        (["reference"], "scoring_key_mapping is a list"),
    ],
)
def test_a_mapping_that_cannot_work_is_refused_before_the_first_call(
    store: Address, adder: Counting, mapping: object, told: str
) -> None:
    with pytest.raises(rejudge.ConfigurationError, match=told):
        rejudge.evaluate(QUESTIONS, adder, [Equals()], store=store, scoring_key_mapping=mapping)  # type: ignore[arg-type]
    assert adder.calls == []


def ended(result: rejudge.Result) -> list[CaseResult]:
    return [row.case for row in result.cases()]


class Opaque(Counting):
    """A task whose source does not say what it returns."""

    def __init__(self, **more: object) -> None:
        super().__init__()
        self.more = more

    def __call__(self, item: dict[str, str]) -> object:  # type: ignore[override]
        self.calls.append(item["id"])
        if item["id"] == self.more.get("failing"):
            raise ValueError("no")
        return dict(output=item["question"], **self.more)


@pytest.mark.parametrize("name", ["confidence", "mapped"])
def test_where_only_a_result_can_tell_one_item_is_run_and_no_more(store: Address, name: str) -> None:
    def judge(confidence: float) -> float:
        return confidence

    mapping = {} if name == "confidence" else {"confidence": "output.sure.value"}
    task = Opaque(other=1)
    workspace = rejudge.open(store)
    with pytest.raises(rejudge.ConfigurationError, match="the task did not return for the first item") as error:
        rejudge.evaluate(QUESTIONS, task, [judge], store=workspace.store, scoring_key_mapping=mapping)
    assert task.calls == ["q1"]
    assert "it returned other, output" in str(error.value)
    (run,) = workspace.runs()
    assert run.state == "failed"
    assert "asks for" in str(run.reason)


def test_what_the_first_result_supplies_is_used(store: Address) -> None:
    def judge(confidence: float) -> float:
        return confidence

    task = Opaque(confidence=0.5)
    result = rejudge.evaluate(QUESTIONS, task, [judge], store=store)
    assert (result.summary("judge").mean, result.summary("judge").n, len(task.calls)) == (0.5, 6, 6)


def test_a_first_item_that_fails_tells_nothing_and_the_next_one_is_looked_at(store: Address) -> None:
    def judge(confidence: float) -> float:
        return confidence

    task = Opaque(failing="q1")
    with pytest.raises(rejudge.ConfigurationError, match="asks for 'confidence'"):
        rejudge.evaluate(QUESTIONS, task, [judge], store=store)
    assert task.calls == ["q1", "q2"]


def test_what_every_call_fails_on_is_a_result_as_ever(store: Address) -> None:
    def judge(confidence: float) -> float:
        return confidence

    def task(question: str) -> object:
        if question:
            raise ValueError("never")
        return dict(output=question)  # noqa: C408 - a dict whose keys the source hides

    result = rejudge.evaluate(QUESTIONS, task, [judge], store=store)
    assert result.run().counts.cases.errors == 6
    assert len(ended(result)) == 6


def test_stored_traces_are_looked_at_before_they_are_judged_again() -> None:
    def judge(confidence: float) -> float:
        return confidence

    store = MemoryStore()
    rejudge.evaluate(QUESTIONS, Opaque(confidence=0.5), store=store, name="with")
    rejudge.evaluate(QUESTIONS, Opaque(other=1), store=store, name="without", version="2")
    assert rejudge.evaluate_experiment("with", [judge], store=store).summary("judge").n == 6
    with pytest.raises(rejudge.ConfigurationError, match="it returned other, output"):
        rejudge.evaluate_experiment("without", [judge], store=store)


def test_a_key_that_no_scorer_asks_for_is_refused_before_the_first_call(adder: Counting) -> None:
    items = [{**row, "reference": "left over from another dataset"} for row in QUESTIONS]

    def equals(output: str, reference: str) -> bool:
        return output == reference

    with pytest.raises(rejudge.ConfigurationError, match="no scorer asks for 'refrence'") as refused:
        rejudge.evaluate(items, adder, equals, store="memory:", scoring_key_mapping={"refrence": "answer"})
    assert "did you mean 'reference'" in str(refused.value)
    assert adder.calls == []


def test_a_key_that_one_of_several_scorers_asks_for_is_for_that_one(adder: Counting) -> None:
    def short(output: str) -> bool:
        return len(output) < 3

    mapping = {"reference": "answer"}
    result = rejudge.evaluate(QUESTIONS, adder, [Equals(), short], store="memory:", scoring_key_mapping=mapping)
    assert result.summary("equals").mean == pytest.approx(5 / 6)


def test_a_suite_is_judged_under_its_mapping(store: Address, adder: Counting) -> None:
    suite = rejudge.Suite(QUESTIONS, scorers=[Equals()])
    ran = rejudge.run_tests(suite, adder, scoring_key_mapping={"reference": "answer"}, store=store)
    assert [item.id for item in ran.items if item.status == "failed"] == ["q6"]
    assert ran.items_passed == 5
