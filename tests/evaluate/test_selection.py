"""Evaluating a part of a dataset."""

from __future__ import annotations

from pathlib import Path

import pytest

import rejudge
from rejudge.wiring import Address
from tests.evaluate.conftest import QUESTIONS, Counting, right


def asked(result: rejudge.Result) -> list[str]:
    return [row.case.item_id for row in result.cases()]


def test_what_was_selected_is_stored_recorded_and_shown(store: Address, adder: Counting) -> None:
    result = rejudge.evaluate(
        QUESTIONS, adder, [right], store=store, dataset_filter_string='question contains "+4" or id = "q6"'
    )
    assert asked(result) == adder.calls == ["q3", "q6"]
    recorded = {"dataset_filter_string": 'question contains "+4" or id = "q6"'}
    assert result.experiment.protocol["selection"] == recorded
    assert "selected: where question contains" in str(result)


def test_the_whole_dataset_reuses_what_a_part_of_it_generated(store: Address, adder: Counting) -> None:
    workspace = rejudge.open(store)
    rejudge.evaluate(QUESTIONS, adder, [right], store=workspace.store, nb_samples=2)
    rejudge.evaluate(QUESTIONS, adder, [right], store=workspace.store)
    assert sorted(adder.calls) == [row["id"] for row in QUESTIONS]


def test_a_selection_leaves_the_dataset_as_it_is(store: Address, adder: Counting) -> None:
    workspace = rejudge.open(store)
    dataset = workspace.dataset("sums", reference=["answer"])
    dataset.insert(QUESTIONS)
    result = rejudge.evaluate(
        dataset, adder, [right], store=workspace.store, dataset_sampler=rejudge.random_sampler(2, seed=3)
    )
    assert len(asked(result)) == 2
    assert (len(dataset), len(dataset.versions())) == (6, 1)
    with pytest.raises(rejudge.ConfigurationError, match="declares as reference"):
        rejudge.evaluate(dataset, lambda answer: answer, store=workspace.store, nb_samples=1)


def test_the_same_seed_is_the_same_experiment(store: Address, adder: Counting) -> None:
    workspace = rejudge.open(store)
    sampler = rejudge.stratified_sampler(3, by="answer", seed=5)
    first = rejudge.evaluate(QUESTIONS, adder, [right], store=workspace.store, dataset_sampler=sampler)
    again = rejudge.evaluate(QUESTIONS, adder, [right], store=workspace.store, dataset_sampler=sampler)
    assert (first.experiment.id, first.run().id) == (again.experiment.id, again.run().id)


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("nb_samples", 0, "the first 0 items"),
        ("nb_samples", "3", "nb_samples"),
        ("dataset_item_ids", ["q1", "q66"], "did you mean 'q6'"),
        ("dataset_item_ids", "q1", "one text"),
        ("dataset_filter_string", "answer >> 3", "column 9"),
        ("dataset_filter_string", "anwser = 3", "did you mean 'answer'"),
        ("dataset_sampler", "random", "a sampler is no str"),
    ],
)
def test_a_selection_that_makes_no_sense_is_refused_and_leaves_nothing(
    store: Address, adder: Counting, option: str, value: object, told: str
) -> None:
    workspace = rejudge.open(store)
    with pytest.raises(rejudge.ConfigurationError, match=told):
        rejudge.evaluate(QUESTIONS, adder, [right], store=workspace.store, **{option: value})  # type: ignore[arg-type]
    assert adder.calls == []
    assert workspace.experiments() == []


def test_a_plan_is_of_what_is_selected(tmp_path: Path, adder: Counting) -> None:
    assert rejudge.plan(QUESTIONS, adder, [right], store=tmp_path / "s.db", nb_samples=2).items == 2


class Odd:
    """A sampler of one's own."""

    def described(self) -> dict[str, object]:
        return {"sampler": "odd"}

    def sample(self, entries):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201 - as a user writes it
        return [entry for index, entry in enumerate(entries) if index % 2]


def test_a_sampler_of_ones_own_is_asked(store: Address, adder: Counting) -> None:
    result = rejudge.evaluate(QUESTIONS, adder, [right], store=store, dataset_sampler=Odd())
    assert asked(result) == ["q2", "q4", "q6"]
    assert result.experiment.protocol["selection"] == {"dataset_sampler": {"sampler": "odd"}}
