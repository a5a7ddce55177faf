"""Takes functions apart: what they say, what they hold, and every outside name they read."""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Iterator, Mapping
from types import CellType, FunctionType

from rejudge.pinning.bare import is_module, named, namespace
from rejudge.pinning.bytecode import bytecode
from rejudge.pinning.modules import BY_THE_LOADER, imported
from rejudge.pinning.names import Path, in_code, in_trees
from rejudge.pinning.origin import home_of_function, home_of_module
from rejudge.pinning.parts import At, Form, Part, Parts, Said
from rejudge.pinning.source import FunctionNode, function_node, meaning
from rejudge.pinning.version import qualified_name

_BUILTINS = namespace(builtins)


def function_parts(function: FunctionType) -> Parts:
    """A Python function: the user's own in full, an installed one by name and what it was made to hold."""
    code, scope = function.__code__, function.__globals__
    where = home_of_function(function)
    if where is not None:
        return Parts([*where, code.co_qualname], [*_held_by_installed(function)])
    version = function.__dict__.get("version")
    if type(version) is str and version:
        return Parts(["version", qualified_name(function), version])
    node = function_node(code, scope)
    reads = in_code(code)
    noted = {path: line for path, line in in_trees(_annotations(node)).items() if path[0] in scope}
    form: Form = ["source", meaning(node)] if node else ["bytecode", code.co_name, bytecode(code)]
    package = scope.get("__package__")
    return Parts(
        ["function", form, imported(reads.imports, package if type(package) is str else "")],
        [
            *_defaults(function),
            *_cells(function, reads.cells),
            *read_parts(noted | reads.paths, scope, file=code.co_filename),
            *_attributes(function),
        ],
    )


def read_parts(paths: Mapping[Path, int], scope: Mapping[str, object], *, file: str) -> Iterator[Part]:
    """What these names stand for in a module's globals."""
    found: dict[str, Part] = {}
    for path, line in sorted(paths.items()):
        if path[0] in BY_THE_LOADER:
            continue
        name, value = _resolved(path, scope)
        found.setdefault(name, Part(f"name {name}", value, At(name, "global", line, file)))
    yield from found.values()


def _resolved(path: Path, scope: Mapping[str, object]) -> tuple[str, object]:
    """The longest part of the path that leads through the user's own modules, and what is there."""
    name = path[0]
    if name not in scope:
        return name, Said(["builtin" if name in _BUILTINS else "undefined"])
    value = scope[name]
    for step in path[1:]:
        if not is_module(value) or home_of_module(value) is not None:
            break
        inside = namespace(value)
        if step in BY_THE_LOADER:
            return f"{name}.{step}", Said(["of the module"])
        if step not in inside:
            break
        name, value = f"{name}.{step}", inside[step]
    return name, value


def _annotations(node: FunctionNode | None) -> list[ast.expr]:
    """Frameworks read them (as schemas, for conversion), so what they name counts."""
    if node is None or isinstance(node, ast.Lambda):
        return []
    taken = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    found = [argument.annotation for argument in taken if argument] + [node.returns]
    return [annotation for annotation in found if annotation]


def _defaults(function: FunctionType) -> Iterator[Part]:
    code = function.__code__
    values = function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    for name, value in [*zip(names, values, strict=True), *sorted((function.__kwdefaults__ or {}).items())]:
        yield Part(f"default {name}", value, At(name, "default", code.co_firstlineno, code.co_filename))


def _cells(function: FunctionType, lines: Mapping[str, int]) -> Iterator[Part]:
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        at = At(name, "closure", lines.get(name, code.co_firstlineno), code.co_filename)
        yield Part(f"closure {name}", _content(cell), at)


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return Said(["not set yet"])


def _attributes(function: FunctionType) -> Iterator[Part]:
    code = function.__code__
    for name, value in sorted(named(function.__dict__).items()):
        at = At(f"{function.__name__}.{name}", "attribute", code.co_firstlineno, code.co_filename)
        yield Part(f"attribute {name}", value, at)


def _held_by_installed(function: FunctionType) -> Iterator[Part]:
    """What a library's wrapper or factory keeps of the user's."""
    code = function.__code__
    if function.__globals__ is functools.__dict__ and "registry" in function.__dict__:
        yield Part("registry", function.__dict__["registry"], At(code.co_name, "closure"))  # of `singledispatch`
        return
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        yield Part(f"closure {name}", _content(cell), At(f"{code.co_name}.{name}", "closure"))
    if "__wrapped__" in function.__dict__:
        yield Part("wrapped", function.__dict__["__wrapped__"], At(code.co_name, "closure"))
