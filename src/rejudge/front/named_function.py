"""A Python function or object by the name that a file has for it: `module:function`."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, cast

from rejudge.domain.errors import ConfigurationError, Place, UnknownName
from rejudge.scorers.function import has_score

if TYPE_CHECKING:
    from collections.abc import Callable

    from rejudge.providers.provider import Provider


def function_named(reference: str, *, folder: Path, where: Place, further: Path | None = None) -> Callable[..., object]:
    """The function; `where` is the place that names it.

    Its module is looked for among what is installed, then in `folder`, and in `further` where it is in neither. A
    folder stays at the end of Python's path, for what the module imports later; so nothing in it can take the place of
    an installed module. Raises ConfigurationError or UnknownName; what a module raises while it is imported is told
    with its line.
    """
    _look_in(folder, further, module=reference.partition(":")[0])
    found = _named(reference, folder, where, kind="function")
    if not callable(found):
        raise ConfigurationError(f"{reference} is a {type(found).__name__}, not a function", where=where)
    return cast("Callable[..., object]", found)


def scorer_named(reference: str, *, folder: Path, where: Place, further: Path | None = None) -> object:
    """`function_named` for a scorer, which may also be an object with a method `score`."""
    _look_in(folder, further, module=reference.partition(":")[0])
    found = _named(reference, folder, where, kind="scorer")
    if not callable(found) and not has_score(found):
        raise ConfigurationError(
            f"{reference} is a {type(found).__name__}, not a function",
            where=where,
            fix="name a function, or an object with a method `score`",
        )
    return found


def provider_named(reference: str, *, folder: Path, where: Place) -> Provider:
    """Who answers model calls: the object of that name, or what it makes when it is called without arguments.

    Raises ConfigurationError or UnknownName, as `function_named` does, also where the making fails.
    """
    if ":" not in reference:
        raise ConfigurationError(f"{reference!r} should be module:object", where=where)
    _look_in(folder, module=reference.partition(":")[0])
    found = _named(reference, folder, where, kind="object")
    if isinstance(found, type) or not hasattr(found, "answer"):
        found = _made(reference, found, folder, where)
    if not callable(getattr(found, "answer", None)):
        raise ConfigurationError(
            f"{reference} is no provider: a {type(found).__name__} does not answer model calls",
            where=where,
            fix="give it `async def answer(self, call)`, or name a function that makes such an object",
        )
    return cast("Provider", found)


def _made(reference: str, make: object, folder: Path, where: Place) -> object:
    if not callable(make):
        return make
    try:
        return make()
    except (Exception, SystemExit) as error:
        what = f"{type(error).__name__}: {error}, while {where} had {reference} called without arguments"
        raise ConfigurationError(what, where=_place_of(error, folder) or where) from error


def _look_in(*folders: Path | None, module: str) -> None:
    """Append folders to Python's path, up to the one in which the module is found."""
    package = module.partition(".")[0]
    for folder in folders:
        if folder is None or not package:
            continue
        entry = str(folder.resolve())
        if entry not in sys.path:
            sys.path.append(entry)
        if package in sys.modules or find_spec(package) is not None:
            return


def _named(reference: str, folder: Path, where: Place, *, kind: str) -> object:
    module, _, path = reference.partition(":")
    found: object = _imported(module, folder, where)
    for name in path.split("."):
        if not hasattr(found, name):
            _refuse_hidden(module, found, folder, where)
            known = [
                other for other, value in vars(found).items() if _may_be_named(value) and not other.startswith("_")
            ]
            raise UnknownName.among(f"{kind} of {module}", name, known, where=where)
        found = getattr(found, name)
    return found


def _refuse_hidden(module: str, found: object, folder: Path, where: Place) -> None:
    """Raise where a module of the same name hides the one in the folder, which may have what is missing."""
    beside = folder.resolve() / f"{module.replace('.', '/')}.py"
    came_from = getattr(found, "__file__", None)
    if beside.is_file() and (came_from is None or not beside.samefile(came_from)):
        raise ConfigurationError(
            f"the module {module} that Python has is another one, which hides {_short(str(beside))}",
            where=where,
            fix="give the file another name",
        )


def _may_be_named(value: object) -> bool:
    return callable(value) or hasattr(value, "answer")


def _imported(name: str, folder: Path, where: Place) -> object:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise _failed(name, error, folder, where) from error
        here = [path.stem for path in folder.glob("*.py")]
        raise UnknownName.among("module", error.name, here, where=where) from None
    except (Exception, SystemExit) as error:
        raise _failed(name, error, folder, where) from error


def _failed(name: str, error: BaseException, folder: Path, where: Place) -> ConfigurationError:
    at = _place_of(error, folder)
    what = f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"
    return ConfigurationError(f"{what}, while {where} had the module {name!r} imported", where=at or where)


def _place_of(error: BaseException, folder: Path) -> Place | None:
    """The line of the user's code that raised, or else of whatever was called last."""
    if isinstance(error, SyntaxError) and error.filename:
        return Place(file=_short(error.filename), line=error.lineno)
    lines = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    own = [(file, line) for file, line in lines if Path(file).is_relative_to(folder.resolve())]
    return Place(file=_short(own[-1][0]), line=own[-1][1]) if own else None


def _short(file: str) -> str:
    """A path as the user would type it: from the working directory, where it lies there."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else file
