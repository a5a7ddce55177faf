"""An agent as a task: a model that is asked again and again with the results of the tools it calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import msgspec
from msgspec import Struct

from rejudge.domain.call import Reply, ToolCall, ToolResult
from rejudge.domain.code import CodeResult, Fault
from rejudge.domain.demands import Demands
from rejudge.domain.errors import NameClash, TaskError, TaskTimeout
from rejudge.domain.ids import digest
from rejudge.domain.media import media_of
from rejudge.domain.payload import encode
from rejudge.domain.run_config import NOT_APPLICABLE, RunConfig
from rejudge.domain.view import as_text
from rejudge.domain.way import Way
from rejudge.tasks.caps import Caps, Meter
from rejudge.tasks.filling import Messages
from rejudge.tasks.partner import assistant, last_answer
from rejudge.tasks.prompt import named_fields
from rejudge.tasks.sampling import Sampling, checked_model
from rejudge.tasks.task import Given

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Mapping, Sequence

    from rejudge.domain.code import CodeCall
    from rejudge.tasks.partner import Message, Steps
    from rejudge.tasks.tool import Tool


class Form(Struct, frozen=True, kw_only=True):
    """What an agent is told and what it may take; without a `prompt` it can only take part in a conversation."""

    model: str
    prompt: object = None
    system: str | None = None
    sampling: Sampling = Sampling()
    caps: Caps = Caps(steps=10)


class AgentTask:
    """Asks a model until it answers without calling a tool, or a cap is reached, which is recorded."""

    def __init__(
        self,
        form: Form,
        tools: Sequence[Tool],
        *,
        name: str | None = None,
        depends_on: Mapping[str, object] | None = None,
        scenario: str | None = None,
    ) -> None:
        self._model = checked_model(form.model, whose="the agent")
        self._sampling = form.sampling
        self.caps = form.caps
        self._tools = _by_name(tools)
        self._offers = [tool.offer() for tool in tools]
        system = None if form.system is None else Messages([{"role": "system", "content": form.system}])
        prompt = None if form.prompt is None else Messages(form.prompt, parameter="prompt")
        self._opening = [part for part in (system, prompt) if part is not None]
        self.lacking = "" if prompt is not None else "is an agent without a prompt, which only a conversation can use"
        self.way = Way.STEPS
        self.reports_usage = True
        self.needs: frozenset[str] = frozenset().union(*(part.names for part in self._opening))
        self.outputs: frozenset[str] = frozenset()
        self.functions = {tool.name: tool.function for tool in tools if tool.function is not None}
        self.real_tools = tuple(tool.name for tool in tools if not tool.simulated)
        self.sandboxed = tuple(tool for tool in tools if tool.code is not None)
        stated = [message for part in self._opening for message in part.stated]
        self.demands = Demands(models=(form.model,), media=media_of(stated), functions=bool(tools))
        self.config = self._described(form, stated, name=name, depends_on=depends_on or {}, scenario=scenario)

    def _described(
        self, form: Form, stated: object, *, name: str | None, depends_on: Mapping[str, object], scenario: str | None
    ) -> RunConfig:
        tools = [tool.settings for tool in self._tools.values()]
        settings: dict[str, object] = {
            "messages": stated,
            "model": form.model,
            "parameters": form.sampling.settings(),
            "tools": tools,
            "caps": form.caps.settings(),
        }
        unpinned = "; ".join(tool.unpinned for tool in self._tools.values() if tool.unpinned)
        return RunConfig(
            name=name or form.model,
            kind="agent",
            settings=settings,
            depends_on={
                "agent_config_version": digest("agent", settings).hex(),
                "tool_schema_version": digest("tools", self._offers).hex() if tools else NOT_APPLICABLE,
                "environment_version": digest("tools", tools).hex() if tools else NOT_APPLICABLE,
                "sampling_config": form.sampling.settings(),
                **depends_on,
            },
            scenario=scenario,
            given=tuple(sorted(self.needs)),
            unpinned=unpinned or None,
        )

    def given(self, item_id: str, fields: dict[str, object], *, reference: Collection[str], trial: int) -> Given:
        """The first messages for an item; its key depends on the fields that they name."""
        named = named_fields(self.needs, fields)
        return Given(digest("given", named), {"messages": self.opening(named)})

    def call(self, given: Given, *, trial: int) -> Generator[object, object, object]:
        """Ask the model until it is done."""
        messages = list(cast("list[Message]", given.arguments["messages"]))
        meter = Meter(self.caps)
        yield from self.turn(messages, meter, {})
        meter.turns = 1
        return {"output": last_answer(messages), "messages": messages, "metadata": meter.told()}

    def opening(self, fields: Mapping[str, object]) -> list[Message]:
        """The system message and the prompt with the fields filled in."""
        return [message for part in self._opening for message in part.filled(fields)]

    def turn(self, messages: list[Message], meter: Meter, fields: Mapping[str, object]) -> Steps:
        """Add what the model says, calls and is told, up to its answer."""
        meter.begin_turn()
        while (yield from meter.may_step()):
            reply = yield self._sampling.call(self._model, list(messages), tools=self._offers or None)
            assert isinstance(reply, Reply)
            meter.stepped(reply)
            said = assistant(reply)
            messages.append(said)
            called = _identified(reply.tool_calls, meter.steps)
            if not called:
                return
            said["tool_calls"] = called
            if meter.limit is not None or not meter.may_use_tools(len(called)):
                return
            told = yield from self._used(called)
            messages.extend(told)
            meter.exchanged("tools", [[one.get("function") for one in called], [one["content"] for one in told]])

    def _used(self, called: list[dict[str, object]]) -> Generator[object, object, list[Message]]:
        """The messages that answer the calls; what is no call of a tool that there is, is told to the model."""
        asked = [self._call(one) for one in called]
        calls = [one for one in asked if not isinstance(one, str)]
        answers = iter(cast("list[object]", (yield calls)) if calls else [])
        contents = [_error(one) if isinstance(one, str) else _told(one, next(answers)) for one in asked]
        return [
            {"role": "tool", "tool_call_id": one["id"], "content": content}
            for one, content in zip(called, contents, strict=True)
        ]

    def _call(self, called: dict[str, object]) -> ToolCall | CodeCall | str:
        function = called.get("function")
        name = function.get("name") if isinstance(function, dict) else None
        tool = self._tools.get(str(name))
        if tool is None:
            return f"there is no tool {name!r}; the tools are {', '.join(self._tools) or 'none'}"
        arguments = _arguments(function.get("arguments") if isinstance(function, dict) else None)
        if arguments is None:
            return "the arguments are no JSON object"
        if tool.code is not None:
            return tool.call_in_sandbox(arguments)
        return ToolCall(tool=tool.name, arguments=arguments, simulated=tool.simulated)


def _by_name(tools: Sequence[Tool]) -> dict[str, Tool]:
    named: dict[str, Tool] = {}
    for tool in tools:
        if tool.name in named:
            raise NameClash(f"two tools are named {tool.name!r}", fix="give one another name: tool(NAME, …)")
        named[tool.name] = tool
    return named


def _identified(called: list[dict[str, object]], step: int) -> list[dict[str, object]]:
    """The calls, each with an id by which its answer is known."""
    return [{**one, "id": one.get("id") or f"call_{step}_{place}"} for place, one in enumerate(called)]


def _arguments(stated: object) -> dict[str, object] | None:
    if stated is None or stated == "":
        return {}
    if isinstance(stated, str):
        try:
            stated = msgspec.json.decode(stated)
        except (ValueError, RecursionError):
            return None
    return stated if isinstance(stated, dict) else None


def _told(call: ToolCall | CodeCall, answer: object) -> str:
    """What the model is told of a tool's answer; raises TaskError for what is no fault of the agent's."""
    if isinstance(answer, ToolResult):
        return as_text(answer.value) if answer.error is None else _error(answer.error)
    assert isinstance(answer, CodeResult)
    match answer.fault:
        case None:
            return as_text(answer.value)
        case Fault.RAISED:
            return _error(answer.story)
        case Fault.TIME:
            raise TaskTimeout(f"a tool in the sandbox took too long: {answer.story}")
    raise TaskError(f"a tool in the sandbox ended as {answer.fault.value}: {answer.story}")


def _error(said: str) -> str:
    return encode({"error": said}).decode()
