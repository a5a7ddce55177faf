"""C15 and D5: what names an item's content, and what becomes of an update."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from rejudge.datasets.rows import RowSpec, entries_of
from rejudge.front.dataset import DatasetHandle
from rejudge.storage.memory import MemoryStore
from rejudge.storage.sqlite import open_sqlite
from rejudge.storage.store import Store


@pytest.fixture(params=["memory", "sqlite"])
def dataset(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DatasetHandle]:
    store: Store = MemoryStore() if request.param == "memory" else open_sqlite(tmp_path / "store.db")
    yield DatasetHandle(store, "cases")
    store.close()


def case(shared: Path, name: str) -> dict[str, object]:
    rows = yaml.safe_load((shared / "cases" / "evaluation_api_cases.yaml").read_text(encoding="utf-8"))
    found: dict[str, object] = next(row for row in rows if row["id"] == name)
    return found


def digests(pair: list[dict[str, object]]) -> list[bytes]:
    return [entry.digest for entry in entries_of([(fields, None) for fields in pair], RowSpec())]


def test_c15_content_digests_are_the_same_and_different_where_the_case_says(shared: Path) -> None:
    row = case(shared, "C15")
    same, different = row["same"], row["different"]
    assert isinstance(same, list)
    assert isinstance(different, list)
    assert [len(set(digests(pair))) for pair in same] == [1] * 2
    assert [len(set(digests(pair))) for pair in different] == [2] * 2


def test_c15_equal_content_is_one_item_without_an_id_and_two_under_two_ids(
    shared: Path, dataset: DatasetHandle
) -> None:
    row = case(shared, "C15")
    assert (row["insert_twice_without_id"], row["insert_twice_under_two_ids"]) == ("1 stored", "2 stored")
    dataset.insert([{"a": 1}])
    dataset.insert([{"a": 1}])
    assert len(dataset) == 1
    dataset.insert([{"id": "x", "b": 1}])
    dataset.insert([{"id": "y", "b": 1}])
    assert len(dataset) == 3


def test_c15_what_was_deleted_can_be_inserted_again(shared: Path, dataset: DatasetHandle) -> None:
    assert case(shared, "C15")["delete_then_insert_again"] == "stored"
    dataset.insert([{"a": 1}, {"id": "x", "a": 2}])
    dataset.delete(item.id for item in dataset.items())
    assert len(dataset) == 0
    dataset.insert([{"a": 1}, {"id": "x", "a": 2}])
    assert [item.fields["a"] for item in dataset.items()] == [1, 2]


def test_d5_an_updated_item_frees_its_content_for_another_insert(shared: Path, dataset: DatasetHandle) -> None:
    assert case(shared, "D5")["required"] == "[1, 2]"
    dataset.insert([{"a": 1}])
    (first,) = dataset.items()
    dataset.update([{"id": first.id, "a": 2}])
    dataset.insert([{"a": 1}])
    assert sorted(str(item.fields["a"]) for item in dataset.items()) == ["1", "2"]
    assert [item.fields for item in dataset.items()] == [{"a": 2}, {"a": 1}]
