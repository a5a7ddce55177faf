"""A suite as an object: awaited, watched and left early, as an evaluation is."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import rejudge
from rejudge.scorers import contains
from rejudge.wiring import Address

ITEMS = [{"id": str(number), "question": f"question {number}"} for number in range(200)]


async def echo(question: str) -> str:
    await asyncio.sleep(0.001)
    return f"You said {question}."


def test_a_suite_is_awaited_and_writes_its_report(store: Address, tmp_path: Path) -> None:
    report = tmp_path / "report.json"

    async def awaited() -> rejudge.SuiteResult:
        return await rejudge.suite_evaluation(
            ITEMS[:3], echo, scorers=contains(substring="question"), store=store, report_output_path=report
        )

    suite = asyncio.run(awaited())
    assert suite.passed
    assert json.loads(report.read_text())["status"] == "passed"


def test_the_events_of_a_suite_end_with_its_result() -> None:
    async def watched() -> tuple[int, rejudge.SuiteResult | None]:
        running = rejudge.suite_evaluation(ITEMS[:3], echo, scorers=contains(substring="bye"), store="memory:")
        events = [event.completed async for event in running]
        return events[-1], running.result

    completed, suite = asyncio.run(watched())
    assert completed == 3
    assert suite is not None
    assert suite.status == "failed"


def test_a_suite_that_is_cancelled_tells_what_there_is_and_is_not_passed() -> None:
    running = rejudge.suite_evaluation(
        ITEMS, echo, scorers=contains(substring="You"), store="memory:", worker_threads=1
    )

    async def cancelled() -> rejudge.SuiteResult:
        async for event in running:
            if event.completed:
                running.cancel()
        assert running.result is not None
        return running.result

    suite = asyncio.run(asyncio.wait_for(cancelled(), 20))
    assert 0 < suite.items_passed < len(ITEMS)
    assert (suite.status, suite.exit_code()) == ("not_evaluated", 130)


def test_a_suite_runs_to_its_end_inside_a_running_loop() -> None:
    async def cell() -> bool:
        running = rejudge.suite_evaluation(ITEMS[:2], echo, scorers=contains(substring="You"), store="memory:")
        return running.run().passed

    assert asyncio.run(cell())
