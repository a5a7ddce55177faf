"""The benchmark of the sandboxes runs, here with next to nothing to measure."""

from __future__ import annotations

from benchmarks.process import measured, module
from benchmarks.sandboxes import WANTED, Sandboxes


def test_each_sandbox_is_measured_or_said_to_be_missing() -> None:
    found = measured(Sandboxes, module("sandboxes", "--traces", "20", "--repeats", "1"))
    assert {one.sandbox for one in found.judged} | set(found.missing) == set(WANTED)
    assert all(one.scores_per_second > 0 for one in found.judged)
