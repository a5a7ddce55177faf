"""Rows of evaluation_api_cases.yaml about mapping, failing scorers, selection and resuming."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import rejudge
from rejudge.storage.memory import MemoryStore
from rejudge.wiring import Address


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Address:
    return MemoryStore() if request.param == "memory" else tmp_path / "store.db"


@pytest.fixture
def case(shared: Path) -> Callable[[str], dict[str, Any]]:
    rows = yaml.safe_load((shared / "cases" / "evaluation_api_cases.yaml").read_text(encoding="utf-8"))
    by_id = {row["id"]: row for row in rows}
    return lambda name: dict(by_id[name])


class Seen:
    """A scorer that keeps what it was given."""

    name = "seen"
    version = "1"

    def __init__(self) -> None:
        self.inputs: list[dict[str, object]] = []

    def score(self, **inputs: object) -> float:
        self.inputs.append(inputs)
        return 1.0


class Once:
    """A task that fails on one item as often as it is told, and notes its calls."""

    version = "1"

    def __init__(self, failing: str, *, times: int = 1) -> None:
        self.calls: list[str] = []
        self._failing = failing
        self._left = times

    def __call__(self, item: dict[str, str]) -> str:
        self.calls.append(item["id"])
        if item["id"] == self._failing and self._left:
            self._left -= 1
            raise ValueError("not this time")
        return item["id"]


def six() -> list[dict[str, object]]:
    return [{"id": str(number), "expected": str(number)} for number in range(6)]


def equals(output: str, expected: str) -> bool:
    return output == expected


def test_c2_a_mapping_goes_from_what_is_wanted_to_where_it_stands(case: Callable[[str], Any], store: Address) -> None:
    row = case("C2")
    seen = Seen()
    rejudge.evaluate(
        [row["item"]], lambda item: row["task_output"], [seen], store=store, scoring_key_mapping=row["mapping"],
        version="1",
    )  # fmt: skip
    assert seen.inputs == [row["expect_inputs"]]


def test_d9_all_entries_of_a_mapping_read_what_was_merged_first(case: Callable[[str], Any], store: Address) -> None:
    assert case("D9")["required"] == "{2, 1}"
    seen = Seen()
    rejudge.evaluate(
        [{"a": 1, "b": 2}], lambda a: "x", [seen], store=store, scoring_key_mapping={"a": "b", "b": "a"}, version="1"
    )
    assert seen.inputs == [{"a": 2, "b": 1, "output": "x"}]


def test_c5_a_failed_score_stays_out_of_the_mean_and_is_counted(case: Callable[[str], Any], store: Address) -> None:
    row = case("C5")
    scores = [(one["value"], one.get("failed", False)) for one in row["scores"]]

    class Result:
        def __init__(self, value: float | None, failed: bool) -> None:
            self.value, self.reason, self.scoring_failed = value, "because", failed

    def scored(output: int) -> Result:
        return Result(*scores[output])

    scored.version = "1"  # type: ignore[attr-defined]
    items = [{"number": number} for number in range(len(scores))]
    summary = rejudge.evaluate(items, lambda number: number, [scored], store=store).summary("scored")
    found = {"mean": summary.mean, "n": summary.n, "failed": summary.counts.scorer_errors, "std": summary.std}
    assert found | {"std": None if not isinstance(summary.std, float) else summary.std} == row["expect"]


def test_c7_an_exception_of_a_scorer_does_not_stop_the_run(case: Callable[[str], Any], store: Address) -> None:
    row = case("C7")
    crash = row["scorers"][0].removeprefix("raises: ")

    def crashed(output: str) -> float:
        raise RuntimeError(crash)

    result = rejudge.evaluate(six(), lambda expected: expected, [crashed, equals], store=store, version="1")
    assert result.summary("equals").mean == row["expect"]["equals_mean"]
    summary = result.summary("crashed")
    assert (summary.n, summary.counts.scorer_errors) == (
        row["expect"]["values_in_store"],
        row["expect"]["errors_in_store"],
    )
    reasons = [score.reason for one in result.cases() for score in one.scores if not score.values]
    assert len(reasons) == 6
    assert all(crash in reason for reason in reasons)


def test_c11_resuming_runs_the_failed_item_and_nothing_else(case: Callable[[str], Any], store: Address) -> None:
    row = case("C11")
    task = Once(row["failing_item_first_time"])
    first = rejudge.evaluate(six(), task, [equals], store=store, name="c11")
    assert first.run().counts.cases.completed == row["expect_first"]["stored_outputs"]
    failed = first.run().case("3")
    assert failed.trace is None
    assert "not this time" in str(failed.case.execution_error.message)
    task.calls.clear()
    second = rejudge.evaluate_resume("c11", task, [equals], store=store)
    assert task.calls == row["expect_resume"]["task_calls"]
    assert len(list(second.cases())) == second.summary("equals").n == row["expect_resume"]["results"]
    task.calls.clear()
    third = rejudge.evaluate_resume("c11", task, [equals], store=store)
    assert task.calls == row["expect_second_resume"]["task_calls"]
    assert len(list(third.cases())) == row["expect_second_resume"]["results"]


def test_c13_resuming_keeps_to_the_dataset_version_of_the_first_run(case: Callable[[str], Any], store: Address) -> None:
    row = case("C13")
    workspace = rejudge.open(store)
    dataset = workspace.dataset("cases")
    dataset.insert([{"id": one, "expected": one} for one in row["v1_items"]])
    task = Once(row["failing_item"])
    rejudge.evaluate(dataset, task, [equals], store=workspace.store, name="c13")
    dataset.insert([{"id": row["inserted_after_failure"], "expected": "99"}])
    task.calls.clear()
    result = rejudge.evaluate_resume("c13", task, [equals], store=workspace.store)
    assert task.calls == row["expect_resume"]["task_calls"]
    assert len(list(result.cases())) == row["expect_resume"]["results"]


def test_d1_no_ids_are_no_items_and_the_result_says_so(case: Callable[[str], Any], store: Address) -> None:
    assert case("D1")["required"] == "0 evaluated, and said"
    task = Once("none")
    result = rejudge.evaluate(six(), task, [equals], store=store, dataset_item_ids=[])
    assert task.calls == []
    assert list(result.cases()) == []
    assert "nothing is selected" in str(result)


def test_d3_a_task_that_raises_leaves_a_result_and_an_exit_code(case: Callable[[str], Any], store: Address) -> None:
    assert "5 ok and 1 task error" in case("D3")["required"]
    result = rejudge.evaluate(six(), Once("2"), [equals], store=store)
    assert (result.run().counts.cases.completed, result.run().counts.cases.errors) == (5, 1)
    assert (result.run().state, result.exit_code()) == ("completed", 3)


def test_d8_a_scorer_may_return_a_bare_number(case: Callable[[str], Any], store: Address) -> None:
    assert case("D8")["required"] == "score 1.0"
    result = rejudge.evaluate(six(), lambda expected: expected, [lambda output: 1.0], store=store, version="1")
    assert (result.summary().mean, result.summary().n) == (1.0, 6)


def test_d11_a_task_that_changes_its_item_changes_nothing_that_is_judged(
    case: Callable[[str], Any], store: Address
) -> None:
    assert "the scorer sees the stored value" in case("D11")["required"]
    counts: list[int] = []

    def task(item: dict[str, Any]) -> str:
        item["expected"] = "mine"
        item["state"]["count"] += 1
        counts.append(item["state"]["count"])
        return "mine"

    task.version = "1"  # type: ignore[attr-defined]
    item = {"id": "a", "expected": "theirs", "state": {"count": 0}}
    result = rejudge.evaluate([item], task, [equals], store=store, trials=3)
    assert result.summary("equals").mean == 0.0
    assert counts == [1, 1, 1]


def test_d15_two_scorers_of_one_name_are_refused_before_the_first_call(
    case: Callable[[str], Any], store: Address
) -> None:
    assert case("D15")["required"] == "refused before the first task call"

    class Other:
        name = "equals"

        def score(self, output: str) -> float:
            return 0.0

    task = Once("none")
    with pytest.raises(rejudge.ConfigurationError, match="two scorers are named 'equals'"):
        rejudge.evaluate(six(), task, [equals, Other()], store=store)
    assert task.calls == []
