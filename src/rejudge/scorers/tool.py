"""What code in a sandbox may call on our side: functions of the user's, and the models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from rejudge.domain.errors import ConfigurationError, NameClash, UnknownName
from rejudge.pinning import pin

if TYPE_CHECKING:
    from rejudge.pinning import Pin

LLM: Final = "llm"
"""The built-in tool: `llm(prompt=..., model=...)` asks a model, and gives its text."""

BUILT_IN: Final = (LLM,)

Function: TypeAlias = Callable[..., object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolbox:
    """The tools of one scorer by name, and what of them is part of its id."""

    names: tuple[str, ...] = ()
    functions: Mapping[str, Function] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    unpinned: str | None = None


def toolbox_of(given: Sequence[object] | Mapping[str, object]) -> Toolbox:
    """The tools that were given: functions by their own name or another, and the names of built-in ones.

    Raises ConfigurationError for what is no tool.
    """
    named = dict(given) if isinstance(given, Mapping) else _by_name(given)
    functions: dict[str, Function] = {}
    settings: dict[str, object] = {}
    reasons: list[str] = []
    for name, tool in sorted(named.items()):
        if not name.isidentifier():
            raise ConfigurationError(f"tools: {name!r} is no name that code could call")
        if tool is None or isinstance(tool, str):
            built_in = name if tool is None else tool
            if built_in not in BUILT_IN or built_in != name:
                raise UnknownName.among("tool", built_in, BUILT_IN)
            settings[name] = built_in
        elif name in BUILT_IN:
            raise NameClash(f"tools: {name!r} is built in", fix="give the function another name")
        elif callable(tool):
            function = cast("Function", tool)
            functions[name] = function
            found = pin(function)
            settings[name] = _settings(found)
            reasons += [f"tool {name}: {found.reason()}"] if found.reason() else []
        else:
            raise ConfigurationError(f"tools: {name!r} is a {type(tool).__name__}, not a function")
    return Toolbox(names=tuple(settings), functions=functions, settings=settings, unpinned="; ".join(reasons) or None)


def _by_name(given: Sequence[object]) -> dict[str, object]:
    named: dict[str, object] = {}
    for tool in given:
        name = tool if isinstance(tool, str) else getattr(tool, "__name__", "")
        if name in named:
            raise NameClash(f"two tools are named {name!r}", fix="give them names of their own: tools={name: function}")
        named[str(name)] = None if isinstance(tool, str) else tool
    return named


def _settings(found: Pin) -> dict[str, object]:
    settings: dict[str, object] = {"digest": found.digest.hex()}
    if found.version is not None:
        settings["version"] = found.version
    if not found.pinned:
        settings["unpinned"] = sorted({one.name for one in found.unpinnable})
    return settings
