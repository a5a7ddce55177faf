"""The work that is measured: sums as a dataset, a task that gives the known answer back, and checks of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_items(path: Path, count: int) -> Path:
    """A JSONL file of `count` items with an id, a question of 80 characters and its answer."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            more = number * 7 % 1000
            question = f"What is {number:07d} plus {more:03d}? Give the sum alone, without any word around it, please."
            file.write(json.dumps({"id": f"q{number:07d}", "question": question, "answer": str(number + more)}) + "\n")
    return path


async def give_answer(item: dict[str, str]) -> str:
    """The task: nothing but a field of the item, so that what is measured is everything else."""
    return item["answer"]
