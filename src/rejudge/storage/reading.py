"""Stored bytes as records; where they hold none any more, the record is told by its name."""

from __future__ import annotations

from typing import TypeVar

from rejudge.domain.errors import StoreDamaged
from rejudge.domain.payload import decode_as

T = TypeVar("T")


def record_of(stored: bytes, kind: type[T], named: str) -> T:
    """The record in these bytes; raises StoreDamaged."""
    try:
        return decode_as(stored, kind)
    except ValueError as error:
        raise StoreDamaged.record(named, error) from error
