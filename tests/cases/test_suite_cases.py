"""The rows on policies and suites of `shared/cases/evaluation_api_cases.yaml`: C1, C9 and D7."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias, cast

import pytest
import yaml

import rejudge
from rejudge.domain.errors import ConfigurationError, ScorerError
from rejudge.domain.policy import merged, policy_of
from rejudge.storage.memory import MemoryStore

CASES = Path(__file__).resolve().parents[2] / ".." / "shared" / "cases" / "evaluation_api_cases.yaml"
Row: TypeAlias = dict[str, object]

ROWS: list[Row] = yaml.safe_load(CASES.read_text(encoding="utf-8")) if CASES.exists() else []
absent = pytest.mark.skipif(not ROWS, reason="the cases of ../shared/cases are not here")


def row(name: str) -> Row:
    return next(one for one in ROWS if one["id"] == name)


@absent
def test_c1_policies_are_merged_field_by_field() -> None:
    stated = row("C1")
    default = policy_of(stated["default"])
    found = {name: merged(default, policy_of(item)) for name, item in cast("Row", stated["items"]).items()}
    assert {name: [one.runs, one.threshold] for name, one in found.items()} == stated["expect"]
    for refused in cast("list[Row]", stated["refused"]):
        with pytest.raises(ConfigurationError):
            merged(policy_of(refused["default"]), policy_of(refused["item"]))


class Recorded:
    """A task whose output is what the test says of the run, and a scorer that reads it."""

    version = "1"

    def __call__(self, runs: list[object], trial: int) -> object:
        return runs[trial]


def judged(output: object) -> object:
    if output == "score_failed":
        raise ScorerError("no verdict")
    return output if isinstance(output, float) else output == "pass"


def outcome(runs: list[object], threshold: int) -> rejudge.SuiteResult:
    plain = [one if isinstance(one, str) else _said(cast("Row", one)) for one in runs]
    scorers = () if plain == ["no_assertions"] else (judged,)
    policy = {"runs": len(runs), "threshold": threshold}
    return rejudge.run_tests(
        [{"id": "1", "runs": plain}], Recorded(), scorers=scorers, policy=policy, store=MemoryStore()
    )


def _said(run: Row) -> object:
    return "score_failed" if "score_failed" in run else run["score"]


@absent
def test_c9_suite_pass_rules() -> None:
    for stated in cast("list[Row]", row("C9")["cases"]):
        if "runs" in stated:
            suite = outcome(cast("list[object]", stated["runs"]), cast("int", stated["threshold"]))
            assert suite.items[0].status == stated["item"], stated
        elif not stated["items"]:
            suite = rejudge.run_tests([], Recorded(), scorers=judged, store=MemoryStore())
            assert (suite.status.value, suite.pass_rate) == (stated["suite"], stated["pass_rate"])
        else:
            failing: dict[str, object] = {"id": "failing", "scorers": [{"kind": "contains", "substring": "else"}]}
            items: list[dict[str, object]] = [{"id": "bare"}, failing]
            suite = rejudge.run_tests(items, lambda item: "said", store=MemoryStore())
            assert suite.status.value == stated["suite"]
            assert [suite.items_passed, suite.items_total] == [stated["items_passed"], stated["items_total"]]
            assert suite.pass_rate == stated["pass_rate_over_asserted"]


@absent
def test_d7_a_resumed_item_has_its_trials_once_each() -> None:
    assert row("D7")
    store, calls = MemoryStore(), list[int]()

    def task(trial: int) -> str:
        calls.append(trial)
        if trial == 1 and calls.count(1) == 1:
            raise ValueError("lost")
        return "said"

    task.version = "1"  # type: ignore[attr-defined]
    items: list[dict[str, object]] = [{"id": "1", "policy": {"runs": 3}}]
    first = rejudge.run_tests(items, task, scorers=lambda output: True, store=store)
    assert first.items[0].runs[1].error
    again = rejudge.run_tests(items, task, scorers=lambda output: True, store=store)
    assert sorted(calls) == [0, 1, 1, 2]
    assert [row.case.trial for row in again.result.cases()] == [0, 1, 2]
    assert [run.trial for run in again.items[0].runs] == [0, 1, 2]
    assert again.result.run().counts.cases.completed == 3
