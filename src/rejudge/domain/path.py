"""Dotted paths into what people hand in, such as `messages.0.content`."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Absent(Enum):
    """The type of `ABSENT`, which is no JSON value and so cannot be mistaken for one."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return self.name


ABSENT: Final = Absent.ABSENT
"""What `value_at` gives where nothing is; null is something."""


def value_at(fields: object, path: str) -> object:
    """The value at `path` inside nested objects and lists, or ABSENT.

    A step names a key of an object or an index of a list, from 0. A key that itself holds dots is found as it is
    written: at each level the longest key that exists there wins, so `a.b` finds `{"a.b": 1}` before `{"a": {"b": 2}}`.
    """
    if isinstance(fields, dict):
        if path in fields:
            return fields[path]
        head, dot, _ = path.rpartition(".")
        while dot:
            if head in fields:
                return value_at(fields[head], path[len(head) + 1 :])
            head, dot, _ = head.rpartition(".")
    elif isinstance(fields, list | tuple):
        head, dot, rest = path.partition(".")
        if head.isascii() and head.isdecimal() and len(head) <= len(str(len(fields))) and int(head) < len(fields):
            return value_at(fields[int(head)], rest) if dot else fields[int(head)]
    return ABSENT
