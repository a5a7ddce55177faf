"""The stored fields of an item that are too large to stand in its row."""

from __future__ import annotations

from rejudge.domain.errors import StoreError
from rejudge.storage.cells import text_of


def item_body(item_id: str, payload: int, large: dict[int, bytes]) -> bytes:
    """The body behind a reference; `item_id` is the item's cell, `large` holds the payloads that were loaded."""
    body = large.get(payload)
    if body is None:
        raise StoreError(f"the content of item {text_of(item_id)!r} is damaged", fix="add its dataset again")
    return body
