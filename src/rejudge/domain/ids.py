"""Content ids: a kind and the SHA-256 of a canonical form, so that equal content has one name anywhere."""

from __future__ import annotations

from functools import cache
from hashlib import sha256

from rejudge.domain.canonical import SCHEMA, canonical

DIGEST_BYTES = 32


def digest(kind: str, value: object) -> bytes:
    """32 bytes that name `value` as a thing of this kind; raises RecordError where it has no canonical form."""
    return sha256(_prefix(kind) + canonical(value)).digest()


def digest_of_bytes(kind: str, content: bytes) -> bytes:
    """32 bytes that name raw content, for what is already in its final form."""
    return sha256(_prefix(kind) + content).digest()


def id_of(kind: str, raw: bytes) -> str:
    """The id people see: `kind-` and the digest in hexadecimal."""
    return f"{kind}-{raw.hex()}"


def raw_of(content_id: str) -> bytes:
    """The digest inside an id made by `id_of`; raises ValueError for any other text."""
    _, dash, text = content_id.rpartition("-")
    raw = bytes.fromhex(text)
    if not dash or len(raw) != DIGEST_BYTES or raw.hex() != text:
        raise ValueError(f"{content_id!r} is not a content id")
    return raw


def content_id(kind: str, value: object) -> str:
    """The content id of `value`: equal values give equal ids, whatever the order of their keys."""
    return id_of(kind, digest(kind, value))


@cache
def _prefix(kind: str) -> bytes:
    return b"rejudge/%d/%b\n" % (SCHEMA, kind.encode())
