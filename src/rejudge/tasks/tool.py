"""Tools that an agent is offered: simulated, run as code in a sandbox, or real, which a run has to allow by name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias, cast

from msgspec import Struct, structs

from rejudge.domain.code import CodeCall
from rejudge.domain.demands import Demands
from rejudge.domain.errors import ConfigurationError, RecordError, TaskError
from rejudge.domain.payload import as_json, encode
from rejudge.pinning.parameters import asked
from rejudge.pinning.pin import Pin, pin

Function: TypeAlias = Callable[..., object]
Rows: TypeAlias = Sequence[Mapping[str, object]]

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_TYPES: Final = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array"}
"""JSON's names for the annotations that a parameter may have; a dict is an object, anything else is left open."""


class ToolName(Struct, frozen=True):
    """What a tool is called, for messages."""

    name: str


class Tool:
    """One tool: what a model is told of it, and what happens when it is called.

    `simulated` says that nothing beyond the evaluation is touched; `settings` is what of it can change an output.
    """

    def __init__(
        self,
        name: str,
        *,
        description: str = "",
        parameters: Mapping[str, object] | None = None,
        simulated: Function | Rows | None = None,
        function: Function | None = None,
        code: str | None = None,
        sandbox: str = "monty",
    ) -> None:
        if not _NAME.fullmatch(name):
            raise ConfigurationError(f"{name!r} is no name for a tool", fix="letters, digits, _ and -")
        ways = [way for way, given in (("simulated", simulated), ("code", code)) if given is not None]
        if len(ways) > 1 or (not ways and function is None):
            raise ConfigurationError(
                f"the tool {name!r} says {' and '.join(ways) or 'nothing'} of how it is to run",
                fix="give simulated= a function or a table, code= for a sandbox, or a function that really acts",
            )
        self.name = name
        self.config = ToolName(name)
        self.simulated = code is not None or simulated is not None
        self.function = _called(name, simulated, function) if code is None else None
        self.code = code
        self.unpinned: str | None = None
        self._sandbox = sandbox
        told = function or (simulated if callable(simulated) else None)
        self.schema: dict[str, object] = {
            "name": name,
            "description": description or (inspect.getdoc(told) if told is not None else None) or "",
            "parameters": _schema(parameters, told, name),
        }
        self.settings = self.schema | self._acts(simulated, function)
        self.demands = Demands() if code is None else Demands(sandbox=sandbox, code=code)

    def _acts(self, simulated: Function | Rows | None, function: Function | None) -> dict[str, object]:
        if self.code is not None:
            return {"code": self.code, "sandbox": self._sandbox}
        if simulated is not None and not callable(simulated):
            return {"simulated": as_json(simulated, where=f"the table of {self.name}")}
        found = pin(cast("Function", function if simulated is None else simulated))
        self.unpinned = f"tool {self.name}: {found.reason()}" if found.reason() else None
        return {"simulated" if simulated is not None else "acts": _pinned(found)}

    def call_in_sandbox(self, arguments: dict[str, object]) -> CodeCall:
        """The call of its code."""
        assert self.code is not None
        return CodeCall(sandbox=self._sandbox, code=self.code, function=self.name, arguments=arguments)

    def offer(self) -> dict[str, object]:
        """What a model is told of it."""
        return {"type": "function", "function": self.schema}


def from_elsewhere(tool: Tool, origin: str) -> Tool:
    """The tool, its code marked as somebody's from `origin`, so that it runs only once it is trusted."""
    if tool.code is not None:
        tool.demands = structs.replace(tool.demands, origin=origin)
    return tool


def tool_of(given: object) -> Tool:
    """The tool that was given: one that was made, or a function, which really acts."""
    if isinstance(given, Tool):
        return given
    if callable(given):
        name = getattr(given, "__name__", "")
        if not _NAME.fullmatch(name):
            raise ConfigurationError(f"the tool {name or given!r} has no name", fix="give it one: tool(NAME, …)")
        return Tool(name, function=cast("Function", given))
    raise ConfigurationError(f"a tool is a function or tool(…), not a {type(given).__name__}")


def _called(name: str, simulated: Function | Rows | None, function: Function | None) -> Function | None:
    if simulated is None:
        return function
    return simulated if callable(simulated) else _Table(name, simulated)


class _Table:
    """Gives the result of the first row whose arguments are those of the call; a row without any fits every call."""

    def __init__(self, name: str, rows: object) -> None:
        self._name = name
        if isinstance(rows, str | Mapping) or not isinstance(rows, Sequence) or not rows:
            raise ConfigurationError(f"the tool {name!r} is simulated by no rows", fix=_ROW)
        for place, row in enumerate(rows):
            if not isinstance(row, Mapping) or set(row) - {"arguments", "result", "error"}:
                raise ConfigurationError(f"row {place} of the tool {name!r} is none", fix=_ROW)
            if ("result" in row) == ("error" in row) or not isinstance(row.get("arguments", {}), Mapping):
                raise ConfigurationError(f"row {place} of the tool {name!r} has no result, or also an error", fix=_ROW)
        try:
            self._rows = cast("list[dict[str, object]]", as_json(list(rows), where=f"the table of {name}"))
        except RecordError as error:
            raise ConfigurationError(error.what) from None

    def __call__(self, **arguments: object) -> object:
        for row in self._rows:
            wanted = cast("dict[str, object]", row.get("arguments", {}))
            if all(name in arguments and _equal(value, arguments[name]) for name, value in wanted.items()):
                if "error" in row:
                    raise Told(str(row["error"]))
                return row["result"]
        raise TaskError(
            f"the simulation of the tool {self._name!r} has no row for {encode(arguments).decode()}",
            fix="add a row for it, or one without arguments, which fits every call",
        )


_ROW: Final = 'a row is {"arguments": {…}, "result": …} or {"arguments": {…}, "error": "…"}'


class Told(Exception):
    """An error that a simulation is to tell."""


def _equal(wanted: object, given: object) -> bool:
    """Whether two arguments are the same: numbers by value, a boolean only as a boolean (ruling 17)."""
    if isinstance(wanted, bool) or isinstance(given, bool):
        return wanted is given
    if isinstance(wanted, dict) and isinstance(given, dict):
        return wanted.keys() == given.keys() and all(_equal(value, given[name]) for name, value in wanted.items())
    if isinstance(wanted, list) and isinstance(given, list):
        return len(wanted) == len(given) and all(map(_equal, wanted, given))
    return wanted == given


def _pinned(found: Pin) -> dict[str, object]:
    settings: dict[str, object] = {"function": found.digest.hex()}
    if not found.pinned:
        settings["unpinned"] = sorted({one.name for one in found.unpinnable})
    return settings


def _schema(parameters: Mapping[str, object] | None, function: Function | None, name: str) -> dict[str, object]:
    """The JSON Schema of a tool's arguments, as it was given or as the function's signature says it."""
    if parameters is not None:
        try:
            stated = as_json(dict(parameters), where=f"the parameters of the tool {name!r}")
        except RecordError as error:
            raise ConfigurationError(error.what) from None
        return cast("dict[str, object]", stated)
    if function is None:
        return {"type": "object", "properties": {}}
    taken = asked(function)
    hints = getattr(function, "__annotations__", {})
    properties = {one: _type(hints.get(one)) for one in taken.names}
    return {"type": "object", "properties": properties, "required": list(taken.required)}


def _type(hint: object) -> dict[str, object]:
    word = getattr(hint, "__name__", None) if isinstance(hint, type) else hint
    plain = str(word).partition("[")[0]
    if plain == "dict":
        return {"type": "object"}
    return {"type": _TYPES[plain]} if plain in _TYPES else {}
