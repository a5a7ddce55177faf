"""A store that is taken away under a run is not said to hold it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import rejudge
from rejudge.domain.errors import StoreError
from tests.evaluate.conftest import QUESTIONS, length


def _deleting(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def _replacing(path: Path) -> None:
    _deleting(path)
    rejudge.open(path)


@pytest.mark.parametrize("take_away", [_deleting, _replacing], ids=["deleted", "replaced"])
def test_a_store_that_is_taken_away_under_a_run_fails_the_evaluation(
    tmp_path: Path, take_away: Callable[[Path], None]
) -> None:
    path = tmp_path / "store.db"

    def task(question: str) -> str:
        if question == QUESTIONS[-1]["question"]:
            take_away(path)
        return question

    task.version = "1"  # type: ignore[attr-defined]
    with pytest.raises(StoreError, match=r"store\.db was deleted or (replaced|moved) while it was in use"):
        rejudge.evaluate(QUESTIONS, task, length, store=path, concurrency=1)


def test_a_task_may_change_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()

    def task(question: str) -> str:
        os.chdir(tmp_path / "elsewhere")
        return question

    result = rejudge.evaluate(QUESTIONS, task, length, store="store.db")
    assert result.complete
    assert (tmp_path / "store.db").exists()
    assert not list((tmp_path / "elsewhere").iterdir())
