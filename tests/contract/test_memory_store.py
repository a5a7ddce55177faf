"""The in-memory store keeps the contract of every store, and is quick."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from rejudge.storage.contract import StoreContract
from rejudge.storage.memory import MemoryStore
from rejudge.storage.store import Store


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> Iterator[Store]:
        with closing(MemoryStore()) as store:
            yield store
