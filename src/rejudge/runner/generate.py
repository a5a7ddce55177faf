"""The stage that runs the task: a fixed number of workers, each holding a slot while its call runs."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from rejudge.domain.call import CallRecord
from rejudge.domain.case import Attempt, ExecutionErrorType, ExecutionStatus
from rejudge.domain.errors import TaskTimeout
from rejudge.domain.payload import encode
from rejudge.domain.trace import Produced, trace_digest
from rejudge.domain.usage import Usage
from rejudge.runner.calling import Caller
from rejudge.runner.drive import spent
from rejudge.runner.patience import GRACE_SECONDS
from rejudge.runner.retry import is_transient, wait_before, was_tried_again
from rejudge.runner.saying import located, said
from rejudge.runner.spans import Recording
from rejudge.storage.records import NewCase, NewTrace
from rejudge.tasks.spans import stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.runner.work import Unit, Work
    from rejudge.runner.writer import Writer
    from rejudge.tasks.task import Task


BREATH = 64
"""Units after which a worker lets the loop breathe, even if no call of the task ever waits."""


class Generated(msgspec.Struct, gc=False):
    """What the writer hands back with the ref of a stored trace."""

    unit: Unit
    produced: Produced
    usage: Usage | None
    seconds: float


class _Outcome(NamedTuple):
    """What a task produced for a unit, on its way to the writer."""

    unit: Unit
    produced: Produced
    calls: list[CallRecord]
    attempts: list[Attempt]
    started_at: float
    completed_at: float
    seconds: float
    spans: bytes | None


class Generation:
    """Takes units whose claims are held, runs the task on each, and hands traces to the writer."""

    def __init__(self, work: Work, task: Task, *, writer: Writer[Generated]) -> None:
        self._work = work
        self._writer = writer
        self._caller = Caller(work, task)
        self._recording = Recording(work, task)
        self._ready: deque[Unit] = deque()
        self._outcomes: list[_Outcome] = []
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._closed = False
        self._low_mark = 0
        self._at_work = 0
        self._idle = asyncio.Event()
        self.low = asyncio.Event()
        self.low.set()
        work.stop.on_raise(self._wake.set)
        work.stop.on_raise(self.low.set)
        work.stop.on_raise(self._idle.set)
        self._workers = [asyncio.create_task(self._worker()) for _ in range(work.settings.concurrency)]
        for worker in self._workers:
            worker.add_done_callback(self._ended)

    def feed(self, units: Sequence[Unit]) -> None:
        """Queue units; `low` is set again when half of them have found a slot."""
        self._ready.extend(units)
        self._low_mark = len(units) // 2
        if not self._work.stop.raised:
            self.low.clear()
        self._wake.set()

    async def rest(self) -> None:
        """Return when everything fed so far is done and handed to the writer, or the run is to stop."""
        if self._ready or self._at_work:
            self._idle.clear()
            if not self._work.stop.raised:
                await self._idle.wait()
        self._hand_over()

    async def finish(self) -> None:
        """Return when everything fed is done, or, once the run is to stop, when what is in flight is."""
        self._closed = True
        self._wake.set()
        results = await asyncio.gather(*self._workers, return_exceptions=True)
        self._hand_over()
        self._caller.close()
        self._recording.close()
        for unit in self._ready:
            self._writer.release(unit.key)
        self._ready.clear()
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def abort(self) -> None:
        """Begin nothing new and cancel what is in flight; what does not let itself be cancelled is left behind."""
        self._work.stop.stop("aborted")
        self._work.stop.abandoned = True
        for worker in self._workers:
            worker.cancel()
        await asyncio.wait(self._workers, timeout=GRACE_SECONDS)
        self._hand_over()
        self._caller.close()

    def _ended(self, worker: asyncio.Task[None]) -> None:
        """Let nobody wait for a worker that died."""
        if not worker.cancelled() and (error := worker.exception()) is not None:
            self._work.stop.stop(said(error))

    async def _worker(self) -> None:
        stop = self._work.stop
        while not stop.raised:
            if not self._ready:
                if self._closed:
                    return
                self._wake.clear()
                await self._wake.wait()
                continue
            unit = self._ready.popleft()
            if len(self._ready) <= self._low_mark:
                self.low.set()
            self._at_work += 1
            await self._one(unit)
            self._at_work -= 1
            if not self._at_work and not self._ready:
                self._idle.set()
            if not len(self._ready) % BREATH:
                await asyncio.sleep(0)

    async def _one(self, unit: Unit) -> None:
        clock = self._work.ports.clock
        started_at = clock.now()
        attempts: list[Attempt] = []
        given = unit.given
        while True:
            begun = clock.elapsed()
            calls: list[CallRecord] = []
            recorder = self._recording.begin()
            try:
                if given is None:
                    given = self._caller.given_anew(unit)
                with self._recording.into(recorder):
                    produced = await self._caller.produce(unit, given, calls)
            except Exception as error:  # noqa: BLE001 - one failing item never aborts a run
                given = None
                if recorder is not None:
                    recorder.discard()
                attempts.append(self._attempt(error, clock.elapsed() - begun, calls))
                if not await self._again(error, attempts):
                    self._failed(unit, error, attempts, started_at)
                    return
            else:
                seconds, completed_at = clock.elapsed() - begun, clock.now()
                spans = None if recorder is None else stored(await self._recording.end(recorder))
                self._came(_Outcome(unit, produced, calls, attempts, started_at, completed_at, seconds, spans))
                return

    def _came(self, outcome: _Outcome) -> None:
        """Keep an outcome for a moment: calls that end together are followed by the next ones before all else."""
        if not self._outcomes:
            self._loop.call_soon(self._hand_over)
        self._outcomes.append(outcome)

    def _hand_over(self) -> None:
        """Give the outcomes that came to the writer."""
        outcomes, self._outcomes = self._outcomes, []
        made: list[tuple[NewTrace, NewCase, Generated]] = []
        for outcome in outcomes:
            try:
                made.append(_made(outcome, self._work))
            except Exception as error:  # noqa: BLE001 - an output that cannot be stored fails its item alone
                outcome.attempts.append(self._attempt(error, outcome.seconds, outcome.calls))
                self._failed(outcome.unit, error, outcome.attempts, outcome.started_at)
        if made:
            self._writer.put_traces(made)

    def _attempt(self, error: Exception, seconds: float, calls: list[CallRecord]) -> Attempt:
        usage = spent(calls)
        self._work.progress.spend(usage)
        return Attempt(error=located(error), seconds=seconds, usage=usage)

    async def _again(self, error: Exception, attempts: list[Attempt]) -> bool:
        settings, stop = self._work.settings, self._work.stop
        if len(attempts) > settings.retries or stop.raised or not is_transient(error) or was_tried_again(error):
            return False
        wait = wait_before(len(attempts), error, random=self._work.ports.random)
        attempts[-1] = msgspec.structs.replace(attempts[-1], waited=wait)
        await self._work.ports.clock.sleep(wait)
        return not stop.raised

    def _failed(self, unit: Unit, error: Exception, attempts: list[Attempt], started_at: float) -> None:
        work = self._work
        self._writer.put_case(
            NewCase(
                work.run,
                unit.position,
                unit.trial,
                unit.item.ref,
                ExecutionStatus.ERROR,
                error_type=_error_type(error),
                message=attempts[-1].error,
                attempts=encode(attempts),
                started_at=started_at,
                completed_at=work.ports.clock.now(),
            )
        )
        self._writer.release(unit.key)
        work.progress.task_errors += 1
        reason = work.settings.stop.reached(errors=work.progress.errors, ended=work.progress.ended)
        if reason is not None:
            work.stop.stop(reason)


def _made(outcome: _Outcome, work: Work) -> tuple[NewTrace, NewCase, Generated]:
    """The records of an outcome; raises RecordError for what cannot be stored."""
    unit, produced, calls, attempts, started_at, completed_at, seconds, spans = outcome
    digest, body = trace_digest(unit.key, produced), encode(produced)
    called = encode(calls) if calls else None
    usage = spent(calls) if calls else None
    trace = NewTrace(
        unit.key,
        digest,
        unit.item.ref,
        work.run_config,
        unit.trial,
        work.run,
        body,
        called,
        None if usage is None else (usage.input_tokens, usage.output_tokens, usage.cost),
        started_at,
        seconds,
        spans,
    )
    case = NewCase(
        work.run,
        unit.position,
        unit.trial,
        unit.item.ref,
        ExecutionStatus.COMPLETED,
        attempts=encode(attempts) if attempts else None,
        started_at=started_at,
        completed_at=completed_at,
    )
    work.progress.spend(usage)
    return trace, case, Generated(unit, produced, usage, seconds)


def _error_type(error: Exception) -> ExecutionErrorType:
    if isinstance(error, TaskTimeout):
        return ExecutionErrorType.TIMEOUT
    return ExecutionErrorType.ENVIRONMENT_ERROR if is_transient(error) else ExecutionErrorType.SYSTEM_ERROR
