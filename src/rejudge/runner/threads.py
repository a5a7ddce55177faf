"""A bounded lane of daemon threads for the user's synchronous functions.

A call that takes too long cannot be killed. Its thread is abandoned: its late result is dropped and another
thread takes its slot. The threads are daemons, so neither interpreter exit nor Ctrl-C ever waits for one.
"""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rejudge.domain.errors import TaskTimeout

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class LaneExhausted(Exception):
    """As many threads were abandoned as the lane has slots."""


class _Job(Generic[T]):
    def __init__(self, function: Callable[[], T], loop: asyncio.AbstractEventLoop) -> None:
        self.function = function
        self.context = copy_context()
        self.loop = loop
        self.future: asyncio.Future[T] = loop.create_future()
        self._lock = Lock()
        self._ended = False
        self._abandoned = False

    def run(self) -> bool:
        """Call the function and report to the loop; False where nobody listened any more."""
        outcome: Callable[[Any], None]
        try:
            value: Any = self.context.run(self.function)
            outcome = self._succeed
        except BaseException as error:  # noqa: BLE001 - whatever the user's code raises belongs to the caller
            value, outcome = error, self._fail
        with self._lock:
            if self._abandoned:
                return False
            self._ended = True
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(outcome, value)
        return True

    def abandon(self) -> bool:
        """Listen no more; False where the function has come back already."""
        with self._lock:
            self._abandoned = not self._ended
            return self._abandoned

    def _succeed(self, value: Any) -> None:  # noqa: ANN401 - a value of the job's own type
        if not self.future.done():
            self.future.set_result(value)

    def _fail(self, error: Any) -> None:  # noqa: ANN401 - told through the same door
        if not self.future.done():
            # A future refuses StopIteration, and passes KeyboardInterrupt and SystemExit on to the loop.
            self.future.set_exception(
                error if isinstance(error, Exception) and not isinstance(error, StopIteration) else Escaped(error)
            )


class Escaped(Exception):
    """An exception that may not travel through a future (SystemExit, StopIteration, KeyboardInterrupt)."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
        super().__init__(repr(error))


class ThreadLane:
    """Runs functions in at most `size` threads at once, started when needed."""

    def __init__(self, size: int, *, name: str) -> None:
        self._size = size
        self._name = name
        self._jobs: SimpleQueue[_Job[object] | None] = SimpleQueue()
        self._threads = 0
        self._busy = 0
        self._abandoned = 0

    async def run(self, function: Callable[[], T], *, timeout: float | None = None) -> T:
        """The function's value. Raises TaskTimeout after `timeout` seconds, LaneExhausted when no slot is left."""
        if self._abandoned >= self._size:
            raise LaneExhausted(f"{self._abandoned} calls never came back; no thread is left to run another")
        job: _Job[T] = _Job(function, asyncio.get_running_loop())
        if self._busy >= self._threads and self._threads < self._size:
            self._threads += 1
            Thread(target=self._work, name=self._name, daemon=True).start()
        self._busy += 1
        self._jobs.put(job)  # type: ignore[arg-type] # the queue carries jobs of any value
        limit = asyncio.timeout(timeout)
        try:
            async with limit:
                return await job.future
        except (TimeoutError, asyncio.CancelledError):
            if not job.future.done() or job.future.cancelled():
                self._abandon(job)
            if limit.expired():
                raise TaskTimeout(f"no output after {timeout:g} s; its thread is left behind") from None
            raise
        except Escaped as escaped:
            raise escaped.error from None
        finally:
            self._busy -= 1

    def _abandon(self, job: _Job[T]) -> None:
        if job.abandon():
            self._threads -= 1
            self._abandoned += 1

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if not job.run():
                self._abandoned -= 1  # it came back after all, and its slot was given to another thread
                return

    def close(self) -> None:
        """Let idle threads end; busy ones end with their call."""
        for _ in range(self._threads):
            self._jobs.put(None)
