"""What an endpoint says that an answer used, where its reply says so."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from rejudge.domain.errors import UnknownName
from rejudge.domain.usage import Usage
from rejudge.tasks.answer import Answer

if TYPE_CHECKING:
    from rejudge.domain.call import HttpReply

UsagePlace: TypeAlias = "str | Mapping[str, str]"
"""A place of an object with all amounts, or the place of each amount."""

_AMOUNTS: Final[Mapping[str, tuple[str, ...]]] = {
    "input_tokens": ("input_tokens", "prompt_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens"),
    "cost": ("cost", "total_cost"),
}
"""What is looked for, and the names by which an object of amounts holds it."""

_MOST: Final = 2**53


class ReportedUsage:
    """Reads tokens and cost (in US dollars) out of replies; what is not there, or no amount, is unknown, not zero."""

    def __init__(self, places: UsagePlace) -> None:
        self._whole = Answer(places, parameter="usage") if isinstance(places, str) else None
        self._each: dict[str, Answer] = {}
        for name, place in () if isinstance(places, str) else places.items():
            if name not in _AMOUNTS:
                raise UnknownName.among("amount in usage", name, _AMOUNTS)
            self._each[name] = Answer(place, parameter=f"usage.{name}")

    def of(self, reply: HttpReply) -> Usage | None:
        """What a reply says; of a stream, the last amount of each kind. None where nothing is known."""
        said: dict[str, object] = {}
        for body in [reply.body] if reply.events is None else reply.events:
            said |= dict(self._amounts(body))
        if not said:
            return None
        return Usage(
            input_tokens=_count(said.get("input_tokens")),
            output_tokens=_count(said.get("output_tokens")),
            cost=_dollars(said.get("cost")),
        )

    def _amounts(self, body: object) -> Iterator[tuple[str, object]]:
        """The amounts that a body, or one event of a stream, holds."""
        found: object = self._whole.found(body) if self._whole is not None else None
        for amount, names in _AMOUNTS.items():
            if amount in self._each:
                value = self._each[amount].found(body)
            elif isinstance(found, dict):
                value = next((found[name] for name in names if found.get(name) is not None), None)
            else:
                continue
            if _dollars(value) is not None:
                yield amount, value


def _count(value: object) -> int | None:
    return value if type(value) is int else None


def _dollars(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if 0 <= value < _MOST else None
