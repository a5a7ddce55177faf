"""The store in an SQLite file keeps the contract of every store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from rejudge.storage.contract import Reopen, StoreContract
from rejudge.storage.sqlite import open_sqlite
from rejudge.storage.store import Store


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def store(self, reopen: Reopen) -> Iterator[Store]:
        with closing(reopen()) as store:
            yield store

    @pytest.fixture
    def reopen(self, tmp_path: Path) -> Reopen:
        return lambda: open_sqlite(tmp_path / "store.db")
