"""Large contents: compressed, each stored once by its digest, and referred to by rows."""

from __future__ import annotations

from hashlib import sha256
from threading import local
from typing import TYPE_CHECKING

import zstandard
from sqlalchemy import select

from rejudge.storage.bulk import Listed, Rows, next_id
from rejudge.storage.schema import payloads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection

    from rejudge.storage.database import Database

INLINE_BYTES = 4096
"""Contents up to this size stay in their row."""

_LEVEL = 3

_rows = Rows(payloads, "id", "digest", "compressed")
_by_digest = Listed(select(payloads.c.id, payloads.c.digest), payloads.c.digest)
_by_id = Listed(select(payloads.c.id, payloads.c.compressed), payloads.c.id)


class _Codec(local):
    """One compressor and one decompressor per thread, because neither may be shared."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(level=_LEVEL).compress
        self.decompress = zstandard.ZstdDecompressor().decompress


_codec = _Codec()


class Payloads:
    """The large ones among the contents of a batch: compressed before the write lock is taken, stored under it."""

    def __init__(self, database: Database, contents: Iterable[bytes | None]) -> None:
        self._digests = {
            content: sha256(content).digest() for content in contents if content and len(content) > INLINE_BYTES
        }
        self._refs: dict[bytes, int] = {}
        if self._digests:
            with database.read() as connection:
                self._find(connection, list(self._digests.values()))
        self._compressed = {
            digest: _codec.compress(content) for content, digest in self._digests.items() if digest not in self._refs
        }

    def store(self, connection: Connection) -> None:
        """Store those that nobody has stored yet."""
        if not self._compressed:
            return
        self._find(connection, list(self._compressed))
        missing = [digest for digest in self._compressed if digest not in self._refs]
        first = next_id(connection, payloads)
        _rows.insert(
            connection, [(first + place, digest, self._compressed[digest]) for place, digest in enumerate(missing)]
        )
        self._refs.update({digest: first + place for place, digest in enumerate(missing)})

    def columns(self, contents: Sequence[bytes | None]) -> tuple[Sequence[bytes | None], list[int | None]]:
        """The two columns that hold these contents: of each the bytes themselves, or a reference to a payload."""
        if not self._digests:
            return contents, [None] * len(contents)
        digests = [self._digests.get(content or b"") for content in contents]
        refs = [None if digest is None else self._refs[digest] for digest in digests]
        return [content if ref is None else None for content, ref in zip(contents, refs, strict=True)], refs

    def _find(self, connection: Connection, digests: list[bytes]) -> None:
        self._refs.update({digest: ref for ref, digest in _by_digest.tuples(connection, digests)})


def load_payloads(connection: Connection, refs: Iterable[int | None]) -> dict[int, bytes]:
    """The contents behind these references; one that is gone or damaged is left out."""
    contents = {}
    wanted = {*refs}
    wanted.discard(None)
    for ref, compressed in _by_id.tuples(connection, [*wanted]):
        try:
            contents[ref] = _codec.decompress(compressed)
        except zstandard.ZstdError:
            continue
    return contents
