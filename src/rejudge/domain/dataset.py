"""A dataset and its immutable versions."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.ids import digest, id_of

if TYPE_CHECKING:
    from collections.abc import Iterable


class DatasetVersion(Struct, frozen=True, kw_only=True):
    """An ordered snapshot of a dataset; its id is the digest of its items and of what it declares as reference."""

    id: str
    dataset: str
    number: int
    count: int
    added: int
    modified: int
    deleted: int
    reference: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    created_at: float = 0.0


class Change(Struct, frozen=True, kw_only=True):
    """One line of a diff between two versions: an item added, modified or deleted."""

    kind: str
    item_id: str


class VersionDigest:
    """The digest of an ordered sequence of items, fed one by one so that no version is ever whole in memory."""

    def __init__(self, reference: Iterable[str]) -> None:
        self._hash = sha256(digest("reference-fields", sorted(reference)))

    def add(self, item_id: str, content: bytes) -> None:
        """Count in the next item: its id and the 32-byte digest of its content."""
        name = item_id.encode("utf-8", "surrogatepass")
        self._hash.update(b"%d:%b%b" % (len(name), name, content))

    def id(self) -> str:
        """The id of a version with the items so far."""
        return id_of("dataset", self._hash.digest())
