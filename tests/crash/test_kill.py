"""kill -9 at any moment costs nothing that was paid for: after a resume the store equals the uninterrupted one."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import rejudge

ITEMS = 2000

SCRIPT = f"""
import os, sys
import rejudge
import rejudge.front.verbs, rejudge.storage.sqlite, rejudge.storage.schema, rejudge.scorers

ROWS = [{{"id": f"i{{n}}", "question": f"question {{n}}", "answer": f"QUESTION {{n}}"}} for n in range({ITEMS})]
LOG = None
TROUBLED = "troubled" in sys.argv
RESCORING = "rescoring" in sys.argv

async def task(item):
    os.write(LOG, (item["id"] + "\\n").encode())
    if TROUBLED and item["id"] == "i77":
        raise ValueError("this one never works")
    return item["question"].upper()

def length(output):
    if TROUBLED and output.endswith(" 78"):
        raise ValueError("this one is never judged")
    return len(output)

task.version = length.version = "1"

def run():
    global LOG
    LOG = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    scorers = [rejudge.exact_match(name="right", reference_key="answer"), length]
    now, later = (scorers[:1], scorers[1:]) if RESCORING else (scorers, [])
    result = rejudge.evaluate(ROWS, task, now, store="store.db", name="killed", concurrency=32)
    if later:
        result = rejudge.evaluate_experiment("killed", later, store="store.db")
    os._exit(result.exit_code())

# Each line of input names a folder to run in, in a child of its own.
print("ready", flush=True)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        os.chdir(line.strip())
        run()
    print(child, flush=True)
    _, status = os.waitpid(child, 0)
    print(status, flush=True)
"""


class Nursery:
    """A process that has everything imported and forks a child for each run."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        script = folder / "script.py"
        script.write_text(textwrap.dedent(SCRIPT))
        self._process = subprocess.Popen(
            [sys.executable, str(script), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._line() == "ready"

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def run(self, folder: Path, *, kill_after: float | None = None) -> int:
        """Run in a folder, killed after some seconds; the child's wait status."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{folder}\n")
        self._process.stdin.flush()
        child = int(self._line())
        if kill_after is not None:
            time.sleep(kill_after)
            with suppress(ProcessLookupError):  # it was quicker
                os.kill(child, signal.SIGKILL)
        return int(self._line())

    def close(self) -> None:
        """End the nursery."""
        self._process.communicate(timeout=60)


def contents(path: Path) -> dict[str, object]:
    """Everything that must be equal whatever happened on the way: content ids, outputs, values and counts."""
    workspace = rejudge.open(path)
    result = workspace.result("killed")
    cases = [
        (
            row.case.item_id,
            row.case.trial,
            row.trace.id if row.trace else None,
            row.trace.produced.output if row.trace else None,
            tuple((score.id, score.status.value, score.values) for score in row.scores),
        )
        for row in result.cases()
    ]
    summary = {name: (summary.n, summary.mean) for name, summary in result.runs[0].summaries}
    kept: dict[str, object] = {
        "experiment": result.experiment.id,
        "version": result.experiment.dataset_version,
        "run config": result.runs[0].run_config.id,
        "cases": cases,
        "summary": summary,
        "state": result.runs[0].state.value,
    }
    workspace.close()
    with sqlite3.connect(path) as raw:
        tables = [name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            kept[f"rows of {table}"] = raw.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
    raw.close()
    return kept


def durable(path: Path) -> set[str]:
    """The items whose trace is in a store that was just killed."""
    if not path.exists():
        return set()
    with sqlite3.connect(path) as raw:
        try:
            rows = raw.execute("SELECT items.item_id FROM traces JOIN items ON items.id = traces.item").fetchall()
        except sqlite3.OperationalError:
            rows = []
    raw.close()
    return {item for (item,) in rows}


def state(path: Path) -> str | None:
    """The state of the newest run in a store that was just killed."""
    if not path.exists():
        return None
    workspace = rejudge.open(path)
    states = [run.state.value for run in workspace.runs()]
    workspace.close()
    return states[-1] if states else None


def killed_and_resumed(folder: Path, nursery: Nursery, *, moments: int, code: int) -> int:
    """Kill at random moments and resume each time; returns how many runs were killed before they had ended."""
    chance = random.Random(20261201)
    whole = folder / "whole"
    whole.mkdir()
    begun = time.monotonic()
    assert nursery.run(whole) == code << 8
    took = latest = time.monotonic() - begun
    expected = contents(whole / "store.db")
    interrupted = 0
    for number in range(moments):
        own = folder / str(number)
        own.mkdir()
        moment = chance.uniform(0, latest)
        nursery.run(own, kill_after=moment)
        store = own / "store.db"
        ended = state(store) == "completed"
        interrupted += not ended
        if ended:
            latest = moment  # a later one would meet no run: the machine was busier at first
        if ended and code:
            continue  # evaluating again would try the errors of a completed run in a new one
        paid = durable(store)
        log = own / "log"
        log.unlink(missing_ok=True)
        begun = time.monotonic()
        assert nursery.run(own) == code << 8
        assert time.monotonic() - begun < took + 20, "a restart waited for a lease"
        again = set(log.read_text().split()) if log.exists() else set()
        assert again & paid == set(), "a durable trace was generated again"
        assert contents(store) == expected, f"after kill {number}"
    return interrupted


@pytest.fixture
def nursery(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Nursery]:
    """A nursery that is gone after the test."""
    started = Nursery(tmp_path, *getattr(request, "param", ()))
    yield started
    started.close()


@pytest.mark.crash
@pytest.mark.slow
def test_after_50_kills_at_random_moments_the_store_is_as_if_nothing_had_happened(
    tmp_path: Path, nursery: Nursery
) -> None:
    assert killed_and_resumed(tmp_path, nursery, moments=50, code=0) > 20


@pytest.mark.crash
@pytest.mark.slow
@pytest.mark.parametrize("nursery", [("troubled",)], indirect=True)
def test_the_same_holds_where_the_task_and_a_scorer_fail_on_an_item(tmp_path: Path, nursery: Nursery) -> None:
    assert killed_and_resumed(tmp_path, nursery, moments=10, code=3) > 3


@pytest.mark.crash
@pytest.mark.slow
@pytest.mark.parametrize("nursery", [("rescoring",)], indirect=True)
def test_the_same_holds_where_a_scorer_is_added_afterwards(tmp_path: Path, nursery: Nursery) -> None:
    assert killed_and_resumed(tmp_path, nursery, moments=15, code=0) > 5
