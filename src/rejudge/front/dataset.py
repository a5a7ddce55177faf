"""A dataset as people handle it: every change makes a new version, and no version ever changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from rejudge.datasets.edit import ItemChange, changed_fields, replacements, revised
from rejudge.datasets.rows import RowSpec, entries_of, stored_entry
from rejudge.datasets.source import source_of
from rejudge.domain.errors import DuplicateItem, NotFound, Place, StoreConflict, UnknownName
from rejudge.domain.item import Item, stated_id
from rejudge.domain.payload import decode
from rejudge.runner.snapshot import write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rejudge.datasets.rows import Entry
    from rejudge.domain.dataset import DatasetVersion
    from rejudge.storage.records import StoredItem
    from rejudge.storage.store import DatasetStore

PAGE = 512
"""Items that are read at a time."""

NAMED = 1_000
"""Items from the beginning among which an unknown id's nearest is looked for; comparing texts is slow."""

TRIES = 100
"""How often an edit begins again because another process was faster; each time, that other one got on."""


class DatasetHandle:
    """One dataset of a store, by its name.

    Rows are given as a path, a data frame, an Arrow table or records; an iterator is read to its end at once.
    An edit is whole or not at all, and loses nothing that another process does at the same time.
    `reference` declares the fields that no task is given; left out, the newest version's declaration stands.
    """

    def __init__(self, store: DatasetStore, name: str, *, reference: Sequence[str] = ()) -> None:
        self.name = name
        self._store = store
        self._reference = tuple(reference)

    def __repr__(self) -> str:
        count = len(self)
        return f"<dataset {self.name!r}, {count} {'item' if count == 1 else 'items'}>"

    def __len__(self) -> int:
        newest = self._newest()
        return newest.count if newest else 0

    def insert(self, rows: object, *, id: str | None = None, fields: Mapping[str, str] | None = None) -> DatasetVersion:
        """Append rows as items; one that is there already, or comes twice, is one item.

        `id` is the path of a row's id and `fields` the path of each field by its name, as in `RowSpec`. Raises
        DuplicateItem for an id that has other content already.
        """
        source = source_of(_lasting(rows))

        def edited(base: _Base) -> Iterator[Entry]:
            yield from base.entries(lambda old: old)
            yield from entries_of(source.rows(), base.spec(id, fields), file=source.file)

        try:
            return self._revise(edited, file=source.file)
        except DuplicateItem as error:
            raise self._explained(error) from None

    def update(self, rows: object, *, id: str | None = None, fields: Mapping[str, str] | None = None) -> DatasetVersion:
        """Replace all fields of items by those of the rows that have their ids; each keeps its position.

        An item whose id was derived gets a new id with new content, unless only its reference fields or annotations
        change. A row without an id replaces the item that is given the same. Raises UnknownName for an unknown id.
        """
        source = source_of(_lasting(rows))

        def edited(base: _Base) -> Iterator[Entry]:
            wanted = replacements(entries_of(source.rows(), base.spec(id, fields), file=source.file), file=source.file)
            yield from base.entries(lambda old: wanted.pop(old.item_id, old))
            if wanted:
                unknown = next(iter(wanted.values()))
                raise self._unknown(unknown.item_id, Place(file=source.file, line=unknown.line))

        return self._revise(edited, file=source.file)

    def delete(self, ids: str | int | Iterable[str | int]) -> DatasetVersion:
        """Leave out the items with these ids; raises UnknownName, and deletes none, where one is unknown."""
        given = [ids] if isinstance(ids, str | int) else ids
        doomed = dict.fromkeys(map(stated_id, given))

        def edited(base: _Base) -> Iterator[Entry]:
            missing = dict(doomed)

            def without(old: Entry) -> Entry | None:
                missing.pop(old.item_id, None)
                return None if old.item_id in doomed else old

            yield from base.entries(without)
            if missing:
                raise self._unknown(next(iter(missing)))

        return self._revise(edited)

    def version(self, number: int | None = None) -> DatasetVersion:
        """One version by its number, from 1, or the newest; raises NotFound."""
        return self._store.version(self.name, number)

    def versions(self) -> list[DatasetVersion]:
        """All versions, oldest first."""
        return self._store.versions(self.name)

    def diff(self, older: int, newer: int | None = None) -> list[ItemChange]:
        """What differs between two versions (left out, `newer` is the newest), item by item."""
        first, second = self.version(older), self.version(newer)
        changes = list(self._store.changes(first.id, second.id))
        modified = {change.item_id for change in changes if change.kind == "modified"}
        fields: dict[str, tuple[str, ...]] = {}
        if modified:
            before = {item.id: item for item in _items(self._store, first) if item.id in modified}
            after = (item for item in _items(self._store, second) if item.id in modified)
            fields = {item.id: changed_fields(before[item.id], item) for item in after}
        return [
            ItemChange(kind=change.kind, item_id=change.item_id, fields=fields.get(change.item_id, ()))
            for change in changes
        ]

    def items(self, version: int | None = None) -> Iterator[Item]:
        """The items of one version, or of the one that is the newest now, in order and read as they are asked for."""
        chosen = self._newest() if version is None else self.version(version)
        return _items(self._store, chosen) if chosen else iter(())

    def to_list(self, version: int | None = None) -> list[dict[str, object]]:
        """The items as rows that `insert` and `update` take: the fields of each, and its id as `id`.

        A field `id` that is something else than the item's id stays what it is.
        """
        return [{"id": item.id, **item.fields} for item in self.items(version)]

    def _newest(self) -> DatasetVersion | None:
        try:
            return self._store.version(self.name)
        except NotFound:
            return None

    def _revise(self, edited: Callable[[_Base], Iterator[Entry]], *, file: str = "") -> DatasetVersion:
        tries = 0
        while True:
            base = _Base(self._store, self._newest(), self._reference)
            draft = self._store.draft(self.name, reference=base.reference, parent=base.number)
            try:
                return write(draft, edited(base), declared=base.declared, file=file)
            except StoreConflict:
                tries += 1
                if tries == TRIES:
                    raise

    def _explained(self, error: DuplicateItem) -> DuplicateItem:
        """The error of an insertion; an id that is there already is another matter than one that comes twice."""
        where = error.where or Place()
        if where.line is None or all(item.id != where.item for item in self.items()):
            return error
        what, fix = "an item with this id is there and has other content", "use update() to replace it"
        if where.item.startswith("item-"):
            what = "an item that is given the same is there and differs in the rest"
            fix = "use update() to correct it, or give the row an id of its own"
        return DuplicateItem(what, where=where, fix=fix)

    def _unknown(self, item_id: str, where: Place | None = None) -> UnknownName:
        newest = self._newest()
        known = [item.item_id for item in self._store.items(newest.id, start=0, count=NAMED)] if newest else []
        return UnknownName.among("item", item_id, known, where=where)


class _Base:
    """The version that an edit starts from, and what is declared as reference after it."""

    def __init__(self, store: DatasetStore, version: DatasetVersion | None, reference: tuple[str, ...]) -> None:
        self._store = store
        self._version = version
        self._was = version.reference if version else ()
        self.number = version.number if version else 0
        self.reference = reference or self._was

    @property
    def declared(self) -> tuple[str, ...]:
        """The reference fields, unless an earlier version that declares the same shows that they exist."""
        earlier = self._store.versions(self._version.dataset) if self._version else []
        proven = any(version.count and set(version.reference) == set(self.reference) for version in earlier)
        return () if proven else self.reference

    def spec(self, id: str | None, fields: Mapping[str, str] | None) -> RowSpec:
        """How the rows of the edit are read."""
        return RowSpec(id=id, fields=fields, reference=self.reference)

    def entries(self, change: Callable[[Entry], Entry | None]) -> Iterator[Entry]:
        """What stands in the place of each item after `change`; None takes it out."""
        for page in _pages(self._store, self._version) if self._version else ():
            for stored in page:
                old = stored_entry(stored.item_id, stored.body)
                new = change(old)
                if new is not None:
                    yield revised(old, new, was=self._was, now=self.reference)


def _pages(store: DatasetStore, version: DatasetVersion) -> Iterator[list[StoredItem]]:
    for start in range(0, version.count, PAGE):
        yield store.items(version.id, start=start, count=PAGE)


def stored_items(store: DatasetStore, version: DatasetVersion) -> Iterator[StoredItem]:
    """The items of a version as they are stored, in order and read as they are asked for."""
    for page in _pages(store, version):
        yield from page


def _items(store: DatasetStore, version: DatasetVersion) -> Iterator[Item]:
    for page in _pages(store, version):
        for stored in page:
            yield Item(id=stored.item_id, fields=cast("dict[str, object]", decode(stored.body)))


def _lasting(rows: object) -> object:
    """Rows that can be read again when the edit has to begin again."""
    return list(rows) if isinstance(rows, Iterator) else rows
