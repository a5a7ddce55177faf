"""What a function's source says about the dict that it returns."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from enum import Enum
from functools import partial


def returned_keys(function: Callable[..., object]) -> frozenset[str]:
    """The constant keys of dicts that the function returns as literals; empty where it has no source.

    It only lets a scorer ask for them before the first call; what is really returned is seen when it is.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError, ValueError):
        return frozenset()
    keys: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict):
            named = {key.value for key in node.value.keys if isinstance(key, ast.Constant)}
            keys |= {key for key in named if isinstance(key, str)}
    return frozenset(keys - {"output", "messages", "metadata"})


_NO_DICT = frozenset({"str", "int", "float", "bool", "bytes", "list", "tuple", "None"})
_TEXT_METHODS = frozenset({"join", "format", "strip", "upper", "lower", "title", "replace", "removeprefix"})
_TEXT_FUNCTIONS = frozenset({"str", "int", "float", "bool", "repr", "len", "sum", "round", "abs", "sorted", "list"})


class Shown(Enum):
    """What a source shows of what its function returns: no dict, dicts by their keys, or not even that."""

    PLAIN = "plain"
    KEYS = "keys"
    NOTHING = "nothing"


def shown(function: Callable[..., object]) -> Shown:
    """What the source shows: by the declared return type, or else by what stands in each `return`."""
    definition = _definition(function)
    if definition is None:
        return Shown.NOTHING
    if isinstance(definition, ast.Lambda):
        return _shown([definition.body])
    declared = definition.returns
    if isinstance(declared, ast.Subscript):
        declared = declared.value
    if isinstance(declared, ast.Constant):
        declared = ast.Name(str(declared.value))
    if isinstance(declared, ast.Name) and declared.id in _NO_DICT:
        return Shown.PLAIN
    return _shown([node.value for node in _own_returns(definition) if node.value is not None])


def _shown(returned: list[ast.expr]) -> Shown:
    if all(map(_is_plain, returned)):
        return Shown.PLAIN
    known = all(_is_plain(value) or _shows_keys(value) for value in returned)
    return Shown.KEYS if known else Shown.NOTHING


def _shows_keys(value: ast.expr) -> bool:
    return isinstance(value, ast.Dict) and all(isinstance(key, ast.Constant) for key in value.keys)


def _definition(function: object) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    while isinstance(function, partial):
        function = function.func
    if not inspect.isroutine(function):
        function = getattr(type(function), "__call__", None)  # noqa: B004 - the method itself is wanted
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))  # type: ignore[arg-type]
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    first = tree.body[0] if tree.body else None
    if isinstance(first, ast.FunctionDef | ast.AsyncFunctionDef):
        return first
    return lambdas[0] if len(lambdas) == 1 else None


def _own_returns(definition: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.Return]:
    """The return statements of a function, without those of functions inside it."""
    found: list[ast.Return] = []
    waiting: list[ast.AST] = list(definition.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return):
            found.append(node)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))
    return found


def _is_plain(value: ast.expr) -> bool:
    """Whether an expression gives no dict."""
    match value:
        case ast.Constant() | ast.JoinedStr() | ast.List() | ast.ListComp() | ast.Tuple() | ast.Compare():
            return True
        case ast.IfExp(body=body, orelse=other):
            return _is_plain(body) and _is_plain(other)
        case ast.BinOp(op=op):
            return not isinstance(op, ast.BitOr)
        case ast.Call(func=ast.Name(id=name)):
            return name in _TEXT_FUNCTIONS
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _TEXT_METHODS
    return False
