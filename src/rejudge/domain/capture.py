"""Any value of a running program as plain JSON of a bounded size, for a record that must never disturb the program."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum
from itertools import islice
from typing import Final

LONGEST_TEXT: Final = 20_000
"""Characters of one text."""

MOST_CHARACTERS: Final = 100_000
"""Of one value, all its texts together."""

MOST_PARTS: Final = 2_000
"""Members of lists and objects in one value, on all levels together."""

DEEPEST: Final = 12

LARGEST_INTEGER: Final = 2**63

_PLAIN: Final = frozenset({bool, type(None)})
_SCALARS: Final = frozenset({"datetime", "decimal", "fractions", "pathlib", "uuid"})
"""Modules whose objects are best told as their text."""


class Capture:
    """Tells values until so many characters are used up in all; from then on it says only what they were."""

    __slots__ = ("_left",)

    def __init__(self, characters: int) -> None:
        self._left = characters

    def __call__(self, value: object) -> object:
        """The value as JSON. What has no JSON form is told as text, what is too large is cut, and nothing raises."""
        kind = type(value)
        if kind in _PLAIN:
            return value
        if self._left <= 0:
            return f"{_named(kind)}, left out: too much was recorded before"
        told = _Telling(min(MOST_CHARACTERS, self._left))
        try:
            found = told.of(value, 0)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a user's class does when it is looked at
            return f"{_named(kind)}, which cannot be told: {type(error).__name__}"
        self._left -= told.used
        return found


def said(error: BaseException) -> str:
    """The type and message of an error, whatever its class does when it is asked for them."""
    name = type(error).__name__
    try:
        return cut(f"{name}: {error}", LONGEST_TEXT)
    except KeyboardInterrupt:
        raise
    except BaseException as broken:  # noqa: BLE001 - whatever a user's class does when it is asked
        return f"{name}: (its message raised {type(broken).__name__})"


def cut(text: str, most: int) -> str:
    """The beginning of a text that is too long, with what its length was."""
    return text if len(text) <= most else f"{text[: max(0, most)]}… ({len(text):,} characters)"


class _Telling:
    """One value on its way, with what it has used."""

    __slots__ = ("_most", "_parts", "used")

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts = 0
        self.used = 8

    def of(self, value: object, depth: int) -> object:
        kind = type(value)
        if kind is str or isinstance(value, str):
            return self._text(str.__str__(value))
        if kind in _PLAIN:
            return value
        if isinstance(value, Enum):
            return self.of(value.value, depth + 1)
        if isinstance(value, int):
            return _whole(int.__add__(value, 0))
        if isinstance(value, float):
            number = float.__add__(value, 0.0)
            return number if math.isfinite(number) else str(number)
        if depth >= DEEPEST:
            return f"{_named(kind)}, too deep inside"
        if isinstance(value, dict):
            return self._object(dict.items(value), dict.__len__(value), depth)
        if isinstance(value, list):
            return self._list(list.__iter__(value), list.__len__(value), depth)
        if isinstance(value, tuple):
            return self._list(tuple.__iter__(value), tuple.__len__(value), depth)
        if isinstance(value, set | frozenset):
            return self._list(iter(value), len(value), depth)
        return self._foreign(value, kind, depth)

    def _text(self, text: str) -> str:
        shown = cut(text, min(LONGEST_TEXT, self._most - self.used))
        self.used += len(shown)
        return shown

    def _room(self) -> int:
        """How many more members may be told."""
        return 0 if self.used >= self._most else MOST_PARTS - self._parts

    def _list(self, members: Iterable[object], count: int, depth: int) -> list[object]:
        told: list[object] = []
        for member in islice(members, max(0, self._room())):
            if self._room() <= 0:
                break
            self._parts += 1
            self.used += 2
            told.append(self.of(member, depth + 1))
        if len(told) < count:
            told.append(f"… {count - len(told):,} more")
        return told

    def _object(self, members: Iterable[tuple[object, object]], count: int, depth: int) -> dict[str, object]:
        told: dict[str, object] = {}
        seen = 0
        for key, member in islice(members, max(0, self._room())):
            if self._room() <= 0:
                break
            seen += 1
            self._parts += 1
            self.used += 4
            name = key if type(key) is str else str(self.of(key, DEEPEST))
            told[self._text(name)] = self.of(member, depth + 1)
        if seen < count:
            told["…"] = f"{count - seen:,} more"
        return told

    def _foreign(self, value: object, kind: type, depth: int) -> object:
        if isinstance(value, bytes | bytearray | memoryview):
            return f"{len(value):,} bytes"
        if kind.__module__ == "numpy" and getattr(value, "size", MOST_PARTS + 1) <= MOST_PARTS:
            return self.of(value.tolist(), depth + 1)  # type: ignore[attr-defined]
        names = _fields(kind)
        if names is not None:
            return self._object(((name, getattr(value, name, None)) for name in names), len(names), depth)
        if kind.__module__ in _SCALARS:
            return self._text(str(value))
        if getattr(kind, "__repr__", None) is object.__repr__:
            return _named(kind)
        return self._text(repr(value))


def _fields(kind: type) -> tuple[str, ...] | None:
    """The fields of a record's class: a dataclass, a msgspec struct or a pydantic model."""
    for listed in ("__dataclass_fields__", "__struct_fields__", "__pydantic_fields__"):
        fields = getattr(kind, listed, None)
        if isinstance(fields, dict | tuple):
            return tuple(str(name) for name in fields)
    return None


def _whole(number: int) -> object:
    if -LARGEST_INTEGER <= number < LARGEST_INTEGER:
        return number
    return f"{number}" if number.bit_length() < 1_000 else f"a whole number of {number.bit_length():,} bits"


def _named(kind: type) -> str:
    return f"<{kind.__module__}.{kind.__qualname__}>"
