"""Takes the user's classes apart: bases, methods, attributes, and what the class statement itself says."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import NamedTuple

import msgspec

from rejudge.pinning.bare import (
    class_fact,
    class_name,
    descends,
    instance_namespace,
    is_one_of,
    module_name,
    namespace,
)
from rejudge.pinning.functions import read_parts
from rejudge.pinning.names import in_trees
from rejudge.pinning.origin import home_of_class, home_of_function
from rejudge.pinning.parts import At, Part, Parts
from rejudge.pinning.source import function_node, meaning, module_of


class _Row(NamedTuple):
    first: int = 0


_CODE = (FunctionType, property, staticmethod, classmethod)
_NO_CONTENT = (MemberDescriptorType, GetSetDescriptorType, type(vars(_Row)["first"]))
_StructMeta = type(msgspec.Struct)
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
    values = _attributes(cls, nodes)
    short = class_fact(cls, "__name__")
    read = {path: line for path, line in in_trees(_read_later(nodes, values)).items() if path[0] in scope}
    return Parts(
        ["class", short, [meaning(piece) for node in nodes for piece in _statement(node)]],
        [
            *(Part(f"base {index}", base, at) for index, base in enumerate(class_fact(cls, "__bases__"))),
            Part("metaclass", type(cls), at),
            *read_parts(read, scope, file=file),
            *(
                Part(f"attribute {name}", value, At(f"{short}.{name}", "attribute", at.line, at.file))
                for name, value in sorted(values.items())
            ),
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
    return [*node.decorator_list, *node.bases, *node.keywords, *body]


def _read_later(nodes: Iterable[ast.ClassDef], values: Mapping[str, object]) -> Iterator[ast.AST]:
    """Annotations, and what was written for a field and is kept elsewhere than in the class (a default factory).

    The rest of a class statement has run, and its results are among `values`.
    """
    for node in nodes:
        yield from [*node.bases, *node.keywords]
        for one in node.body:
            if isinstance(one, ast.AnnAssign):
                yield one.annotation
            if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None and not _kept(one, values):
                yield one.value


def _kept(assignment: ast.Assign | ast.AnnAssign, values: Mapping[str, object]) -> bool:
    targets = assignment.targets if isinstance(assignment, ast.Assign) else [assignment.target]
    names = (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
    return all(name in values for name in names)


def _attributes(cls: type, nodes: Sequence[ast.ClassDef]) -> dict[str, object]:
    """What the class holds, without what Python and class decorators make of a statement that is read."""
    inside = namespace(cls)
    bound = set(_bound(nodes)) if nodes else None
    enum = descends(cls, Enum)
    values: dict[str, object] = {}
    for name, value in inside.items():
        kind = type(value)
        if is_one_of(kind, _NO_CONTENT) or name == "_abc_impl" or (enum and not is_one_of(kind, _CODE)):
            continue
        if not (name.startswith("__") and name.endswith("__")) or _dunder_counts(name, value, bound):
            values[name] = value
    if enum:
        values |= _members(inside)
    if bound is None:
        values |= _pydantic_fields(inside) | _struct_defaults(cls)
    return values


def _dunder_counts(name: str, value: object, bound: set[str] | None) -> bool:
    """Leaves out what Python and class decorators generate from a statement that is read already."""
    if bound is None:
        return name in _DEFINING or is_one_of(type(value), _CODE)
    if name in bound:
        return True
    if type(value) is not FunctionType or home_of_function(value) is not None:
        return False
    return function_node(value.__code__, value.__globals__) is not None


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


def _pydantic_fields(inside: Mapping[str, object]) -> dict[str, object]:
    """What was written for each field of a pydantic model."""
    fields = inside.get("__pydantic_fields__")
    return {f"field {name}": info for name, info in fields.items()} if type(fields) is dict else {}


def _struct_defaults(cls: type) -> dict[str, object]:
    """The defaults of a msgspec struct, those of its last fields."""
    defaults = vars(_StructMeta)["__struct_defaults__"].__get__(cls) if issubclass(type(cls), _StructMeta) else ()
    values = [value.factory if type(value) is _StructFactory else value for value in defaults]
    return {f"default {index}": value for index, value in enumerate(values)}
