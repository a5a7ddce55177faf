"""Sums of what is known."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

_Number = TypeVar("_Number", int, float)


def known_sum(numbers: Iterable[_Number | None]) -> _Number | None:
    """The sum of those that are known, exact in whatever order they come; None where none is."""
    known = [number for number in numbers if number is not None]
    if not known:
        return None
    whole = all(isinstance(number, int) for number in known)
    return cast("_Number", sum(known) if whole else fsum(known))
