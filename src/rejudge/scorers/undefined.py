"""A value that is not there: which name it was looked for under, and why it is missing."""

from __future__ import annotations

from typing import Final

from jinja2 import Undefined

from rejudge.scorers.wording import kind, listed

PLAIN: Final = frozenset({str, int, float, bool, type(None), dict})


class Missing(Undefined):
    """Nothing, where a value was looked for; what is looked for under it is missing for the same reason."""

    __slots__ = ("root", "why")

    def __init__(self, root: str, why: str) -> None:
        super().__init__(hint=why)
        self.root = root
        self.why = why


class Failed(Exception):
    """A step of an expression that its value does not allow, and the name that the value came from."""

    def __init__(self, root: str, why: str) -> None:
        super().__init__(why)
        self.root = root
        self.why = why


def member(holder: object, key: object, root: str) -> object:
    """The value at `key` of an object, or at an index or slice of a list or text; else Missing.

    Members of JSON values are all that can be reached: no attribute of any object is ever looked at.
    """
    if isinstance(holder, Missing):
        return holder
    if isinstance(holder, dict):
        if isinstance(key, str) and key in holder:
            return holder[key]
        what = f"an object with {listed(holder)}"
    elif isinstance(holder, list | str):
        if isinstance(key, slice):
            return holder[key]
        if isinstance(key, int) and -len(holder) <= key < len(holder):
            return holder[key]
        what = f"{kind(holder)} of {len(holder)}"
    else:
        what = kind(holder)
    return Missing(root, f"no {key!r} in {what}")


def settled(value: object, root: str) -> object:
    """`value` as plain JSON: iterators become lists, and what is undefined remembers where it came from."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, Missing):
        return Missing(value.root or root, value.why)
    if isinstance(value, Undefined):
        return Missing(root, value._undefined_message)
    if isinstance(value, str):
        return str.__str__(value)
    if not hasattr(type(value), "__iter__"):
        raise TypeError(f"gives {kind(value)}, which is no JSON value")
    return [settled(one, root) for one in value]  # type: ignore[attr-defined]
