"""How a task is called: where it stands, in a thread or process lane, in the loop, or step by step."""

from __future__ import annotations

import asyncio
import inspect
from types import GeneratorType
from typing import TYPE_CHECKING, cast

import msgspec

from rejudge.domain.call import HttpReply, ToolCall, TurnCall
from rejudge.domain.errors import TaskError, TaskTimeout
from rejudge.domain.way import Way
from rejudge.runner.cancelling import is_cancelled, take_back
from rejudge.runner.drive import conversation, drive
from rejudge.runner.own_functions import OwnFunctions
from rejudge.runner.patience import within
from rejudge.runner.processes import NotStarted, ProcessLane
from rejudge.runner.saying import said
from rejudge.runner.settings import Isolation
from rejudge.runner.spans import noting
from rejudge.runner.threads import LaneExhausted, ThreadLane
from rejudge.tasks.output import produced_of
from rejudge.tasks.spans import PLACE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator
    from typing import TypeAlias

    from rejudge.domain.call import Answered, Call, CallRecord
    from rejudge.domain.trace import Produced
    from rejudge.domain.usage import Usage
    from rejudge.runner.work import Unit, Work
    from rejudge.tasks.task import Given, Task

    Steps: TypeAlias = Generator[object, object, object]


class Caller:
    """Calls the task for a unit and says what it produced, within the time limit of one try."""

    def __init__(self, work: Work, task: Task) -> None:
        self._work = work
        self._task = task
        self._reference = frozenset(work.shape.reference)
        self._lane = ThreadLane(work.settings.concurrency, name="rejudge-task")
        self._own = OwnFunctions(getattr(task, "functions", {}), lane=self._lane)
        self._usage_of: Callable[[HttpReply], Usage | None] | None = getattr(task, "usage_of", None)
        self._processes = None
        if work.settings.isolation is Isolation.PROCESS and task.way is Way.THREAD:
            self._processes = ProcessLane(task, work.settings.concurrency)

    def close(self) -> None:
        """Let the lanes end."""
        self._lane.close()
        if self._processes is not None:
            self._processes.close()

    def given_anew(self, unit: Unit) -> Given:
        """What the task is given of the unit, in a decoding that no earlier try has touched."""
        return self._task.given(unit.item.item_id, unit.fields(), reference=self._reference, trial=unit.trial)

    async def produce(self, unit: Unit, given: Given, calls: list[CallRecord]) -> Produced:
        """What came out; each answered model call is added to `calls`. Raises what the task raised, as Exception."""
        try:
            return await self._produce(unit, given, calls)
        except (LaneExhausted, NotStarted) as error:
            self._work.stop.stop(str(error))
            raise
        except Exception:
            raise
        except asyncio.CancelledError as error:
            if self._work.stop.cancels and is_cancelled():
                raise
            raise TaskError("the task was cancelled from inside") from error
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and self._work.stop.raised:
                raise  # the second Ctrl-C, not the task
            raise TaskError(f"the task raised {said(error)}") from error
        finally:
            if is_cancelled() and not self._work.stop.cancels:
                await take_back()

    async def _produce(self, unit: Unit, given: Given, calls: list[CallRecord]) -> Produced:
        way = self._task.way
        timeout = self._work.settings.timeout
        if way is Way.INLINE:
            return produced_of(self._task.call(given, trial=unit.trial))
        if self._processes is not None:
            wait = self._work.settings.span_wait
            returned, spans = await self._processes.run(given, trial=unit.trial, timeout=timeout, span_wait=wait)
            if (place := PLACE.get()) is not None:
                place.recorder.adopt(spans)
            return produced_of(returned)
        if way is Way.LOOP:
            call = cast("Awaitable[object]", self._task.call(given, trial=unit.trial))
            return produced_of(await self._awaited(call))
        if way is Way.STEPS:
            return await self._driven(cast("Steps", self._task.call(given, trial=unit.trial)), calls)
        returned = await self._lane.run(lambda: self._task.call(given, trial=unit.trial), timeout=timeout)
        if inspect.isawaitable(returned):
            returned = await self._awaited(returned)
        if isinstance(returned, GeneratorType):
            return await self._driven(cast("Steps", returned), calls)
        return produced_of(returned)

    async def _driven(self, steps: Steps, calls: list[CallRecord]) -> Produced:
        driven = drive(steps, answer=noting(self._answered), clock=self._work.ports.clock, records=calls)
        produced = produced_of(await self._awaited(driven))
        if produced.messages is None:
            produced = msgspec.structs.replace(produced, messages=conversation(calls))
        return produced

    async def _answered(self, call: Call, failures: list[str]) -> Answered:
        """The answer to a call: of the task's own functions, or of the world."""
        if isinstance(call, ToolCall):
            return await self._own.used(call)
        if isinstance(call, TurnCall):
            return await self._own.turn(call, timeout=self._work.settings.timeout)
        reply = await self._work.ports.answered(call, failures)
        if isinstance(reply, HttpReply) and self._usage_of is not None:
            return msgspec.structs.replace(reply, usage=self._usage_of(reply))
        return reply

    async def _awaited(self, call: Awaitable[object]) -> object:
        timeout = self._work.settings.timeout
        if timeout is None:
            return await call
        try:
            return await within(timeout, call, stop=self._work.stop)
        except TaskTimeout:
            raise TaskTimeout(f"no output after {timeout:g} s") from None
