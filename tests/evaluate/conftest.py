"""What the tests of the main job share: a store on disk and a task that counts its own calls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rejudge.storage.memory import MemoryStore
from rejudge.wiring import Address

if TYPE_CHECKING:
    from collections.abc import Callable

QUESTIONS = [
    {"id": "q1", "question": "2+2", "answer": "4"},
    {"id": "q2", "question": "3+3", "answer": "6"},
    {"id": "q3", "question": "4+4", "answer": "8"},
    {"id": "q4", "question": "5+5", "answer": "10"},
    {"id": "q5", "question": "6+6", "answer": "12"},
    {"id": "q6", "question": "7+7", "answer": "15"},
]
"""Six sums, the last with a wrong answer."""


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Address:
    """A store that is empty: in memory, and the path of a file."""
    return MemoryStore() if request.param == "memory" else tmp_path / "store.db"


class Counting:
    """A task that adds, and notes for which items it was called; pinned, because it notes."""

    version = "1"

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __call__(self, item: dict[str, str]) -> str:
        self.calls.append(item["id"])
        left, right = item["question"].split("+")
        return str(int(left) + int(right))


@pytest.fixture
def adder() -> Counting:
    """A fresh counting task."""
    return Counting()


def right(output: str, answer: str) -> bool:
    """A scorer: whether the output is the answer."""
    return output == answer


def length(output: str) -> float:
    """A scorer: how long the output is."""
    return float(len(output))


@pytest.fixture
def failing_on() -> Callable[[str], Callable[[dict[str, str]], str]]:
    """Makes a pinned task that raises on one item."""

    def make(bad: str) -> Callable[[dict[str, str]], str]:
        def task(item: dict[str, str]) -> str:
            if item["id"] == bad:
                raise ValueError(f"cannot add {item['question']}")
            return item["question"]

        task.version = "1"  # type: ignore[attr-defined]
        return task

    return make
