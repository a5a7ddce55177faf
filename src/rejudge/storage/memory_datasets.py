"""Datasets in memory: each item content once, each version a sequence of refs."""

from __future__ import annotations

from dataclasses import dataclass
from time import time
from typing import TYPE_CHECKING

from rejudge.domain.dataset import Change, DatasetVersion, VersionDigest
from rejudge.domain.errors import DuplicateItem, NotFound, Place, StoreConflict, StoreError
from rejudge.storage.lookup import by_beginning, missing
from rejudge.storage.records import NewItem, StoredItem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class _Version:
    record: DatasetVersion
    refs: dict[str, int]
    order: tuple[int, ...]


class MemoryDraft:
    """A version on its way; it touches the store only when it is committed."""

    def __init__(
        self,
        dataset: str,
        *,
        reference: Sequence[str],
        parent: int | None,
        commit: Callable[[MemoryDraft, Sequence[str]], DatasetVersion],
    ) -> None:
        self.dataset = dataset
        self.reference = tuple(reference)
        self.parent = parent
        self.items: dict[str, NewItem] = {}
        self._digest = VersionDigest(self.reference)
        self._commit = commit
        self._open = True

    @property
    def version_id(self) -> str:
        """The content id of what was added so far."""
        return self._digest.id()

    def add(self, items: Sequence[NewItem]) -> None:
        """Append items, each id once."""
        self._check_open()
        for item in items:
            earlier = self.items.get(item.item_id)
            if earlier is None:
                self.items[item.item_id] = item
                self._digest.add(item.item_id, item.digest)
            elif earlier.digest != item.digest:
                raise _duplicate(earlier, item)

    def commit(self, *, fields: Sequence[str]) -> DatasetVersion:
        """Make it the newest version."""
        self._check_open()
        version = self._commit(self, fields)
        self.discard()
        return version

    def discard(self) -> None:
        """Forget what was added."""
        self._open = False
        self.items = {}

    def _check_open(self) -> None:
        if not self._open:
            raise StoreError("this draft was committed or discarded already", fix="begin another draft")


class MemoryDatasets:
    """All datasets of one store; its caller holds the lock."""

    def __init__(self) -> None:
        self._items: list[tuple[str, bytes]] = []
        self._refs: dict[tuple[str, bytes], int] = {}
        self._versions: list[_Version] = []

    def commit(self, draft: MemoryDraft, fields: Sequence[str]) -> DatasetVersion:
        """Number a draft, unless its parent is not the newest version any more or the newest is equal to it."""
        newest = self._newest(draft.dataset)
        number = newest.record.number if newest else 0
        if draft.parent is not None and draft.parent != number:
            raise StoreConflict(
                f"dataset {draft.dataset!r} is at version {number}, and this draft was to follow {draft.parent}",
                fix="read the newest version and make the change again",
            )
        if newest is not None and newest.record.id == draft.version_id:
            return newest.record
        refs = {item.item_id: self._ref(item) for item in draft.items.values()}
        kinds = [change.kind for change in _changes(newest.refs if newest else {}, refs)]
        record = DatasetVersion(
            id=draft.version_id,
            dataset=draft.dataset,
            number=number + 1,
            count=len(refs),
            added=kinds.count("added"),
            modified=kinds.count("modified"),
            deleted=kinds.count("deleted"),
            reference=draft.reference,
            fields=tuple(fields),
            created_at=time(),
        )
        self._versions.append(_Version(record, refs, tuple(refs.values())))
        return record

    def version(self, dataset: str, number: int | None) -> DatasetVersion:
        """One version by its number, or the newest."""
        numbered = {record.number: record for record in self.versions(dataset)}
        if not numbered:
            raise missing("dataset", dataset, {version.record.dataset for version in self._versions})
        wanted = max(numbered) if number is None else number
        if wanted not in numbered:
            raise NotFound(f"dataset {dataset!r} has no version {wanted}", fix=f"its newest is {max(numbered)}")
        return numbered[wanted]

    def find(self, version_id: str) -> DatasetVersion:
        """The newest version with this content id or beginning of one."""
        by_id = {version.record.id: version.record for version in self._versions}
        return by_id[by_beginning("dataset version", version_id, by_id)]

    def versions(self, dataset: str | None = None) -> list[DatasetVersion]:
        """All versions, or those of one dataset, oldest first."""
        return [version.record for version in self._versions if dataset is None or version.record.dataset == dataset]

    def items(self, version_id: str, start: int, count: int) -> list[StoredItem]:
        """A page of a version's items."""
        page = self._content(version_id).order[start : start + count]
        return [StoredItem(ref, start + place, *self.item(ref)) for place, ref in enumerate(page)]

    def changes(self, older: str, newer: str) -> list[Change]:
        """The differences between two versions."""
        return _changes(self._content(older).refs, self._content(newer).refs)

    def item(self, ref: int) -> tuple[str, bytes]:
        """The id and the stored fields of an item."""
        return self._items[ref - 1]

    def knows(self, ref: int) -> bool:
        """Whether this is the ref of an item."""
        return 0 < ref <= len(self._items)

    def _ref(self, item: NewItem) -> int:
        ref = self._refs.setdefault((item.item_id, item.digest), len(self._items) + 1)
        if ref > len(self._items):
            self._items.append((item.item_id, item.body))
        return ref

    def _newest(self, dataset: str) -> _Version | None:
        return next((version for version in reversed(self._versions) if version.record.dataset == dataset), None)

    def _content(self, version_id: str) -> _Version:
        found = next((version for version in self._versions if version.record.id == version_id), None)
        if found is None:
            raise missing("dataset version", version_id, {version.record.id for version in self._versions})
        return found


def _changes(older: dict[str, int], newer: dict[str, int]) -> list[Change]:
    changes = [
        Change(kind="modified" if item_id in older else "added", item_id=item_id)
        for item_id, ref in newer.items()
        if older.get(item_id) != ref
    ]
    changes += [Change(kind="deleted", item_id=item_id) for item_id in older if item_id not in newer]
    return changes


def _duplicate(earlier: NewItem, later: NewItem) -> DuplicateItem:
    lines = "" if earlier.line is None or later.line is None else f", in rows {earlier.line} and {later.line}"
    return DuplicateItem(
        f"the same id comes twice with different content{lines}",
        where=Place(line=later.line, item=later.item_id),
        fix="give them ids of their own, or leave one out",
    )
