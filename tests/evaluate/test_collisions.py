"""Names that both an item and the task's answer have: the result says which, and whose value scorers saw."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import rejudge
from rejudge.wiring import Address

ITEMS = [{"id": "a", "question": "2+2", "expected": "4", "output": "from the dataset"}, {"id": "b", "question": "1+1"}]


def task(question: str) -> dict[str, object]:
    return {"output": str(eval(question)), "expected": "whatever I say", "steps": 1}


def as_expected(output: str, expected: str) -> bool:
    return output == expected


def said_by_task(view: rejudge.View) -> str:
    return str(view.extra["expected"])


def test_the_result_lists_the_names_that_items_and_outputs_share(store: Address) -> None:
    result = rejudge.evaluate(ITEMS, task, [as_expected, said_by_task], store=store)
    assert result.run().collisions == {"expected": 1, "output": 1}
    report = str(result)
    flowing = " ".join(report.split())
    assert "by this name scorers see the item's, and the task's as output.expected" in flowing
    assert "items have a field 'output'; by this name scorers see what the task returned" in flowing
    assert "steps" not in report
    (run,) = json.loads(result.to_json())["runs"]
    assert run["collisions"] == ["expected", "output"]


def test_by_a_shared_name_scorers_see_the_item_and_by_output_the_task(store: Address) -> None:
    def mapped(theirs: str) -> str:
        return theirs

    mapping = {"theirs": "output.expected"}
    result = rejudge.evaluate(ITEMS[:1], task, [as_expected, mapped], store=store, scoring_key_mapping=mapping)
    (row,) = result.cases()
    told = {value.name: value.label or value.number for score in row.scores for value in score.values}
    assert told == {"as_expected": 1.0, "mapped": "whatever I say"}


def test_without_a_shared_name_nothing_is_listed(store: Address) -> None:
    rows = [{"id": "a", "question": "2+2", "output": "4"}]
    result = rejudge.evaluate(rows, task, [said_by_task], store=store)
    assert result.run().collisions == {}
    assert "by this name" not in str(result)


def bare(question: str) -> dict[str, object]:
    return {"expected": "whatever I say"}


@pytest.mark.parametrize("returning", [task, bare])
def test_a_task_never_supplies_a_reference_that_an_item_lacks(
    returning: Callable[[str], dict[str, object]], store: Address
) -> None:
    def mapped(gold: str) -> bool:
        return gold == "whatever I say"

    def by_keyword(output: object, **given: object) -> bool:
        return "expected" in given

    rows = [{"id": "a", "question": "2+2", "expected": "4"}, {"id": "b", "question": "1+1"}]
    mapping = {"gold": "expected"}
    strict = rejudge.evaluate(
        rows, returning, [as_expected, mapped], reference=["expected"], store=store, scoring_key_mapping=mapping
    )
    (_, lacking) = strict.cases()
    assert [score.cause for score in lacking.scores] == ["missing_input_field", "missing_input_field"]
    loose = rejudge.evaluate(rows, returning, by_keyword, reference=["expected"], store=store)
    assert [row.scores[-1].values[0].number for row in loose.cases()] == [1.0, 0.0]
