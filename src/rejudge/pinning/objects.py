"""Takes instances apart: enum members, data classes, structs, models, and objects of the user's own classes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cached_property
from logging import Logger, LoggerAdapter
from types import GenericAlias, MemberDescriptorType, UnionType
from typing import Any

import msgspec

from rejudge.pinning.bare import (
    MISSING,
    attribute,
    class_fact,
    class_name,
    descends,
    instance_namespace,
    is_one_of,
    lineage,
    module_name,
    namespace,
    slot,
)
from rejudge.pinning.origin import home_of_class, published
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

_ALIAS_PARTS = ("_name", "__name__", "__forward_arg__", "__origin__", "__args__", "__metadata__", "__supertype__")


def object_parts(value: object, at: At) -> Parts:
    """An instance by its class and state; raises Refused where the state cannot be told from outside."""
    cls = type(value)
    if is_one_of(cls, (GenericAlias, UnionType)) or module_name(cls) in ("typing", "annotationlib"):
        return _alias(value, at)
    if descends(cls, Logger) or descends(cls, LoggerAdapter):
        return Parts(["logger"])
    payload = next((base for base in _PAYLOADS if descends(cls, base)), None)
    if (why := _unreadable(cls, payload or object)) is not None:
        offered = published(value, module_name(cls), attribute(value, "__module__"))
        if offered is None:
            raise Refused(f"{_a(cls)} {why}")
        return Parts(list(offered))
    held = [Part("class", cls, At(class_fact(cls, "__name__"), at.where, at.line, at.file))]
    if payload is not None:
        held.append(Part("content", _PAYLOADS[payload](value), at))
    return Parts(["object"], [*held, *_state(value, cls, at)])


def _unreadable(cls: type, builtin: type) -> str | None:
    """Why what instances keep cannot be told from outside."""
    if home_of_class(cls) is not None and not _is_record(cls):
        return "has no canonical form"
    return "keeps state that cannot be read" if _hides_state(cls, builtin) else None


def _state(value: object, cls: type, at: At) -> Iterator[Part]:
    """Attributes in the dictionary and in slots; a cached property's value follows from the others."""
    state = instance_namespace(value)
    for base in reversed(lineage(cls)):
        inside = namespace(base)
        state = {name: held for name, held in state.items() if type(inside.get(name)) is not cached_property}
        if "__slots__" in inside:
            members = {name: entry for name, entry in inside.items() if type(entry) is MemberDescriptorType}
            state |= {name: slot(entry, value) for name, entry in members.items()}
    state.pop("__pydantic_fields_set__", None)
    for name, held in sorted(state.items()):
        yield Part(f"attribute {name}", Said(["not set"]) if held is MISSING else held, at.attribute(name, cls))


def _is_record(cls: type) -> bool:
    """Whether instances are data by declaration: enum members, data classes, structs, pydantic models."""
    if any("__dataclass_fields__" in namespace(base) for base in lineage(cls)):
        return True
    return any(descends(cls, record) for record in (Enum, msgspec.Struct, *_pydantic_records()))


def _pydantic_records() -> tuple[type, ...]:
    """Models and field declarations, where pydantic is in use at all."""
    if "pydantic" not in sys.modules:
        return ()
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    return BaseModel, FieldInfo


def _hides_state(cls: type, builtin: type) -> bool:
    """Whether instances are larger than their visible attributes: the test that CPython makes before copying one."""
    size = builtin.__basicsize__
    if class_fact(cls, "__dictoffset__") != 0 and not class_fact(cls, "__flags__") & _MANAGED_DICT:
        size += 8
    if class_fact(cls, "__weakrefoffset__") > 0:
        size += 8
    for base in lineage(cls):
        inside = namespace(base)
        if "__slots__" in inside:
            size += 8 * sum(type(entry) is MemberDescriptorType for entry in inside.values())
    return bool(class_fact(cls, "__basicsize__") > size)


def _alias(value: object, at: At) -> Parts:
    """A type expression: `list[str]`, `X | None`, a type variable, a new type."""
    if type(value) is GenericAlias:
        held: dict[str, object] = {"__origin__": value.__origin__, "__args__": value.__args__}
    elif type(value) is UnionType:
        held = {"__args__": value.__args__}
    else:
        held = {name: attribute(value, name) for name in _ALIAS_PARTS}
    return Parts(["type", class_name(type(value))], [Part(name, part, at) for name, part in held.items()])


def _a(cls: type) -> str:
    module = module_name(cls)
    name = class_name(cls) if module in ("builtins", "__main__", "") else f"{module}.{class_name(cls)}"
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"
