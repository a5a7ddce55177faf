"""The digest of a function with everything of the user's that it uses, and what could not be digested."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType

from rejudge.domain.ids import digest
from rejudge.pinning.bare import attribute, lineage, namespace
from rejudge.pinning.names import attribute_line
from rejudge.pinning.parts import At, Where
from rejudge.pinning.version import checked_version, innermost, qualified_name, stated_version
from rejudge.pinning.walk import Walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpinnable:
    """One value that has no canonical form, so that a change of it would go unseen."""

    name: str
    where: Where
    line: int | None
    """Line of first use; None where nothing in the code shows one."""
    file: str
    """Name of the file of that line, empty for the pinned function's own."""
    why: str

    def __str__(self) -> str:
        line = f", line {self.line}" if self.line is not None else ""
        return f"`{self.name}`{line}{f' of {self.file}' if line and self.file else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What a function is, as far as that can be told."""

    digest: bytes
    """Of everything but the `unpinnable`; of the name and version alone where a version is stated."""
    version: str | None
    unpinnable: tuple[Unpinnable, ...]

    @property
    def pinned(self) -> bool:
        """Whether any change of what the function does changes the digest."""
        return not self.unpinnable

    def reason(self) -> str:
        """Why it is not pinned and how to mend that; empty where it is."""
        if self.pinned:
            return ""
        *others, last = map(str, self.unpinnable)
        listed = f"{', '.join(others)}, and {last}" if others else last
        return f"unpinned: uses {listed}; state version="


def pin(function: Callable[..., object], *, version: str | None = None) -> Pin:
    """Pin a function, method, partial or callable object; runs none of its code.

    Its source counts without layout and comments but with docstrings (bytecode where there is no source), and so do
    defaults, closure cells, bound arguments, the state of a bound instance, and every global it names, followed
    through the user's own code. Installed packages count by name and version, the standard library by name. Values
    count as they are now. What code reaches by other ways (the environment, files, `getattr` and `import_module`
    with computed names) is not seen. `version`, or a `version` attribute, replaces all of it.

    Raises ConfigurationError for a version that is empty or not text.
    """
    stated = stated_version(function) if version is None else checked_version(version, function)
    if stated is not None:
        name = qualified_name(function)
        return Pin(digest=digest("function", ["version", name, stated]), version=stated, unpinnable=())
    home = _file(function)
    walk = Walk()
    found = walk.digest(function, At("self", "bound argument", file=home))
    unpinnable = dict.fromkeys(_unpinnable(at, why, home) for at, why in walk.refused)
    return Pin(digest=found, version=None, unpinnable=tuple(unpinnable))


def _file(function: object) -> str:
    core = innermost(function)
    called = core if type(core) is FunctionType else attribute(core, "__call__")
    return called.__code__.co_filename if type(called) is FunctionType else ""


def _unpinnable(at: At, why: str, home: str) -> Unpinnable:
    line, file = at.line, at.file
    if line is None and at.owner is not None:
        cls, attribute = at.owner
        line, file = attribute_line(_methods(cls), attribute) or (None, "")
    shown = "" if file == home else os.path.basename(file)
    return Unpinnable(name=at.name, where=at.where, line=line, file=shown, why=why)


def _methods(cls: type) -> Iterator[CodeType]:
    for base in lineage(cls):
        for value in namespace(base).values():
            if type(value) is FunctionType:
                yield value.__code__
