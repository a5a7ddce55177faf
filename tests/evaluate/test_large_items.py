"""Items and outputs of half a megabyte each: memory stays bounded by a page, not by the dataset."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EVALUATION = """
import json, sys
from pathlib import Path
import rejudge

folder, count, trials = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
with (folder / "items.jsonl").open("w", encoding="utf-8") as lines:
    for number in range(count):
        lines.write(json.dumps({"id": str(number), "question": (f"{number} word " * 60_000)[:500_000]}) + "\\n")

async def backwards(question):
    return question[::-1]

async def is_long(output):
    return len(output) > 3

store = folder / "store.db"
result = rejudge.evaluate(folder / "items.jsonl", backwards, [is_long], store=store, name="large", trials=trials)
assert result.summary("is_long").n == count
rescored = rejudge.evaluate_experiment("large", rejudge.contains(substring="drow"), store=store)
assert rescored.summary("contains").n == count
(peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")]
print(peak)
"""

MOST_MEGABYTES = 400


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of one program's memory")
@pytest.mark.parametrize(("count", "trials"), [(400, 1), (50, 8)])
def test_large_items_and_many_trials_are_worked_on_a_few_at_a_time(tmp_path: Path, count: int, trials: int) -> None:
    command = [sys.executable, "-c", EVALUATION, str(tmp_path), str(count), str(trials)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) / 1024 < MOST_MEGABYTES
