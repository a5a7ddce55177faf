from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest

from rejudge.datasets.rows import RowSpec
from rejudge.domain.dataset import DatasetVersion
from rejudge.domain.errors import BadRow, DuplicateItem, NotFound, StoreError, UnknownName
from rejudge.domain.payload import decode
from rejudge.files.row import Row
from rejudge.files.rows import read_rows
from rejudge.runner.snapshot import GROUP, GROUP_BYTES, snapshot, snapshot_on_loop
from rejudge.storage.store import DatasetStore, VersionDraft


def rows(*fields: Mapping[str, object]) -> list[Row]:
    return [Row(dict(one), line) for line, one in enumerate(fields, 1)]


def fields_of(store: DatasetStore, version: DatasetVersion) -> list[object]:
    return [decode(item.body) for item in store.items(version.id, start=0, count=version.count + 1)]


def is_unknown(store: DatasetStore, dataset: str) -> bool:
    try:
        store.version(dataset)
    except NotFound:
        return True
    return False


def test_a_snapshot_holds_the_rows_in_their_order(store: DatasetStore) -> None:
    version = snapshot(store, rows({"id": "b", "q": 1}, {"id": "a", "hint": 2}), dataset="d", spec=RowSpec())
    assert (version.dataset, version.number, version.count, version.added) == ("d", 1, 2, 2)
    assert version.fields == ("id", "q", "hint")
    assert fields_of(store, version) == [{"id": "b", "q": 1}, {"id": "a", "hint": 2}]


def test_the_same_rows_are_the_same_version(store: DatasetStore) -> None:
    first = snapshot(store, rows({"q": 1}, {"q": 2}), dataset="d", spec=RowSpec())
    assert snapshot(store, rows({"q": 1}, {"q": 2}), dataset="d", spec=RowSpec()) == first
    assert snapshot(store, rows({"q": 2}, {"q": 1}), dataset="d", spec=RowSpec()).number == 2


def test_a_snapshot_replaces_what_the_dataset_held(store: DatasetStore) -> None:
    snapshot(store, rows({"id": "a", "q": 1}, {"id": "b", "q": 1}), dataset="d", spec=RowSpec())
    version = snapshot(store, rows({"id": "b", "q": 2}, {"id": "c", "q": 1}), dataset="d", spec=RowSpec())
    assert (version.number, version.count) == (2, 2)
    assert (version.added, version.modified, version.deleted) == (1, 1, 1)


def test_an_empty_dataset_is_a_version_with_no_items(store: DatasetStore) -> None:
    version = snapshot(store, [], dataset="d", spec=RowSpec(reference=("gold",)))
    assert (version.count, version.fields, version.reference) == (0, (), ("gold",))


def test_equal_rows_without_ids_are_one_item_and_under_two_ids_two(store: DatasetStore) -> None:
    assert snapshot(store, rows({"q": 1}, {"q": 1}), dataset="d", spec=RowSpec()).count == 1
    named = rows({"id": "x", "q": 1}, {"id": "y", "q": 1}, {"id": "x", "q": 1})
    assert snapshot(store, named, dataset="d", spec=RowSpec()).count == 2


def test_rows_without_ids_that_differ_only_in_reference_are_refused_with_both_lines(
    store: DatasetStore, tmp_path: Path
) -> None:
    path = tmp_path / "data.csv"
    path.write_text("q,gold\n1,a\n2,b\n1,c\n")
    with pytest.raises(DuplicateItem, match="give them ids") as caught:
        snapshot(store, read_rows(path), dataset="d", spec=RowSpec(reference=("gold",)), file=str(path))
    message = str(caught.value)
    assert f"{path}:4" in message
    assert "rows 2 and 4" in message
    assert is_unknown(store, "d")


def test_one_id_with_two_contents_is_refused_with_both_lines(store: DatasetStore) -> None:
    with pytest.raises(DuplicateItem, match=r"row 3, item 'x'.*rows 1 and 3"):
        snapshot(store, rows({"id": "x", "q": 1}, {"q": 1}, {"id": "x", "q": 2}), dataset="d", spec=RowSpec())


def test_a_reference_field_that_no_row_has_is_refused_and_one_row_may_lack_it(store: DatasetStore) -> None:
    some = rows({"q": 1, "gold": 1}, {"q": 2})
    with pytest.raises(UnknownName, match=r"unknown reference field 'glod'(?s:.*)did you mean 'gold'"):
        snapshot(store, some, dataset="d", spec=RowSpec(reference=("glod",)))
    assert is_unknown(store, "d")
    assert snapshot(store, some, dataset="d", spec=RowSpec(reference=("gold",))).count == 2


@pytest.mark.parametrize("good", [0, 1, GROUP, 3 * GROUP])
def test_a_bad_row_anywhere_leaves_the_store_as_it_was(store: DatasetStore, good: int) -> None:
    before = snapshot(store, rows({"q": 0}), dataset="d", spec=RowSpec())
    some = rows(*({"q": number} for number in range(good)), {"q": float("nan")})
    with pytest.raises(BadRow, match=f"row {good + 1}, field 'q'"):
        snapshot(store, some, dataset="d", spec=RowSpec())
    assert store.versions("d") == [before]


class Lending:
    """A store that remembers the drafts it gave out."""

    def __init__(self, store: DatasetStore) -> None:
        self.drafts: list[VersionDraft] = []
        self._store = store

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def draft(self, dataset: str, *, reference: Sequence[str] = (), parent: int | None = None) -> VersionDraft:
        self.drafts.append(self._store.draft(dataset, reference=reference, parent=parent))
        return self.drafts[-1]


@pytest.mark.parametrize("good", [0, GROUP])
def test_a_bad_row_leaves_no_draft_open(store: DatasetStore, good: int) -> None:
    lending = Lending(store)
    some = rows(*({"q": number} for number in range(good)), {"q": float("nan")})
    with pytest.raises(BadRow):
        snapshot(cast("DatasetStore", lending), some, dataset="d", spec=RowSpec())
    (draft,) = lending.drafts
    with pytest.raises(StoreError, match="discarded"):
        draft.commit(fields=["q"])


def test_more_rows_than_a_group_keep_their_order(store: DatasetStore) -> None:
    count = 2 * GROUP + 1
    version = snapshot(store, rows(*({"n": n} for n in range(count))), dataset="d", spec=RowSpec())
    assert version.count == count
    assert fields_of(store, version) == [{"n": n} for n in range(count)]


def test_other_work_happens_while_a_snapshot_is_taken(store: DatasetStore) -> None:
    seen: list[int] = []
    read = 0

    def numbered() -> Iterator[Row]:
        nonlocal read
        for read in range(1, 4 * GROUP + 1):
            yield Row({"n": read}, read)

    async def watch() -> None:
        while read < 4 * GROUP:
            seen.append(read)
            await asyncio.sleep(0)

    async def both() -> DatasetVersion:
        watching = asyncio.create_task(watch())
        version = await snapshot_on_loop(store, numbered(), dataset="d", spec=RowSpec())
        await watching
        return version

    assert asyncio.run(both()).count == 4 * GROUP
    assert {GROUP, 2 * GROUP, 3 * GROUP} <= set(seen)


def test_a_cancelled_snapshot_leaves_nothing(store: DatasetStore) -> None:
    async def cancelled() -> None:
        endless = (Row({"n": n}, n) for n in iter(int, 1))
        taking = asyncio.create_task(snapshot_on_loop(store, endless, dataset="d", spec=RowSpec()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        taking.cancel()
        await taking

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert is_unknown(store, "d")
    assert snapshot(store, rows({"n": 1}), dataset="d", spec=RowSpec()).number == 1


def test_no_more_than_a_few_megabytes_of_rows_are_held(store: DatasetStore) -> None:
    if type(store).__name__ == "MemoryStore":
        pytest.skip("a store in memory holds everything")

    def peak(count: int) -> int:
        large = (Row({"n": n, "text": "x" * 20_000}, n) for n in range(count))
        tracemalloc.start()
        snapshot(store, large, dataset=f"d{count}", spec=RowSpec())
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    few = peak(500)
    assert few < 4 * GROUP_BYTES
    assert peak(2_000) < few + 2_000_000
