from __future__ import annotations

from pathlib import Path

import pytest

from rejudge.storage.memory import MemoryStore
from rejudge.wiring import Address


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Address:
    """A store that is empty: in memory, and the path of a file."""
    return MemoryStore() if request.param == "memory" else tmp_path / "store.db"
