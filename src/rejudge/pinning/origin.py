"""Whose code a thing is: the standard library's, an installed package's, or the user's own.

The standard library counts by name alone, so that a patch release of Python does not invalidate every trace.
Installed packages and rejudge itself count by name and version. A package whose files lie outside the
installation (an editable one) is the user's own code.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from functools import cache
from importlib import metadata
from types import FunctionType, ModuleType
from typing import TypeAlias

from rejudge.pinning.bare import class_name, is_class, is_module, module_name, namespace

Home: TypeAlias = tuple[str, ...]
"""`("stdlib", "json.decoder")`, or `("package", "httpx 0.28.1", "httpx._client")`."""

_INSTALLED = frozenset({"site-packages", "dist-packages"})
_LIBRARY = tuple(
    {os.path.join(sysconfig.get_path(key), "") for key in ("stdlib", "platstdlib")}
    | {os.path.join(os.path.dirname(os.__file__), "")}
)
_PROJECT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


def home(module: str, file: str | None = None) -> Home | None:
    """Where code of this module and file belongs; None is the user's own."""
    if not file or file.startswith("<"):
        loaded = sys.modules.get(module) if module != "__main__" else None  # a prompt's, whatever runs the prompt
        told = namespace(loaded).get("__file__") if loaded is not None else None
        file = told if type(told) is str else ""
    return _home(module, file)


def home_of_module(module: ModuleType) -> Home | None:
    """Where a loaded module belongs."""
    inside = namespace(module)
    name, file = inside.get("__name__"), inside.get("__file__")
    return home(name if type(name) is str else "", file if type(file) is str else None)


def home_of_function(function: FunctionType) -> Home | None:
    """Where a function was written, whatever `functools.wraps` made it say."""
    name = function.__globals__.get("__name__")
    return home(name if type(name) is str else "", function.__code__.co_filename)


def home_of_class(cls: type) -> Home | None:
    """Where a class was written; one that a library made on the fly from the user's words is the user's own."""
    module = module_name(cls)
    found = home(module)
    if found is None or not any(type(value) is FunctionType for value in namespace(cls).values()):
        return found
    return found if _attribute(module, class_name(cls)) is cls else None


def published(value: object, *modules: object) -> Home | None:
    """The installed module among `modules` (or their top packages) that offers exactly this object, and its name."""
    names = dict.fromkeys(name for module in modules if type(module) is str for name in (module, _top(module)))
    for name in names:
        loaded = sys.modules.get(name)
        where = home(name) if loaded is not None else None
        if loaded is not None and where is not None:
            for key, offered in sorted(namespace(loaded).items()):
                if offered is value:
                    return (*where, key)
    return None


def portable(text: str, file: str) -> tuple[str, ...] | str:
    """`text`, or where it is a path inside the project of `file`, the way there from `file`: alike in every clone."""
    if not os.path.isabs(text) or "\n" in text or not os.path.isabs(file):
        return text
    folder = os.path.dirname(file)
    for start in (folder, os.path.realpath(folder)):
        root = _project(start)
        if text == root or text.startswith(os.path.join(root, "")):
            return ("in project", os.path.relpath(text, start).replace(os.sep, "/"))
    return text


def _attribute(module: str, qualname: str) -> object:
    place: object = sys.modules.get(module)
    for step in qualname.split("."):
        if not (is_class(place) or is_module(place)):
            return None
        place = namespace(place).get(step)
    return place


def _top(module: str) -> str:
    return module.partition(".")[0]


@cache
def _home(module: str, file: str) -> Home | None:
    top = _top(module)
    if top == "rejudge":  # however it is installed
        return ("package", f"rejudge {metadata.version('rejudge')}", module)
    if not _INSTALLED.isdisjoint(file.replace(os.sep, "/").split("/")):
        versions = _distributions(top)
        return ("package", *versions, module) if versions else None
    standard = file.startswith(_LIBRARY) if file else top in sys.stdlib_module_names
    return ("stdlib", module) if standard else None


@cache
def _distributions(top: str) -> tuple[str, ...]:
    """Name and version of what installed this top-level module; several where it is a shared namespace."""
    try:
        likely = metadata.distribution(top)
    except metadata.PackageNotFoundError:
        likely = None
    if likely is not None and f"\n{top}/__init__.py," in "\n" + (likely.read_text("RECORD") or ""):
        return (f"{top} {likely.version}",)
    names = sorted(set(_distributions_by_module().get(top, ())))
    return tuple(f"{name} {metadata.version(name)}" for name in names)


@cache
def _distributions_by_module() -> dict[str, list[str]]:
    return dict(metadata.packages_distributions())


@cache
def _project(folder: str) -> str:
    """The nearest folder around this one that looks like the top of a project, else the folder itself."""
    place = folder
    while True:
        if any(os.path.exists(os.path.join(place, mark)) for mark in _PROJECT_MARKS):
            return place
        above = os.path.dirname(place)
        if above == place:
            return folder
        place = above
