"""The snapshot that an evaluation reads from: rows go into the store before the first task call."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from rejudge.datasets.rows import check_reference, entries_of
from rejudge.domain.errors import DuplicateItem, Place
from rejudge.storage.records import NewItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rejudge.datasets.rows import Entry, RowSpec
    from rejudge.domain.dataset import DatasetVersion
    from rejudge.files.row import Row
    from rejudge.storage.store import DatasetStore, VersionDraft

GROUP = 2_048
"""Items that go to the store at a time, unless they are large."""

GROUP_BYTES = 4 << 20
"""How large a group grows before it goes to the store, and so about what a snapshot holds in memory."""


def snapshot(
    store: DatasetStore, rows: Iterable[Row], *, dataset: str, spec: RowSpec, file: str = ""
) -> DatasetVersion:
    """The version that holds these rows and nothing else; the newest one where that is the same.

    Anything wrong with any row raises and leaves the store as it was. `file` is where the rows come from.
    """
    draft = store.draft(dataset, reference=spec.reference)
    return write(draft, entries_of(rows, spec, file=file), declared=spec.reference, file=file)


async def snapshot_on_loop(
    store: DatasetStore, rows: Iterable[Row], *, dataset: str, spec: RowSpec, file: str = ""
) -> DatasetVersion:
    """`snapshot` that lets other work on the event loop happen after each group."""
    draft = store.draft(dataset, reference=spec.reference)
    names: dict[str, None] = {}
    with _discarded_on_error(draft):
        for _ in _added(draft, entries_of(rows, spec, file=file), names, file):
            await asyncio.sleep(0)
        return _committed(draft, names, spec.reference)


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
