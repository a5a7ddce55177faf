"""What was spent. Unknown is never the same as zero."""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct, convert, to_builtins

_Number = TypeVar("_Number", int, float)
_LIMIT = 2**53
"""Above what any model bills, and far enough below 64 bits that sums over calls can be stored."""


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens and money; None means unknown.

    `cached_tokens` are the part of the input that the provider read from its cache, `reasoning_tokens` the part of the
    output that the model spent on thinking; both are counted in the whole already, and so are `cache_write_tokens`,
    the part of the input that was stored for later calls. `cost` is in US dollars. A sum is unknown where a part of it
    is.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cache_write_tokens: int | None = None

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cost=_sum(self.cost, other.cost),
            cached_tokens=_sum(self.cached_tokens, other.cached_tokens),
            reasoning_tokens=_sum(self.reasoning_tokens, other.reasoning_tokens),
            cache_write_tokens=_sum(self.cache_write_tokens, other.cache_write_tokens),
        )


def checked_usage(usage: Usage) -> Usage:
    """The usage with every field of its type.

    Raises ValueError or TypeError for what could not be stored, added up or read back: a field of another type, or a
    number that is negative, endless or none.
    """
    checked = convert(to_builtins(usage), Usage)
    for name in Usage.__struct_fields__:
        number = getattr(checked, name)
        if number is not None and not 0 <= number < _LIMIT:
            raise ValueError(f"a usage of {number} cannot be")
    return checked


def _sum(left: _Number | None, right: _Number | None) -> _Number | None:
    return None if left is None or right is None else left + right
