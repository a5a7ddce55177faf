"""Reads classes, modules and instances bare: no property, no `__getattr__`, no hook of theirs or of a metaclass runs.

That is why types are compared by identity throughout the package: `==`, `in` and `isinstance` may ask the object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any, Final, TypeVar

T = TypeVar("T")

MISSING: Final = object()

_of_module = vars(ModuleType)
_of_class = vars(type)


def is_class(thing: object) -> bool:
    """Whether `thing` is a class."""
    return issubclass(type(thing), type)


def is_module(thing: object) -> bool:
    """Whether `thing` is a module."""
    return issubclass(type(thing), ModuleType)


def namespace(thing: Any) -> dict[str, object]:  # noqa: ANN401 - a class or a module
    """The names that a class or module itself defines, as they are now."""
    kept = _of_class if is_class(thing) else _of_module
    return dict(kept["__dict__"].__get__(thing))
