"""JSON values to stored bytes and back, unchanged: `1` stays an int, `1.0` a float, any text stays itself.

Text with lone surrogates has no UTF-8 form; such a payload is written with escapes and a leading
space, which keeps it legal JSON and tells the reader which decoder to use.
"""

from __future__ import annotations

import json
from typing import TypeAlias

import msgspec

from rejudge.domain.errors import RecordError

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def encode(value: object) -> bytes:
    """The stored form of a JSON-like value; raises RecordError for what JSON cannot say."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return b" " + json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"the value cannot be stored: {error}") from None


def decode(stored: bytes) -> object:
    """A new value each time, so that what one reader changes no other sees."""
    return json.loads(stored) if stored[:1] == b" " else _decode(stored)


def as_json(value: object, *, where: str) -> object:
    """`value` with tuples, sets of records and scalars of numerical libraries turned into plain JSON.

    Raises RecordError, naming `where`, for what has no JSON form (an open file, a key that is not text).
    """
    try:
        return msgspec.to_builtins(value, builtin_types=(), str_keys=False, enc_hook=_scalar)
    except (TypeError, ValueError, RecursionError, NotImplementedError) as error:
        raise RecordError(f"{where} cannot be stored as JSON: {error}", fix="return text, numbers, lists and objects")


def _scalar(value: object) -> object:
    item = getattr(value, "item", None)
    if callable(item) and type(value).__module__ == "numpy":
        return item()
    tolist = getattr(value, "tolist", None)
    if callable(tolist) and type(value).__module__ == "numpy":
        return tolist()
    model_dump = getattr(type(value), "model_dump", None)
    if callable(model_dump):
        return model_dump(value, mode="json")
    raise NotImplementedError(f"a {type(value).__name__} has no JSON form")
