"""The rows that owners leave, and do not leave."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from rejudge.storage.liveness import this_process
from rejudge.storage.promises.scene import LEASE, Scene
from rejudge.storage.records import Owner
from rejudge.storage.sqlite import SqliteStore, open_sqlite


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with closing(open_sqlite(path)) as store:
        yield store


def dead() -> Owner:
    """A process of an earlier start of this machine."""
    return replace(this_process(), boot="an earlier boot")


def test_dead_processes_are_forgotten_when_somebody_enters(store: SqliteStore, path: Path) -> None:
    for _ in range(3):
        store.enter(dead(), lease_seconds=LEASE)
    owner = store.enter(this_process(), lease_seconds=LEASE)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT id FROM owners").fetchall() == [(owner,)]


def test_the_number_of_a_forgotten_owner_is_given_to_nobody_else(store: SqliteStore) -> None:
    first = store.enter(this_process(), lease_seconds=LEASE)
    store.leave(first)
    assert store.enter(this_process(), lease_seconds=LEASE) > first


def test_another_host_that_was_out_of_reach_for_long_can_go_on(store: SqliteStore) -> None:
    scene = Scene(store)
    afar = store.enter(replace(this_process(), host="another host"), lease_seconds=-1.0)
    scene.claim((0, 0), owner=afar)
    assert scene.claim((0, 0)) == {scene.key((0, 0))}
    assert scene.claim((0, 0), (1, 0), owner=afar) == {scene.key((1, 0))}
