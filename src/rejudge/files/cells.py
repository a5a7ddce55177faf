"""Values of frames and records as JSON has them.

Numbers of numpy become Python's, dates and times ISO text, decimals text, tuples and arrays lists. NaN, NaT and NA say
that there is no value: a cell that holds one is missing, inside a list or an object they are null.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from typing import SupportsFloat, SupportsInt, cast

from rejudge.domain.errors import BadRow, InputError, Place
from rejudge.domain.path import ABSENT

_AS_THEY_ARE = frozenset({str, int, bool})
_MISSING = frozenset({"NAType", "NaTType"})


def column_names(names: Iterable[object], *, file: str = "") -> list[str]:
    """The names of a table's columns, each a text and each once."""
    checked: list[str] = []
    for index, name in enumerate(names, 1):
        if not isinstance(name, str) or not name:
            what = f"column {index} has no name that is text, but {name!r}"
            raise InputError(what, where=Place(file=file), fix="rename the column")
        if name in checked:
            what = f"the name {name!r} stands over column {checked.index(name) + 1} and column {index}"
            raise InputError(what, where=Place(file=file, field=name), fix="give each column its own name")
        checked.append(name)
    return checked


def fields_of(names: Sequence[str], cells: Iterable[object], *, number: int, file: str = "") -> dict[str, object]:
    """The fields of one row of a table whose missing cells are None."""
    fields: dict[str, object] = {}
    for name, cell in zip(names, cells, strict=True):
        if cell is not None:
            value = checked(cell, number=number, field=name, file=file)
            if value is not ABSENT:
                fields[name] = value
    return fields


def checked(cell: object, *, number: int, field: str, file: str = "") -> object:
    """`plain` of one cell; what it refuses is a BadRow that names row and column."""
    if type(cell) in _AS_THEY_ARE:
        return cell
    try:
        return plain(cell)
    except ValueError as error:
        what = str(error)
    except RecursionError:
        what = "the value is nested too deeply"
    raise BadRow(what, where=Place(file=file, line=number, field=field), fix="convert it, or leave the column out")


def plain(value: object) -> object:
    """`value` as JSON has it, ABSENT for NaN, NaT and NA; ValueError says what JSON has no form for."""
    match value:
        case None | bool():
            return value
        case str():
            return value if type(value) is str else str.__str__(value)
        case int():
            return int(value)
        case float():
            return _plain_number(float(value))
        case Mapping():
            return {_key(key): _inner(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_inner(inner) for inner in value]
    return _converted(value)


def _inner(value: object) -> object:
    found = plain(value)
    return None if found is ABSENT else found


def _key(key: object) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    raise ValueError(f"the key {key!r} is not text")


def _plain_number(number: float) -> object:
    if math.isnan(number):
        return ABSENT
    if math.isinf(number):
        raise ValueError(f"{number} is not a number that can be stored")
    return number


def _converted(value: object) -> object:
    if type(value).__name__ in _MISSING:
        return ABSENT
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value) if value.is_finite() else _plain_number(float(value))
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if getattr(value, "ndim", 0) and isinstance(value, Iterable):
        return [_inner(inner) for inner in value]
    match kind:
        case "M":  # numpy's own dates: their Python form would drop the nanoseconds
            return ABSENT if str(value) == "NaT" else str(value)
        case "b":
            return bool(value)
        case "i" | "u":
            return int(cast("SupportsInt", value))
        case "f":
            return _plain_number(float(cast("SupportsFloat", value)))
    raise ValueError(f"a value of type {type(value).__name__} has no form in JSON")
