"""A judged run of 300 traces whose truth is known, for what people label of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import rejudge
from rejudge.front.correcting import CorrectionResult
from rejudge.stats.correction import Correction
from rejudge.storage.memory import MemoryStore
from rejudge.storage.store import Store
from tests.review.world import rate, said

COUNT = 300
TRUTH = {f"n{number}": number % 10 < 7 for number in range(COUNT)}
"""What people say, if they are asked: seven of ten pass."""


def judge(item: Mapping[str, object]) -> bool:
    """Wrong about every eleventh item."""
    number = int(str(item["n"]))
    return TRUTH[f"n{number}"] is (number % 11 != 0)


def shout(n: int) -> str:
    return f"{n}!"


def evaluated(*scorers: Callable[..., object], count: int = COUNT, trials: int = 1) -> Store:
    store = MemoryStore()
    rows = [{"id": f"n{number}", "n": number} for number in range(count)]
    scored = list(scorers or (judge,))
    rejudge.evaluate(rows, shout, scored, store=store, name="shouts", trials=trials, progress="silent")
    return store


def labelled(store: Store, folder: Path, items: list[str], **more: object) -> None:
    rate(store, folder, said({item: TRUTH[item] for item in items}), **more)
    rejudge.adjudicate("tone", store=store)


def corrected(store: Store, scorer: str = "judge", **more: object) -> CorrectionResult:
    return rejudge.correct("shouts", scorer, **({"against": "tone", "store": store} | more))  # type: ignore[arg-type]


def rates(found: CorrectionResult) -> Correction:
    assert isinstance(found.statistics, Correction)
    return found.statistics


FIRST = [f"n{number}" for number in range(100)]


def grades(folder: Path) -> Path:
    path = folder / "grades.jsonl"
    lines = [json.dumps({"id": item, "value": 1 + int(item[1:]) % 5}) for item in TRUTH]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
