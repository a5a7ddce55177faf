"""Dataset versions as rows, and how the items of two versions differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from rejudge.domain.dataset import DatasetVersion
from rejudge.storage.cells import text_of
from rejudge.storage.reading import record_of
from rejudge.storage.schema import items, members, versions

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

    from rejudge.storage.bulk import AnyRow, AnySelect

_other_members = members.alias("other_members")
_other_items = items.alias("other_items")


def version_of(row: AnyRow) -> DatasetVersion:
    """The record of a committed version."""
    named = f"version {row.number} of dataset {text_of(row.dataset)!r}"
    return DatasetVersion(
        id=row.version_id,
        dataset=text_of(row.dataset),
        number=row.number,
        count=row.size,
        added=row.added,
        modified=row.modified,
        deleted=row.deleted,
        reference=record_of(row.reference, tuple[str, ...], named),
        fields=record_of(row.fields, tuple[str, ...], named),
        created_at=row.created_at,
    )


def newest(connection: Connection, dataset: str) -> AnyRow | None:
    """The newest committed version of a dataset; `dataset` is its cell."""
    query = select(versions).where(versions.c.dataset == dataset, versions.c.number.is_not(None))
    return connection.execute(query.order_by(versions.c.number.desc()).limit(1)).first()


def new_in(version: int, other: int) -> AnySelect:
    """The ids of items of a version that are not, with this content, in the other one."""
    theirs = select(_other_members.c.item).where(_other_members.c.version == other)
    return _ids_in(version).where(members.c.item.not_in(theirs))


def deleted_from(version: int, other: int) -> AnySelect:
    """The ids of items of a version that are not, with any content, in the other one."""
    return _ids_in(version).where(~in_version(other))


def in_version(other: int) -> ColumnElement[bool]:
    """Whether the other version has an item with the same id."""
    theirs = (
        select(_other_items.c.item_id)
        .join_from(_other_members, _other_items, _other_items.c.id == _other_members.c.item)
        .where(_other_members.c.version == other)
    )
    return items.c.item_id.in_(theirs)


def _ids_in(version: int) -> AnySelect:
    return (
        select(items.c.item_id)
        .join_from(members, items, items.c.id == members.c.item)
        .where(members.c.version == version)
    )
