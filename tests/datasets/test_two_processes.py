"""Two processes that change one dataset at the same time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from rejudge.front.dataset import DatasetHandle
from rejudge.storage.sqlite import open_sqlite

EDITS = 15

PROGRAM = """
import sys
from pathlib import Path
from rejudge.front.dataset import DatasetHandle
from rejudge.storage.sqlite import open_sqlite

store, me, edits = open_sqlite(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
dataset = DatasetHandle(store, "d")
print("ready", flush=True)
sys.stdin.readline()
for n in range(edits):
    dataset.insert([{"by": me, "n": n}, {"shared": n}])
    dataset.update([{"id": f"counter of {me}", "n": n}])
    dataset.delete(f"{n} of {me}")
store.close()
"""


def edit_at_once(path: Path, *names: str) -> None:
    """Start a process for each name, let all go when all are ready, and wait for them."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(path), name, str(EDITS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors


def test_edits_of_two_processes_at_once_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = open_sqlite(path)
    dataset = DatasetHandle(store, "d")
    names = ("a", "b")
    dataset.insert([{"id": f"counter of {name}", "n": -1} for name in names])
    dataset.insert([{"id": f"{n} of {name}", "doomed": True} for name in names for n in range(EDITS)])
    edit_at_once(path, *names)

    fields = [item.fields for item in dataset.items()]
    for name in names:
        assert [one["n"] for one in fields if one.get("by") == name] == list(range(EDITS))
        assert {"id": f"counter of {name}", "n": EDITS - 1} in fields
    assert sorted(str(one["shared"]) for one in fields if "shared" in one) == sorted(map(str, range(EDITS)))
    assert not any("doomed" in one for one in fields)
    assert len(fields) == 2 * EDITS + EDITS + 2
    assert [version.number for version in dataset.versions()] == list(range(1, len(dataset.versions()) + 1))
    store.close()
