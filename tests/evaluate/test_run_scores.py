"""Experiment scorers: functions over all results of a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import rejudge
from rejudge.domain.score import ScoreStatus
from rejudge.front.result import RunResult

RunFunction = Callable[[RunResult], object]

ROWS = [{"id": f"i{number}", "number": number} for number in range(4)]


def double(number: int) -> int:
    return number * 2


def even_half(output: int) -> bool:
    return output % 4 == 0


def spread(run: RunResult) -> tuple[float, str]:
    outputs = [row.trace.produced.output for row in run.cases() if row.trace is not None]
    numbers = [float(output) for output in outputs if isinstance(output, int)]
    return max(numbers) - min(numbers), "largest minus smallest"


def how_many(run: RunResult) -> int:
    return sum(1 for _ in run.cases())


def broken(run: RunResult) -> float:
    raise ValueError("no such\x1b[31m thing")


async def both(run: RunResult) -> dict[str, object]:
    return {"passed": run.summaries.one(None).mean, "verdict": "good"}


def test_a_function_over_all_results_is_stored_and_shown(tmp_path: Path) -> None:
    result = rejudge.evaluate(ROWS, double, even_half, store=tmp_path / "s.db", experiment_scorers=[spread, both])
    (first, second) = rejudge.open(tmp_path / "s.db").result("items/double").run().scores
    assert (first.values[0].name, first.values[0].number, first.reason) == ("spread", 6.0, "largest minus smallest")
    assert (first.cases, first.planned) == (4, 4)
    assert [(value.name, value.number, value.label) for value in second.values] == [
        ("passed", 0.5, None),
        ("verdict", None, "good"),
    ]
    report = str(result)
    assert "6 over 4 cases, given without an interval" in report
    assert "largest minus smallest" in report


def test_its_failure_is_stored_and_shown_and_costs_nothing_else() -> None:
    result = rejudge.evaluate(ROWS, double, even_half, store="memory:", experiment_scorers=[broken, spread])
    failed, scored = result.run().scores
    assert (failed.status, failed.cause, failed.values) == (ScoreStatus.ERROR, "ValueError", ())
    assert scored.status is ScoreStatus.SCORED
    assert result.summary("even_half").n == 4
    report = str(result)
    assert "error over 4 cases" in report
    assert "no such" in report
    assert "\x1b" not in report
    document = result.to_dict()["runs"][0]["run_scores"]  # type: ignore[index]
    assert [one["status"] for one in document] == ["error", "scored"]


def test_a_second_call_asks_only_what_failed_again(tmp_path: Path) -> None:
    asked: list[str] = []

    def good(run: RunResult) -> float:
        asked.append("good")
        return 1.0

    def bad(run: RunResult) -> float:
        asked.append("bad")
        raise ValueError("not yet")

    good.version = bad.version = "1"  # type: ignore[attr-defined]
    for _ in range(2):
        rejudge.evaluate(ROWS, double, even_half, store=tmp_path / "s.db", experiment_scorers=[good, bad])
    assert asked == ["good", "bad", "bad"]


def test_a_rescore_asks_over_the_new_scores(tmp_path: Path) -> None:
    rejudge.evaluate(ROWS, double, even_half, store=tmp_path / "s.db")

    def positive(output: int) -> bool:
        return output > 0

    def share(run: RunResult) -> float:
        return run.summaries.one("positive").mean or 0.0

    result = rejudge.evaluate_experiment(
        "items/double", [even_half, positive], store=tmp_path / "s.db", experiment_scorers=share
    )
    assert result.run().scores[0].values[0].number == 0.75


def test_a_run_that_did_not_finish_is_not_scored_as_a_whole() -> None:
    def fails(number: int) -> int:
        raise ValueError(number)

    result = rejudge.evaluate(ROWS, fails, store="memory:", stop="first error", experiment_scorers=spread)
    assert result.run().scores == []


@pytest.mark.parametrize(
    ("given", "told"),
    [([spread, spread], "are called 'spread'"), (["spread"], "not a str"), (3, "not"), ([lambda: 1, 2], "not a int")],
)
def test_what_cannot_be_asked_is_refused_before_the_first_task_call(given: object, told: str) -> None:
    called: list[int] = []

    def task(number: int) -> None:
        called.append(number)

    with pytest.raises(rejudge.ConfigurationError, match=told):
        rejudge.evaluate(ROWS, task, store="memory:", experiment_scorers=given)  # type: ignore[arg-type]
    assert called == []


@pytest.mark.parametrize("verb", ["dict_items", "optimization_trial", "resume", "suite", "prompt"])
def test_every_verb_that_makes_a_run_asks_them(verb: str, tmp_path: Path) -> None:
    store, asked = tmp_path / "s.db", [how_many]
    model = rejudge.ScriptedProvider(lambda call: rejudge.Reply(text="4"))
    match verb:
        case "dict_items":
            result = rejudge.evaluate_on_dict_items(ROWS, double, experiment_scorers=asked)
        case "optimization_trial":
            result = rejudge.evaluate_optimization_trial(
                ROWS, double, optimization_id="o", store=store, experiment_scorers=asked
            )
        case "resume":
            rejudge.evaluate(ROWS, double, store=store, name="begun")
            result = rejudge.evaluate_resume("begun", double, store=store, experiment_scorers=asked)
        case "suite":
            result = rejudge.run_tests(ROWS, double, scorers=even_half, store=store, experiment_scorers=asked).result
        case _:
            result = rejudge.evaluate_prompt(
                ROWS, "{{ number }}", "m", provider=model, store=store, experiment_scorers=asked
            )
    assert [(score.cases, score.values[0].number) for score in result.run().scores] == [(4, 4.0)]


def test_the_report_of_a_suite_tells_what_they_said() -> None:
    suite = rejudge.run_tests(ROWS, double, scorers=even_half, store="memory:", experiment_scorers=[spread, broken])
    assert suite.notes[0] == "spread of the whole run: 6: largest minus smallest"
    assert suite.notes[1].startswith("broken of the whole run: error: ValueError: no such")
    assert "largest minus smallest" in str(suite)
    assert "largest minus smallest" in suite.to_html()
