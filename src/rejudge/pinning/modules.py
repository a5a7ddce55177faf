"""Takes the user's modules apart, those that are loaded and those that a function will only import when it runs."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from rejudge.pinning.bare import namespace
from rejudge.pinning.names import Import, imports_in
from rejudge.pinning.origin import Home, home, home_of_module
from rejudge.pinning.parts import At, Form, Part, Parts
from rejudge.pinning.source import meaning, module_of

BY_THE_LOADER = frozenset(
    "__name__ __file__ __package__ __spec__ __loader__ __path__ __cached__ __builtins__ __annotations__".split()
)
"""What every module is given when it loads; it says where the code lies, not what it does."""


def module_parts(module: ModuleType, at: At) -> Parts:
    """A module used as a value: everything in it, since any of it may be read."""
    where = home_of_module(module)
    if where is not None:
        return Parts(list(where))
    inside = namespace(module)
    file = inside.get("__file__")
    written = module_of(file) if type(file) is str else None
    return Parts(
        ["module", meaning(written.tree) if written else None],
        [
            Part(name, value, At(f"{at.name}.{name}", "global", at.line, at.file))
            for name, value in sorted(inside.items())
            if name not in BY_THE_LOADER
        ],
    )


def imported(imports: Iterable[Import], package: str) -> Form:
    """Every module that these import statements reach through the user's own code, by name.

    The files are read, never run, and loaded modules get no other treatment: the form is the same before and
    after the first call.
    """
    found: dict[str, Form] = {}
    waiting = [name for one in imports for name in _targets(one, package)]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        spec = _spec(name)
        where = _home(spec) if spec else None
        if where is not None:
            found[name] = list(where)
        elif spec is None:
            found[name] = ["absent"]
        else:
            found[name], further = _read(spec)
            waiting.extend(further)
    return found


def _home(spec: ModuleSpec) -> Home | None:
    return home(spec.name, spec.origin if spec.has_location else None)


def _read(spec: ModuleSpec) -> tuple[Form, list[str]]:
    """The form of a module that is not loaded, and the modules that it would import."""
    if not spec.origin or not spec.has_location:
        return ["namespace"], []
    written = module_of(spec.origin)
    if written is None:
        return ["file", sha256(Path(spec.origin).read_bytes()).hexdigest()], []
    further = [name for one in imports_in(written.tree) for name in _targets(one, spec.parent or "")]
    return ["module", meaning(written.tree)], further


def _targets(one: Import, package: str) -> Iterator[str]:
    """The modules that an import statement loads, the packages around them first."""
    module = "." * one.level + one.module
    try:
        module = importlib.util.resolve_name(module, package)
    except ImportError:
        yield module
        return
    steps = module.split(".")
    yield from (".".join(steps[:count]) for count in range(1, len(steps) + 1))
    spec = _spec(module) if one.names else None
    if spec is not None and _home(spec) is None:
        yield from (inner for name in one.names if _spec(inner := f"{module}.{name}") is not None)


def _spec(name: str) -> ModuleSpec | None:
    """Where a module would be loaded from; unlike `find_spec`, loads no package on the way."""
    path, *rest = name.split(".")
    if not path:
        return None
    try:
        spec = importlib.util.find_spec(path)
    except ValueError:
        return None
    for step in rest:
        if spec is None or spec.submodule_search_locations is None:
            return None
        path = f"{path}.{step}"
        spec = PathFinder.find_spec(path, list(spec.submodule_search_locations))
    return spec
