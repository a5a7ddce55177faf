"""What a store promises about finding and comparing versions of datasets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rejudge.domain.dataset import DatasetVersion
from rejudge.domain.errors import NotFound
from rejudge.storage.promises.scene import StoreTests, new_item, write
from rejudge.storage.store import Store


def kinds(store: Store, older: DatasetVersion, newer: DatasetVersion) -> dict[str, str]:
    """Each changed item with how it changed."""
    return {change.item_id: change.kind for change in store.changes(older.id, newer.id)}


class VersionPromises(StoreTests):
    """Versions are found by name, number and id, read page by page, and compared item by item."""

    def test_a_version_counts_what_changed_since_the_one_before(self, store: Store) -> None:
        write(store, "d", [new_item("a", n=1), new_item("b", n=1), new_item("c", n=1)])
        second = write(store, "d", [new_item("d", n=1), new_item("b", n=2), new_item("c", n=1), new_item("e", n=1)])
        assert (second.added, second.modified, second.deleted, second.count) == (2, 1, 1, 4)

    def test_changes_name_every_item_that_differs_in_either_direction(self, store: Store) -> None:
        first = write(store, "d", [new_item("a", n=1), new_item("b", n=1), new_item("c", n=1)])
        second = write(store, "d", [new_item("c", n=1), new_item("b", n=2), new_item("d", n=1)])
        assert kinds(store, first, second) == {"b": "modified", "d": "added", "a": "deleted"}
        assert kinds(store, second, first) == {"b": "modified", "d": "deleted", "a": "added"}
        assert kinds(store, first, first) == {}

    def test_changes_are_read_between_versions_that_do_not_follow_each_other(self, store: Store) -> None:
        first = write(store, "d", [new_item("a", n=1)])
        write(store, "d", [new_item("a", n=2)])
        third = write(store, "d", [new_item("a", n=1), new_item("b", n=1)])
        changes = store.changes(first.id, third.id)
        assert isinstance(changes, Iterator)
        assert [(change.kind, change.item_id) for change in changes] == [("added", "b")]

    def test_items_are_read_page_by_page(self, store: Store) -> None:
        version = write(store, "d", [new_item(f"item {place}", n=place) for place in range(7)])
        pages = [store.items(version.id, start=start, count=3) for start in range(0, 12, 3)]
        assert [len(page) for page in pages] == [3, 3, 1, 0]
        assert [item.position for page in pages for item in page] == list(range(7))
        assert [item.item_id for page in pages for item in page] == [f"item {place}" for place in range(7)]

    def test_a_version_is_found_by_its_number_and_the_newest_without(self, store: Store) -> None:
        first = write(store, "d", [new_item("a", n=1)])
        second = write(store, "d", [new_item("a", n=2)])
        assert store.version("d", 1) == first
        assert store.version("d", 2) == store.version("d") == second

    def test_an_unknown_dataset_is_answered_with_a_near_name(self, store: Store) -> None:
        write(store, "support tickets", [])
        with pytest.raises(NotFound, match="support tickets"):
            store.version("suport tickets")
        with pytest.raises(NotFound):
            store.version("support tickets", 2)

    def test_a_version_is_found_by_its_id_or_a_unique_beginning(self, store: Store) -> None:
        first = write(store, "d", [new_item("a", n=1)])
        second = write(store, "d", [new_item("a", n=2)])
        for version in (first, second):
            assert store.find_version(version.id) == version
            assert store.find_version(version.id[:30]) == version

    def test_a_beginning_of_none_or_of_several_is_not_found(self, store: Store) -> None:
        for beginning in ("dataset-", "dataset-ab"):
            with pytest.raises(NotFound):
                store.find_version(beginning)
        first, second = (write(store, "d", [new_item("a", n=number)]) for number in (1, 2))
        for beginning in ("dataset-", first.id[:-1] + "x", second.id + "0", "%", "_" * len(first.id)):
            with pytest.raises(NotFound):
                store.find_version(beginning)

    def test_two_datasets_with_the_same_items_share_the_content_id(self, store: Store) -> None:
        one, other = (write(store, name, [new_item("a", n=1)]) for name in ("d", "e"))
        assert one.id == other.id
        assert store.find_version(one.id[:30]) in (one, other)
        assert [version.dataset for version in store.versions()] == ["d", "e"]

    def test_versions_are_listed_oldest_first_of_one_dataset_or_of_all(self, store: Store) -> None:
        first = write(store, "e", [new_item("a", n=1)])
        other = write(store, "d", [new_item("b", n=1)])
        second = write(store, "e", [new_item("a", n=2)])
        assert store.versions() == [first, other, second]
        assert store.versions("e") == [first, second]
        assert [version.number for version in store.versions()] == [1, 1, 2]
        assert store.versions("f") == []
