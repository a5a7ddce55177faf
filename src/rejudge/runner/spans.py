"""Spans at work: a recorder for each try of a task, a bounded wait for what ends late, and reading them for scorers."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from logging import getLogger
from threading import Lock
from typing import TYPE_CHECKING, assert_never

from rejudge.domain.call import EmbedCall, Embeddings, HttpCall, ModelCall, Reply, ToolCall, ToolResult, TurnCall
from rejudge.domain.code import CodeCall, CodeResult
from rejudge.domain.span import EMBEDDING, GENERAL, MODEL, TOOL
from rejudge.domain.way import Way
from rejudge.tasks.otel import listen
from rejudge.tasks.spans import PLACE, Recorder, recording
from rejudge.tasks.track import Tracking

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rejudge.domain.call import Answered, Call
    from rejudge.domain.span import Spans
    from rejudge.runner.drive import Answer
    from rejudge.runner.work import Work
    from rejudge.tasks.task import Task


class Recording:
    """Gives each try of a unit a recorder of its own, where the task is called and not replayed."""

    def __init__(self, work: Work, task: Task) -> None:
        self._work = work
        self._wait = work.settings.span_wait
        self._live = task.way is not Way.INLINE
        self._unended = 0
        self._late = 0
        self._lock = Lock()
        if self._live:
            listen()

    def begin(self) -> Recorder | None:
        """A recorder for one try; None where nothing is to be recorded."""
        if not self._live:
            return None
        clock = self._work.ports.clock
        return Recorder(now=clock.now, elapsed=clock.elapsed, on_late=self._came_late)

    def into(self, recorder: Recorder | None) -> AbstractContextManager[None]:
        """Lets what runs inside record into it."""
        return nullcontext() if recorder is None else recording(recorder)

    async def end(self, recorder: Recorder) -> Spans:
        """What was recorded, once every span has ended or has been waited for long enough."""
        waited = 0.0
        if recorder.busy and self._wait > 0:
            waited = await self._waited_for(recorder)
        spans = recorder.seal(waited=waited)
        self._unended += spans.unended
        return spans

    def close(self) -> None:
        """Say what was waited for in vain."""
        wait = f"{self._wait:g} s after the task had returned"
        if self._unended:
            getLogger(__name__).warning(
                "%s: %d spans were still open %s and are kept without their end; span_wait= waits longer",
                self._work.progress.task,
                self._unended,
                wait,
            )
        if self._late:
            getLogger(__name__).warning(
                "%s: %d spans began or ended after the traces that they belong to were complete, and were not added",
                self._work.progress.task,
                self._late,
            )

    async def _waited_for(self, recorder: Recorder) -> float:
        clock, loop = self._work.ports.clock, asyncio.get_running_loop()
        begun = clock.elapsed()
        idle = asyncio.Event()

        def tell() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(idle.set)

        recorder.when_idle(tell)
        try:
            async with asyncio.timeout(self._wait):
                await idle.wait()
        except TimeoutError:
            return clock.elapsed() - begun
        return clock.elapsed() - begun

    def _came_late(self) -> None:
        with self._lock:
            self._late += 1


def noting(answer: Answer) -> Answer:
    """`answer`, of which each call is a span where a recorder stands in the context."""
    if PLACE.get() is None:
        return answer

    async def noted(call: Call, failures: list[str]) -> Answered:
        name, kind = _named(call)
        with Tracking(name, kind) as span:
            reply = await answer(call, failures)
            _asked(span.attributes, call)
            _tell(span.attributes, reply)
        return reply

    return noted


def _named(call: Call) -> tuple[str, str]:
    if isinstance(call, ModelCall):
        return str(call.model), MODEL
    match call:
        case EmbedCall():
            return str(call.model), EMBEDDING
        case ToolCall():
            return call.tool, TOOL
        case CodeCall():
            return call.function, TOOL
        case HttpCall():
            return f"{call.method} {call.url.partition('?')[0]}", GENERAL
        case TurnCall():
            return "turn", GENERAL
    assert_never(call)


def _asked(attributes: dict[str, object], call: Call) -> None:
    """Put what a call asks where the meaning of a span is read from."""
    match call:
        case ModelCall():
            attributes["gen_ai.input.messages"] = call.messages
        case EmbedCall():
            attributes["input.value"] = call.texts
        case ToolCall() | CodeCall():
            attributes["gen_ai.tool.call.arguments"] = call.arguments


def _tell(attributes: dict[str, object], reply: object) -> None:
    """Put what a reply says where the meaning of a span is read from."""
    if isinstance(reply, ToolResult | CodeResult):
        failed = reply.error if isinstance(reply, ToolResult) else reply.fault and reply.story
        attributes["gen_ai.tool.call.result"] = {"error": failed} if failed else reply.value
        return
    if not isinstance(reply, Reply | Embeddings):
        return
    if isinstance(reply, Reply):
        asked = {"tool_calls": reply.tool_calls} if reply.tool_calls else {}
        attributes["gen_ai.output.messages"] = {"text": reply.text, **asked} if asked else reply.text
    if reply.model is not None:
        attributes["gen_ai.response.model"] = reply.model
    if reply.usage is not None:
        attributes["gen_ai.usage.input_tokens"] = reply.usage.input_tokens
        attributes["gen_ai.usage.output_tokens"] = reply.usage.output_tokens
