"""Dicts evaluated on the spot, and trials of an optimisation."""

from __future__ import annotations

from pathlib import Path

import pytest

import rejudge
from rejudge.wiring import Address
from tests.evaluate.conftest import QUESTIONS, Counting, right

RESERVED = {"id": ["not", "an id"], "source": "s", "trace_id": 1, "evaluators": {}, "answer": "4", "question": "2+2"}


def add(item: dict[str, object]) -> str:
    return str(eval(str(item["question"])))


def test_every_dict_counts_whatever_its_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given: list[dict[str, object]] = []

    def task(item: dict[str, object]) -> str:
        given.append(item)
        return add(item)

    task.version = "1"  # type: ignore[attr-defined]
    items: list[dict[str, object]] = [RESERVED, RESERVED, {"id": "x", "question": "1+1", "answer": "3"}]
    result = rejudge.evaluate_on_dict_items(items, task, [right])
    assert sorted(given, key=str) == sorted(items, key=str)
    assert [row.case.item_id for row in result.cases()] == ["0", "1", "2"]
    assert result.summary("right").n == 3
    assert result.summary("right").mean == pytest.approx(2 / 3)
    assert list(tmp_path.iterdir()) == []


def test_without_scorers_the_task_still_runs(adder: Counting) -> None:
    result = rejudge.evaluate_on_dict_items(QUESTIONS, adder)
    assert len(adder.calls) == 6
    assert [row.trace.produced.output for row in result.cases() if row.trace] == ["4", "6", "8", "10", "12", "14"]


def test_mapping_reference_and_failures_are_as_ever() -> None:
    def task(item: dict[str, object]) -> str:
        assert "answer" not in item
        if item["id"] == "q1":
            raise ValueError("broken")
        return add(item)

    def judge(output: str, reference: str) -> bool:
        return output == reference

    result = rejudge.evaluate_on_dict_items(
        QUESTIONS, task, judge, scoring_key_mapping={"reference": "answer"}, reference=["answer"], concurrency=2
    )
    assert (result.summary("judge").n, result.run().counts.cases.errors, result.exit_code()) == (5, 1, 3)


def test_no_items_are_no_cases(adder: Counting) -> None:
    assert list(rejudge.evaluate_on_dict_items([], adder, [right]).cases()) == []


@pytest.mark.parametrize(
    ("items", "options", "told"),
    [
        ("q", {}, "the items are a str"),
        ({"a": 1}, {}, "the items are a dict"),
        ([1], {}, "the item is a int"),
        ([{"a": object()}], {}, "a object has no JSON form"),
        ([{"a": 1}], {"store": "x.db"}, "store= does not fit"),
        ([{"a": 1}], {"nmae": "x"}, "unknown option"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(
    adder: Counting, items: object, options: dict[str, object], told: str
) -> None:
    with pytest.raises(rejudge.RejudgeError, match=told):
        rejudge.evaluate_on_dict_items(items, adder, [right], **options)  # type: ignore[arg-type]


def test_trials_of_an_optimisation_are_recorded_and_listed_by_type(store: Address, adder: Counting) -> None:
    workspace = rejudge.open(store)
    opened = workspace.store
    trial = rejudge.evaluate_optimization_trial(QUESTIONS, adder, [right], store=opened, optimization_id="tune-1")
    batch = rejudge.evaluate_optimization_trial(
        QUESTIONS, adder, [right], store=opened, optimization_id="tune-1", experiment_type="mini-batch", nb_samples=2
    )
    rejudge.evaluate_optimization_trial(QUESTIONS, adder, [right], store=opened, optimization_id="tune-2")
    plain = rejudge.evaluate(QUESTIONS, adder, [right], store=opened)
    assert len(adder.calls) == 6
    assert trial.experiment.protocol == {"optimization_id": "tune-1", "experiment_type": "trial"}
    assert "trial of optimization tune-1" in str(trial)
    of_one = workspace.experiments(optimization_id="tune-1")
    assert [one.id for one in of_one] == [trial.experiment.id, batch.experiment.id]
    assert [one.id for one in workspace.experiments(experiment_type="mini-batch")] == [batch.experiment.id]
    assert [one.id for one in workspace.experiments(experiment_type="regular")] == [plain.experiment.id]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"optimization_id": " "}, "names no optimisation"),
        ({"optimization_id": None}, "names no optimisation"),
        ({"optimization_id": 5}, "names no optimisation"),
        ({"optimization_id": "x", "experiment_type": "mini_batch"}, "did you mean 'mini-batch'"),
    ],
)
def test_a_trial_of_nothing_is_refused(store: Address, adder: Counting, options: dict[str, object], told: str) -> None:
    with pytest.raises(rejudge.ConfigurationError, match=told):
        rejudge.evaluate_optimization_trial(QUESTIONS, adder, [right], store=store, **options)  # type: ignore[arg-type]
    assert adder.calls == []
