"""The answer that calls of a task's own functions get: tools of an agent, and a partner that is a function."""

from __future__ import annotations

import asyncio
import inspect
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from rejudge.domain.call import ToolResult, Turn
from rejudge.domain.errors import RejudgeError, TaskError, TaskTimeout
from rejudge.domain.payload import as_json, decode, encode
from rejudge.runner.saying import said
from rejudge.tasks.partner import PARTNER
from rejudge.tasks.tool import Told

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rejudge.domain.call import ToolCall, TurnCall
    from rejudge.runner.threads import ThreadLane

TOOL_SECONDS: Final = 60.0
"""How long a tool may take."""

LONGEST_ERROR: Final = 1024
"""Characters of an error that an agent is told."""


class OwnFunctions:
    """Calls the functions of one task by name, in threads or, where they are async, in the loop."""

    def __init__(
        self, functions: Mapping[str, Callable[..., object]], *, lane: ThreadLane, tool_seconds: float = TOOL_SECONDS
    ) -> None:
        self._functions = functions
        self._lane = lane
        self._tool_seconds = tool_seconds

    async def used(self, call: ToolCall) -> ToolResult:
        """What a tool gave. What it raises is told to the agent, but for errors of ours, which fail the trial."""
        try:
            value = await self._called(call.tool, call.arguments, timeout=self._tool_seconds)
        except TaskTimeout:
            raise TaskTimeout(f"the tool {call.tool!r} gave nothing within {self._tool_seconds:g} s") from None
        except RejudgeError:
            raise
        except Told as told:
            return ToolResult(error=str(told))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - an agent has to live with what its tools raise
            return ToolResult(error=said(error)[:LONGEST_ERROR])
        return ToolResult(value=as_json(value, where=f"what the tool {call.tool!r} returned"))

    async def turn(self, call: TurnCall, *, timeout: float | None) -> Turn:
        """What the partner said; raises what it raised."""
        value = await self._called(PARTNER, call.arguments, timeout=timeout)
        return Turn(value=as_json(value, where="what the task returned"))

    async def _called(self, name: str, arguments: Mapping[str, object], *, timeout: float | None) -> object:
        function = self._functions.get(name)
        if function is None:
            raise TaskError(f"the task has no function {name!r}")
        arguments = cast("dict[str, object]", decode(encode(arguments)))  # it may change what it is given
        if inspect.iscoroutinefunction(function):
            return await self._awaited(function(**arguments), timeout=timeout)
        value = await self._lane.run(partial(function, **arguments), timeout=timeout)
        return await self._awaited(value, timeout=timeout) if inspect.isawaitable(value) else value

    async def _awaited(self, value: object, *, timeout: float | None) -> object:
        assert inspect.isawaitable(value)
        limit = asyncio.timeout(timeout)
        try:
            async with limit:
                return await value
        except TimeoutError:
            if not limit.expired():
                raise
            raise TaskTimeout(f"nothing came back within {timeout:g} s") from None
