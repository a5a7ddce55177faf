"""The rules that no linter knows: each takes one file and names the places that break it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tests.architecture.source import Source

FILE, FUNCTION, CLASS, PARAMETERS = 400, 60, 200, 8
REFUSED_NAMES = frozenset(
    "base bases common core handler handlers helper helpers manager managers misc util utils".split()
)
PURE = ("domain", "scorers", "stats")

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Fault:
    """A place that breaks a rule; `thing` is its name in the table of exceptions."""

    path: str
    line: int
    thing: str
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.thing} {self.what}"

    @property
    def key(self) -> str:
        return f"{self.path}::{self.thing}"


Rule: TypeAlias = Callable[[Source], Iterator[Fault]]


def long_file(source: Source) -> Iterator[Fault]:
    if (size := len(source.text.splitlines())) > FILE:
        yield Fault(source.path, 1, "file", f"is {size} lines, more than {FILE}")


def long_function(source: Source) -> Iterator[Fault]:
    for node in _functions(source):
        if (size := _size(node)) > FUNCTION:
            yield Fault(source.path, node.lineno, node.name, f"is {size} lines, more than {FUNCTION}")


def long_class(source: Source) -> Iterator[Fault]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef) and (size := _size(node)) > CLASS:
            yield Fault(source.path, node.lineno, node.name, f"is {size} lines, more than {CLASS}")


def many_parameters(source: Source) -> Iterator[Fault]:
    if _is_test(source) or _is_door(source):
        return
    for node in _functions(source):
        if (count := len(_parameters(node))) > PARAMETERS:
            yield Fault(source.path, node.lineno, node.name, f"takes {count} parameters, more than {PARAMETERS}")


def empty_name(source: Source) -> Iterator[Fault]:
    if source.stem.strip("_") in REFUSED_NAMES:
        yield Fault(source.path, 1, "file", "is not named after the noun it holds")


def no_docstring(source: Source) -> Iterator[Fault]:
    if not _is_test(source) and not ast.get_docstring(source.tree):
        yield Fault(source.path, 1, "module", "has no docstring that says what it is for")


def swallowed_exception(source: Source) -> Iterator[Fault]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ExceptHandler) and all(_does_nothing(step) for step in node.body):
            yield Fault(source.path, node.lineno, "except", "swallows an exception")
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
            for kind in node.args:
                if ast.unparse(kind) in {"Exception", "BaseException"}:
                    yield Fault(source.path, node.lineno, "suppress", "swallows every exception")


def switch(source: Source, fields: frozenset[str] = frozenset()) -> Iterator[Fault]:
    """A boolean parameter; one that carries a record's boolean field of the same name is data."""
    if _is_test(source) or _is_door(source):
        return
    for node in _functions(source):
        for name, annotation in _parameters(node).items():
            if annotation in {"bool", "bool | None", "None | bool", "Optional[bool]"} and name not in fields:
                yield Fault(source.path, node.lineno, f"{node.name}({name})", "is a switch: make it two functions")


def boolean_fields(source: Source) -> Iterator[str]:
    """The boolean fields that the classes of the file declare."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef):
            for step in node.body:
                if isinstance(step, ast.AnnAssign) and "bool" in ast.unparse(step.annotation).split(" | "):
                    yield ast.unparse(step.target)


def clock_or_chance(source: Source) -> Iterator[Fault]:
    """A look at the clock or at unseeded chance where values come in as arguments; imports are import-linter's."""
    if source.folders[2:3] not in [(floor,) for floor in PURE]:
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            unseeded = name.endswith("random.default_rng") and not node.args and not node.keywords
            if unseeded or re.search(r"\b(datetime|date)\.(now|utcnow|today)$", name):
                yield Fault(source.path, node.lineno, name, "is not a function of its arguments")


def idle_test(source: Source) -> Iterator[Fault]:
    if not _is_test(source):
        return
    for node in _functions(source):
        if node.name.startswith("test_") and not any(map(_asserts, ast.walk(node))):
            yield Fault(source.path, node.lineno, node.name, "asserts nothing")


RULES: dict[str, Rule] = {
    f"a file is at most {FILE} lines": long_file,
    f"a function is at most {FUNCTION} lines": long_function,
    f"a class is at most {CLASS} lines": long_class,
    f"a function takes at most {PARAMETERS} parameters": many_parameters,
    "a file is named after a noun": empty_name,
    "a module says what it is for": no_docstring,
    "no exception is swallowed": swallowed_exception,
    "no boolean parameter switches behaviour": switch,
    "pure floors take neither clock nor chance": clock_or_chance,
    "a test can fail": idle_test,
}


def _functions(source: Source) -> Iterator[Function]:
    return (node for node in ast.walk(source.tree) if isinstance(node, Function))


def _size(node: Function | ast.ClassDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _parameters(node: Function) -> dict[str, str]:
    listed = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return {one.arg: ast.unparse(one.annotation).strip("'\"") if one.annotation else "" for one in listed}


def _does_nothing(step: ast.stmt) -> bool:
    return isinstance(step, ast.Pass) or (isinstance(step, ast.Expr) and isinstance(step.value, ast.Constant))


def _asserts(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return bool(re.search(r"raises|assert|check|expect|verify|warns|fail", ast.unparse(node.func)))
    return isinstance(node, ast.Assert)


def _is_test(source: Source) -> bool:
    return source.folders[:1] == ("tests",)


def _is_door(source: Source) -> bool:
    """Front-door verbs and command-line functions have as many options as they have."""
    return bool({"front", "cli"} & set(source.folders))
