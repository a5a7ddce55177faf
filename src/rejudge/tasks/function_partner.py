"""A function as one side of a conversation: it takes the messages and gives what comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rejudge.domain.call import Turn, TurnCall
from rejudge.domain.demands import NOTHING
from rejudge.domain.errors import ConfigurationError, TaskError
from rejudge.domain.media import is_messages
from rejudge.domain.payload import as_json, decode, encode
from rejudge.domain.run_config import RunConfig
from rejudge.domain.verdict import Skip
from rejudge.domain.view import as_text
from rejudge.domain.way import Way
from rejudge.pinning.parameters import Kind, asked, kind_of
from rejudge.tasks.caps import NO_CAPS
from rejudge.tasks.function import FunctionTask
from rejudge.tasks.partner import PARTNER
from rejudge.tasks.task import CannotTake

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from rejudge.tasks.caps import Meter
    from rejudge.tasks.partner import Message, Steps

MESSAGES = "messages"


class FunctionPartner:
    """Calls a function with `messages`, and with the item's fields that it names.

    It gives a text, a message, a list of messages that end with one of the assistant, or a dict with an `output`. A
    generator may yield calls of models on the way.
    """

    def __init__(self, function: Callable[..., object], *, name: str | None = None, version: str | None = None) -> None:
        task = FunctionTask(function, name=name, version=version)
        if MESSAGES not in task.needs:
            raise ConfigurationError(
                f"{task.config.name!r} takes no messages, so it cannot take part in a conversation",
                fix="let it take a parameter `messages`",
            )
        if task.config.given is None or "trial" in asked(function).required:
            raise ConfigurationError(
                f"{task.config.name!r} asks for the whole item or the trial",
                fix="let it ask for messages and for single fields",
            )
        self._steps: Callable[..., Generator[object, object, object]] | None = None
        self.functions: dict[str, Callable[..., object]] = {}
        if kind_of(function) is Kind.GENERATOR:
            self._steps = function  # type: ignore[assignment]
        else:
            self.functions[PARTNER] = function
        self.config: RunConfig = task.config
        self.needs = task.needs - {MESSAGES}
        self.demands = NOTHING
        self.way = Way.STEPS if self._steps is not None else Way.THREAD
        self.reports_usage = False
        self.caps = NO_CAPS

    def opening(self, fields: Mapping[str, object]) -> list[Message]:
        """Nothing; raises CannotTake for an item without a field that the function asks for."""
        for name in sorted(self.needs):
            if name not in fields:
                raise CannotTake(Skip.MISSING_INPUT_FIELD.value, f"the item has no field {name!r}")
        return []

    def turn(self, messages: list[Message], meter: Meter, fields: Mapping[str, object]) -> Steps:
        """Add what the function gives."""
        arguments = {**{name: fields[name] for name in self.needs if name in fields}, MESSAGES: messages}
        if self._steps is not None:
            own = cast("dict[str, object]", decode(encode(arguments)))  # it may change what it is given
            said = yield from self._steps(**own)
            said = as_json(said, where="what the task returned")
        else:
            answer = yield TurnCall(arguments=arguments)
            assert isinstance(answer, Turn)
            said = answer.value
        messages.extend(_messages(said, name=self.config.name))


def _messages(said: object, *, name: str) -> list[Message]:
    if isinstance(said, dict) and "output" in said:
        said = said["output"]
    if isinstance(said, str | int | float):
        return [{"role": "assistant", "content": as_text(said)}]
    if isinstance(said, dict) and "content" in said and said.get("role", "assistant") == "assistant":
        return [{"role": "assistant", **said}]
    if isinstance(said, list) and is_messages(said) and said[-1]["role"] == "assistant":
        return said
    raise TaskError(
        f"{name!r} gave {type(said).__name__} in place of what it says",
        fix="return a text, a message with content, or messages that end with one of the assistant",
    )
