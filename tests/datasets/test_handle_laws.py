"""Any sequence of edits gives what the same edits give to a plain dict."""

from __future__ import annotations

import copy
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from rejudge.datasets.edit import ItemChange
from rejudge.domain.errors import DuplicateItem, UnknownName
from rejudge.domain.item import Item, content, derived_id
from rejudge.front.dataset import DatasetHandle
from rejudge.storage.memory import MemoryStore
from rejudge.storage.sqlite import open_sqlite
from rejudge.storage.store import Store
from tests.domain.values import told_apart

Fields = dict[str, object]

values = st.sampled_from([1, 1.0, 2, "x", None, [1]])
contents = st.fixed_dictionaries({"q": values}, optional={"gold": values, "tags": values})
names = st.sampled_from(["a", "b", "c"])
unnamed_rows = contents
named_rows = st.builds(lambda name, fields: {"id": name, **fields}, names, contents)
some_rows = st.lists(unnamed_rows | named_rows, max_size=4)

REFERENCE = ("gold",)


def item_id(row: Fields) -> str:
    return str(row["id"]) if "id" in row else derived_id(row, reference=REFERENCE)


def is_named(name: str) -> bool:
    return not name.startswith("item-")


class Model:
    """A dataset as an ordered dict of id and fields."""

    def __init__(self) -> None:
        self.items: dict[str, Fields] = {}

    def insert(self, rows: list[Fields]) -> bool:
        """Whether the rows may be inserted."""
        after = dict(self.items)
        for row in rows:
            earlier = after.setdefault(item_id(row), row)
            if told_apart(earlier) != told_apart(row):
                return False
        self.items = after
        return True

    def update(self, rows: dict[str, Fields]) -> bool:
        """Whether the items of these ids may have these fields instead."""
        if not rows.keys() <= self.items.keys():
            return False
        after: dict[str, Fields] = {}
        for name, fields in self.items.items():
            new = fields
            if name in rows:
                new = {"id": name, **rows[name]} if is_named(name) else rows[name]
            earlier = after.setdefault(item_id(new), new)
            if told_apart(earlier) != told_apart(new):
                return False
        self.items = after
        return True

    def delete(self, ids: list[str]) -> bool:
        """Whether all of these are there."""
        if not set(ids) <= self.items.keys():
            return False
        self.items = {name: fields for name, fields in self.items.items() if name not in ids}
        return True


class Edits(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.store = self.opened()
        self.dataset = DatasetHandle(self.store, "d", reference=REFERENCE)
        self.model = Model()
        first: Fields = {"id": "first", "q": 1, "gold": 1}  # which shows that there is such a reference field
        self.dataset.insert([first])
        self.model.insert([first])
        self.seen: dict[int, list[Item]] = {}

    def opened(self) -> Store:
        return MemoryStore()

    def teardown(self) -> None:
        self.store.close()

    @rule(rows=some_rows)
    def insert(self, rows: list[Fields]) -> None:
        if self.model.insert(rows):
            self.dataset.insert(rows)
        else:
            with pytest.raises(DuplicateItem):
                self.dataset.insert(rows)

    @rule(data=st.data(), fields=st.lists(contents, min_size=1, max_size=3), strange=st.booleans())
    def update(self, data: st.DataObject, fields: list[Fields], strange: bool) -> None:
        known = [*self.model.items, *(["nobody"] if strange else [])]
        if not known:
            return
        rows = {data.draw(st.sampled_from(known)): one for one in fields}
        given = [{"id": name, **one} for name, one in rows.items()]
        if self.model.update(rows):
            self.dataset.update(given)
        else:
            with pytest.raises(UnknownName if "nobody" in rows else DuplicateItem):
                self.dataset.update(given)

    @rule(data=st.data(), strange=st.booleans())
    def delete(self, data: st.DataObject, strange: bool) -> None:
        known = [*self.model.items, *(["nobody"] if strange else [])]
        ids = data.draw(st.lists(st.sampled_from(known), max_size=3)) if known else []
        if self.model.delete(ids):
            self.dataset.delete(ids)
        else:
            with pytest.raises(UnknownName):
                self.dataset.delete(ids)

    @invariant()
    def it_holds_what_the_model_holds(self) -> None:
        found = [(item.id, told_apart(item.fields)) for item in self.dataset.items()]
        assert found == [(name, told_apart(fields)) for name, fields in self.model.items.items()]
        assert len(self.dataset) == len(found)

    @invariant()
    def earlier_versions_are_what_they_were(self) -> None:
        for version in self.dataset.versions():
            items = list(self.dataset.items(version.number))
            assert items == self.seen.setdefault(version.number, copy.deepcopy(items))
            assert len(items) == version.count
            assert {name for item in items for name in item.fields} == set(version.fields)

    @invariant()
    def a_diff_applied_to_an_older_version_gives_the_newest(self) -> None:
        newest = {item.id: content(item.id, item.fields) for item in self.dataset.items()}
        for version in self.dataset.versions():
            state = {item.id: content(item.id, item.fields) for item in self.dataset.items(version.number)}
            for change in self.dataset.diff(version.number):
                apply(change, state, newest)
            assert told_apart(state) == told_apart(newest)


def apply(change: ItemChange, state: dict[str, Fields], newest: dict[str, Fields]) -> None:
    """Take over from `newest` what the change says has changed, and nothing else."""
    match change.kind:
        case "deleted":
            del state[change.item_id]
        case "added":
            assert change.item_id not in state
            state[change.item_id] = newest[change.item_id]
        case "modified":
            assert change.fields
            for name in change.fields:
                state[change.item_id].pop(name, None)
                if name in newest[change.item_id]:
                    state[change.item_id][name] = newest[change.item_id][name]
        case _:
            raise AssertionError(change)


class SqliteEdits(Edits):
    def opened(self) -> Store:
        self.folder = TemporaryDirectory()
        return open_sqlite(Path(self.folder.name, "store.db"))

    def teardown(self) -> None:
        super().teardown()
        self.folder.cleanup()


TestEdits = Edits.TestCase
TestEdits.settings = settings(stateful_step_count=8, max_examples=60)

TestSqliteEdits = SqliteEdits.TestCase
TestSqliteEdits.settings = settings(stateful_step_count=8, max_examples=8)
