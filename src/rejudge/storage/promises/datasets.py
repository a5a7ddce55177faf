"""What a store promises about writing versions of a dataset."""

from __future__ import annotations

import pytest

from rejudge.domain.errors import DuplicateItem, NotFound, StoreConflict, StoreError
from rejudge.domain.payload import decode, encode
from rejudge.storage.promises.scene import StoreTests, new_item, write
from rejudge.storage.records import NewItem
from rejudge.storage.store import Store

STRANGE = ["\ud800 alone", "\x00", "\x01 first", "a\x00b", "Ω 🙂", "", "  ", "'; DROP TABLE items; --", "%_\\"]
"""Text that a back end may not be able to hold as it is."""


class DatasetPromises(StoreTests):
    """Drafts: nothing is visible before the commit, and everything is as it was added afterwards."""

    def test_a_committed_draft_is_read_back_item_by_item(self, store: Store) -> None:
        draft = store.draft("d", reference=["gold"])
        draft.add([new_item("b", question="?", gold=1), new_item("a", question="!", gold=1.0)])
        version = draft.commit(fields=["question", "gold"])
        assert (version.dataset, version.number, version.count) == ("d", 1, 2)
        assert (version.reference, version.fields) == (("gold",), ("question", "gold"))
        assert (version.added, version.modified, version.deleted) == (2, 0, 0)
        assert store.version("d") == version
        items = store.items(version.id, start=0, count=10)
        assert [(item.position, item.item_id) for item in items] == [(0, "b"), (1, "a")]
        assert [decode(item.body) for item in items] == [{"question": "?", "gold": 1}, {"question": "!", "gold": 1.0}]

    def test_items_keep_the_order_in_which_they_came_over_many_groups(self, store: Store) -> None:
        draft = store.draft("d")
        ids = [f"item {number * 7919 % 1300}" for number in range(1300)]
        for start in range(0, 1300, 100):
            draft.add([new_item(item_id, n=item_id) for item_id in ids[start : start + 100]])
        version = draft.commit(fields=["n"])
        assert [item.item_id for item in store.items(version.id, start=0, count=2000)] == ids

    def test_an_item_that_comes_again_unchanged_is_dropped(self, store: Store) -> None:
        draft = store.draft("d")
        draft.add([new_item("a", n=1, line=1), new_item("b", n=2, line=2), new_item("a", n=1, line=3)])
        draft.add([new_item("b", n=2, line=4), new_item("c", n=3, line=5)])
        version = draft.commit(fields=["n"])
        assert version.count == version.added == 3
        assert [item.item_id for item in store.items(version.id, start=0, count=9)] == ["a", "b", "c"]

    def test_an_id_that_comes_again_with_other_content_is_refused_with_both_lines(self, store: Store) -> None:
        draft = store.draft("d")
        with pytest.raises(DuplicateItem) as within:
            draft.add([new_item("a", n=1, line=17), new_item("b", n=1, line=18), new_item("a", n=2, line=19)])
        assert all(part in str(within.value) for part in ("17", "19", "'a'"))

        draft = store.draft("d")
        draft.add([new_item("a", n=1, line=31)])
        with pytest.raises(DuplicateItem) as across:
            draft.add([new_item("a", n=1.0, line=45)])
        assert all(part in str(across.value) for part in ("31", "45", "'a'"))

    def test_a_refused_draft_leaves_nothing_behind(self, store: Store) -> None:
        draft = store.draft("d")
        with pytest.raises(DuplicateItem):
            draft.add([new_item("a", n=1), new_item("a", n=2)])
        draft.discard()
        assert store.versions() == []
        assert write(store, "d", [new_item("a", n=2)]).number == 1

    def test_equal_content_under_two_ids_is_two_items(self, store: Store) -> None:
        version = write(store, "d", [new_item("a", n=1), new_item("b", n=1)])
        first, second = store.items(version.id, start=0, count=9)
        assert (first.item_id, second.item_id) == ("a", "b")
        assert first.body == second.body
        assert first.ref != second.ref

    def test_an_item_keeps_its_ref_while_its_content_stays(self, store: Store) -> None:
        older = write(store, "d", [new_item("a", n=1), new_item("b", n=1)])
        newer = write(store, "d", [new_item("b", n=2), new_item("a", n=1)])
        refs = {(item.item_id, item.body): item.ref for item in store.items(older.id, start=0, count=9)}
        for item in store.items(newer.id, start=0, count=9):
            known = refs.get((item.item_id, item.body))
            assert (item.item_id == "a") == (known == item.ref)

    def test_a_draft_in_progress_is_invisible(self, store: Store) -> None:
        draft = store.draft("d")
        draft.add([new_item("a", n=1)])
        assert store.versions() == store.versions("d") == []
        with pytest.raises(NotFound):
            store.version("d")
        version = draft.commit(fields=["n"])
        assert store.versions() == [version]

    def test_a_discarded_draft_is_forgotten(self, store: Store) -> None:
        kept = write(store, "d", [new_item("a", n=1)])
        draft = store.draft("d")
        draft.add([new_item("b", n=2)])
        draft.discard()
        assert store.versions() == [kept]
        assert write(store, "d", [new_item("c", n=3)]).number == 2

    def test_an_empty_version_is_a_version(self, store: Store) -> None:
        version = write(store, "d", [])
        assert (version.number, version.count) == (1, 0)
        assert store.items(version.id, start=0, count=9) == []

    def test_a_version_equal_to_the_newest_is_that_one(self, store: Store) -> None:
        first = write(store, "d", [new_item("a", n=1), new_item("b", n=2)])
        again = write(store, "d", [new_item("a", n=1), new_item("b", n=2), new_item("a", n=1)])
        assert again == first
        assert store.versions("d") == [first]

    def test_another_order_or_another_reference_is_another_version(self, store: Store) -> None:
        items = [new_item("a", n=1), new_item("b", n=2)]
        first = write(store, "d", items)
        turned = write(store, "d", items[::-1])
        declared = write(store, "d", items[::-1], reference=["n"])
        assert [version.number for version in (first, turned, declared)] == [1, 2, 3]
        assert len({first.id, turned.id, declared.id}) == 3
        assert [(one.added, one.modified, one.deleted) for one in (turned, declared)] == [(0, 0, 0)] * 2

    def test_a_version_equal_to_an_older_one_is_new_again(self, store: Store) -> None:
        first = write(store, "d", [new_item("a", n=1)])
        write(store, "d", [new_item("a", n=2)])
        back = write(store, "d", [new_item("a", n=1)])
        assert (back.number, back.id) == (3, first.id)
        assert store.version("d") == back

    def test_an_item_that_was_deleted_can_be_inserted_again(self, store: Store) -> None:
        write(store, "d", [new_item("a", n=1), new_item("b", n=2)])
        without = write(store, "d", [new_item("a", n=1)])
        again = write(store, "d", [new_item("a", n=1), new_item("b", n=2)])
        assert (without.deleted, again.added, again.count) == (1, 1, 2)

    def test_a_parent_that_moved_on_is_a_conflict(self, store: Store) -> None:
        first = write(store, "d", [new_item("a", n=1)], parent=0)
        late = store.draft("d", parent=1)
        late.add([new_item("a", n=3)])
        second = write(store, "d", [new_item("a", n=2)], parent=1)
        with pytest.raises(StoreConflict, match="next:"):
            late.commit(fields=["n"])
        with pytest.raises(StoreConflict):
            write(store, "d", [new_item("a", n=4)], parent=0)
        with pytest.raises(StoreConflict):
            write(store, "d", [new_item("a", n=4)], parent=3)
        assert store.versions("d") == [first, second]
        assert write(store, "d", [new_item("a", n=4)], parent=2).number == 3

    def test_drafts_without_a_parent_follow_whichever_is_newest(self, store: Store) -> None:
        one, other = store.draft("d"), store.draft("d")
        one.add([new_item("a", n=1)])
        other.add([new_item("b", n=2)])
        assert other.commit(fields=["n"]).number == 1
        second = one.commit(fields=["n"])
        assert (second.number, second.added, second.deleted) == (2, 1, 1)

    def test_drafts_of_two_datasets_do_not_mix(self, store: Store) -> None:
        one, other = store.draft("d"), store.draft("e")
        one.add([new_item("a", n=1)])
        other.add([new_item("a", n=2)])
        for draft, number in ((one, 1), (other, 2)):
            (item,) = store.items(draft.commit(fields=["n"]).id, start=0, count=9)
            assert decode(item.body) == {"n": number}

    def test_any_text_can_be_an_id_a_name_and_a_value(self, store: Store) -> None:
        items = [NewItem(text, bytes([place]) * 32, encode({"q": text})) for place, text in enumerate(STRANGE)]
        for name in filter(None, STRANGE):
            assert write(store, name, items) == store.version(name)
        read = store.items(store.versions()[0].id, start=0, count=99)
        assert [item.item_id for item in read] == STRANGE
        assert [decode(item.body) for item in read] == [{"q": text} for text in STRANGE]
        with pytest.raises(DuplicateItem):
            write(store, "d", [new_item("\ud800", n=1), new_item("\ud800", n=2)])

    def test_a_finished_draft_takes_no_more(self, store: Store) -> None:
        draft = store.draft("d")
        draft.commit(fields=[])
        with pytest.raises(StoreError):
            draft.add([new_item("a", n=1)])
