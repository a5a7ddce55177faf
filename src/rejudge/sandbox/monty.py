"""The default sandbox: Monty, an interpreter of a subset of Python that has no way out at all."""

from __future__ import annotations

import ast
import asyncio
import os
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from rejudge.domain.code import CodeResult, Fault
from rejudge.domain.errors import ConfigurationError, Place
from rejudge.sandbox.dialect import Asked, asked_of
from rejudge.sandbox.sandbox import (
    LONGEST_ANSWER,
    MOST_PRINTED,
    PRINTED_LENGTH,
    SCRIPT,
    TOO_MUCH_PRINTED,
    ToolFailed,
    failed,
    out_of_time,
    returned,
    without_form,
)

if TYPE_CHECKING:
    from pydantic_monty import (
        AsyncFunctionSnapshot,
        AsyncMonty,
        AsyncMontySession,
        AsyncSnapshot,
        MontyError,
        OSPolicy,
        ResourceLimits,
    )

    from rejudge.domain.code import CodeCall
    from rejudge.sandbox.sandbox import Ask

INSTALL: Final = "pip install 'rejudge[sandbox]'"
ELSEWHERE: Final = "write it without, or use sandbox: bubblewrap, which runs all of Python"
_CHECK_SECONDS: Final = 5.0
_ARGUMENTS: Final = "_arguments_of_the_call"
_PARSED: Final = "raise AssertionError\n"
"""Stands before code that is to be read and not run."""


class Monty:
    """Worker processes of Monty; each call has an interpreter of its own in one of them."""

    def __init__(self) -> None:
        self._pool: AsyncMonty | None = None
        self._opening = asyncio.Lock()

    async def check(self, code: str) -> None:
        """Raise ConfigurationError where Monty is missing, or lacks what the code needs; the line is named."""
        await self._opened()
        import pydantic_monty

        try:
            await self._tried(_PARSED + code)
        except pydantic_monty.MontyError as error:
            if not isinstance(error.exception(), AssertionError):
                raise _lacking(str(error), _line(error)) from None
        for one in asked_of(code):
            await self._supplied(one)

    async def run(self, call: CodeCall, ask: Ask) -> CodeResult:
        """What the function returned, or the fault that it ended in."""
        pool = await self._opened()
        import pydantic_monty

        limits: ResourceLimits = {
            "max_feed_duration_secs": call.seconds,
            "max_total_sleep_secs": call.seconds,
            "max_memory": call.megabytes << 20,
        }
        printed = _Printed()
        try:
            async with pool.checkout(limits=limits, script_name=SCRIPT, os_policy=_sleeping(call)) as session:
                text = await _Conversation(session, call, ask, printed).held()
        except (pydantic_monty.MontyConversionError, UnicodeEncodeError) as error:
            return without_form(error)
        except pydantic_monty.MontyError as error:
            if printed.too_long:
                return failed(Fault.ANSWER, TOO_MUCH_PRINTED, printed=printed.text)
            return _fault(error, call, printed)
        if printed.too_long:
            return failed(Fault.ANSWER, TOO_MUCH_PRINTED, printed=printed.text)
        if not isinstance(text, str):
            return failed(Fault.ANSWER, f"it returned more than {LONGEST_ANSWER} bytes", printed=printed.text)
        return returned(text, printed=printed.text)

    async def close(self) -> None:
        """End the workers."""
        if self._pool is not None:
            pool, self._pool = self._pool, None
            await pool.__aexit__(None, None, None)

    async def _opened(self) -> AsyncMonty:
        async with self._opening:
            if self._pool is None:
                try:
                    from pydantic_monty import AsyncMonty

                    pool = AsyncMonty(max_processes=os.cpu_count() or 1)
                    await pool.__aenter__()
                except (ImportError, FileNotFoundError):
                    raise ConfigurationError("the sandbox monty is not installed here", fix=INSTALL) from None
                except RuntimeError as error:
                    raise ConfigurationError(f"the sandbox monty cannot start: {error}", fix=INSTALL) from None
                self._pool = pool
            return self._pool

    async def _tried(self, code: str) -> None:
        pool = await self._opened()
        limits: ResourceLimits = {"max_feed_duration_secs": _CHECK_SECONDS, "max_memory": 64 << 20}
        async with pool.checkout(limits=limits, script_name=SCRIPT) as session:
            await session.feed_run(code, print_callback=_Printed())

    async def _supplied(self, asked: Asked) -> None:
        """Raise where the code asks for a module, a name or an attribute that is not there."""
        import pydantic_monty

        try:
            await self._tried(asked.statement)
        except pydantic_monty.MontyError as error:
            raise _lacking(str(error), asked.line) from None


class _Conversation:
    """One call in a session of its own: the code is fed, and its tools are answered."""

    def __init__(self, session: AsyncMontySession, call: CodeCall, ask: Ask, printed: _Printed) -> None:
        self._session = session
        self._call = call
        self._ask = ask
        self._printed = printed

    async def held(self) -> object:
        """The returned value in JSON; a number where that would be too long. Raises what Monty raises."""
        import pydantic_monty

        code, inputs = _fed(self._call.code, self._call.function), {_ARGUMENTS: self._call.arguments}
        if not self._call.tools:
            return await self._session.feed_run(code, inputs=inputs, print_callback=self._printed)
        names = dict.fromkeys(self._call.tools, _here)
        step: AsyncSnapshot = await self._session.feed_start(
            code, inputs=inputs, print_callback=self._printed, external_lookup=names
        )
        while not isinstance(step, pydantic_monty.MontyComplete):
            if isinstance(step, pydantic_monty.AsyncFunctionSnapshot) and step.function_name in self._call.tools:
                step = await self._answered(step)
            else:
                step = await step.resume_auto()
        return step.output

    async def _answered(self, step: AsyncFunctionSnapshot) -> AsyncSnapshot:
        if step.args:
            error = f"{step.function_name}() takes its arguments by name"
            return await step.resume({"exc_type": "TypeError", "message": error})
        try:
            value = await self._ask(str(step.function_name), step.kwargs)
        except ToolFailed as error:
            return await step.resume({"exc_type": "RuntimeError", "message": str(error)})
        return await step.resume({"return_value": value})


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


def _sleeping(call: CodeCall) -> OSPolicy:
    """Code with tools does not sleep: what takes it step by step keeps no time."""
    return {"sleep": "zero"} if call.tools else {"sleep": "system"}


def _here() -> None:
    """Stands for a tool, which is answered by `_answered`."""


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
