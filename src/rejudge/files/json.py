"""JSON as people write it: exact numbers, no NaN, and a place for everything in it.

msgspec reads what it can; whatever it refuses is read again by the standard library, which also takes lone surrogates
and knows the character at fault. Of two equal keys in one object the last counts, as with every JSON reader; only
configuration documents refuse them.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, NoReturn

import msgspec

from rejudge.domain.errors import BadRow, InputError, Place
from rejudge.files.row import Row
from rejudge.files.source import place_of, shortened, text_of, whole_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

TABLE_KEYS = ("items", "data", "rows", "examples")
"""The keys under which an object may hold its table."""

_fast = msgspec.json.Decoder().decode
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|NaN|-?(?:Infinity|(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)')
_SPACE = re.compile(r"[ \t\n\r]*")


def rows(path: Path) -> Iterator[Row]:
    """The objects of an array, or of the one array under `items`, `data`, `rows` or `examples`."""
    text = whole_text(path)
    value = parsed(text, file=str(path))
    keys = _table_keys(value, file=str(path))
    records = value[keys[0]] if isinstance(value, dict) else value
    for index, fields in enumerate(records if isinstance(records, list) else ()):
        if not isinstance(fields, dict):
            where = place_in(text, (*keys, index), file=str(path))
            raise BadRow(f"record {index + 1} is {_kind(fields)}, not an object", where=where)
        yield Row(fields, index + 1)


def _table_keys(value: object, *, file: str) -> tuple[str, ...]:
    """The keys that lead to the array of rows: none where the file is that array."""
    if isinstance(value, list):
        return ()
    found = [key for key in TABLE_KEYS if isinstance(value, dict) and isinstance(value.get(key), list)]
    if len(found) == 1:
        return (found[0],)
    what = f"the arrays {' and '.join(found)} could each be the table" if found else "there is no array of objects"
    fix = f"write an array of objects, or one under a key of {', '.join(TABLE_KEYS)}"
    raise InputError(what, where=Place(file=file), fix=fix)


def parsed(text: str, *, file: str) -> object:
    """The value of a whole JSON text; nothing but white space is an InputError."""
    if not text.strip():
        raise InputError("the file is empty", where=Place(file=file), fix="an empty list is written []")
    try:
        return _fast(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _exact(text, file=file, line=1)


def parsed_again(raw: bytes, *, file: str, line: int) -> object:
    """The value of one line that msgspec refused, or a BadRow that names the character at fault."""
    return _exact(text_of(raw, file=file, line=line), file=file, line=line)


class _BadNumber(Exception):
    """A literal that no finite number stands for."""


def _refused(literal: str) -> NoReturn:
    raise _BadNumber(literal)


def _finite(literal: str) -> float:
    number = float(literal)
    return number if math.isfinite(number) else _refused(literal)


def _integer(literal: str) -> int:
    try:
        return int(literal)
    except ValueError:  # Python refuses thousands of digits
        _refused(literal)


_careful = json.JSONDecoder(parse_constant=_refused, parse_float=_finite, parse_int=_integer)


def _exact(text: str, *, file: str, line: int) -> object:
    text = text.rstrip(" \t\r\n")  # what is cut short ends at its last character, not on the line after it
    try:
        return _careful.decode(text)
    except json.JSONDecodeError as error:
        offset = error.pos
        reason = error.msg[0].lower() + error.msg[1:]
        what = f"this is not JSON: {reason}"
        fix = "write one value per file, or in JSONL per line" if reason.startswith("extra") else ""
        if reason.startswith("unterminated") or not text[offset:].strip():
            what = f"the text ends before its JSON does: {reason}"
            fix = "the file may be cut short; in JSONL each object stands on one line"
    except _BadNumber as error:
        literal = str(error)
        offset = next(token.start() for token in _TOKEN.finditer(text) if token.group() == literal)
        what = f"{shortened(literal)} is not a number that can be stored"
        fix = "write null, or text in quotes"
    except RecursionError:
        offset, what, fix = 0, "the value is nested too deeply", ""
    raise BadRow(what, where=place_of(text, offset, file=file, line=line), fix=fix)


def place_in(text: str, keys: Sequence[str | int], *, file: str) -> Place:
    """The place of the key or element that `keys` lead to in a JSON text; a key that is not there is passed over."""
    offset = found = _after_space(text, 0)
    for key in keys:
        for name, place, value in _members(text, offset):
            if name == key and type(name) is type(key):
                found, offset = place, value
                break
    return place_of(text, found, file=file)


def refuse_equal_keys(text: str, *, file: str) -> None:
    """Raise a BadRow where an object of a JSON text says one key twice."""
    offsets = [_after_space(text, 0)]
    while offsets:
        seen: dict[str | int, int] = {}
        for name, place, value in _members(text, offsets.pop()):
            if name in seen:
                first = place_of(text, seen[name], file=file)
                what = f"the key {name!r} stands here and on line {first.line}, column {first.column}"
                raise BadRow(what, where=place_of(text, place, file=file), fix="keep one of them")
            seen[name] = place
            offsets.append(value)


def _members(text: str, offset: int) -> Iterator[tuple[str | int, int, int]]:
    """The key or index, its place, and the place of the value of each member of what begins at `offset`."""
    opening = text[offset]
    if opening not in "[{":
        return
    index = 0
    offset = _after_space(text, offset + 1)
    while text[offset] not in "]}":
        name: str | int = index
        place = offset
        if opening == "{":
            name, offset = _careful.raw_decode(text, offset)
            offset = _after_space(text, _after_space(text, offset) + 1)
        yield name, place, offset
        offset = _after_space(text, _careful.raw_decode(text, offset)[1])
        if text[offset] == ",":
            offset = _after_space(text, offset + 1)
        index += 1


def _after_space(text: str, offset: int) -> int:
    space = _SPACE.match(text, offset)
    return space.end() if space else offset


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "text"
        case list():
            return "an array"
    return "a number"
