"""Datasets in SQL: each item content once, each version a list of positions and items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select

from rejudge.domain.dataset import Change, DatasetVersion
from rejudge.storage.bulk import tuples
from rejudge.storage.cells import cell, text_of
from rejudge.storage.item_rows import item_body
from rejudge.storage.lookup import by_beginning, missing
from rejudge.storage.payloads import load_payloads
from rejudge.storage.records import StoredItem
from rejudge.storage.schema import items, members, versions
from rejudge.storage.sql_draft import SqlDraft
from rejudge.storage.sql_versions import deleted_from, in_version, new_in, version_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection

    from rejudge.storage.bulk import AnySelect
    from rejudge.storage.database import Database

_PAGE = 50_000


_items = (
    select(items.c.id, members.c.position, items.c.item_id, items.c.body, items.c.body_payload)
    .join_from(members, items, items.c.id == members.c.item)
    .where(members.c.version == bindparam("version"))
    .where(members.c.position >= bindparam("start"), members.c.position < bindparam("stop"))
    .order_by(members.c.position)
)
_version = select(versions.c.id).where(versions.c.version_id == bindparam("version")).order_by(versions.c.id).limit(1)


class SqlDatasets:
    """Datasets and their versions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def draft(self, dataset: str, *, reference: Sequence[str] = (), parent: int | None = None) -> SqlDraft:
        """Begin a version."""
        return SqlDraft(self._database, dataset, reference=reference, parent=parent)

    def version(self, dataset: str, number: int | None = None) -> DatasetVersion:
        """One version by its number, or the newest."""
        numbered = {version.number: version for version in self.versions(dataset)}
        if not numbered:
            raise missing("dataset", dataset, {version.dataset for version in self.versions()})
        wanted = max(numbered) if number is None else number
        if wanted not in numbered:
            raise missing(f"version of dataset {dataset!r} numbered", str(wanted), [str(known) for known in numbered])
        return numbered[wanted]

    def find_version(self, version_id: str) -> DatasetVersion:
        """The newest version with this content id or a unique beginning of one."""
        by_id = {version.id: version for version in self.versions()}
        return by_id[by_beginning("dataset version", version_id, by_id)]

    def versions(self, dataset: str | None = None) -> list[DatasetVersion]:
        """All versions, or those of one dataset, oldest first."""
        query = select(versions).where(versions.c.number.is_not(None))
        if dataset is not None:
            query = query.where(versions.c.dataset == cell(dataset))
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(versions.c.created_at, versions.c.number, versions.c.id))
            return [version_of(row) for row in rows]

    def items(self, version_id: str, *, start: int, count: int) -> list[StoredItem]:
        """A page of a version's items."""
        with self._database.read() as connection:
            page = {"version": _ref(connection, version_id), "start": start, "stop": start + count}
            rows = tuples(connection.execute(_items, page))
            large = load_payloads(connection, [payload for *_, payload in rows])
        return [
            StoredItem(ref, position, text_of(item_id), body if payload is None else item_body(item_id, payload, large))
            for ref, position, item_id, body, payload in rows
        ]

    def changes(self, older: str, newer: str) -> Iterator[Change]:
        """The differences between two versions: what is new in the newer, in its order, then what it lacks."""
        with self._database.read() as connection:
            before, after = _ref(connection, older), _ref(connection, newer)
        return self._changes(before, after)

    def _changes(self, before: int, after: int) -> Iterator[Change]:
        for item_id, was_there in self._paged(new_in(after, before).add_columns(in_version(before))):
            yield Change(kind="modified" if was_there else "added", item_id=text_of(str(item_id)))
        for (item_id,) in self._paged(deleted_from(before, after)):
            yield Change(kind="deleted", item_id=text_of(str(item_id)))

    def _paged(self, query: AnySelect) -> Iterator[tuple[object, ...]]:
        """The rows of a query about versions, which never change, without holding on to the database in between."""
        position = -1
        while True:
            page = query.where(members.c.position > position).add_columns(members.c.position)
            with self._database.read() as connection:
                rows = connection.execute(page.order_by(members.c.position).limit(_PAGE)).all()
            yield from (tuple(row)[:-1] for row in rows)
            position = rows[-1].position if rows else position
            if len(rows) < _PAGE:
                return


def _ref(connection: Connection, version_id: str) -> int:
    ref: int | None = connection.execute(_version, {"version": cell(version_id)}).scalar()
    if ref is None:
        known = connection.execute(select(versions.c.version_id).where(versions.c.number.is_not(None))).scalars()
        raise missing("dataset version", version_id, {str(one) for one in known})
    return ref
