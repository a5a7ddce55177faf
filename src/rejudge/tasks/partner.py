"""The seam to one side of a conversation: it is shown the messages and adds its own."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias

from rejudge.domain.call import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from rejudge.domain.demands import Demands
    from rejudge.domain.run_config import RunConfig
    from rejudge.tasks.caps import Caps, Meter

PARTNER = "<partner>"
"""The name under which a task keeps the function that takes turns of a conversation; no tool has it."""

Message: TypeAlias = "dict[str, object]"
Steps: TypeAlias = Generator[object, object, None]


class Partner(Protocol):
    """The system under test as one side of a conversation."""

    @property
    def config(self) -> RunConfig:
        """Everything in it that can change what it says."""

    @property
    def needs(self) -> frozenset[str]:
        """Item fields that it asks for by name."""

    @property
    def demands(self) -> Demands:
        """What it needs of the world."""

    @property
    def functions(self) -> Mapping[str, Callable[..., object]]:
        """The user's functions that its calls name."""

    @property
    def reports_usage(self) -> bool:
        """Whether it says what its replies used, so that tokens and cost can be capped."""

    @property
    def caps(self) -> Caps:
        """What it may take in one trial."""

    def opening(self, fields: Mapping[str, object]) -> list[Message]:
        """The messages that stand before all others; raises CannotTake."""

    def turn(self, messages: list[Message], meter: Meter, fields: Mapping[str, object]) -> Steps:
        """Add its messages, the last of them what it says; it ends early where a cap is reached."""


def assistant(reply: Reply) -> Message:
    """A model's reply as a message; what a model says in refusing is what it says."""
    said: Message = {"role": "assistant", "content": reply.text or reply.refusal or ""}
    if reply.tool_calls:
        said["tool_calls"] = reply.tool_calls
    return said


def last_answer(messages: list[Message]) -> object:
    """What the system said last; empty where it said nothing."""
    said = (message.get("content") for message in reversed(messages) if message.get("role") == "assistant")
    return next((content for content in said if content is not None), "")
