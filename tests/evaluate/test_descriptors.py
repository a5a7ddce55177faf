"""A program that keeps many results open does not run out of file descriptors soon, and is told when it does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import rejudge
from tests.evaluate.conftest import QUESTIONS, Counting

OPEN = Path("/proc/self/fd")

SCRIPT = """
import resource
import rejudge

def task(question):
    return question

resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
kept = []
while True:
    kept.append(rejudge.evaluate([{"question": "x"}], task, store="store.db", name=str(len(kept))))
"""


@pytest.mark.skipif(not OPEN.exists(), reason="open files are counted in /proc")
def test_a_result_that_is_kept_holds_no_more_than_two_files_open(tmp_path: Path, adder: Counting) -> None:
    def evaluate(name: str) -> rejudge.Result:
        return rejudge.evaluate(QUESTIONS, adder, store=tmp_path / "s.db", name=name)

    kept = [evaluate("first")]
    before = len(list(OPEN.iterdir()))
    kept += [evaluate(f"further {number}") for number in range(5)]
    assert len(list(OPEN.iterdir())) <= before + 2 * 5
    assert len(kept) == 6


@pytest.mark.skipif(sys.platform == "win32", reason="limits are those of POSIX")
def test_running_out_of_file_descriptors_is_told_as_that(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    ended = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "store.db cannot be opened: Too many open files" in ended.stderr
    assert "next: let go of results" in ended.stderr
