"""A provider that answers from a script: for examples, tests and runs without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rejudge.domain.call import ModelCall, Reply
from rejudge.domain.errors import ConfigurationError, ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable

Answer: TypeAlias = "Reply | str | Exception"


class ScriptedProvider:
    """Replies made by a function of the call; an exception in place of a reply is raised.

    The calls that were answered are kept in `calls`, in order.
    """

    def __init__(self, script: Callable[[ModelCall], Answer]) -> None:
        if not callable(script):
            raise ConfigurationError(
                f"the script of a ScriptedProvider is a {type(script).__name__}, and no function of the call",
                fix='write ScriptedProvider(lambda call: "hello"); call.messages holds what was asked',
            )
        self._script = script
        self.calls: list[ModelCall] = []

    async def answer(self, call: ModelCall) -> Reply:
        """The script's reply to this call."""
        self.calls.append(call)
        answer = self._script(call)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            return Reply(text=answer, model=call.model)
        if isinstance(answer, Reply):
            return answer
        raise ProviderError(f"the script answered with a {type(answer).__name__}", fix="return a Reply or text")
