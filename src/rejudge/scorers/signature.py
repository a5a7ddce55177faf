"""What the code of a code scorer asks for, read from its source; none of it is run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from rejudge.domain.errors import ConfigurationError, Place
from rejudge.scorers.wording import listed

LARGEST_CODE: Final = 64 * 1024
"""Bytes of UTF-8."""

FUNCTION: Final = "score"
ASKABLE: Final = ("output", "trace", "spans", "reference_data", "task_input")
JUDGED: Final = ("output", "trace", "spans")
"""What the task did; code that asks for none of it has nothing to judge."""

_EXAMPLE: Final = "write: def score(output, reference_data): ..."

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The parts of a view that `score` asks for; it does without the `optional` ones where they are not there."""

    required: tuple[str, ...]
    optional: tuple[str, ...]


def signature_of(code: str) -> Signature:
    """What `score(...)` asks for; raises ConfigurationError, with the line, for code that could never judge."""
    function = _score(_parsed(code))
    if (line := _yields(function)) is not None:
        raise _wrong("score is a generator", line, fix="return the value")
    arguments = function.args
    if arguments.posonlyargs:
        raise _wrong(f"{arguments.posonlyargs[0].arg!r} takes its value by position alone", function.lineno)
    plain = [one.arg for one in arguments.args]
    with_default = len(arguments.defaults)
    required = plain[: len(plain) - with_default]
    optional = plain[len(plain) - with_default :]
    for keyword, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        (required if default is None else optional).append(keyword.arg)
    strangers = [name for name in required if name not in ASKABLE]
    if strangers:
        raise _wrong(f"score asks for {strangers[0]!r}, which nobody has", function.lineno, fix=_fix())
    if not set(JUDGED).intersection(required + optional):
        alone = f", and **{arguments.kwarg.arg} gets nothing" if arguments.kwarg else ""
        raise _wrong(f"score asks for neither output, trace nor spans{alone}", function.lineno, fix=_fix())
    return Signature(required=tuple(required), optional=tuple(name for name in optional if name in ASKABLE))


def _parsed(code: str) -> ast.Module:
    try:
        size = len(code.encode())
        if size > LARGEST_CODE:
            raise _wrong(f"the code has {size} bytes, more than {LARGEST_CODE}", fix="keep to what judges")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
            compile(tree, "code", "exec", dont_inherit=True)  # sees what a parser does not, such as a stray `return`
    except SyntaxError as error:
        raise _wrong(f"this is not Python: {error.msg}", error.lineno) from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise _wrong(f"this cannot be read as Python: {error}") from None
    return tree


def _score(tree: ast.Module) -> _Function:
    found: _Function | None = None
    for step in tree.body:
        if isinstance(step, _Function) and step.name == FUNCTION:
            found = step
        elif FUNCTION in _bound(step):
            what = "a lambda" if isinstance(getattr(step, "value", None), ast.Lambda) else "not defined by `def`"
            raise _wrong(f"score is {what}", step.lineno, fix=_EXAMPLE)
    if found is None:
        raise _wrong("there is no function `score` at the top of the code", 1, fix=_EXAMPLE)
    return found


def _bound(step: ast.stmt) -> set[str]:
    """The names that a statement gives a meaning, but for functions."""
    if isinstance(step, _SCOPES):
        return {step.name} if isinstance(step, ast.ClassDef) else set()
    names: set[str] = set()
    for node in (step, *_own(step)):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names.add(name)
            case ast.alias(name=name, asname=other):
                names.add(other or name)
            case _:
                pass
    return names


def _yields(function: _Function) -> int | None:
    """The line where it yields; None where it does not."""
    for node in _own(function):
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return node.lineno
    return None


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """Every node of a function that is no part of another one inside it."""
    waiting = [*ast.iter_child_nodes(scope)][::-1]  # not by recursion: a long sum is as deep as it is long
    while waiting:
        node = waiting.pop()
        if not isinstance(node, _SCOPES):
            yield node
            waiting.extend([*ast.iter_child_nodes(node)][::-1])


def _fix() -> str:
    return f"it may ask for {listed(ASKABLE)}, and for output, trace or spans at least"


def _wrong(what: str, line: int | None = None, *, fix: str = "") -> ConfigurationError:
    return ConfigurationError(what, where=Place(file="code", line=line), fix=fix)
