"""Takes instances apart: enum members, data classes, structs, models, and objects of the user's own classes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cached_property
from logging import Logger, LoggerAdapter
from types import GenericAlias, GetSetDescriptorType, MemberDescriptorType, UnionType
from typing import Any, ForwardRef, NewType, ParamSpec, TypeVar

import msgspec

from rejudge.pinning.origin import class_name, home_of_class, lineage, module_name, namespace, published
from rejudge.pinning.parts import At, Part, Parts, Refused, Said

_MANAGED_DICT = 1 << 4
"""Type flag of CPython: the instance's dictionary is not counted in the type's size."""

_PAYLOADS: Mapping[type, Callable[[Any], object]] = {
    dict: lambda value: list(dict.items(value)),
    list: lambda value: list(list.__iter__(value)),
    tuple: lambda value: tuple(tuple.__iter__(value)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    str: str.__str__,
    bytes: bytes.hex,
    int: int.__pos__,
    float: float.__pos__,
}
"""Builtin types that a class may extend, and how to read what the builtin part holds without the class's code."""

_ALIASES = (GenericAlias, UnionType, TypeVar, ParamSpec, NewType, ForwardRef)


def object_parts(value: object, at: At) -> Parts:
    """An instance by its class and state; raises Refused where the state cannot be told from outside."""
    cls = type(value)
    if cls in _ALIASES or module_name(cls) == "typing":
        return _alias(value, at)
    bases = lineage(cls)
    if Logger in bases or LoggerAdapter in bases:
        return Parts(["logger"])
    if Enum not in bases and home_of_class(cls) is not None and not _is_record(bases):
        offered = published(value, module_name(cls))
        if offered is not None:
            return Parts(list(offered))
        raise Refused(f"{_a(cls)} has no canonical form")
    payload = next((base for base in bases if base in _PAYLOADS), None)
    if _hides_state(cls, payload or object):
        raise Refused(f"{_a(cls)} keeps state that cannot be read")
    held = [Part("class", cls, At(cls.__name__, at.where, at.line, at.file))]
    if payload is not None:
        held.append(Part("content", _PAYLOADS[payload](value), at))
    return Parts(["object"], [*held, *_state(value, cls, at)])


def instance_namespace(value: object) -> dict[str, object]:
    """The instance's own dictionary, read without running any code of its class; empty where it has none."""
    for base in lineage(type(value)):
        entry = namespace(base).get("__dict__")
        if type(entry) is GetSetDescriptorType:
            return dict(entry.__get__(value, type(value)))
    return {}


def _state(value: object, cls: type, at: At) -> Iterator[Part]:
    """Attributes in the dictionary and in slots; a cached property's value follows from the others."""
    state = instance_namespace(value)
    for base in reversed(lineage(cls)):
        inside = namespace(base)
        state = {name: held for name, held in state.items() if type(inside.get(name)) is not cached_property}
        if "__slots__" in inside:
            members = {name: entry for name, entry in inside.items() if type(entry) is MemberDescriptorType}
            state |= {name: _slot(entry, value) for name, entry in members.items()}
    state.pop("__pydantic_fields_set__", None)
    for name, held in sorted(state.items()):
        yield Part(f"attribute {name}", held, at.attribute(name, cls))


def _slot(entry: MemberDescriptorType, value: object) -> object:
    try:
        return entry.__get__(value, type(value))
    except AttributeError:
        return Said(["not set"])


def _is_record(bases: tuple[type, ...]) -> bool:
    """Whether instances are data by declaration: data classes, msgspec structs, pydantic models."""
    if msgspec.Struct in bases or any("__dataclass_fields__" in namespace(base) for base in bases):
        return True
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and any(base is pydantic.BaseModel for base in bases)


def _hides_state(cls: type, builtin: type) -> bool:
    """Whether instances are larger than their visible attributes: the test that CPython makes before copying one."""
    size = builtin.__basicsize__
    if cls.__dictoffset__ != 0 and not cls.__flags__ & _MANAGED_DICT:
        size += 8
    if cls.__weakrefoffset__ > 0:
        size += 8
    for base in lineage(cls):
        inside = namespace(base)
        if "__slots__" in inside:
            size += 8 * sum(type(entry) is MemberDescriptorType for entry in inside.values())
    return cls.__basicsize__ > size


def _alias(value: object, at: At) -> Parts:
    """Type expressions (`list[str]`, `X | None`, type variables), whose attributes are the library's own code."""
    name = getattr(value, "_name", None) or getattr(value, "__name__", None)
    if isinstance(value, ForwardRef):
        name = value.__forward_arg__
    steps = ("__origin__", "__args__", "__supertype__", "__metadata__")
    held = [Part(step, getattr(value, step, None), at) for step in steps]
    return Parts(["type", type(value).__name__, name if type(name) is str else ""], held)


def _a(cls: type) -> str:
    module = module_name(cls)
    name = class_name(cls) if module in ("builtins", "__main__", "") else f"{module}.{class_name(cls)}"
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"
