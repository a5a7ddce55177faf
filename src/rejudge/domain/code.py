"""Code that is asked to run apart from us, and what came of it."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from rejudge.domain.usage import Usage


class Fault(StrEnum):
    """Why code gave no value: each ends as a scorer error, never as a grade."""

    RAISED = "raised"
    """The code raised, or left by itself."""
    TIME = "time"
    """It ran past its limit of time."""
    MEMORY = "memory"
    """It asked for more memory than it may have."""
    CRASHED = "crashed"
    """Its process ended without an answer."""
    ANSWER = "answer"
    """What it returned cannot be read: no JSON form, NaN, or too large."""
    TOOLS = "tools"
    """It called tools more often than it may."""
    REFUSED = "refused"
    """The dialect has no form for it."""


class Grant(Struct, frozen=True, kw_only=True):
    """What code is granted: seconds and megabytes for one call, and the names of tools that it may call on our side."""

    seconds: float = 10.0
    megabytes: int = 256
    tools: tuple[str, ...] = ()

    def __str__(self) -> str:
        tools = f"the tools {', '.join(self.tools)}" if self.tools else "no tools"
        return f"{tools}, {self.seconds:g} seconds and {self.megabytes} MB"


class CodeCall(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="asks", tag="code"
):
    """A function of some code, to be called with `arguments` in the sandbox of that name.

    `seconds` and `megabytes` are limits. `tools` are the names that the code may call; they run on our side.
    """

    sandbox: str
    code: str
    function: str
    arguments: dict[str, object] = field(default_factory=dict)
    seconds: float = 10.0
    megabytes: int = 256
    tools: tuple[str, ...] = ()


class ToolUse(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call of a tool from inside the code: its output is clipped, its error in words."""

    name: str
    arguments: dict[str, object] = field(default_factory=dict)
    output: str = ""
    error: str | None = None
    seconds: float = 0.0
    usage: Usage | None = None


class CodeResult(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="answers", tag="code"):
    """What the function returned, or the fault with its story; `printed` is what it wrote, clipped."""

    value: object = None
    fault: Fault | None = None
    story: str = ""
    printed: str = ""
    tools: tuple[ToolUse, ...] = ()

    @property
    def usage(self) -> Usage | None:
        """What the tools spent together; None where none reported any."""
        total: Usage | None = None
        for use in self.tools:
            if use.usage is not None:
                total = use.usage if total is None else total + use.usage
        return total
