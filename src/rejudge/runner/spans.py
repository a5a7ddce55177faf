"""Spans at work: a recorder for each try of a task, a bounded wait for what ends late, and reading them for scorers."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from logging import getLogger
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, assert_never

from rejudge.domain.call import (
    EmbedCall,
    Embeddings,
    HttpCall,
    HttpReply,
    ModelCall,
    Reply,
    ToolCall,
    ToolResult,
    Turn,
    TurnCall,
)
from rejudge.domain.code import CodeCall, CodeResult
from rejudge.domain.span import AGENT, EMBEDDING, HTTP, MODEL, TOOL
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
    from rejudge.tasks.spans import Opened
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
        asked = _asked(call)
        with Tracking(asked.name, asked.kind) as span:
            span.attributes["input.value"] = asked.input
            reply = await answer(call, failures)
            _tell(span, reply)
        return reply

    return noted


class _Asked(NamedTuple):
    """What a span tells of a call before it is answered."""

    name: str
    kind: str
    input: object


def _asked(call: Call) -> _Asked:
    match call:
        case ModelCall():
            return _Asked(str(call.model), MODEL, call.messages)
        case EmbedCall():
            return _Asked(str(call.model), EMBEDDING, call.texts)
        case ToolCall():
            return _Asked(call.tool, TOOL, call.arguments)
        case CodeCall():
            return _Asked(call.function, TOOL, call.arguments)
        case HttpCall():
            url = call.url.partition("?")[0]
            return _Asked(f"{call.method} {url}", HTTP, call.text if call.body is None else call.body)
        case TurnCall():
            return _Asked("turn", AGENT, call.arguments)
    assert_never(call)


def _tell(span: Opened, reply: Answered) -> None:
    """Put what a reply says into its span, in part where the meaning of attributes is read from."""
    attributes = span.attributes
    match reply:
        case Reply():
            asked = {"tool_calls": reply.tool_calls} if reply.tool_calls else {}
            span.output = {"text": reply.text, **asked} if asked else reply.text
        case ToolResult():
            span.output, span.error = reply.value, reply.error
        case CodeResult():
            span.output, span.error = reply.value, None if reply.fault is None else reply.story
        case HttpReply():
            span.output = reply.body if reply.events is None else reply.events
            attributes["http.response.status_code"] = reply.status
        case Turn():
            span.output = reply.value
    if isinstance(reply, Reply | Embeddings) and reply.model is not None:
        attributes["gen_ai.response.model"] = reply.model
    if reply.usage is not None:
        attributes["gen_ai.usage.input_tokens"] = reply.usage.input_tokens
        attributes["gen_ai.usage.output_tokens"] = reply.usage.output_tokens
