"""A full disk loses nothing that was stored, and the evaluation goes on when there is space."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import rejudge
from rejudge.domain.errors import StoreFull
from tests.evaluate.conftest import length

ITEMS = 400


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of three megabytes; skips where none can be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", "-l", disk], check=False)


@pytest.mark.skipif(os.name != "posix", reason="mounts a disk")
def test_a_disk_that_fills_up_keeps_what_it_has_and_the_rest_is_done_later(small_disk: Path) -> None:
    calls: list[str] = []

    def task(item: dict[str, str]) -> str:
        calls.append(item["id"])
        return random.Random(item["id"]).randbytes(10_000).hex()

    task.version = "1"  # type: ignore[attr-defined]
    rows = [{"id": f"i{number}"} for number in range(ITEMS)]
    store = small_disk / "store.db"
    with pytest.raises(StoreFull, match="space"):
        rejudge.evaluate(rows, task, [length], store=store, name="x", concurrency=4)
    workspace = rejudge.open(store)
    kept = {row.item.id for row in workspace.result("x").cases() if row.trace is not None}
    workspace.close()
    assert 0 < len(kept) < ITEMS
    subprocess.run(["mount", "-o", "remount,size=200m", small_disk], check=True)
    calls.clear()
    result = rejudge.evaluate(rows, task, [length], store=store, name="x", concurrency=4)
    assert result.summary().n == ITEMS
    assert set(calls).isdisjoint(kept)
    assert len(calls) == ITEMS - len(kept)
