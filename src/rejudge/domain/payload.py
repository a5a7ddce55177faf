"""JSON values to stored bytes and back, unchanged: `1` stays an int, `1.0` a float, any text stays itself.

Text with lone surrogates has no UTF-8 form; such a payload is written with escapes and a leading
space, which keeps it legal JSON and tells the reader which decoder to use.
"""

from __future__ import annotations

import json
import math
from typing import TypeAlias, TypeVar, cast

import msgspec

from rejudge.domain.errors import RecordError

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_Record = TypeVar("_Record")

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def encode(value: object) -> bytes:
    """The stored form of a JSON-like value or record; raises RecordError for what JSON cannot say, as NaN."""
    try:
        return _encoded(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"the value cannot be stored: {error}") from None


def decode(stored: bytes) -> object:
    """A new value each time, so that what one reader changes no other sees."""
    return json.loads(stored) if stored[:1] == b" " else _decode(stored)


def decode_as(stored: bytes, kind: type[_Record]) -> _Record:
    """The record that `encode` stored; raises ValueError for bytes that hold no such record."""
    return msgspec.convert(decode(stored), kind) if stored[:1] == b" " else _decoder(kind).decode(stored)


_decoders: dict[object, msgspec.json.Decoder[object]] = {}


def _decoder(kind: type[_Record]) -> msgspec.json.Decoder[_Record]:
    made = _decoders.get(kind)
    if made is None:
        made = _decoders[kind] = msgspec.json.Decoder(kind)
    return cast("msgspec.json.Decoder[_Record]", made)


def as_json(value: object, *, where: str) -> object:
    """`value` with tuples, sets, records and scalars of numerical libraries turned into plain JSON.

    Raises RecordError, naming `where`, for what has no JSON form (NaN, an open file, a key that is not text).
    """
    try:
        return _plain(value)
    except (TypeError, ValueError, RecursionError, NotImplementedError) as error:
        raise RecordError(
            f"{where} cannot be stored as JSON: {error}", fix="return text, numbers, lists and objects"
        ) from None


def _encoded(value: object) -> bytes:
    try:
        stored = _encode(value)
    except UnicodeEncodeError:
        return b" " + _strict_json(value)
    if b"null" in stored:  # which is also how msgspec writes NaN and infinity
        _strict_json(value)
    return stored


def _strict_json(value: object) -> bytes:
    return json.dumps(msgspec.to_builtins(value), allow_nan=False, separators=(",", ":")).encode()


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no number of JSON")
        return float(value)
    if isinstance(value, dict):
        return {_text(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return _plain(msgspec.to_builtins(value, enc_hook=_foreign))


def _text(key: object) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    raise TypeError(f"the key {key!r} is not text")


def _foreign(value: object) -> object:
    tolist = getattr(value, "tolist", None)
    if callable(tolist) and type(value).__module__ == "numpy":
        return tolist()
    model_dump = getattr(type(value), "model_dump", None)
    if callable(model_dump):
        return model_dump(value, mode="json")
    raise NotImplementedError(f"a {type(value).__name__} has no JSON form")
