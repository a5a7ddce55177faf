"""The seam to sandboxes, and how what comes out of one is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from rejudge.domain.code import CodeResult, Fault

if TYPE_CHECKING:
    from rejudge.domain.code import CodeCall

LONGEST_ANSWER = 1 << 20
"""Bytes of JSON that a function may return, or hand to a tool."""

PRINTED_LENGTH = 4096
"""Characters of what code wrote that are kept."""

MOST_PRINTED = 1 << 20
"""Characters that code may write; one that writes more is stopped."""

TOO_MUCH_PRINTED = f"it wrote more than {MOST_PRINTED} characters"

STORY_LENGTH = 2000

SCRIPT = "code"
"""What the code is called in the lines of its errors."""


class ToolFailed(Exception):
    """A tool gave no value; the code is told why and may go on."""


class AskedTooOften(Exception):
    """The code has called all the tools that it may; the call ends with Fault.TOOLS, whatever the code catches."""


class Ask(Protocol):
    """Calls a tool on our side, on behalf of code inside."""

    async def __call__(self, name: str, arguments: dict[str, object]) -> object:
        """The tool's plain value; raises ToolFailed, or AskedTooOften."""


class Sandbox(Protocol):
    """Runs the functions of code that is not trusted.

    Such code reaches no network, no files but a scratch directory of its own, no environment and no other call; its
    memory, time, processes and output are limited. Whatever it does, `run` comes back.
    """

    async def check(self, code: str) -> None:
        """Raise ConfigurationError where the sandbox is not installed, cannot work here, or has no form for the code.

        The code is not run.
        """

    async def run(self, call: CodeCall, ask: Ask) -> CodeResult:
        """What the function returned, or the fault that it ended in. The time that tools take does not count."""

    async def close(self) -> None:
        """End everything that runs; a closed sandbox may be used again."""


def failed(fault: Fault, story: str, *, printed: str = "") -> CodeResult:
    """The result of code that gave no value; texts are clipped."""
    return CodeResult(fault=fault, story=story[:STORY_LENGTH], printed=printed[:PRINTED_LENGTH])


def returned(text: str | bytes, *, printed: str = "") -> CodeResult:
    """The result of code that returned this JSON; a fault where it is none, or too long."""
    if len(text) > LONGEST_ANSWER:
        return failed(Fault.ANSWER, f"it returned more than {LONGEST_ANSWER} bytes", printed=printed)
    try:
        value: object = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        return failed(Fault.ANSWER, f"what it returned cannot be read: {error}", printed=printed)
    return CodeResult(value=value, printed=printed[:PRINTED_LENGTH])


def out_of_time(seconds: float) -> CodeResult:
    """The result of code that was stopped at its limit of time."""
    return failed(Fault.TIME, f"it was stopped after {seconds:g} s")


def without_form(error: Exception) -> CodeResult:
    """The result of a call whose arguments no JSON can hold."""
    return failed(Fault.REFUSED, f"its arguments cannot be handed over: {error}")
