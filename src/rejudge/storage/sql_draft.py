"""A dataset version on its way into SQL, in constant memory.

As long as a draft repeats the newest version it only compares; a file that did not change is never
written again. From the first difference on its items go in group by group, each a short transaction of
its own, under a version that nobody sees before it is committed.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING

from sqlalchemy import select

from rejudge.domain.dataset import DatasetVersion, VersionDigest
from rejudge.domain.errors import StoreError
from rejudge.storage.cells import cell
from rejudge.storage.draft_rows import DraftRows, duplicate
from rejudge.storage.schema import items, members
from rejudge.storage.sql_versions import newest, version_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from rejudge.storage.database import Database
    from rejudge.storage.records import NewItem

_GROUP = 4096


class SqlDraft:
    """A version being written."""

    def __init__(self, database: Database, dataset: str, *, reference: Sequence[str], parent: int | None) -> None:
        self._database = database
        self._dataset = cell(dataset)
        self._reference = tuple(reference)
        self._parent = parent
        self._digest = VersionDigest(reference)
        self._lines = _Lines()
        self._count = 0
        self._open = True
        self._rows: DraftRows | None = None
        self._base: int | None = None
        with database.read() as connection:
            row = newest(connection, self._dataset)
            if row is not None and sorted(version_of(row).reference) == sorted(reference):
                self._base = row.id

    def add(self, items: Sequence[NewItem]) -> None:
        """Append items, each id once."""
        self._check_open()
        for start in range(0, len(items), _GROUP):
            group = _distinct(items[start : start + _GROUP])
            if self._rows is None:
                group = self._past_repetition(group)
            if group:
                self._append(group)

    def commit(self, *, fields: Sequence[str]) -> DatasetVersion:
        """Make it the newest version."""
        self._check_open()
        version = self._unchanged()
        if version is None:
            version = self._written().commit(
                self._digest.id(), parent=self._parent, size=self._count, fields=tuple(fields)
            )
        self._open = False
        return version

    def discard(self) -> None:
        """Forget what was added."""
        if self._open and self._rows is not None:
            self._rows.remove()
        self._open = False

    def _past_repetition(self, group: list[NewItem]) -> list[NewItem]:
        """Count in what repeats the newest version; returns the rest, from the first item on that does not."""
        if self._base is None:
            return group
        with self._database.read() as connection:
            page = iter(self._page(connection, len(group)))
            expected = next(page, None)
            for place, item in enumerate(group):
                if (cell(item.item_id), item.digest) == expected:
                    self._count_in(item)
                    expected = next(page, None)
                elif not self._repeats_earlier(connection, item):
                    return group[place:]
        return []

    def _page(self, connection: Connection, count: int) -> list[tuple[str, bytes]]:
        query = (
            select(items.c.item_id, items.c.digest)
            .join_from(members, items, items.c.id == members.c.item)
            .where(members.c.version == self._base)
            .where(members.c.position >= self._count, members.c.position < self._count + count)
            .order_by(members.c.position)
        )
        return [(item_id, digest) for item_id, digest in connection.execute(query)]

    def _repeats_earlier(self, connection: Connection, item: NewItem) -> bool:
        query = (
            select(items.c.digest, members.c.position)
            .join_from(items, members, members.c.item == items.c.id)
            .where(items.c.item_id == cell(item.item_id))
            .where(members.c.version == self._base, members.c.position < self._count)
        )
        earlier = connection.execute(query).first()
        if earlier is None:
            return False
        if earlier.digest != item.digest:
            raise duplicate(item, self._lines.at(earlier.position))
        return True

    def _append(self, group: list[NewItem]) -> None:
        """Write those that the draft does not have yet."""
        added = self._written().append(group, position=self._count, line_at=self._lines.at)
        for item in added:
            self._count_in(item)

    def _written(self) -> DraftRows:
        """The rows of this draft; from here on it is written, beginning with what it repeats."""
        if self._rows is None:
            rows = DraftRows.begin(self._database, self._dataset, reference=self._reference)
            try:
                if self._base is not None:
                    rows.copy(self._base, count=self._count)
            except BaseException:
                rows.remove()
                raise
            self._rows = rows
        return self._rows

    def _unchanged(self) -> DatasetVersion | None:
        """The newest version, if this draft repeats it to its end."""
        if self._rows is not None or self._base is None:
            return None
        with self._database.read() as connection:
            row = newest(connection, self._dataset)
        if row is None or row.id != self._base or row.size != self._count:
            return None
        return version_of(row) if self._parent in {None, row.number} else None

    def _count_in(self, item: NewItem) -> None:
        self._digest.add(item.item_id, item.digest)
        self._lines.add(self._count, item.line)
        self._count += 1

    def _check_open(self) -> None:
        if not self._open:
            raise StoreError("this draft was committed or discarded already", fix="begin another draft")


class _Lines:
    """The line of each position; a stretch of items on consecutive lines takes one entry."""

    def __init__(self) -> None:
        self._starts = array("q")
        self._distances = array("q")

    def add(self, position: int, line: int | None) -> None:
        distance = -1 - position if line is None else line - position
        if not self._distances or self._distances[-1] != distance:
            self._starts.append(position)
            self._distances.append(distance)

    def at(self, position: int) -> int | None:
        line = position + self._distances[bisect_right(self._starts, position) - 1]
        return line if line >= 0 else None


def _distinct(group: Sequence[NewItem]) -> list[NewItem]:
    """Each item once."""
    seen: dict[str, NewItem] = {}
    for item in group:
        earlier = seen.setdefault(item.item_id, item)
        if earlier.digest != item.digest:
            raise duplicate(item, earlier.line)
    return list(seen.values())
