"""Money is spent once: in one process, in several, and whatever else runs at the same time."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

import rejudge
from rejudge.domain.run import Run, RunState
from rejudge.wiring import Address, open_store
from tests.evaluate.conftest import QUESTIONS, length


def test_25_concurrent_requests_for_one_trace_generate_once(store: Address) -> None:
    calls: list[str] = []

    async def task(question: str) -> str:
        calls.append(question)
        await asyncio.sleep(0.2)
        return question

    task.version = "1"  # type: ignore[attr-defined]
    shared = open_store(store)

    async def all_at_once() -> list[int]:
        wanted = [
            rejudge.evaluation(QUESTIONS[:1], task, [length], store=shared, name=f"e{number}") for number in range(25)
        ]
        return [result.summary("length").n for result in await asyncio.gather(*wanted)]

    assert asyncio.run(all_at_once()) == [1] * 25
    assert calls == ["2+2"]


def test_a_request_for_another_key_is_not_held_up(store: Address) -> None:
    release = asyncio.Event()
    shared = open_store(store)

    async def stuck(question: str) -> str:
        await release.wait()
        return question

    async def quick(question: str) -> str:
        return question

    stuck.version = quick.version = "1"  # type: ignore[attr-defined]

    async def both() -> int:
        first = asyncio.ensure_future(rejudge.evaluation(QUESTIONS[:1], stuck, store=shared, name="stuck"))
        await asyncio.sleep(0.05)
        second = await rejudge.evaluation(QUESTIONS[1:2], quick, [length], store=shared, name="quick")
        release.set()
        await first
        return second.summary("length").n

    assert asyncio.run(asyncio.wait_for(both(), 10)) == 1


SCRIPT = """
import sys, time
import rejudge

ROWS = [{"id": f"i{n}", "question": str(n)} for n in range(300)]

def task(question):
    with open(sys.argv[1], "a") as log:
        log.write(question + "\\n")
    time.sleep(0.002)
    return question

def same(output, question):
    return output == question

task.version = "1"
result = rejudge.evaluate(ROWS, task, [same], store="store.db", name="both", concurrency=8)
print(result.summary("same").n, result.runs[0].usage.reused)
"""


def test_two_processes_on_one_experiment_generate_each_trace_once(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT))
    running = [
        subprocess.Popen([sys.executable, "script.py", f"log{number}"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        for number in range(2)
    ]
    printed = [process.communicate(timeout=120)[0].split() for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert [int(n) for n, _ in printed] == [300, 300]
    logs = [(tmp_path / f"log{number}") for number in range(2)]
    called = [line for log in logs if log.exists() for line in log.read_text().split()]
    assert len(called) == 300
    assert len(set(called)) == 300


def test_a_second_process_adds_a_scorer_without_a_task_call(tmp_path: Path) -> None:
    script = textwrap.dedent(SCRIPT)
    (tmp_path / "script.py").write_text(script)
    subprocess.run([sys.executable, "script.py", "log0"], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "script.py").write_text(
        script.replace("[same]", "[same, size]").replace(
            "task.version", "def size(output):\n    return len(output)\n\ntask.version"
        )
    )
    done = subprocess.run(
        [sys.executable, "script.py", "log1"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == ["300", "300"]
    assert not (tmp_path / "log1").exists()


def test_no_more_than_the_given_number_of_calls_run_at_once(store: Address) -> None:
    lock = threading.Lock()
    running = 0
    most = 0

    def task(question: str) -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1
        return question

    task.version = "1"  # type: ignore[attr-defined]
    rows = [{"question": str(number)} for number in range(60)]
    rejudge.evaluate(rows, task, store=store, concurrency=7)
    assert 2 <= most <= 7


def test_results_come_in_dataset_order_whatever_finished_first(store: Address) -> None:
    async def task(wait: float, question: str) -> str:
        await asyncio.sleep(wait)
        return question

    rows = [{"question": str(number), "wait": 0.05 if number % 3 == 0 else 0.0} for number in range(20)]
    result = rejudge.evaluate(rows, task, store=store, concurrency=20)
    outputs = [row.trace.produced.output for row in result.cases() if row.trace]
    assert json.dumps(outputs) == json.dumps([str(number) for number in range(20)])


ORPHAN = """
import sys, os, time
import rejudge

ROWS = [{"id": f"i{n}", "question": str(n)} for n in range(20)]

def task(question):
    print("called", flush=True)
    while sys.argv[1] == "die" or (sys.argv[1] == "wait" and not os.path.exists("go")):
        time.sleep(0.01)
    return question

task.version = "1"
result = rejudge.evaluate(ROWS, task, store="store.db", name="both", concurrency=1)
print(result.runs[0].id)
"""


@pytest.mark.parametrize("dies", ["first", "last"])
def test_a_run_whose_process_died_is_not_at_work_for_ever_though_another_did_its_work(
    tmp_path: Path, dies: str
) -> None:
    (tmp_path / "script.py").write_text(textwrap.dedent(ORPHAN))
    parts = ["die", "wait"] if dies == "first" else ["wait", "die"]
    running = {part: _begun(tmp_path, part) for part in parts}
    running["die"].kill()
    running["die"].communicate()
    (tmp_path / "go").touch()
    running["wait"].communicate(timeout=60)
    command = [sys.executable, "script.py", "again"]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "called" not in done.stdout
    states = [(run.state.value, run.reason) for run in rejudge.open(tmp_path / "store.db").runs()]
    died = ("failed", "its process died")
    assert states == [died if dies == "first" else ("completed", None), ("completed", None)]


RESCORED = """
import os, sys
import rejudge

ROWS = [{"id": f"i{n}", "question": str(n)} for n in range(20)]

def task(question):
    return question

def length(output):
    if sys.argv[1] == "die" and output == "7":
        os._exit(9)
    return len(output)

task.version = length.version = "1"
rejudge.evaluate(ROWS, task, rejudge.contains(substring="1"), store="store.db", name="both")
rejudge.evaluate_experiment("both", length, store="store.db")
"""


def test_a_rescoring_whose_process_died_goes_on_though_the_first_scorers_are_asked_for_before(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(textwrap.dedent(RESCORED))
    died = subprocess.run([sys.executable, "script.py", "die"], cwd=tmp_path, check=False)
    assert died.returncode == 9
    assert [run.state.value for run in _runs(tmp_path)] == ["completed", "running"]
    subprocess.run([sys.executable, "script.py", "live"], cwd=tmp_path, check=True)
    assert [run.state.value for run in _runs(tmp_path)] == ["completed", "completed"]


def _begun(folder: Path, part: str) -> subprocess.Popen[str]:
    """A process whose run has begun; the second of two waits for what the first has claimed."""
    known = len(_runs(folder))
    process = subprocess.Popen(
        [sys.executable, "script.py", part], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while len(_runs(folder)) == known or _runs(folder)[-1].state is not RunState.RUNNING:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return process


def _runs(folder: Path) -> list[Run]:
    store = folder / "store.db"
    return rejudge.open(store).runs() if store.exists() else []
