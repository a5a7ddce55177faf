"""Finds the source of a function or class that is loaded, and says what it means without how it is laid out.

A function's source counts only if it compiles to the code that is loaded: a file edited since, or a module whose
import rewrote it, would otherwise lend its text to code that does something else.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import TypeAlias

from rejudge.pinning.bytecode import bytecode, constant

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_LAYOUT = frozenset({"ctx", "kind", "type_comment", "type_ignores"})


@dataclass(frozen=True, slots=True)
class Module:
    """One file, parsed and compiled; never executed."""

    tree: ast.Module
    codes: Mapping[str, list[CodeType]]
    functions: Mapping[tuple[int, str], FunctionNode]
    classes: Mapping[str, list[ast.ClassDef]]


def module_of(file: str, module_globals: dict[str, object] | None = None) -> Module | None:
    """The module whose text is `file`'s, as it is now; None where there is no text or it is not Python."""
    linecache.checkcache(file)
    text = "".join(linecache.getlines(file, module_globals))
    return _parsed(text) if text else None


def function_node(code: CodeType, module_globals: dict[str, object]) -> FunctionNode | None:
    """The syntax tree of the function that `code` was compiled from, None where no text compiles to it."""
    module = module_of(code.co_filename, module_globals)
    if module is None:
        return None
    written = bytecode(code)
    twins = [twin for twin in module.codes.get(code.co_qualname, ()) if twin == code or bytecode(twin) == written]
    if not twins:
        return None
    twin = min(twins, key=lambda twin: abs(twin.co_firstlineno - code.co_firstlineno))
    if twin.co_name == "<lambda>":
        return _lambda(module.tree, next((same for same in twins if same == code), twin))
    return module.functions.get((twin.co_firstlineno, twin.co_name))


def meaning(node: ast.AST) -> str:
    """The tree as text: the same after reformatting and new comments, and under every Python that parses it alike.

    Docstrings count, since a function may send its own as a prompt.
    """
    tokens: list[str] = []
    waiting: list[object] = [node]
    while waiting:
        match waiting.pop():
            case ast.AST() as tree:
                fields = [(name, value) for name, value in ast.iter_fields(tree) if name not in _LAYOUT]
                fields = [(name, value) for name, value in fields if value is not None and value != []]
                tokens.append(f"{type(tree).__name__}({','.join(name for name, _ in fields)})")
                waiting.extend(value for _, value in reversed(fields))
            case list() as several:
                tokens.append(f"[{len(several)}]")
                waiting.extend(reversed(several))
            case str() as text:
                tokens.append(f"{len(text)}:{text}")
            case other:
                tokens.append(f"={constant(other)}")
    return "\n".join(tokens)


@lru_cache(maxsize=64)
def _parsed(text: str) -> Module | None:
    try:
        tree = ast.parse(text)
        code = compile(tree, "", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None
    codes: dict[str, list[CodeType]] = {}
    for inner in with_nested(code):
        codes.setdefault(inner.co_qualname, []).append(inner)
    functions: dict[tuple[int, str], FunctionNode] = {}
    classes: dict[str, list[ast.ClassDef]] = {}
    for name, node in _definitions(tree):
        if isinstance(node, ast.ClassDef):
            classes.setdefault(name, []).append(node)
        else:
            functions[min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.name] = node
    return Module(tree=tree, codes=codes, functions=functions, classes=classes)


def with_nested(code: CodeType) -> Iterator[CodeType]:
    """This code and all the code written inside it, in the order of the text."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from with_nested(value)


def _definitions(tree: ast.Module) -> Iterator[tuple[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        prefix, node = waiting.pop()
        match node:
            case ast.ClassDef():
                yield prefix + node.name, node
                prefix += f"{node.name}."
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield prefix + node.name, node
                prefix += f"{node.name}.<locals>."
        inner = (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))
        waiting.extend((prefix, child) for child in inner)


def _lambda(tree: ast.Module, code: CodeType) -> ast.Lambda | None:
    """The innermost lambda around every position in `code`: several on one line share everything but columns."""
    spots = [spot for spot in map(_spot, code.co_positions()) if spot]
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and spots
        and _span(node.body)[0] <= min(start for start, _ in spots)
        and max(end for _, end in spots) <= _span(node.body)[1]
    ]
    return max(around, key=lambda node: _span(node)[0], default=None)


_Spot: TypeAlias = tuple[tuple[int, int], tuple[int, int]]


def _spot(position: tuple[int | None, int | None, int | None, int | None]) -> _Spot | None:
    line, end_line, column, end_column = position
    if line is None or end_line is None or column is None or end_column is None:
        return None
    return ((line, column), (end_line, end_column)) if (line, column) != (end_line, end_column) else None


def _span(node: ast.expr) -> _Spot:
    return (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)
