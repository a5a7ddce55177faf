"""When two values are the same: by their text, as outputs are compared, or by their JSON types, as arguments are."""

from __future__ import annotations

import json

from rejudge.domain.view import as_text


def same(value: object, expected: object) -> bool:
    """Whether two values are equal; `42.0` is not `42`, and nothing is trimmed or brought to a normal form.

    Where one of them is an object or a list and the other text, that text counts as the JSON it says.
    """
    if type(value) is str and type(expected) is str:
        return value == expected
    if _is_structure(value) or _is_structure(expected):
        return _ordered(_structure(value)) == _ordered(_structure(expected))
    return as_text(value) == as_text(expected)


def lower_text(value: object) -> str:
    """The value as text in lower case, for comparing it in any case."""
    return as_text(value).lower()


def same_in_any_case(value: object, expected: object) -> bool:
    """Whether two values are equal in lower case; `ß` and `ss` stay different."""
    if _is_structure(value) or _is_structure(expected):
        return _ordered(_lower(_structure(value))) == _ordered(_lower(_structure(expected)))
    return lower_text(value) == lower_text(expected)


def same_by_value(value: object, expected: object) -> bool:
    """Whether two JSON values are equal, deep inside too: 1 is 1.0, true is only true, and text is never a number."""
    pairs = [(value, expected)]
    while pairs:
        one, other = pairs.pop()
        match one, other:
            case bool() | None, _:
                if one is not other:
                    return False
            case dict(), dict():
                if one.keys() != other.keys():
                    return False
                pairs.extend((inner, other[key]) for key, inner in one.items())
            case list(), list():
                if len(one) != len(other):
                    return False
                pairs.extend(zip(one, other, strict=True))
            case _:
                if isinstance(other, bool) or one != other:
                    return False
    return True


def _is_structure(value: object) -> bool:
    return isinstance(value, dict | list)


def _structure(value: object) -> object:
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _ordered(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _lower(value: object) -> object:
    if isinstance(value, str):
        return value.lower()
    if isinstance(value, list):
        return [_lower(one) for one in value]
    if isinstance(value, dict):
        return {_lower(key): _lower(one) for key, one in value.items()}
    return value
