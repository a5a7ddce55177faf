"""The default sandbox: Monty, an interpreter of a subset of Python that has no way out at all."""

from __future__ import annotations

import ast
import asyncio
import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import lru_cache, partial
from signal import SIGKILL
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from rejudge.domain.code import CodeResult, Fault
from rejudge.domain.errors import ConfigurationError, Place
from rejudge.sandbox.dialect import asked_of
from rejudge.sandbox.sandbox import (
    LONGEST_ANSWER,
    MOST_PRINTED,
    PRINTED_LENGTH,
    SCRIPT,
    TOO_MUCH_PRINTED,
    AskedTooOften,
    ToolFailed,
    failed,
    out_of_time,
    returned,
    without_form,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import pydantic_monty
    from pydantic_monty import MontyError, ResourceLimits

    from rejudge.domain.code import CodeCall
    from rejudge.sandbox.sandbox import Ask

T = TypeVar("T")

INSTALL: Final = "pip install 'rejudge[sandbox]'"
ELSEWHERE: Final = "write it without, or use sandbox: bubblewrap, which runs all of Python"
_CHECK_SECONDS: Final = 5.0
_ARGUMENTS: Final = "_arguments_of_the_call"
_PARSED: Final = "raise AssertionError\n"
"""Stands before code that is to be read and not run."""


class Monty:
    """Worker processes of Monty; each call has an interpreter of its own in one of them.

    A thread waits for each worker: Monty's own coroutines cost three times the processor time of its blocking calls.
    """

    def __init__(self) -> None:
        self._pool: pydantic_monty.Monty | None = None
        self._threads: ThreadPoolExecutor | None = None

    async def check(self, code: str) -> None:
        """Raise ConfigurationError where Monty is missing, or lacks what the code needs; the line is named."""
        await self._in_thread(partial(_check, self._opened(), code))

    async def run(self, call: CodeCall, ask: Ask) -> CodeResult:
        """What the function returned, or the fault that it ended in."""
        visit = _Visit(self._opened(), call, ask, asyncio.get_running_loop())
        try:
            return await self._in_thread(visit.result)
        except asyncio.CancelledError:
            visit.end()
            raise

    async def close(self) -> None:
        """End the workers."""
        pool, threads, self._pool, self._threads = self._pool, self._threads, None, None
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)
        if pool is not None:
            pool.__exit__(None, None, None)

    async def _in_thread(self, function: Callable[[], T]) -> T:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_workers(), thread_name_prefix="rejudge-monty")
        context = copy_context()
        return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: context.run(function))

    def _opened(self) -> pydantic_monty.Monty:
        if self._pool is None:
            try:
                from pydantic_monty import Monty

                pool = Monty(max_processes=_workers())
                pool.__enter__()
            except (ImportError, FileNotFoundError):
                raise ConfigurationError("the sandbox monty is not installed here", fix=INSTALL) from None
            except RuntimeError as error:
                raise ConfigurationError(f"the sandbox monty cannot start: {error}", fix=INSTALL) from None
            self._pool = pool
        return self._pool


def _workers() -> int:
    return os.cpu_count() or 1


def _check(pool: pydantic_monty.Monty, code: str) -> None:
    from pydantic_monty import MontyError

    try:
        _tried(pool, _PARSED + code)
    except MontyError as error:
        if not isinstance(error.exception(), AssertionError):
            raise _lacking(str(error), _line(error)) from None
    for asked in asked_of(code):
        try:
            _tried(pool, asked.statement)
        except MontyError as error:
            raise _lacking(str(error), asked.line) from None


def _tried(pool: pydantic_monty.Monty, code: str) -> None:
    limits: ResourceLimits = {"max_feed_duration_secs": _CHECK_SECONDS, "max_memory": 64 << 20}
    with pool.checkout(limits=limits, script_name=SCRIPT) as session:
        session.feed_run(code, print_callback=_Printed())


class _Visit:
    """One call in a session of its own, in a thread that waits for it."""

    def __init__(self, pool: pydantic_monty.Monty, call: CodeCall, ask: Ask, loop: asyncio.AbstractEventLoop) -> None:
        self._pool = pool
        self._call = call
        self._ask = ask
        self._loop = loop
        self._printed = _Printed()
        self._lock = Lock()
        self._ended = False
        self._asked_too_often: AskedTooOften | None = None
        self._worker: int | None = None
        self._asked: Future[object] | None = None

    def result(self) -> CodeResult:
        """What came of the call; a worker that is ended meanwhile is a crash."""
        from pydantic_monty import MontyConversionError, MontyError

        printed = self._printed
        try:
            text = self._text()
        except (MontyConversionError, UnicodeEncodeError) as error:
            return without_form(error)
        except MontyError as error:
            if self._asked_too_often is not None:
                return failed(Fault.TOOLS, str(self._asked_too_often), printed=printed.text)
            if printed.too_long:
                return failed(Fault.ANSWER, TOO_MUCH_PRINTED, printed=printed.text)
            return _fault(error, self._call, printed)
        if self._asked_too_often is not None:
            return failed(Fault.TOOLS, str(self._asked_too_often), printed=printed.text)
        if printed.too_long:
            return failed(Fault.ANSWER, TOO_MUCH_PRINTED, printed=printed.text)
        if not isinstance(text, str):
            return failed(Fault.ANSWER, f"it returned more than {LONGEST_ANSWER} bytes", printed=printed.text)
        return returned(text, printed=printed.text)

    def end(self) -> None:
        """End the worker and what it asks for, because nobody waits for the result any more."""
        with self._lock:
            self._ended = True
            if self._asked is not None:
                self._asked.cancel()
            if self._worker is not None:
                with suppress(ProcessLookupError):
                    os.kill(self._worker, SIGKILL)

    def _text(self) -> object:
        """The returned value in JSON; a number where that would be too long. Raises what Monty raises."""
        call = self._call
        limits: ResourceLimits = {
            "max_feed_duration_secs": call.seconds,
            "max_total_sleep_secs": call.seconds,
            "max_memory": call.megabytes << 20,
        }
        with self._pool.checkout(limits=limits, script_name=SCRIPT) as session:
            with self._lock:
                if self._ended:
                    return None
                self._worker = session.worker_pid
            try:
                return session.feed_run(
                    _fed(call.code, call.function),
                    inputs={_ARGUMENTS: call.arguments},
                    external_lookup={name: partial(self._tool, name) for name in call.tools},
                    print_callback=self._printed,
                )
            finally:
                with self._lock:
                    self._worker = None

    def _tool(self, name: str, *given: object, **named: object) -> object:
        if given:
            raise TypeError(f"{name}() takes its arguments by name")
        with self._lock:
            if self._ended:
                raise RuntimeError("the call was cancelled")
            self._asked = asyncio.run_coroutine_threadsafe(self._answered(name, named), self._loop)
        try:
            return self._asked.result()
        except AskedTooOften as error:
            self._asked_too_often = error
            self.end()
            raise

    async def _answered(self, name: str, named: dict[str, object]) -> object:
        try:
            return await self._ask(name, named)
        except ToolFailed as error:
            raise RuntimeError(str(error)) from None


class _Printed:
    """What the code writes: the beginning is kept, and too much of it is an error."""

    def __init__(self) -> None:
        self.text = ""
        self._length = 0

    def __call__(self, stream: Literal["stdout", "stderr"], text: str) -> None:
        if len(self.text) < PRINTED_LENGTH:
            self.text = (self.text + text)[:PRINTED_LENGTH]
        self._length += len(text)
        if self.too_long:
            raise ValueError(TOO_MUCH_PRINTED)

    @property
    def too_long(self) -> bool:
        """Whether more was written than may be."""
        return self._length > MOST_PRINTED


@lru_cache(maxsize=64)
def _fed(code: str, function: str) -> str:
    """The code with the call of its function, whose value leaves as JSON."""
    waited = any(isinstance(one, ast.AsyncFunctionDef) and one.name == function for one in ast.parse(code).body)
    called = f"{'await ' if waited else ''}{function}(**{_ARGUMENTS})"
    return (
        f"{code}\n\nimport json as _json\n_text = _json.dumps({called}, allow_nan=False)\n"
        f"_text if len(_text) <= {LONGEST_ANSWER} else 0"
    )


def _fault(error: MontyError, call: CodeCall, printed: _Printed) -> CodeResult:
    from pydantic_monty import MontyCrashedError, MontyRuntimeError, MontySyntaxError

    if isinstance(error, MontyCrashedError):
        return out_of_time(call.seconds) if error.timed_out else failed(Fault.CRASHED, str(error))
    words = str(error)
    if isinstance(error, MontyRuntimeError):
        if words.startswith(("TimeoutError: feed time limit", "TimeoutError: sleep limit")):
            return out_of_time(call.seconds)
        if words.startswith("MemoryError"):
            return failed(Fault.MEMORY, words, printed=printed.text)
        if words.startswith("NotImplementedError: The monty"):
            return failed(Fault.REFUSED, words, printed=printed.text)
        lines = call.code.count("\n") + 1
        own = [frame.line for frame in error.traceback() if frame.line <= lines]
        kind = Fault.RAISED if own or "JSON" not in words else Fault.ANSWER
        return failed(kind, f"{words} (line {own[-1]})" if own else words, printed=printed.text)
    return failed(Fault.REFUSED if isinstance(error, MontySyntaxError) else Fault.RAISED, words, printed=printed.text)


def _line(error: MontyError) -> int | None:
    """The line of code that stands after `_PARSED`."""
    from pydantic_monty import MontyRuntimeError, MontySyntaxError

    frames = error.traceback() if isinstance(error, MontyRuntimeError | MontySyntaxError) else []
    return max(1, frames[-1].line - 1) if frames else None


def _lacking(what: str, line: int | None) -> ConfigurationError:
    kind, _, words = what.partition(": ")
    told = words if kind in ("NotImplementedError", "ModuleNotFoundError", "NameError") else what
    return ConfigurationError(
        f"the sandbox monty has no form for this: {told}", where=Place(file=SCRIPT, line=line), fix=ELSEWHERE
    )
