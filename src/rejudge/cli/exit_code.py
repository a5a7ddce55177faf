"""The exit codes, which every command shares."""

from __future__ import annotations

from enum import IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


class ExitCode(IntEnum):
    """How a command ended."""

    DONE = 0
    BLOCKED = 1
    USAGE = 2
    INCOMPLETE = 3
    REVIEW = 4
    INTERRUPTED = 130


MEANINGS: Final[Mapping[ExitCode, str]] = MappingProxyType(
    {
        ExitCode.DONE: "done, or passed",
        ExitCode.BLOCKED: "a gate blocked, or a suite failed (gates and suites only)",
        ExitCode.USAGE: "wrong usage, configuration or input: nothing was run",
        ExitCode.INCOMPLETE: "incomplete (more errors of tasks and scorers than --max-errors), or failed",
        ExitCode.REVIEW: "needs human review, or inconclusive (gates, suites and reviews only)",
        ExitCode.INTERRUPTED: "interrupted; what was finished is kept",
    }
)
