"""Takes the user's classes apart: bases, methods, attributes, and what the class statement itself says."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import NamedTuple

import msgspec

from rejudge.pinning.functions import read_parts
from rejudge.pinning.names import in_trees
from rejudge.pinning.objects import instance_namespace
from rejudge.pinning.origin import class_name, home_of_class, home_of_function, lineage, module_name, namespace
from rejudge.pinning.parts import At, Part, Parts
from rejudge.pinning.source import function_node, meaning, module_of


class _Row(NamedTuple):
    first: int = 0


_CODE = (FunctionType, property, staticmethod, classmethod)
_NO_CONTENT = (MemberDescriptorType, GetSetDescriptorType, type(vars(_Row)["first"]))
_StructFactory = type(msgspec.defstruct("_Struct", [("first", list[int], [])]).__struct_defaults__[0])
_DEFINING = frozenset({"__annotations__", "__doc__"})
"""Where a class without a statement to read keeps what the statement said."""


def class_parts(cls: type, at: At) -> Parts:
    """A class: an installed one by name, the user's own in full."""
    where = home_of_class(cls)
    if where is not None:
        return Parts([*where, class_name(cls)])
    loaded = sys.modules.get(module_name(cls))
    scope = namespace(loaded) if loaded is not None else {}
    file = _file(cls, scope)
    written = module_of(file, scope) if file else None
    nodes = written.classes.get(class_name(cls), []) if written else []
    said = [piece for node in nodes for piece in _statement(node)]
    read = {path: line for path, line in in_trees(said).items() if path[0] in scope}
    decorators = [decorator for node in nodes for decorator in node.decorator_list]
    return Parts(
        ["class", cls.__name__, [meaning(piece) for piece in [*said, *decorators]]],
        [
            *(Part(f"base {index}", base, at) for index, base in enumerate(cls.__bases__)),
            Part("metaclass", type(cls), at),
            *read_parts(read, scope, file=file),
            *_attributes(cls, at, nodes),
        ],
    )


def _file(cls: type, scope: dict[str, object]) -> str:
    """The file of the class's module, or in a notebook the cell that wrote its methods."""
    file = scope.get("__file__")
    if type(file) is str:
        return file
    methods = (value for value in namespace(cls).values() if type(value) is FunctionType)
    own = (one for one in methods if one.__code__.co_qualname.startswith(f"{class_name(cls)}."))
    return next((one.__code__.co_filename for one in own), "")


def _statement(node: ast.ClassDef) -> list[ast.AST]:
    """What the class says outside its methods and inner classes, which are followed as they are loaded."""
    body = [one for one in node.body if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    return [*node.bases, *node.keywords, *body]


def _attributes(cls: type, at: At, nodes: Iterable[ast.ClassDef]) -> Iterator[Part]:
    inside = namespace(cls)
    values: dict[str, object] = {}
    bound = set(_bound(nodes)) if nodes else None
    enum = Enum in lineage(cls)
    for name, value in inside.items():
        if type(value) in _NO_CONTENT or name == "_abc_impl" or (enum and type(value) not in _CODE):
            continue
        if not (name.startswith("__") and name.endswith("__")) or _dunder_counts(name, value, bound):
            values[name] = value
    if enum:
        values |= _members(inside)
    if bound is None:
        values |= _pydantic_fields(inside) | _struct_defaults(cls)
    for name, value in sorted(values.items()):
        yield Part(f"attribute {name}", value, At(f"{cls.__name__}.{name}", "attribute", at.line, at.file))


def _dunder_counts(name: str, value: object, bound: set[str] | None) -> bool:
    """Leaves out what Python and class decorators generate from a statement that is read already."""
    if bound is None:
        return name in _DEFINING or type(value) in _CODE
    if name in bound:
        return True
    own = type(value) is FunctionType and home_of_function(value) is None
    return own and function_node(value.__code__, value.__globals__) is not None  # type: ignore[attr-defined]


def _bound(nodes: Iterable[ast.ClassDef]) -> Iterator[str]:
    """The names that class statements bind."""
    waiting: list[ast.AST] = [piece for node in nodes for piece in node.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        waiting.extend(ast.iter_child_nodes(node))


def _members(inside: dict[str, object]) -> dict[str, object]:
    """The members of an enumeration, which are instances of it, by their values."""
    members = inside.get("_member_map_")
    found = dict(members) if type(members) is dict else {}
    return {name: instance_namespace(member).get("_value_") for name, member in found.items()}


def _pydantic_fields(inside: dict[str, object]) -> dict[str, object]:
    """What was written for each field of a pydantic model."""
    fields = inside.get("__pydantic_fields__")
    found = dict(fields) if type(fields) is dict else {}
    return {
        f"field {name}": (getattr(info, "_attributes_set", None), getattr(info, "metadata", None))
        for name, info in found.items()
    }


def _struct_defaults(cls: type) -> dict[str, object]:
    """The defaults of a msgspec struct, those of its last fields."""
    defaults = cls.__struct_defaults__ if isinstance(cls, type(msgspec.Struct)) else ()
    values = [value.factory if type(value) is _StructFactory else value for value in defaults]
    return {f"default {index}": value for index, value in enumerate(values)}
