"""Reads classes, modules and instances bare: no property, no `__getattr__`, no hook of theirs or of a metaclass runs.

That is why this package compares types by identity: `==`, `in`, `isinstance` and dictionary look-up may ask the object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any, Final, TypeGuard

MISSING: Final = object()

_of_module = vars(ModuleType)
_of_class = vars(type)


def is_class(thing: object) -> TypeGuard[type]:
    """Whether `thing` is a class."""
    return issubclass(type(thing), type)


def is_module(thing: object) -> TypeGuard[ModuleType]:
    """Whether `thing` is a module."""
    return issubclass(type(thing), ModuleType)


def descends(cls: type, base: type) -> bool:
    """Whether `base` is the class or one of its bases."""
    return is_one_of(base, lineage(cls))


def is_one_of(kind: type, kinds: Iterable[type]) -> bool:
    """Whether this very type is among `kinds`."""
    return any(kind is one for one in kinds)


def named(entries: Mapping[Any, object]) -> dict[str, object]:
    """A copy of a namespace; what is put there under anything but text cannot be read by name."""
    return {name: value for name, value in list(entries.items()) if type(name) is str}


def namespace(thing: object) -> dict[str, object]:
    """The names that a class or module itself defines, as they are now."""
    kept = _of_class if is_class(thing) else _of_module
    return named(kept["__dict__"].__get__(thing))


def instance_namespace(value: object) -> dict[str, object]:
    """The instance's own dictionary; empty where it has none."""
    for base in lineage(type(value)):
        entry = namespace(base).get("__dict__")
        if type(entry) is GetSetDescriptorType:
            return named(entry.__get__(value, type(value)))
    return {}


def slot(entry: MemberDescriptorType | GetSetDescriptorType, value: object) -> object:
    """What an instance keeps in a slot or in a field of its C type, or MISSING."""
    try:
        return entry.__get__(value, type(value))
    except AttributeError:
        return MISSING


def attribute(value: object, name: str) -> object:
    """An instance's attribute as it is stored; no descriptor but Python's own is applied. None where there is none."""
    inside = instance_namespace(value)
    if name in inside:
        return inside[name]
    entry = next((held[name] for held in map(namespace, lineage(type(value))) if name in held), None)
    if type(entry) is MemberDescriptorType or type(entry) is GetSetDescriptorType:
        found = slot(entry, value)
        return None if found is MISSING else found
    return entry


def lineage(cls: type) -> tuple[type, ...]:
    """The class and its bases in the order of look-up."""
    order: tuple[type, ...] = class_fact(cls, "__mro__")
    return order


def class_name(cls: type) -> str:
    """The qualified name of a class."""
    return str(class_fact(cls, "__qualname__"))


def module_name(cls: type) -> str:
    """The name of the module that a class says it is from; empty where it says nothing usable."""
    name = class_fact(cls, "__module__")
    return name if type(name) is str else ""


def class_fact(cls: type, name: str) -> Any:  # noqa: ANN401 - what Python itself keeps of a class
    """One of the attributes that Python keeps for every class (`__bases__`, `__basicsize__`)."""
    return _of_class[name].__get__(cls)
