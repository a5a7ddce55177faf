"""Dataset drafts in SQL: written only where they differ, group by group, and never left lying about."""

from __future__ import annotations

import sqlite3
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from rejudge.domain.dataset import DatasetVersion
from rejudge.domain.errors import DuplicateItem, StoreConflict
from rejudge.storage.promises.scene import new_item, write
from rejudge.storage.records import NewItem
from rejudge.storage.sqlite import SqliteStore, open_sqlite
from rejudge.storage.store import VersionDraft
from tests.storage.children import child


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with closing(open_sqlite(path)) as store:
        yield store


def rows(path: Path, table: str) -> int:
    """How many rows a table has."""
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def numbered(numbers: range, **fields: object) -> list[NewItem]:
    """Items on consecutive lines below a header."""
    return [new_item(f"i{number}", line=number + 2, number=number, **fields) for number in numbers]


def add_in_groups(draft: VersionDraft, items: Sequence[NewItem], size: int) -> None:
    for start in range(0, len(items), size):
        draft.add(items[start : start + size])


def ids(store: SqliteStore, version: DatasetVersion) -> list[str]:
    return [item.item_id for item in store.items(version.id, start=0, count=10_000)]


def begin_and_wait(path: Path, pipe: Connection) -> None:
    """Leave a draft unfinished."""
    with closing(open_sqlite(path)) as store:
        store.draft("d").add(numbered(range(50)))
        pipe.send("begun")
        pipe.recv()


def test_an_unchanged_dataset_is_not_written_again(store: SqliteStore, path: Path) -> None:
    first = write(store, "d", numbered(range(100)))
    before = [rows(path, table) for table in ("items", "members", "versions", "owners")]
    draft = store.draft("d")
    add_in_groups(draft, numbered(range(100)), 7)
    assert [rows(path, table) for table in ("items", "members", "versions", "owners")] == before
    assert draft.commit(fields=["number"]) == first


def test_a_draft_that_repeats_the_newest_version_up_to_a_point_becomes_a_version(store: SqliteStore) -> None:
    write(store, "d", numbered(range(100)))
    shorter = write(store, "d", numbered(range(60)))
    assert (shorter.count, shorter.added, shorter.modified, shorter.deleted) == (60, 0, 0, 40)
    assert ids(store, shorter) == [f"i{number}" for number in range(60)]
    other = write(store, "d", [*numbered(range(30)), *numbered(range(30, 70), new=1)])
    assert (other.count, other.added, other.modified, other.deleted) == (70, 10, 30, 0)
    assert ids(store, other) == [f"i{number}" for number in range(70)]


def test_items_that_came_before_are_dropped_also_while_the_draft_repeats_the_newest_version(store: SqliteStore) -> None:
    first = write(store, "d", numbered(range(10)))
    again = write(store, "d", [*numbered(range(5)), *numbered(range(3)), *numbered(range(5, 10)), *numbered(range(9))])
    assert again == first


@pytest.mark.parametrize("known", [0, 40], ids=["new dataset", "while it repeats the newest version"])
@pytest.mark.parametrize("group", [1, 7, 100])
def test_two_contents_of_one_id_are_refused_with_both_lines(store: SqliteStore, group: int, known: int) -> None:
    if known:
        write(store, "d", numbered(range(known)))
    items = [*numbered(range(30)), new_item("i4", line=99, other=True)]
    with pytest.raises(DuplicateItem, match="rows 6 and 99"):
        add_in_groups(store.draft("d"), items, group)


def test_two_items_without_ids_that_are_given_the_same_are_told_what_to_do(store: SqliteStore) -> None:
    derived = "item-" + "0" * 64
    with pytest.raises(DuplicateItem, match="give them ids"):
        store.draft("d").add([new_item(derived, line=1, gold="a"), new_item(derived, line=2, gold="b")])


def test_a_discarded_draft_leaves_no_trace(store: SqliteStore, path: Path) -> None:
    draft = store.draft("d")
    draft.add(numbered(range(50)))
    assert rows(path, "members") == 50
    assert store.versions() == []
    draft.discard()
    assert [rows(path, table) for table in ("members", "versions", "owners")] == [0, 0, 0]


def test_two_drafts_of_the_same_content_become_one_version(store: SqliteStore, path: Path) -> None:
    drafts = [store.draft("d"), store.draft("d")]
    for draft in drafts:
        draft.add(numbered(range(20)))
    first, second = (draft.commit(fields=["number"]) for draft in drafts)
    assert first == second
    assert [rows(path, table) for table in ("items", "members", "versions", "owners")] == [20, 20, 1, 0]


def test_the_draft_of_a_dead_process_is_removed_by_the_next_draft(store: SqliteStore, path: Path) -> None:
    with child(begin_and_wait, path) as (_, pipe):
        assert pipe.recv() == "begun"
        write(store, "other", numbered(range(5)))
        assert rows(path, "members") == 55
    write(store, "another", numbered(range(5)))
    assert [rows(path, table) for table in ("members", "versions", "owners")] == [10, 2, 0]


def test_a_draft_that_was_given_up_by_others_is_not_committed_by_halves(store: SqliteStore, path: Path) -> None:
    draft = store.draft("d")
    draft.add(numbered(range(50)))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE owners SET host = 'another host', lease_until = 0")
        connection.commit()
    write(store, "other", numbered(range(5)))
    with pytest.raises(StoreConflict, match="given up"):
        draft.add(numbered(range(50, 60)))
    assert [version.dataset for version in store.versions()] == ["other"]
    assert rows(path, "members") == 5


def test_a_version_takes_no_more_memory_than_its_groups(store: SqliteStore) -> None:
    def peak(dataset: str, count: int) -> int:
        draft = store.draft(dataset)
        tracemalloc.start()
        for start in range(0, count, 500):
            draft.add(numbered(range(start, start + 500)))
        draft.commit(fields=["number"])
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak("warm", 1_000)
    assert peak("large", 8_000) < 2 * peak("small", 2_000)
