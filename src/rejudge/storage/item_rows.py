"""The stored fields of an item, wherever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import StoreError
from rejudge.storage.cells import text_of

if TYPE_CHECKING:
    from rejudge.storage.bulk import AnyRow


def item_body(row: AnyRow, large: dict[int, bytes]) -> bytes:
    """The body in a row with an item's columns; `large` holds the payloads that the rows refer to."""
    body: bytes | None = row.body if row.body_payload is None else large.get(row.body_payload)
    if body is None:
        raise StoreError(f"the content of item {text_of(row.item_id)!r} is damaged", fix="add its dataset again")
    return body
