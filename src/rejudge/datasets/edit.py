"""What an edit makes of a dataset's items, and how two versions of an item differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.datasets.rows import derived_entry, has_derived_id
from rejudge.domain.canonical import canonical
from rejudge.domain.errors import DuplicateItem, Place
from rejudge.domain.item import content

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rejudge.datasets.rows import Entry
    from rejudge.domain.item import Item


class ItemChange(Struct, frozen=True, kw_only=True):
    """One line of a diff: an item `added`, `modified` or `deleted`; `fields` are those a modified item changed in."""

    kind: str
    item_id: str
    fields: tuple[str, ...] = ()


def replacements(entries: Iterable[Entry], *, file: str = "") -> dict[str, Entry]:
    """The entries by the id of the item that each replaces; DuplicateItem for two that replace one differently."""
    wanted: dict[str, Entry] = {}
    for entry in entries:
        earlier = wanted.setdefault(entry.item_id, entry)
        if earlier.digest != entry.digest:
            raise DuplicateItem(
                f"the item is updated twice, differently, in rows {earlier.line} and {entry.line}",
                where=Place(file=file, line=entry.line, item=entry.item_id),
                fix="leave one of the rows out",
            )
    return wanted


def revised(old: Entry, new: Entry, *, was: Sequence[str], now: Sequence[str]) -> Entry:
    """What stands in the place of `old` when `new` replaces it, or the same item under another declaration.

    An id that somebody chose stays. A derived one is derived again, so that it always says what a task is given:
    a changed given field gives a new id and frees the old one, a changed reference field keeps it. `was` and `now`
    are the reference fields declared before and after.
    """
    if (new is old and set(was) == set(now)) or not has_derived_id(old.item_id, old.fields, reference=was):
        return new
    return derived_entry(content(old.item_id, new.fields), reference=now, line=new.line)


def changed_fields(older: Item, newer: Item) -> tuple[str, ...]:
    """The names of the fields that only one of them has or that differ, as `1` and `1.0` do."""
    before, after = content(older.id, older.fields), content(newer.id, newer.fields)
    return tuple(
        name
        for name in before | after
        if name not in before or name not in after or canonical(before[name]) != canonical(after[name])
    )
