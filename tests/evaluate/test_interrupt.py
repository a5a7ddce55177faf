"""Ctrl-C, sent as the signal that it is, to evaluations that are busy in one way or another."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")

IN_A_LOOP = """
import asyncio, os, time
import rejudge

ROWS = [{"id": f"i{n}", "question": str(n)} for n in range(50)]

def task(question):
    os.write(1, b"called\\n")
    while not os.path.exists("go"):
        time.sleep(0.01)
    return question

async def cell():
    try:
        rejudge.evaluate(ROWS, task, store="store.db", concurrency=2)
    except rejudge.Interrupted as stopped:
        run = stopped.result.runs[0]
        print("interrupted", run.state.value, run.counts.cases.completed, run.pending)

asyncio.new_event_loop().run_until_complete(cell())  # as a notebook does, whose cells run in a loop
"""


@contextmanager
def _begun(folder: Path, script: str) -> Iterator[subprocess.Popen[str]]:
    """A script in a process of its own, which has printed its first line."""
    (folder / "script.py").write_text(textwrap.dedent(script))
    process = subprocess.Popen(
        [sys.executable, "script.py"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "called\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_ctrl_c_in_a_notebook_stops_after_what_is_in_flight_and_keeps_it(tmp_path: Path) -> None:
    with _begun(tmp_path, IN_A_LOOP) as process:
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        (tmp_path / "go").touch()
        out, err = process.communicate(timeout=30)
        assert out.splitlines()[-1] == "interrupted cancelled 2 48", err


BLOCKING = """
import os, sys, time
import rejudge

ROWS = [{"id": f"i{n}", "question": str(n)} for n in range(50)]

CALLED = 0

async def task(question):
    global CALLED
    print("called", flush=True)
    CALLED += 1
    while not os.path.exists("go"):
        time.sleep(0.01)  # not asyncio.sleep: nothing else in the loop gets its turn
    return question

try:
    task.version = "1"
    rejudge.evaluate(ROWS, task, store="store.db", concurrency=4, timeout=TIMEOUT)
except rejudge.Interrupted as stopped:
    run = stopped.result.runs[0]
    cases = run.counts.cases
    print("interrupted", run.state.value, cases.completed == CALLED, cases.errors)
    sys.exit(130)
"""


@pytest.mark.parametrize("timeout", [None, 60.0])
def test_ctrl_c_stops_an_async_task_that_blocks_the_loop_after_the_calls_in_flight(
    tmp_path: Path, timeout: float | None
) -> None:
    with _begun(tmp_path, BLOCKING.replace("TIMEOUT", str(timeout))) as process:
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        (tmp_path / "go").touch()
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out.splitlines()[-1]) == (130, "interrupted cancelled True 0"), err
        assert out.count("called") <= 4


@pytest.mark.parametrize("timeout", [None, 60.0])
def test_a_second_ctrl_c_gets_out_of_an_async_task_that_blocks_the_loop(tmp_path: Path, timeout: float | None) -> None:
    with _begun(tmp_path, BLOCKING.replace("TIMEOUT", str(timeout))) as process:
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out.splitlines()[-1]) == (130, "interrupted cancelled False 0"), err


IN_PROCESSES = """
import os, sys, time
import rejudge

if __name__ == "__mp_main__" and LOADING:
    print("called", flush=True)
    while not os.path.exists("go"):
        time.sleep(0.01)

def task(question):
    print("called", flush=True)
    while not os.path.exists("go"):
        time.sleep(0.01)
    return question

if __name__ == "__main__":
    rows = [{"id": f"i{n}", "question": str(n)} for n in range(50)]
    try:
        rejudge.evaluate(rows, task, store="store.db", concurrency=1, isolation="process")
    except rejudge.Interrupted as stopped:
        run = stopped.result.runs[0]
        print("interrupted", run.state.value, run.counts.cases.completed, run.counts.cases.errors)
        sys.exit(130)
"""


@pytest.mark.parametrize("loading", [False, True], ids=["at work", "still loading"])
def test_ctrl_c_leaves_processes_of_a_task_to_finish_what_is_in_flight(tmp_path: Path, loading: bool) -> None:
    with _begun(tmp_path, IN_PROCESSES.replace("LOADING", str(loading))) as process:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to all of them
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        (tmp_path / "go").touch()
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out.splitlines()[-1]) == (130, "interrupted cancelled 1 0"), err
        assert err == ""
