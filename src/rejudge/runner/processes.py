"""A lane of child processes for synchronous tasks that may have to be killed.

A thread that hangs can only be left behind; a process can be ended. Each slot has a child of its own, started
when first needed (by `spawn`, so the function must be importable by name) and kept for further calls. A child loads
the caller's script too, which must not evaluate as it is loaded. Ctrl-C is the parent's affair.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import sys
from contextlib import contextmanager
from multiprocessing import resource_tracker
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from rejudge.domain.errors import ConfigurationError, TaskError, TaskTimeout
from rejudge.domain.payload import decode_as
from rejudge.domain.span import Spans
from rejudge.runner.saying import said
from rejudge.runner.threads import ThreadLane
from rejudge.tasks.otel import listen
from rejudge.tasks.spans import Recorder, recording, stored

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

    from rejudge.tasks.task import Given, Task

_spawn = multiprocessing.get_context("spawn")

LOADING_SECONDS = 120.0
"""How long a child may take to load the task and the caller's script."""

_LOADING, _SERVING = "rejudge-task-loading", "rejudge-task"
"""What a child is called until it has loaded the task, and then."""


class NotStarted(Exception):
    """A child process ended before it had loaded the task."""


def refuse_while_loading() -> None:
    """Raise ConfigurationError in a child that is still loading the caller's script."""
    if multiprocessing.current_process().name == _LOADING:
        raise ConfigurationError(
            'a script that evaluates with isolation="process" is loaded again in each of its processes, and this one '
            "evaluates as it is loaded",
            fix='put the evaluation under `if __name__ == "__main__":`',
        )


class Returned(NamedTuple):
    """What a task returned in another process, and the spans that were recorded there."""

    value: object
    spans: Spans


class _Child:
    """One child process with the task in it."""

    def __init__(self, task: bytes) -> None:
        self._ours, theirs = _spawn.Pipe()
        self._process = _spawn.Process(target=_serve, args=(theirs, task), daemon=True, name=_LOADING)
        self._loaded = False
        with _deaf_to_ctrl_c():
            self._process.start()
        theirs.close()

    def call(self, given: Given, trial: int, timeout: float | None, span_wait: float) -> Returned:
        """The task's value, or its exception raised here; the child is dead after a timeout or a crash."""
        try:
            self._await_loading()
            self._ours.send((given, trial, span_wait))
            succeeded, value = pickle.loads(self._receive(timeout))  # noqa: S301 - our own child's
            spans = decode_as(self._receive(None), Spans)
        except (EOFError, ConnectionError):
            raise self._ended() from None
        if succeeded:
            return Returned(value, spans)
        raise value

    def _await_loading(self) -> None:
        """Return when the task is loaded, which is no part of the time that a try of it may take."""
        if self._loaded:
            return
        if not self._ours.poll(LOADING_SECONDS):
            self.kill()
            raise NotStarted(f"a process for the task had not loaded it after {LOADING_SECONDS:g} s")
        self._ours.recv_bytes()
        self._loaded = True

    def _receive(self, timeout: float | None) -> bytes:
        if not self._ours.poll(timeout):
            self.kill()
            raise TaskTimeout(f"no output after {timeout:g} s; its process was killed")
        return self._ours.recv_bytes()

    def _ended(self) -> Exception:
        self._process.join()
        code = self._process.exitcode
        if self._loaded:
            return TaskError(f"the task's process ended with {code} before it returned")
        return NotStarted(
            f"a process for the task ended with {code} while it loaded the task and the script that evaluates; what "
            'it said is on stderr (the evaluation must stand under `if __name__ == "__main__":`)'
        )

    @property
    def alive(self) -> bool:
        """Whether it can take another call."""
        return self._process.is_alive()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.join()
        self._ours.close()


class ProcessLane:
    """Runs a task's calls in at most `size` child processes."""

    def __init__(self, task: Task, size: int) -> None:
        try:
            self._task = pickle.dumps(task)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise ConfigurationError(
                f"task {task.config.name!r} cannot run in a process of its own: {error}",
                fix="define the function at the top of a module, or leave isolation out",
            ) from None
        self._lane = ThreadLane(size, name="rejudge-task-process")
        self._idle: SimpleQueue[_Child] = SimpleQueue()

    async def run(self, given: Given, *, trial: int, timeout: float | None, span_wait: float) -> Returned:
        """The task's value. Raises TaskTimeout after `timeout` seconds, when its process has been killed."""
        return await self._lane.run(lambda: self._call(given, trial, timeout, span_wait))

    def _call(self, given: Given, trial: int, timeout: float | None, span_wait: float) -> Returned:
        try:
            child = self._idle.get_nowait()
        except Empty:
            child = _Child(self._task)
        try:
            return child.call(given, trial, timeout, span_wait)
        finally:
            if child.alive:
                self._idle.put(child)

    def close(self) -> None:
        """End the children."""
        self._lane.close()
        while not self._idle.empty():
            self._idle.get().kill()


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """A process that is started here never hears of SIGINT, not even while it loads."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # which comes with the first process otherwise, and unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(calls: Connection, task: bytes) -> None:
    """The child's loop: a sign that it is there, then one call after another until the parent hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    loaded: Task = pickle.loads(task)  # noqa: S301 - what the parent itself has just pickled
    multiprocessing.current_process().name = _SERVING
    listen()
    calls.send_bytes(b"loaded")
    while True:
        try:
            given, trial, span_wait = calls.recv()
        except EOFError:
            return
        recorder = Recorder()
        try:
            with recording(recorder):
                answer: tuple[bool, object] = (True, loaded.call(given, trial=trial))
        except BaseException as error:  # noqa: BLE001 - raised again in the parent
            answer = (False, error if isinstance(error, Exception) else TaskError(f"the task raised {said(error)}"))
        calls.send_bytes(_portable(answer))
        calls.send_bytes(stored(_waited_for(recorder, span_wait)))


def _waited_for(recorder: Recorder, seconds: float) -> Spans:
    """What was recorded in this process, once every span has ended or has been waited for long enough."""
    idle = Event()
    begun = monotonic()
    recorder.when_idle(idle.set)
    idle.wait(seconds)
    return recorder.seal(waited=monotonic() - begun)


def _portable(answer: tuple[bool, object]) -> bytes:
    """The answer pickled so that the parent can read it: what cannot make the way is told in words."""
    try:
        sent = pickle.dumps(answer)
        pickle.loads(sent)  # noqa: S301 - what has just been pickled; some exceptions do not come back
    except Exception as error:  # noqa: BLE001 - whatever a value or an exception does when it is pickled
        succeeded, value = answer
        told = said(error) if succeeded or not isinstance(value, BaseException) else said(value)
        what = "the task's answer cannot leave its process: " if succeeded else ""
        sent = pickle.dumps((False, TaskError(f"{what}{told}")))
    return sent
