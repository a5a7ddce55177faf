"""Stopping keeps everything, and going on costs nothing that was paid for."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import rejudge
from rejudge.domain.run import RunState
from rejudge.wiring import Address
from tests.evaluate.conftest import QUESTIONS, length

SCRIPT = """
import sys, time
import rejudge

ROWS = [{"id": f"i{n}", "question": str(n)} for n in range(200)]

def task(question):
    with open("log", "a") as log:
        log.write(question + "\\n")
    time.sleep(0.05)
    return question

def same(output, question):
    return output == question

task.version = "1"
try:
    result = rejudge.evaluate(ROWS, task, [same], store="store.db", name="x", concurrency=4)
except rejudge.Interrupted as stopped:
    result = stopped.result
    summary = result.summary("same")
    counts = result.runs[0].counts.cases
    print("interrupted", result.runs[0].state.value, counts.completed, summary.scored, summary.pending)
    sys.exit(130)
print("done", result.runs[0].state.value, result.summary("same").n)
"""


def test_ctrl_c_stops_after_what_is_in_flight_keeps_it_and_resumes(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT))
    log = tmp_path / "log"
    process = subprocess.Popen([sys.executable, "script.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not log.exists() or len(log.read_text().split()) < 20:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    word, state, completed, scored, pending = out.split()
    assert (word, state) == ("interrupted", "cancelled")
    called = log.read_text().split()
    assert int(completed) == len(called)
    assert int(scored) <= len(called)
    assert int(scored) + int(pending) == 200
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["done", "completed", "200"]
    assert len(log.read_text().split()) == 200


def test_an_evaluation_can_be_cancelled_from_outside(store: Address) -> None:
    begun = asyncio.Event()

    async def task(question: str) -> str:
        begun.set()
        await asyncio.sleep(0.05)
        return question

    task.version = "1"  # type: ignore[attr-defined]

    async def cancelled() -> tuple[RunState, int, int]:
        rows = [{"question": str(number)} for number in range(100)]
        wanted = rejudge.evaluation(rows, task, [length], store=store, concurrency=5)
        running = asyncio.ensure_future(wanted)
        await begun.wait()
        wanted.cancel()
        result = await running
        summary = result.summary("length")
        assert summary.scored + summary.pending == 100
        return result.runs[0].state, result.runs[0].counts.cases.completed, result.runs[0].pending

    state, completed, pending = asyncio.run(asyncio.wait_for(cancelled(), 10))
    assert state is RunState.CANCELLED
    assert completed > 0
    assert completed + pending == 100


def test_leaving_the_events_early_cancels(store: Address) -> None:
    async def task(question: str) -> str:
        await asyncio.sleep(0.02)
        return question

    async def leaving() -> RunState:
        wanted = rejudge.evaluation(QUESTIONS * 1, task, store=store, concurrency=1)
        events = wanted.__aiter__()
        await anext(events)
        await events.aclose()
        return wanted.result.runs[0].state

    assert asyncio.run(asyncio.wait_for(leaving(), 10)) is RunState.CANCELLED


DEAF = """
import asyncio
import rejudge

async def deaf(question):
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            pass

deaf.version = "1"

def evaluate():
    result = rejudge.evaluate([{"question": "x"}], deaf, store="store.db", timeout=0.1)
    (row,) = result.cases()
    print(result.runs[0].state.value, row.case.execution_error.type.value)

async def cell():
    evaluate()
"""


@pytest.mark.parametrize("begin", ["evaluate()", "asyncio.run(cell())"], ids=["script", "notebook"])
def test_an_async_task_that_never_ends_is_left_behind_with_a_warning(tmp_path: Path, begin: str) -> None:
    (tmp_path / "script.py").write_text(DEAF + begin)
    ended = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout == "completed timeout\n"
    assert "left behind: 1 async call" in ended.stderr
