"""A task in a process of its own can be killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import rejudge
from rejudge.domain.case import ExecutionErrorType
from rejudge.domain.run import RunState
from tests.evaluate.conftest import length


def troubled(question: str) -> str:
    """Hangs, dies, exits, raises or answers, as it is asked to."""
    match question:
        case "hang":
            time.sleep(60)
        case "die":
            os._exit(7)
        case "exit":
            sys.exit(3)
        case "raise":
            raise ValueError("raised")
    return question.upper()


def test_a_hanging_task_is_killed_and_the_others_go_on(tmp_path: Path) -> None:
    asked = ["one", "hang", "die", "exit", "raise", "two", "hang", "three"]
    rows = [{"id": f"{number}", "question": question} for number, question in enumerate(asked)]
    begun = time.perf_counter()
    result = rejudge.evaluate(
        rows, troubled, [length], store=tmp_path / "s.db", timeout=3, concurrency=2, isolation="process"
    )
    assert time.perf_counter() - begun < 40
    assert result.runs[0].state is RunState.COMPLETED
    assert result.summary("length").n == 3
    assert result.summary("length").task_errors == 5
    errors = {row.case.item_id: row.case.execution_error for row in result.cases()}
    assert errors["1"].type is errors["6"].type is ExecutionErrorType.TIMEOUT
    assert "killed" in errors["1"].message
    assert "ended with 7" in errors["2"].message
    assert "SystemExit" in errors["3"].message
    assert "ValueError: raised" in errors["4"].message


def test_a_function_that_cannot_be_imported_is_refused(tmp_path: Path) -> None:
    def inner(question: str) -> str:
        return question

    with pytest.raises(rejudge.ConfigurationError, match="top of a module"):
        rejudge.evaluate([{"question": "x"}], inner, store=tmp_path / "s.db", isolation="process")


def test_an_unknown_isolation_is_refused_with_the_nearest() -> None:
    with pytest.raises(rejudge.ConfigurationError, match="did you mean 'process'"):
        rejudge.evaluation([{"question": "x"}], troubled, isolation="proces")


UNGUARDED = """
import rejudge

def task(question):
    return question

result = rejudge.evaluate([{"question": "x"}], task, store="store.db", isolation="process", concurrency=1)
print(result.runs[0].state.value, result.runs[0].run.reason)
"""


def test_a_script_that_evaluates_as_it_is_loaded_is_told_so_and_ends(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(UNGUARDED)
    ended = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout.startswith("failed a process for the task ended with 1")
    assert 'next: put the evaluation under `if __name__ == "__main__":`' in ended.stderr
