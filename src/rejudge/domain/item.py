"""An item: one case of a dataset, and what of it a task is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.errors import RecordError
from rejudge.domain.ids import digest, id_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

ANNOTATIONS = frozenset({"tags", "description", "risk_level", "policy", "scorers"})
"""Fields that describe an item; a task that asks for the whole `item` is not given them."""


class Item(Struct, frozen=True, kw_only=True):
    """One case: an id that the user chose (or that its given content derives) and free fields."""

    id: str
    fields: dict[str, object]

    @property
    def tags(self) -> tuple[str, ...]:
        """The item's tags, for slices; empty when the field `tags` is not a list of text."""
        tags = self.fields.get("tags")
        return tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()

    @property
    def risk_level(self) -> str | None:
        """The declared risk of a failure here, as text."""
        level = self.fields.get("risk_level")
        return level if isinstance(level, str) else None


def content(item_id: str, fields: Mapping[str, object]) -> dict[str, object]:
    """The fields that are content: all but a field `id` that only repeats the item's id."""
    named = fields.get("id")
    if named is not None and (named == item_id or str(named) == item_id):
        return {name: value for name, value in fields.items() if name != "id"}
    return dict(fields)


def content_digest(item: Item) -> bytes:
    """The digest of an item's content: its version. Two ids with equal content have equal digests."""
    return digest("item-content", content(item.id, item.fields))


def given_to_all(fields: dict[str, object], *, reference: Collection[str]) -> dict[str, object]:
    """What a task that asks for the whole `item` is given: all but reference fields and annotations.

    The fields themselves where nothing has to be hidden.
    """
    if ANNOTATIONS.isdisjoint(fields) and fields.keys().isdisjoint(reference):
        return fields
    return {name: value for name, value in fields.items() if name not in ANNOTATIONS and name not in reference}


def derived_id(fields: dict[str, object], *, reference: Collection[str]) -> str:
    """The id of an item that states none: the digest of what a task would be given."""
    return id_of("item", digest("given", given_to_all(fields, reference=reference)))


def stated_id(value: object) -> str:
    """The text of an id that the user gave; raises RecordError for what cannot name an item."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise RecordError(f"an item id is text or a whole number, not {value!r}")
    text = str(value)
    if not text.strip():
        raise RecordError("an item id may not be empty", fix="leave the field out to derive the id from the content")
    return text
