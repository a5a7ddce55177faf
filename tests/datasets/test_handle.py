from __future__ import annotations

import tracemalloc
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from rejudge.datasets.edit import ItemChange
from rejudge.domain.errors import BadRow, DuplicateItem, NotFound, RecordError, UnknownName
from rejudge.front.dataset import PAGE, DatasetHandle
from rejudge.storage.store import DatasetStore


@pytest.fixture
def dataset(store: DatasetStore) -> DatasetHandle:
    return DatasetHandle(store, "d")


def contents(dataset: DatasetHandle, version: int | None = None) -> list[dict[str, object]]:
    return [item.fields for item in dataset.items(version)]


def ids(dataset: DatasetHandle) -> list[str]:
    return [item.id for item in dataset.items()]


def test_a_dataset_that_nobody_filled_is_empty(dataset: DatasetHandle) -> None:
    assert (len(dataset), [*dataset.items()], dataset.to_list(), dataset.versions()) == (0, [], [], [])
    with pytest.raises(NotFound):
        dataset.version()


def test_inserted_rows_are_appended_and_make_one_version(dataset: DatasetHandle) -> None:
    dataset.insert([{"id": "b", "q": 1}])
    version = dataset.insert([{"id": "a", "q": 2}, {"id": "c", "q": 3}])
    assert (version.number, version.count, version.added) == (2, 3, 2)
    assert ids(dataset) == ["b", "a", "c"]
    assert version == dataset.version()


@pytest.mark.parametrize("kind", ["list", "generator", "frame", "path", "text"])
def test_rows_come_from_lists_generators_frames_and_files(dataset: DatasetHandle, tmp_path: Path, kind: str) -> None:
    records = [{"id": "a", "q": "x"}, {"id": "b", "q": "y"}]
    path = tmp_path / "data.csv"
    path.write_text("id,q\na,x\nb,y\n")
    given = {
        "list": records,
        "generator": (record for record in records),
        "frame": pd.DataFrame(records),
        "path": path,
        "text": str(path),
    }
    dataset.insert(given[kind])
    assert contents(dataset) == records


def test_ids_and_fields_can_be_chosen_as_for_a_snapshot(dataset: DatasetHandle) -> None:
    dataset.insert([{"meta": {"uid": 7}, "q": "?"}], id="meta.uid", fields={"question": "q"})
    assert dataset.to_list() == [{"id": "7", "question": "?"}]


def test_equal_rows_without_ids_are_one_item_however_often_they_come(dataset: DatasetHandle) -> None:
    dataset.insert([{"q": 1, "r": 2}, {"r": 2, "q": 1}])
    dataset.insert([{"q": 1, "r": 2}])
    assert len(dataset) == 1
    dataset.insert([{"q": 1.0, "r": 2}])
    assert len(dataset) == 2


def test_inserting_nothing_new_makes_no_version(dataset: DatasetHandle) -> None:
    first = dataset.insert([{"id": "x", "q": 1}])
    assert dataset.insert([{"id": "x", "q": 1}]) == first == dataset.insert([])
    assert dataset.versions() == [first]


def test_an_id_that_is_there_with_other_content_is_refused_with_its_line(
    dataset: DatasetHandle, tmp_path: Path
) -> None:
    dataset.insert([{"id": "x", "q": "1"}])
    path = tmp_path / "more.csv"
    path.write_text("id,q\nnew,1\nx,1\nx,2\n")
    with pytest.raises(DuplicateItem, match="use update") as caught:
        dataset.insert(path)
    assert f"{path}:4, item 'x'" in str(caught.value)
    assert ids(dataset) == ["x"]


def test_two_new_rows_with_one_id_are_refused_with_both_lines(dataset: DatasetHandle) -> None:
    dataset.insert([{"id": "x", "q": 1}])
    with pytest.raises(DuplicateItem, match="rows 1 and 2") as caught:
        dataset.insert([{"id": "y", "q": 1}, {"id": "y", "q": 2}])
    assert "update" not in str(caught.value)


def test_a_row_without_an_id_that_differs_in_reference_only_is_refused(store: DatasetStore) -> None:
    dataset = DatasetHandle(store, "d", reference=["gold"])
    dataset.insert([{"q": 1, "gold": 1}])
    with pytest.raises(DuplicateItem, match=r"given the same(?s:.*)use update"):
        dataset.insert([{"q": 1, "gold": 2}])
    with pytest.raises(DuplicateItem, match=r"rows 1 and 2(?s:.*)give them ids"):
        dataset.insert([{"q": 2, "gold": 1}, {"q": 2, "gold": 2}])


def test_a_bad_row_at_the_end_inserts_nothing(dataset: DatasetHandle) -> None:
    first = dataset.insert([{"q": 0}])
    with pytest.raises(BadRow, match=r"row 1501, field 'id'"):
        dataset.insert([*({"q": n} for n in range(1_500)), {"id": "", "q": 1}])
    assert dataset.versions() == [first]
    dataset.insert([{"q": 1}])
    assert contents(dataset) == [{"q": 0}, {"q": 1}]


def test_an_update_replaces_all_fields_and_keeps_id_and_position(dataset: DatasetHandle) -> None:
    dataset.insert([{"id": 1, "q": 1, "hint": 1}, {"id": 2, "q": 2}])
    version = dataset.update([{"id": 1, "q": 3}])
    assert contents(dataset) == [{"id": 1, "q": 3}, {"id": 2, "q": 2}]
    assert (version.number, version.modified, version.added, version.deleted) == (2, 1, 0, 0)
    assert version.fields == ("id", "q")


def test_a_changed_given_field_of_an_unnamed_item_makes_a_new_item_in_its_place(dataset: DatasetHandle) -> None:
    dataset.insert([{"q": 1}, {"q": 2}])
    first, second = ids(dataset)
    version = dataset.update([{"id": first, "q": 3}])
    assert contents(dataset) == [{"q": 3}, {"q": 2}]
    assert first not in ids(dataset)
    assert ids(dataset)[1] == second
    assert (version.added, version.deleted, version.modified) == (1, 1, 0)
    dataset.insert([{"q": 1}])
    assert ids(dataset)[2] == first


def test_a_corrected_reference_of_an_unnamed_item_keeps_its_id(store: DatasetStore) -> None:
    dataset = DatasetHandle(store, "d", reference=["gold"])
    dataset.insert([{"q": 1, "gold": "wrong"}])
    before = ids(dataset)
    dataset.update([{"id": before[0], "q": 1, "gold": "right", "tags": ["checked"]}])
    assert ids(dataset) == before
    assert contents(dataset) == [{"q": 1, "gold": "right", "tags": ["checked"]}]


def test_a_row_without_an_id_corrects_the_item_that_is_given_the_same(store: DatasetStore) -> None:
    dataset = DatasetHandle(store, "d", reference=["gold"])
    dataset.insert([{"q": 1, "gold": "wrong"}])
    dataset.update([{"q": 1, "gold": "right"}])
    assert contents(dataset) == [{"q": 1, "gold": "right"}]
    with pytest.raises(UnknownName):
        dataset.update([{"q": 2, "gold": "right"}])


def test_unnamed_items_can_trade_their_content_in_one_update(dataset: DatasetHandle) -> None:
    dataset.insert([{"q": 1}, {"q": 2}])
    first, second = ids(dataset)
    dataset.update([{"id": first, "q": 2}, {"id": second, "q": 1}])
    assert contents(dataset) == [{"q": 2}, {"q": 1}]
    assert ids(dataset) == [second, first]


def test_an_update_to_what_another_unnamed_item_says_leaves_one_item(dataset: DatasetHandle) -> None:
    dataset.insert([{"q": 1}, {"q": 2}])
    dataset.update([{"id": ids(dataset)[0], "q": 2}])
    assert contents(dataset) == [{"q": 2}]


def test_an_exported_row_that_was_changed_is_an_update(dataset: DatasetHandle) -> None:
    dataset.insert([{"id": "x", "q": 1}, {"q": 2}])
    rows = dataset.to_list()
    dataset.update([row | {"q": 10} for row in rows])
    assert contents(dataset) == [{"id": "x", "q": 10}, {"q": 10}]


def test_an_unknown_id_in_an_update_is_refused_with_the_nearest_and_its_line(dataset: DatasetHandle) -> None:
    first = dataset.insert([{"id": "france", "q": 1}])
    with pytest.raises(UnknownName, match=r"row 2: unknown item 'frence'(?s:.*)did you mean 'france'"):
        dataset.update([{"id": "france", "q": 2}, {"id": "frence", "q": 2}])
    assert dataset.versions() == [first]


def test_one_item_updated_twice_differently_is_refused(dataset: DatasetHandle) -> None:
    dataset.insert([{"id": "x", "q": 1}])
    with pytest.raises(DuplicateItem, match="rows 1 and 2"):
        dataset.update([{"id": "x", "q": 2}, {"id": "x", "q": 3}])


@pytest.mark.parametrize("given", ["x", ["x"], ("x", "x"), {"x"}, {"x": 1}])
def test_deleted_items_are_gone_from_the_next_version_only(dataset: DatasetHandle, given: Iterable[str]) -> None:
    dataset.insert([{"id": "x", "q": 1, "only": 1}, {"id": "y", "q": 2}])
    version = dataset.delete(given)
    assert (version.count, version.deleted, version.fields) == (1, 1, ("id", "q"))
    assert ids(dataset) == ["y"]
    assert len(contents(dataset, 1)) == 2


def test_an_unknown_id_deletes_nothing(dataset: DatasetHandle) -> None:
    dataset.insert([{"id": 1, "q": 1}, {"id": 2, "q": 1}])
    with pytest.raises(UnknownName, match="unknown item '3'"):
        dataset.delete([1, 3])
    with pytest.raises(RecordError, match="item id"):
        dataset.delete([""])
    assert ids(dataset) == ["1", "2"]
    dataset.delete(1)
    assert ids(dataset) == ["2"]


def test_what_was_deleted_can_be_inserted_again(dataset: DatasetHandle) -> None:
    dataset.insert([{"q": 1}, {"id": "x", "q": 2}])
    dataset.delete(ids(dataset))
    assert len(dataset) == 0
    dataset.insert([{"q": 1}, {"id": "x", "q": 3}])
    assert contents(dataset) == [{"q": 1}, {"id": "x", "q": 3}]


def test_a_declaration_of_reference_stands_until_another_is_made(dataset: DatasetHandle, store: DatasetStore) -> None:
    DatasetHandle(store, "d", reference=["gold"]).insert([{"q": 1, "gold": 1}])
    assert dataset.insert([{"q": 2, "gold": 1}]).reference == ("gold",)
    dataset.update([{"q": 2, "gold": 2}])
    assert [fields["gold"] for fields in contents(dataset)] == [1, 2]


def test_a_later_declaration_of_reference_names_unnamed_items_anew(dataset: DatasetHandle, store: DatasetStore) -> None:
    dataset.insert([{"q": 1, "gold": 1}, {"id": "x", "q": 2, "gold": 1}])
    declared = DatasetHandle(store, "d", reference=["gold"])
    declared.insert([{"q": 1, "gold": 1}])
    assert contents(declared) == contents(declared, 1)
    declared.update([{"q": 1, "gold": 2}])
    assert [fields["gold"] for fields in contents(declared)] == [2, 1]


def test_a_misspelt_reference_is_refused_with_the_nearest_field(dataset: DatasetHandle, store: DatasetStore) -> None:
    with pytest.raises(UnknownName, match="did you mean 'gold'"):
        DatasetHandle(store, "d", reference=["glod"]).insert([{"q": 1, "gold": 1}])
    dataset.insert([{"q": 1, "gold": 1}])
    with pytest.raises(UnknownName, match="did you mean 'gold'"):
        DatasetHandle(store, "d", reference=["glod"]).insert([{"q": 2, "gold": 1}])
    assert len(dataset.versions()) == 1


def test_the_last_item_with_a_reference_can_be_deleted(store: DatasetStore) -> None:
    dataset = DatasetHandle(store, "d", reference=["gold"])
    dataset.insert([{"id": "x", "q": 1, "gold": 1}, {"id": "y", "q": 2}])
    dataset.delete("x")
    dataset.insert([{"id": "z", "q": 2}])
    assert ids(dataset) == ["y", "z"]
    dataset.delete(["y", "z"])
    dataset.insert([{"id": "z", "q": 2}])
    assert ids(dataset) == ["z"]


def test_an_empty_version_does_not_prove_that_a_reference_field_exists(store: DatasetStore) -> None:
    dataset = DatasetHandle(store, "d", reference=["glod"])
    dataset.insert([])
    with pytest.raises(UnknownName, match="did you mean 'gold'"):
        dataset.insert([{"q": 1, "gold": 1}])


def test_versions_are_numbered_and_never_change(dataset: DatasetHandle) -> None:
    dataset.insert([{"id": "x", "q": 1}])
    dataset.update([{"id": "x", "q": 2}])
    dataset.delete("x")
    assert [version.number for version in dataset.versions()] == [1, 2, 3]
    assert dataset.version(2) == dataset.versions()[1]
    assert [contents(dataset, number) for number in (1, 2, 3)] == [[{"id": "x", "q": 1}], [{"id": "x", "q": 2}], []]
    with pytest.raises(NotFound):
        dataset.version(4)
    with pytest.raises(NotFound):
        dataset.items(4)


def test_items_that_are_being_read_do_not_see_a_later_change(dataset: DatasetHandle) -> None:
    dataset.insert([{"n": n} for n in range(3 * PAGE)])
    items = dataset.items()
    first = next(items)
    dataset.delete([item.id for item in dataset.items() if item.id != first.id])
    assert len([first, *items]) == 3 * PAGE
    assert len(dataset) == 1


def test_a_diff_says_what_came_what_went_and_which_fields_changed(dataset: DatasetHandle) -> None:
    dataset.insert([{"id": "a", "q": 1, "hint": 1}, {"id": "b", "q": 1}, {"id": "c", "q": 1}])
    dataset.update([{"id": "a", "q": 1.0, "new": 1}])
    dataset.delete("b")
    dataset.insert([{"id": "d", "q": 1}])
    expected = [
        ItemChange(kind="added", item_id="d"),
        ItemChange(kind="deleted", item_id="b"),
        ItemChange(kind="modified", item_id="a", fields=("q", "hint", "new")),
    ]
    assert sorted(dataset.diff(1), key=lambda change: change.kind) == expected
    assert dataset.diff(1, 4) == dataset.diff(1)
    assert dataset.diff(2, 2) == []
    assert {change.kind for change in dataset.diff(4, 3)} == {"deleted"}


def test_an_export_inserted_elsewhere_is_the_same_version(dataset: DatasetHandle, store: DatasetStore) -> None:
    rows = [{"id": 7, "q": 1, "tags": ["x"]}, {"q": 1.0}, {"q": None, "deep": {"a": [1]}}]
    version = dataset.insert(rows)
    copy = DatasetHandle(store, "copy")
    assert copy.insert(dataset.to_list()).id == version.id
    assert contents(copy) == contents(dataset)


def test_a_field_that_is_called_id_and_is_not_the_id_is_not_lost(dataset: DatasetHandle) -> None:
    dataset.insert([{"question": "?", "id": 5}], id="question")
    assert dataset.to_list() == [{"question": "?", "id": 5}]
    dataset.update([{"question": "?", "id": 6}], id="question")
    assert ids(dataset) == ["?"]
    assert contents(dataset) == [{"question": "?", "id": 6}]


def test_what_is_read_can_be_changed_without_changing_the_dataset(dataset: DatasetHandle) -> None:
    dataset.insert([{"id": "x", "deep": {"a": [1]}}])
    next(dataset.items()).fields.clear()
    dataset.to_list()[0].clear()
    assert contents(dataset) == [{"id": "x", "deep": {"a": [1]}}]


class MineBetweenTheirs:
    """Rows of which each is read just after another handle has inserted one."""

    def __init__(self, other: DatasetHandle) -> None:
        self._other = other

    def __iter__(self) -> Iterator[dict[str, object]]:
        for n in range(3):
            self._other.insert([{"theirs": n}])
            yield {"mine": n}


def test_two_handles_on_one_dataset_lose_nothing(dataset: DatasetHandle, store: DatasetStore) -> None:
    dataset.insert(MineBetweenTheirs(DatasetHandle(store, "d")))
    assert contents(dataset) == [{whose: n} for whose in ("theirs", "mine") for n in range(3)]


def test_rows_of_an_iterator_survive_an_edit_that_begins_again(dataset: DatasetHandle, store: DatasetStore) -> None:
    other = DatasetHandle(store, "d")

    class Overtaken:
        """A row during whose reading another handle is faster."""

        def keys(self) -> list[str]:
            other.insert([{"theirs": 1}])
            return ["mine"]

        def __getitem__(self, key: str) -> int:
            return 1

    dataset.insert(iter([Overtaken()]))
    assert contents(dataset) == [{"theirs": 1}, {"mine": 1}]


def test_its_name_and_size_are_seen_at_a_glance(dataset: DatasetHandle) -> None:
    dataset.insert([{"q": 1}])
    assert repr(dataset) == "<dataset 'd', 1 item>"
    dataset.insert([{"q": 2}])
    assert repr(dataset) == "<dataset 'd', 2 items>"


def test_an_insert_into_a_large_dataset_takes_no_more_memory(dataset: DatasetHandle, store: DatasetStore) -> None:
    if type(store).__name__ == "MemoryStore":
        pytest.skip("a store in memory holds everything")

    def peak(count: int) -> int:
        dataset.insert({"n": n, "text": "x" * 8_000} for n in range(count))
        tracemalloc.start()
        dataset.insert([{"last": count}])
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    few = peak(4 * PAGE)
    assert peak(12 * PAGE) < few + 2_000_000
