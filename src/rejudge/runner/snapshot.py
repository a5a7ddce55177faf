"""The snapshot that an evaluation reads from: rows go into the store before the first task call."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from rejudge.datasets.rows import check_reference, entries_of
from rejudge.datasets.selection import Selection
from rejudge.domain.errors import DuplicateItem, Place
from rejudge.storage.records import NewItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rejudge.datasets.rows import Entry, RowSpec
    from rejudge.domain.dataset import DatasetVersion
    from rejudge.files.row import Row
    from rejudge.storage.store import DatasetStore, VersionDraft

ALL = Selection()

GROUP = 2_048
"""Items that go to the store at a time, unless they are large."""

GROUP_BYTES = 4 << 20
"""How large a group grows before it goes to the store, and so about what a snapshot holds in memory."""


class Snapshot:
    """What is to be stored as a version that holds these items and nothing else; the newest one where it is the same.

    Of the rows those are items that `selection` takes; what is declared as reference may stand in any of them. Anything
    wrong with any row raises and leaves the store as it was. `file` is where the rows come from.
    """

    def __init__(
        self, entries: Iterable[Entry], *, dataset: str, reference: Sequence[str], selection: Selection, file: str = ""
    ) -> None:
        self._dataset = dataset
        self._reference = tuple(reference)
        self._file = file
        self._read: dict[str, None] = {}
        self._entries = selection.of(self._noted(entries)) if selection.selects else entries
        self._selects = selection.selects

    def store(self, store: DatasetStore) -> DatasetVersion:
        """Store it."""
        draft, names = store.draft(self._dataset, reference=self._reference), dict[str, None]()
        with _discarded_on_error(draft):
            for _ in _added(draft, self._entries, names, self._file):
                pass
            return self._committed(draft, names)

    async def store_on_loop(self, store: DatasetStore) -> DatasetVersion:
        """Store it, and let other work on the event loop happen after each group."""
        draft, names = store.draft(self._dataset, reference=self._reference), dict[str, None]()
        with _discarded_on_error(draft):
            for _ in _added(draft, self._entries, names, self._file):
                await asyncio.sleep(0)
            return self._committed(draft, names)

    def _noted(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        for entry in entries:
            self._read.update(dict.fromkeys(entry.fields))
            yield entry

    def _committed(self, draft: VersionDraft, names: dict[str, None]) -> DatasetVersion:
        known = self._read if self._selects else names
        if known:
            check_reference(self._reference, known)
        return draft.commit(fields=tuple(names))


def snapshot(
    store: DatasetStore, rows: Iterable[Row], *, dataset: str, spec: RowSpec, selection: Selection = ALL, file: str = ""
) -> DatasetVersion:
    """The version that holds the selected ones of these rows and nothing else."""
    entries = entries_of(rows, spec, file=file)
    taken = Snapshot(entries, dataset=dataset, reference=spec.reference, selection=selection, file=file)
    return taken.store(store)


async def snapshot_on_loop(
    store: DatasetStore, rows: Iterable[Row], *, dataset: str, spec: RowSpec, selection: Selection = ALL, file: str = ""
) -> DatasetVersion:
    """`snapshot` that lets other work on the event loop happen after each group."""
    entries = entries_of(rows, spec, file=file)
    taken = Snapshot(entries, dataset=dataset, reference=spec.reference, selection=selection, file=file)
    return await taken.store_on_loop(store)


def write(draft: VersionDraft, entries: Iterable[Entry], *, declared: Sequence[str], file: str = "") -> DatasetVersion:
    """The version that a draft becomes with these items; whatever goes wrong discards it.

    `declared` are the reference fields of which at least one item must have each.
    """
    names: dict[str, None] = {}
    with _discarded_on_error(draft):
        for _ in _added(draft, entries, names, file):
            pass
        return _committed(draft, names, declared)


@contextmanager
def _discarded_on_error(draft: VersionDraft) -> Iterator[None]:
    try:
        yield
    except BaseException:
        draft.discard()
        raise


def _added(draft: VersionDraft, entries: Iterable[Entry], names: dict[str, None], file: str) -> Iterator[None]:
    for group in _groups(_new_items(entries, names)):
        try:
            draft.add(group)
        except DuplicateItem as error:
            raise _placed(error, file) from None
        yield


def _groups(items: Iterable[NewItem]) -> Iterator[list[NewItem]]:
    group: list[NewItem] = []
    size = 0
    for item in items:
        group.append(item)
        size += len(item.body)
        if len(group) == GROUP or size >= GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _new_items(entries: Iterable[Entry], names: dict[str, None]) -> Iterator[NewItem]:
    for item_id, digest, body, fields, line in entries:
        if not fields.keys() <= names.keys():
            names.update(dict.fromkeys(fields))
        yield NewItem(item_id, digest, body, line)


def _committed(draft: VersionDraft, names: dict[str, None], declared: Sequence[str]) -> DatasetVersion:
    if names:
        check_reference(declared, names)
    return draft.commit(fields=tuple(names))


def _placed(error: DuplicateItem, file: str) -> DuplicateItem:
    where = replace(error.where or Place(), file=file)
    fix = error.fix
    if where.item.startswith("item-"):
        fix = "rows without ids that are given the same count as one item; give them ids"
    return DuplicateItem(error.what, where=where, fix=fix)
