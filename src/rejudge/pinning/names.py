"""Which names code reads from outside itself, with the attributes read through them and the line of first use."""

from __future__ import annotations

import ast
import dis
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import NamedTuple, TypeAlias

from rejudge.pinning.source import with_nested

Path: TypeAlias = tuple[str, ...]
"""`helpers.prompts.SYSTEM` as its three names."""

_GLOBAL = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_CELL = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
_ATTRIBUTE = frozenset({"LOAD_ATTR", "LOAD_METHOD"})


class Import(NamedTuple):
    """An import statement inside a function or of a module that is read, not run."""

    module: str
    names: tuple[str, ...]
    level: int


@dataclass(frozen=True, slots=True)
class Reads:
    """What a function reads from outside itself; the numbers are lines."""

    paths: dict[Path, int] = field(default_factory=dict)
    cells: dict[str, int] = field(default_factory=dict)
    imports: dict[Import, int] = field(default_factory=dict)


def in_code(code: CodeType) -> Reads:
    """What this code and everything written inside it (lambdas, comprehensions, classes) reads."""
    reads = Reads()
    for inner in with_nested(code):
        _read(inner, reads)
    return reads


def _read(code: CodeType, reads: Reads) -> None:
    path: Path = ()
    since = 0
    before: list[object] = [None, None]
    for step in dis.get_instructions(code):
        name = step.opname
        if name == "EXTENDED_ARG":
            continue
        if path and name in _ATTRIBUTE:
            path += (step.argval,)
            continue
        if path:
            reads.paths.setdefault(path, since)
            path = ()
        line = (step.positions and step.positions.lineno) or code.co_firstlineno
        if name in _GLOBAL:
            path, since = (step.argval,), line
        elif name in _CELL:
            reads.cells.setdefault(step.argval, line)
        elif name == "IMPORT_NAME":
            level, names = before
            found = Import(step.argval, names if type(names) is tuple else (), level if type(level) is int else 0)
            reads.imports.setdefault(found, line)
        before = [before[1], step.argval]


def in_trees(trees: Iterable[ast.AST]) -> dict[Path, int]:
    """The names that these pieces of a syntax tree read, local ones included."""
    found: dict[Path, int] = {}
    waiting = list(trees)
    while waiting:
        node = waiting.pop()
        steps: list[str] = []
        while isinstance(node, ast.Attribute):
            steps.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            found.setdefault((node.id, *reversed(steps)), node.lineno)
        else:
            waiting.extend(ast.iter_child_nodes(node))
    return found


def imports_in(tree: ast.AST) -> Iterator[Import]:
    """Every import statement of a module, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, (), 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield Import(node.module or "", tuple(alias.name for alias in node.names), node.level)


def attribute_line(codes: Iterable[CodeType], attribute: str) -> tuple[int | None, str] | None:
    """Line and file where one of `codes` first reads `attribute` of something."""
    for outer in codes:
        for code in with_nested(outer):
            for step in dis.get_instructions(code) if attribute in code.co_names else ():
                if step.opname in _ATTRIBUTE and step.argval == attribute and step.positions:
                    return step.positions.lineno, code.co_filename
    return None
