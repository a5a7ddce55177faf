"""An experiment in memory whose traces people rate: twelve items, a judge, stars, and files of ratings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import rejudge
from rejudge.front.ratings import RatingImport
from rejudge.storage.memory import MemoryStore
from rejudge.storage.store import Store

ITEMS = [f"q{number}" for number in range(12)]
PASSED = {item: number % 3 != 0 for number, item in enumerate(ITEMS)}
"""What the judge says."""


def judge(item: Mapping[str, object]) -> tuple[bool, str]:
    """Passes two of three."""
    return PASSED[str(item["id"])], "because of the number"


def stars(item: Mapping[str, object]) -> float:
    """One to five, in turn."""
    return 1.0 + ITEMS.index(str(item["id"])) % 5


def shout(question: str) -> str:
    """The task."""
    return question.upper()


def evaluated(store: Store | None = None, *, name: str = "shouts", trials: int = 1) -> Store:
    """A store with a run of the experiment."""
    store = MemoryStore() if store is None else store
    rows = [{"id": item, "question": f"what is {item}?"} for item in ITEMS]
    rejudge.evaluate(rows, shout, [judge, stars], store=store, name=name, trials=trials, progress="silent")
    return store


def write(path: Path, records: Sequence[Mapping[str, object]]) -> Path:
    """A JSONL file of these records."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def said(values: Mapping[str, object], rater: str = "ann") -> list[dict[str, object]]:
    """One record of a rater for each item."""
    return [{"id": item, "rater": rater, "value": value} for item, value in values.items()]


def rate(store: Store, folder: Path, records: Sequence[Mapping[str, object]], **more: object) -> RatingImport:
    """Import records into the set `tone`."""
    options: dict[str, object] = {"score": "pass_fail", "blind": True} | more
    file = write(folder / "ratings.jsonl", records)
    return rejudge.import_ratings("shouts", file, "tone", store=store, **options)  # type: ignore[arg-type]
