from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from tests.cli.project import Project

WAITING = """
import os
import time


def answer(question):
    with open(__file__ + ".log", "a") as log:
        log.write(question + "\\n")
    if question == "2 + 2" and not os.path.exists("go"):
        print("waiting", flush=True)
        while not os.path.exists("go"):
            time.sleep(0.01)
    return eval(question)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_ctrl_c_keeps_what_is_finished_and_resume_does_the_rest(project: Project) -> None:
    project.evaluation("concurrency: 1", task=WAITING)
    process = project.process("run", "eval.yaml")
    assert process.stderr is not None
    assert process.stderr.readline() == b"waiting\n"
    process.send_signal(signal.SIGINT)
    # What is in flight is finished before the command ends.
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    project.write("go", "")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "cancelled" in out.decode()
    assert "1 pending" in out.decode()
    assert "interrupted; what was finished is kept" in err.decode()
    assert project.calls() == ["1 + 1", "2 + 2"]
    resumed = project.rejudge("resume", "sums")
    assert (resumed.code, "3 completed (2 of them reused)" in resumed.out) == (0, True)
    assert project.calls() == ["1 + 1", "2 + 2", "3 + 3"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_ctrl_c_while_the_dataset_is_read_says_that_nothing_is_stored(project: Project) -> None:
    project.evaluation("concurrency: 1", "store: own.db")
    project.write("items.jsonl", "".join(f'{{"question": "{n}", "sum": {n}}}\n' for n in range(400_000)))
    process = project.process("run", "eval.yaml")
    deadline = time.monotonic() + 30
    while not (project.folder / "own.db").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert err.decode() == "interrupted before anything was stored\n"
    assert project.calls() == []
