"""The answer that code calls get: the sandbox they name runs them, and their tools run on our side."""

from __future__ import annotations

import asyncio
import inspect
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, cast

import msgspec
from msgspec import structs

from rejudge.domain.call import Message, ModelCall, Reply
from rejudge.domain.code import CodeResult, Fault, Grant, ToolUse
from rejudge.domain.demands import NOTHING
from rejudge.domain.errors import ConfigurationError, NameClash, TaskError, TaskTimeout
from rejudge.domain.payload import as_json, encode
from rejudge.domain.usage import Usage
from rejudge.runner.drive import note_cut_off
from rejudge.runner.saying import said
from rejudge.runner.threads import ThreadLane
from rejudge.sandbox.sandbox import AskedTooOften, ToolFailed
from rejudge.sandbox.trust import run_hash
from rejudge.scorers.tool import LLM

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from rejudge.domain.code import CodeCall
    from rejudge.domain.demands import Demands
    from rejudge.runner.clock import Clock
    from rejudge.runner.drive import Answer, CheckedAnswer
    from rejudge.sandbox.sandbox import Sandbox
    from rejudge.sandbox.trust import Trust

LOGGED_LENGTH: Final = 1024
"""Characters of a tool's output that are kept."""

LONGEST_LOGGED: Final = 16 * LOGGED_LENGTH
"""Bytes of a tool's arguments that are kept whole."""

MOST_TOOL_CALLS: Final = 100
"""How often one call of code may call tools; calling once more ends it."""

TOOL_SECONDS: Final = 60.0
"""How long a tool that is a function may take; a model call has the limits of its account."""

MOST_THREADS: Final = 32
"""Tools that are functions and run at once."""

DEEPEST: Final = 3
"""How deep code may be run by tools of code that is run by tools."""

_depth: ContextVar[int] = ContextVar("depth of code calls", default=0)


class Named(Protocol):
    """Something with a name."""

    @property
    def name(self) -> str:
        """What people call it."""


class Asking(Protocol):
    """A scorer or a tool that has code to run."""

    @property
    def config(self) -> Named:
        """Holds its name."""

    @property
    def demands(self) -> Demands:
        """The sandbox and the code."""


class Sandboxes:
    """Checks what scorers demand of sandboxes before a run, and answers their code calls in it."""

    def __init__(
        self,
        build: Callable[[str], Sandbox],
        *,
        trust: Callable[[], Trust],
        models: CheckedAnswer | None,
        clock: Clock,
        tool_seconds: float = TOOL_SECONDS,
    ) -> None:
        self._build = build
        self._trust = trust
        self._models = models
        self._clock = clock
        self._tool_seconds = tool_seconds
        self._open: dict[str, Sandbox] = {}
        self._functions: dict[str, Callable[..., object]] = {}
        self._lane = ThreadLane(MOST_THREADS, name="rejudge-tool")

    async def check(self, scorers: Iterable[Asking]) -> None:
        """Raise ConfigurationError for code that may not or cannot run here; learn the tools of the others."""
        for scorer in scorers:
            demands = scorer.demands
            if demands.sandbox is None or demands.code is None:
                continue
            name = scorer.config.name
            who = f"{'scorer' if hasattr(scorer, 'judge') else 'tool'} {name!r}"
            if demands.origin is not None and not self._trust().approves(demands.code, demands.grant):
                raise _untrusted(who, demands)
            try:
                await self._named(demands.sandbox).check(demands.code)
            except ConfigurationError as error:
                raise type(error)(f"{who}: {error.what}", where=error.where, fix=error.fix) from None
            if LLM in demands.grant.tools:
                if self._models is None:
                    raise ConfigurationError(f"{name!r} may ask models and nobody answers", fix="give provider=")
                self._models.check(name, NOTHING)
            self._learn(name, getattr(scorer, "functions", {}))

    async def __call__(self, call: CodeCall) -> CodeResult:
        """What came of the code, with every use of a tool."""
        depth = _depth.get()
        if depth >= DEEPEST:
            raise TaskError(f"code is run by tools of code, {depth} deep", fix="let a tool do without")
        desk = _Desk(
            call,
            self._functions,
            lane=self._lane,
            models=self._models,
            clock=self._clock,
            tool_seconds=self._tool_seconds,
        )
        before = _depth.set(depth + 1)
        try:
            result = await self._named(call.sandbox).run(call, desk.ask)
        except BaseException as error:
            note_cut_off(error, CodeResult(fault=Fault.CRASHED, story="it was cut off", tools=tuple(desk.uses)))
            raise
        finally:
            _depth.reset(before)
        return structs.replace(result, tools=tuple(desk.uses))

    async def close(self) -> None:
        """End all sandboxes."""
        self._lane.close()
        while self._open:
            _, sandbox = self._open.popitem()
            await sandbox.close()

    def _named(self, name: str) -> Sandbox:
        if name not in self._open:
            self._open[name] = self._build(name)
        return self._open[name]

    def _learn(self, scorer: str, functions: Mapping[str, Callable[..., object]]) -> None:
        for name, function in functions.items():
            if self._functions.setdefault(name, function) is not function:
                raise NameClash(
                    f"scorer {scorer!r} brings a tool {name!r}, and so does another scorer, which is another function",
                    fix="rename one: tools={name: function}",
                )


class _Desk:
    """Answers the tools of one code call, and keeps what was asked."""

    def __init__(
        self,
        call: CodeCall,
        functions: Mapping[str, Callable[..., object]],
        *,
        lane: ThreadLane,
        models: Answer | None,
        clock: Clock,
        tool_seconds: float,
    ) -> None:
        self.uses: list[ToolUse] = []
        self._count = 0
        self._allowed = call.tools
        self._functions = functions
        self._lane = lane
        self._models = models
        self._clock = clock
        self._seconds = tool_seconds
        self._usage: Usage | None = None

    async def ask(self, name: str, arguments: dict[str, object]) -> object:
        """The tool's value as plain data; raises ToolFailed in its stead, AskedTooOften for one call too many."""
        if self._count >= MOST_TOOL_CALLS:
            raise AskedTooOften(f"it called tools more than {MOST_TOOL_CALLS} times")
        self._count += 1
        begun = self._clock.elapsed()
        self._usage = None
        logged: dict[str, object] = {}
        output, error = "", None
        try:
            logged = _logged(arguments)  # what cannot be kept is not asked
            value = as_json(await self._value(name, arguments), where=f"the value of {name}")
            output = value if isinstance(value, str) else encode(value).decode()
        except Exception as wrong:
            error = said(wrong)[:LOGGED_LENGTH]
            raise ToolFailed(error) from wrong
        finally:
            self.uses.append(
                ToolUse(
                    name=name[:LOGGED_LENGTH],
                    arguments=logged,
                    output=output[:LOGGED_LENGTH],
                    error=error,
                    seconds=self._clock.elapsed() - begun,
                    usage=self._usage,
                )
            )
        return value

    async def _value(self, name: str, arguments: dict[str, object]) -> object:
        if name not in self._allowed:
            raise TaskError(f"there is no tool {name!r}")
        if name == LLM:
            return await self._asked_model(arguments)
        function = self._functions.get(name)
        if function is None:
            raise TaskError(f"nobody brought the tool {name!r}")
        if inspect.iscoroutinefunction(function):
            return await self._awaited(name, function(**arguments))
        value = await self._lane.run(partial(function, **arguments), timeout=self._seconds)
        return await self._awaited(name, value) if inspect.isawaitable(value) else value

    async def _awaited(self, name: str, value: Awaitable[object]) -> object:
        limit = asyncio.timeout(self._seconds)
        try:
            async with limit:
                return await value
        except TimeoutError:
            if not limit.expired():
                raise
            raise TaskTimeout(f"{name}() gave nothing within {self._seconds:g} s") from None

    async def _asked_model(self, arguments: dict[str, object]) -> str:
        if self._models is None:
            raise TaskError("nobody answers model calls", fix="give provider=")
        try:
            question = msgspec.convert(arguments, _Question)
        except msgspec.ValidationError as error:
            raise TaskError(f"llm(): {error}", fix="call llm(prompt=..., model=...)") from None
        if question.model.startswith(_FILES):
            raise TaskError("code may not name a model by its file", fix="name one of a provider")
        reply = cast("Reply", await self._models(question.call(), []))
        self._usage = reply.usage or Usage()  # it spent something, and nobody knows what
        return reply.text


def _logged(arguments: dict[str, object]) -> dict[str, object]:
    """The arguments as they are kept; of very long ones, the beginning of their JSON."""
    text = encode(arguments)
    return arguments if len(text) <= LONGEST_LOGGED else {"clipped": text[:LOGGED_LENGTH].decode(errors="replace")}


_FILES = "llama/"
"""How the names of models begin that are files of this machine, about which code is told nothing."""


class _Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What code may say to `llm`."""

    prompt: str
    model: str
    system_prompt: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    schema: dict[str, object] | None = None

    def call(self) -> ModelCall:
        """The call that asks it."""
        system = [] if self.system_prompt is None else [Message(role="system", content=self.system_prompt)]
        messages = [*system, Message(role="user", content=self.prompt)]
        return ModelCall(
            model=self.model,
            messages=[{"role": one.role, "content": one.content} for one in messages],
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            response_schema=self.schema,
        )


def _untrusted(who: str, demands: Demands) -> ConfigurationError:
    assert demands.code is not None
    found = run_hash(demands.code, demands.grant)
    granted = "" if demands.grant == Grant() else f" with {demands.grant}"
    return ConfigurationError(
        f"{who} runs code from {demands.origin} that was not approved here{granted}: {found}",
        fix=f"read it, then approve it: rejudge trust {found}",
    )
