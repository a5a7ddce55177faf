"""The rows of a dataset version that is not committed yet, and of drafts that were left behind."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, func, insert, literal, select, update

from rejudge.domain.errors import DuplicateItem, Place, StoreConflict
from rejudge.domain.payload import encode
from rejudge.storage.bulk import Listed, Rows, next_id
from rejudge.storage.cells import cell, text_of
from rejudge.storage.liveness import this_process
from rejudge.storage.payloads import Payloads
from rejudge.storage.schema import items, members, versions
from rejudge.storage.sql_owners import add_owner, dead_among, forget_owner, renew_owner
from rejudge.storage.sql_versions import deleted_from, in_version, new_in, newest, version_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.storage.bulk import AnyRow, AnySelect
    from rejudge.storage.database import Database
    from rejudge.storage.records import NewItem

_LEASE_SECONDS = 900.0
_STEP = 20_000
"""So many rows are copied or removed at once, so that other writers get their turn."""

_DERIVED = "item-"

_items = Rows(items, "id", "item_id", "digest", "body", "body_payload")
_members = Rows(members, "version", "position", "item")
_same_ids = Listed(
    select(items.c.id, items.c.item_id, items.c.digest, members.c.position).outerjoin_from(
        items, members, (members.c.version == bindparam("version")) & (members.c.item == items.c.id)
    ),
    items.c.item_id,
)
_drafts = select(versions.c.id, versions.c.draft_of).where(versions.c.draft_of.is_not(None))


class DraftRows:
    """An uncommitted version, in the name of this process."""

    def __init__(self, database: Database, *, version: int, owner: int) -> None:
        self._database = database
        self._version = version
        self._owner = owner

    @classmethod
    def begin(cls, database: Database, dataset: str, *, reference: Sequence[str]) -> DraftRows:
        """A new draft with no items; removes what dead processes left of theirs."""
        with database.note() as connection:
            abandoned = _abandoned(connection)
            owner = add_owner(connection, this_process(), lease_seconds=_LEASE_SECONDS)
            values = {"dataset": dataset, "reference": encode(reference), "fields": encode(()), "draft_of": owner}
            numbers = dict.fromkeys(("size", "added", "modified", "deleted", "created_at"), 0)
            new = insert(versions).values(values | numbers).returning(versions.c.id)
            version = connection.execute(new).scalar_one()
        for left_behind in abandoned:
            _remove(database, left_behind)
        return cls(database, version=version, owner=owner)

    def copy(self, base: int, *, count: int) -> None:
        """Begin with the first items of another version."""
        for start in range(0, count, _STEP):
            part = select(literal(self._version), members.c.position, members.c.item).where(
                members.c.version == base,
                members.c.position >= start,
                members.c.position < min(start + _STEP, count),
            )
            with self._database.note() as connection:
                self._stay(connection)
                connection.execute(insert(members).from_select(["version", "position", "item"], part))

    def append(self, group: Sequence[NewItem], *, position: int, line_at: Callable[[int], int | None]) -> list[NewItem]:
        """Write the items that the draft does not have yet, from `position` on; returns them."""
        large = Payloads(self._database, (item.body for item in group))
        with self._database.note() as connection:
            self._stay(connection)
            known: dict[tuple[str, bytes], int] = {}
            placed: dict[str, tuple[bytes, int]] = {}
            names = [cell(item.item_id) for item in group]
            for ref, name, digest, at in _same_ids.tuples(connection, names, version=self._version):
                known[name, digest] = ref
                if at is not None:
                    placed[name] = (digest, at)
            added: list[NewItem] = []
            new: list[tuple[str, NewItem]] = []
            refs: list[int] = []
            first = next_id(connection, items)
            large.store(connection)
            for name, item in zip(names, group, strict=True):
                if name in placed:
                    digest, at = placed[name]
                    if digest != item.digest:
                        raise duplicate(item, line_at(at))
                    continue
                ref = known.get((name, item.digest))
                if ref is None:
                    ref = first + len(new)
                    new.append((name, item))
                refs.append(ref)
                added.append(item)
            ids = range(first, first + len(new))
            bodies = large.columns([item.body for _, item in new])
            _items.insert_columns(
                connection, [ids, [name for name, _ in new], [item.digest for _, item in new], *bodies]
            )
            places = range(position, position + len(added))
            _members.insert_columns(connection, [[self._version] * len(added), places, refs])
        return added

    def commit(self, version_id: str, *, size: int, fields: Sequence[str], parent: int | None) -> DatasetVersion:
        """Make it the newest version, or return the newest if that is equal."""
        with self._database.write() as connection:
            self._stay(connection)
            dataset = connection.execute(select(versions.c.dataset).where(versions.c.id == self._version)).scalar_one()
            before = newest(connection, dataset)
            number = 0 if before is None else before.number
            if parent is not None and parent != number:
                raise StoreConflict(
                    f"dataset {text_of(dataset)!r} is at version {number}, and this draft was to follow {parent}",
                    fix="read the newest version and make the change again",
                )
            if before is None or before.version_id != version_id:
                return self._numbered(connection, before, version_id=version_id, size=size, fields=fields)
        self.remove()
        return version_of(before)

    def remove(self) -> None:
        """Leave nothing of the draft."""
        _remove(self._database, self._version)
        with self._database.write() as connection:
            forget_owner(connection, self._owner)

    def _numbered(
        self,
        connection: Connection,
        before: AnyRow | None,
        *,
        version_id: str,
        size: int,
        fields: Sequence[str],
    ) -> DatasetVersion:
        added, modified, deleted = size, 0, 0
        if before is not None:
            modified = _count(connection, new_in(self._version, before.id).where(in_version(before.id)))
            added = _count(connection, new_in(self._version, before.id)) - modified
            deleted = _count(connection, deleted_from(before.id, self._version))
        final = {
            "version_id": version_id,
            "number": 1 if before is None else before.number + 1,
            "size": size,
            "added": added,
            "modified": modified,
            "deleted": deleted,
            "fields": encode(fields),
            "created_at": time(),
            "draft_of": None,
        }
        mine = versions.c.id == self._version
        connection.execute(update(versions).where(mine).values(final))
        forget_owner(connection, self._owner)
        return version_of(connection.execute(select(versions).where(mine)).one())

    def _stay(self, connection: Connection) -> None:
        """Say that the draft is being worked on."""
        if not renew_owner(connection, self._owner, lease_seconds=_LEASE_SECONDS):
            raise StoreConflict("this draft was given up, because nothing was added to it for long", fix="begin again")


def duplicate(item: NewItem, earlier: int | None) -> DuplicateItem:
    """The error for an item whose id came before with other content, on the line `earlier`."""
    lines = "" if earlier is None or item.line is None else f", in rows {earlier} and {item.line}"
    return DuplicateItem(
        f"the same id comes twice with different content{lines}",
        where=Place(line=item.line, item=item.item_id),
        fix="give them ids" if item.item_id.startswith(_DERIVED) else "give one of them another id, or leave it out",
    )


def _abandoned(connection: Connection) -> list[int]:
    """The drafts whose writers are gone."""
    drafts = dict(map(tuple, connection.execute(_drafts)))
    dead = dead_among(connection, set(drafts.values()))
    for owner in dead:
        forget_owner(connection, owner)
    return [ref for ref, owner in drafts.items() if owner in dead]


def _remove(database: Database, version: int) -> None:
    """Delete a draft, its items' places first; an item itself may be in use elsewhere."""
    left = True
    while left:
        with database.write() as connection:
            part = select(members.c.position).where(members.c.version == version).limit(_STEP)
            gone = delete(members).where(members.c.version == version, members.c.position.in_(part))
            left = connection.execute(gone).rowcount > 0
    with database.write() as connection:
        connection.execute(delete(versions).where(versions.c.id == version, versions.c.number.is_(None)))


def _count(connection: Connection, query: AnySelect) -> int:
    return connection.execute(select(func.count()).select_from(query.subquery())).scalar_one()
