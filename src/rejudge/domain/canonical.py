"""One byte form for equal values: RFC 8785 after a step that keeps apart what JSON would merge.

Before encoding, values that RFC 8785 cannot carry exactly become tagged strings (schema 1):
floats with an integral value (`1.0` is not `1`), integers beyond ±(2^53−1), and lone surrogates.
NaN and infinity are refused. Text that happens to start with the tag is tagged itself.
"""

from __future__ import annotations

import math
from typing import cast

import msgspec
import rfc8785

from rejudge.domain.errors import RecordError

SCHEMA = 1
"""Number of the tagging rule; part of every content id."""

TAG = "\x00"
"""First character of a tagged string; it cannot start user text untagged."""

_SAFE = 2**53 - 1
_sorted_json = msgspec.json.Encoder(order="sorted").encode


def canonical(value: object) -> bytes:
    """The canonical bytes of a JSON-like value (dict with str keys, list, tuple, str, int, float, bool, None).

    Raises RecordError for NaN, infinity, other types and non-string keys.
    """
    try:
        if _plain(value):
            return _sorted_json(value)
        return rfc8785.dumps(cast("dict[str, str]", _tagged(value)))
    except RecursionError:
        raise RecordError("the value is nested too deeply to have a canonical form") from None


def _plain(value: object) -> bool:
    """Whether msgspec's sorted JSON of `value` is RFC 8785 already: the fast way for almost all data."""
    kind = type(value)
    if kind is str:
        text = cast("str", value)
        return (text.isascii() or _encodable(text)) and text[:1] != TAG
    if kind is dict:
        for key, inner in cast("dict[object, object]", value).items():
            # RFC 8785 sorts keys by UTF-16 units; ASCII is where that is every other order too.
            if type(key) is not str or not key.isascii() or key[:1] == TAG:
                return False
            if type(inner) is str:
                if inner[:1] == TAG or not (inner.isascii() or _encodable(inner)):
                    return False
            elif not _plain(inner):
                return False
        return True
    if kind is list or kind is tuple:
        return all(map(_plain, cast("list[object]", value)))
    if kind is int:
        return -_SAFE <= cast("int", value) <= _SAFE
    return kind is bool or value is None


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _tagged(value: object) -> object:
    match value:
        case None | bool():
            return value
        case str():
            return _tagged_text(value)
        case int():
            return int(value) if -_SAFE <= value <= _SAFE else f"{TAG}int:{value:x}"
        case float():
            if not math.isfinite(value):
                raise RecordError(f"{value} is not a number that can be stored", fix="replace NaN and infinity by null")
            return f"{TAG}float:{value!r}" if value.is_integer() else float(value)
        case list() | tuple():
            return [_tagged(inner) for inner in value]
        case dict():
            return {_tagged_key(key): _tagged(inner) for key, inner in value.items()}
    raise RecordError(
        f"a {type(value).__name__} has no canonical form", fix="use text, numbers, booleans, null, lists and objects"
    )


def _tagged_key(key: object) -> str:
    if not isinstance(key, str):
        raise RecordError(f"the key {key!r} is not text", fix="JSON objects have text keys")
    return _tagged_text(key)


def _tagged_text(text: str) -> str:
    if text.startswith(TAG):
        return f"{TAG}str:{text if _encodable(text) else _escaped(text)}"
    return text if _encodable(text) else f"{TAG}utf16:{_escaped(text)}"


def _escaped(text: str) -> str:
    return text.encode("utf-16-be", "surrogatepass").hex()
