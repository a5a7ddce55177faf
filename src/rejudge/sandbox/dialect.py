"""What code asks of its interpreter beyond syntax: modules, what it takes from them, and built-in names."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Asked(NamedTuple):
    """A statement that fails where something is lacking, and the line that asks for it."""

    statement: str
    line: int


def asked_of(code: str) -> list[Asked]:
    """What the code asks for, each thing once. What a `try` stands around may be missing, and is left out."""
    tree = ast.parse(code)
    found: dict[str, int] = {}
    modules: dict[str, str] = {}
    for node in _certain(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                statement = ast.unparse(ast.Import(names=[name]))
                found.setdefault(statement, node.lineno)
                modules[name.asname or name.name.partition(".")[0]] = statement
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            found.setdefault(ast.unparse(node), node.lineno)
    bound = _bound(tree)
    for node in _certain(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            statement = f"{modules[node.value.id]}\n{node.value.id}.{node.attr}"
            found.setdefault(statement, node.lineno)
        elif isinstance(node, ast.Name) and node.id not in bound and hasattr(builtins, node.id):
            found.setdefault(node.id, node.lineno)
    return sorted((Asked(*one) for one in found.items()), key=lambda asked: asked.line)


def _certain(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node that no `try` stands around."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.Try)]


def _bound(tree: ast.AST) -> set[str]:
    """Every name that the code gives a meaning of its own anywhere."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.alias(name=name, asname=other):
                names.add(other or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                names.add(name)
            case _:
                pass
    return names
