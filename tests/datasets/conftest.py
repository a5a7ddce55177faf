from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rejudge.storage.memory import MemoryStore
from rejudge.storage.sqlite import open_sqlite
from rejudge.storage.store import DatasetStore, Store


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DatasetStore]:
    """An empty store of each kind."""
    opened: Store = MemoryStore() if request.param == "memory" else open_sqlite(tmp_path / "store.db")
    yield opened
    opened.close()
