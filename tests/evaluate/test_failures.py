"""One failing item never aborts a run, and nothing leaves the denominator silently."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import rejudge
from rejudge.domain.case import ExecutionErrorType, ExecutionStatus
from rejudge.domain.run import RunState
from rejudge.domain.score import ScoreStatus
from rejudge.wiring import Address
from tests.evaluate.conftest import QUESTIONS, Counting, length, right

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_task_that_raises_on_one_item_leaves_five_results_and_one_error(
    store: Address, failing_on: Callable[[str], Callable[[dict[str, str]], str]]
) -> None:
    result = rejudge.evaluate(QUESTIONS, failing_on("q3"), [length], store=store)
    summary = result.summary("length")
    assert (summary.n, summary.task_errors, summary.pending) == (5, 1, 0)
    assert result.runs[0].state is RunState.COMPLETED
    assert result.exit_code() == 3
    assert result.exit_code(max_errors=1) == 0
    case = result.runs[0].case("q3").case
    assert case.execution_status is ExecutionStatus.ERROR
    assert case.execution_error.type is ExecutionErrorType.SYSTEM_ERROR
    assert "ValueError: cannot add 4+4" in case.execution_error.message
    assert case.trace is None


def test_running_again_tries_the_failed_item_alone(store: Address) -> None:
    calls: list[str] = []
    healthy: list[bool] = []

    def task(item: dict[str, str]) -> str:
        calls.append(item["id"])
        if item["id"] == "q3" and not healthy:
            raise ValueError("down")
        return "out"

    task.version = "1"  # type: ignore[attr-defined]
    first = rejudge.evaluate(QUESTIONS, task, [length], store=store)
    calls.clear()
    healthy.append(True)
    second = rejudge.evaluate(QUESTIONS, task, [length], store=store)
    assert calls == ["q3"]
    assert second.summary("length").n == 6
    assert second.runs[0].run.resumed_from_run_id == first.runs[0].id
    calls.clear()
    third = rejudge.evaluate(QUESTIONS, task, [length], store=store)
    assert calls == []
    assert third.summary("length").n == 6


def test_a_scorer_that_raises_keeps_the_trace_and_is_alone_tried_again(store: Address, adder: Counting) -> None:
    broken = ["q2", "q5"]
    judged: list[str] = []

    def moody(output: str, id: str) -> bool:
        judged.append(id)
        if id in broken:
            raise RuntimeError(f"no mood for {id}")
        return True

    moody.version = "1"  # type: ignore[attr-defined]
    first = rejudge.evaluate(QUESTIONS, adder, [moody], store=store)
    summary = first.summary("moody")
    assert (summary.n, summary.scorer_errors, summary.task_errors, summary.planned) == (4, 2, 0, 6)
    assert first.exit_code() == 3
    row = first.runs[0].case("q2")
    assert row.trace is not None
    assert row.scores[0].status is ScoreStatus.ERROR
    assert "RuntimeError: no mood for q2" in row.scores[0].reason
    adder.calls.clear()
    judged.clear()
    broken.clear()
    second = rejudge.evaluate(QUESTIONS, adder, [moody], store=store)
    assert adder.calls == []
    assert sorted(judged) == ["q2", "q5"]
    assert second.summary("moody").n == 6


@pytest.mark.parametrize(
    ("answer", "told"), [(None, "None"), ([1, 2], "list"), (float("nan"), "nan"), (object(), "object")]
)
def test_what_is_no_verdict_is_a_scorer_error_that_says_so(
    store: Address, adder: Counting, answer: object, told: str
) -> None:
    def odd(output: str) -> object:
        return answer

    result = rejudge.evaluate(QUESTIONS[:1], adder, [odd], store=store)
    assert result.summary("odd").scorer_errors == 1
    assert told in next(iter(result.cases())).scores[0].reason


def test_an_output_that_is_not_a_number_is_refused_and_said(store: Address) -> None:
    def task(question: str) -> dict[str, float]:
        return {"value": float("nan") if question == "2+2" else 1.5}

    result = rejudge.evaluate(QUESTIONS[:2], task, store=store)
    assert result.runs[0].counts.cases.errors == 1
    assert "nan" in result.runs[0].case("q1").case.execution_error.message


@pytest.mark.parametrize("stop", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_a_task_that_tries_to_end_the_process_only_ends_its_item(store: Address, stop: BaseException) -> None:
    def task(question: str) -> str:
        if question == "2+2":
            raise stop
        return "fine"

    task.version = "1"  # type: ignore[attr-defined]
    result = rejudge.evaluate(QUESTIONS[:3], task, store=store)
    assert result.runs[0].counts.cases.completed == 2
    assert type(stop).__name__ in result.runs[0].case("q1").case.execution_error.message


def test_the_same_holds_for_an_async_task(store: Address) -> None:
    async def task(question: str) -> str:
        if question == "2+2":
            sys.exit(3)
        return "fine"

    result = rejudge.evaluate(QUESTIONS[:3], task, store=store)
    assert result.runs[0].counts.cases.completed == 2


def test_a_transient_error_is_tried_again_and_every_attempt_is_kept(store: Address) -> None:
    tries: list[int] = []

    def flaky(question: str) -> str:
        tries.append(1)
        if len(tries) < 3:
            error = ConnectionError("reset")
            error.retry_after = 0  # type: ignore[attr-defined]
            raise error
        return "at last"

    flaky.version = "1"  # type: ignore[attr-defined]
    result = rejudge.evaluate(QUESTIONS[:1], flaky, store=store)
    case = result.runs[0].case("q1").case
    assert case.execution_status is ExecutionStatus.COMPLETED
    assert len(tries) == 3
    assert [attempt.error for attempt in case.attempts] == ["ConnectionError: reset"] * 2 or all(
        "ConnectionError: reset" in attempt.error for attempt in case.attempts
    )
    assert len(case.attempts) == 2


def test_other_errors_are_not_tried_again(store: Address) -> None:
    tries: list[int] = []

    def wrong(question: str) -> str:
        tries.append(1)
        raise ValueError("wrong")

    wrong.version = "1"  # type: ignore[attr-defined]
    rejudge.evaluate(QUESTIONS[:1], wrong, store=store)
    assert len(tries) == 1


def test_a_transient_error_that_lasts_is_an_environment_error(store: Address) -> None:
    def down(question: str) -> str:
        error = rejudge.Transient("the service is down")
        error.retry_after = 0  # type: ignore[attr-defined]
        raise error

    result = rejudge.evaluate(QUESTIONS[:1], down, store=store, retries=1)
    case = result.runs[0].case("q1").case
    assert case.execution_error.type is ExecutionErrorType.ENVIRONMENT_ERROR
    assert len(case.attempts) == 2


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_task_that_takes_too_long_is_recorded_as_a_timeout(store: Address, kind: str) -> None:
    import asyncio

    def slow(question: str) -> str:
        if question == "2+2":
            time.sleep(2)
        return "done"

    async def slow_async(question: str) -> str:
        if question == "2+2":
            await asyncio.sleep(2)
        return "done"

    begun = time.perf_counter()
    result = rejudge.evaluate(
        QUESTIONS[:3], slow if kind == "sync" else slow_async, [length], store=store, timeout=0.2, concurrency=2
    )
    assert time.perf_counter() - begun < 1.8
    case = result.runs[0].case("q1").case
    assert case.execution_error.type is ExecutionErrorType.TIMEOUT
    assert len(case.attempts) == 1
    assert result.summary("length").n == 2


def test_when_no_thread_is_left_the_run_fails_with_that_reason(store: Address) -> None:
    def stuck(question: str) -> str:
        time.sleep(3)
        return question

    result = rejudge.evaluate(QUESTIONS, stuck, store=store, timeout=0.1, concurrency=2)
    assert result.runs[0].state is RunState.FAILED
    assert "never came back" in str(result.runs[0].run.reason)


def test_stop_at_the_first_error_keeps_everything_and_can_be_resumed(
    store: Address, failing_on: Callable[[str], Callable[[dict[str, str]], str]]
) -> None:
    result = rejudge.evaluate(QUESTIONS, failing_on("q2"), [length], store=store, concurrency=1, stop="first error")
    assert result.runs[0].state is RunState.FAILED
    assert "stopped after 1 error" in str(result.runs[0].run.reason)
    summary = result.summary("length")
    assert summary.scored + summary.task_errors + summary.pending == 6
    assert summary.pending > 0
    assert result.exit_code() == 3
    resumed = rejudge.evaluate(QUESTIONS, failing_on("none"), [length], store=store)
    assert resumed.summary("length").n == 6
    assert resumed.runs[0].run.resumed_from_run_id == result.runs[0].id


def test_a_missing_reference_is_a_skip_and_no_error(store: Address, adder: Counting) -> None:
    rows = [QUESTIONS[0], {"id": "q2", "question": "3+3"}]
    result = rejudge.evaluate(rows, adder, [rejudge.exact_match(name="right", reference_key="answer")], store=store)
    summary = result.summary("right")
    assert (summary.n, summary.skipped, summary.scorer_errors) == (1, 1, 0)
    assert result.exit_code() == 0
    assert result.runs[0].case("q2").scores[0].cause == "missing_reference_key"


def test_a_trace_that_vanished_from_the_store_is_generated_again(tmp_path: Path, adder: Counting) -> None:
    import sqlite3

    store = tmp_path / "store.db"
    rejudge.evaluate(QUESTIONS, adder, [right], store=store)
    with sqlite3.connect(store) as raw:
        raw.execute("DROP TRIGGER IF EXISTS traces_are_kept")
        triggers = [name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
        for name in triggers:
            raw.execute(f'DROP TRIGGER "{name}"')
        raw.execute("DELETE FROM traces WHERE id = (SELECT min(id) FROM traces)")
    raw.close()
    adder.calls.clear()
    result = rejudge.evaluate(QUESTIONS, adder, [right], store=store)
    assert len(adder.calls) == 1
    assert result.summary("right").n == 6
