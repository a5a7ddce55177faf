"""The user of a conversation: turns that were written down, or a model that plays somebody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from rejudge.domain.call import Reply
from rejudge.domain.demands import NOTHING, Demands
from rejudge.domain.errors import ConfigurationError, TaskError
from rejudge.domain.verdict import Skip
from rejudge.domain.view import as_text
from rejudge.domain.way import Way
from rejudge.tasks.filling import Filling
from rejudge.tasks.sampling import Sampling, checked_model
from rejudge.tasks.task import CannotTake

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from rejudge.tasks.caps import Meter
    from rejudge.tasks.partner import Message

ENDED: Final = "[[END]]"
"""What a simulated user says when its stop rule holds."""

_PART: Final = """You play the user of an assistant that is being tested. Stay in your part and write only what this \
user would write: one message at a time, short, and never as the assistant.

Who you are: {persona}

What you want: {goal}

Stop rule: {stop}
As soon as the stop rule holds, write {ended} and nothing else."""

_STOP: Final = "you have what you want, or it is plain that the assistant will not give it to you"

_BEGIN: Final = "(The conversation begins. Write your first message.)"


class Said(Struct, frozen=True):
    """What the user says next, and whether the conversation ends with it."""

    text: str = ""
    ends: bool = False


class User(Protocol):
    """Somebody who talks to the system."""

    @property
    def needs(self) -> frozenset[str]:
        """Item fields that it asks for by name."""

    @property
    def settings(self) -> dict[str, object]:
        """Everything in it that can change a conversation."""

    @property
    def demands(self) -> Demands:
        """What it needs of the world."""

    def prepared(self, fields: Mapping[str, object]) -> list[str]:
        """What it is to say or to be, for an item; raises CannotTake."""

    def is_done(self, prepared: Sequence[str], said: int) -> bool:
        """Whether it has nothing more to say after so many messages, as far as it knows without being asked."""

    def say(
        self, prepared: Sequence[str], messages: Sequence[Message], meter: Meter
    ) -> Generator[object, object, Said]:
        """What it says next."""


class ScriptedUser:
    """Says the turns of a list, or of an item's field, one after the other."""

    def __init__(self, turns: object) -> None:
        if not turns or not isinstance(turns, str | list | tuple):
            raise ConfigurationError("the script has no turns", fix='give texts: script=["Hello", "{{ question }}"]')
        self._filling = Filling(turns, parameter="script")
        if isinstance(turns, str) and not self._filling.names:
            raise ConfigurationError(f"the script {turns!r} is one text", fix=f"give a list: [{turns!r}]")
        self.needs = self._filling.names
        self.settings: dict[str, object] = {"script": self._filling.stated}
        self.demands = NOTHING

    def prepared(self, fields: Mapping[str, object]) -> list[str]:
        """The turns for an item; raises CannotTake for what is no list of texts."""
        turns = self._filling.filled(fields)
        if not isinstance(turns, list) or not turns or not all(isinstance(one, str | int | float) for one in turns):
            raise CannotTake(
                Skip.INCOMPATIBLE_INPUT_SHAPE.value,
                "the script is no list of texts, so nobody knows what is to be said",
            )
        return [as_text(one) for one in turns]

    def is_done(self, prepared: Sequence[str], said: int) -> bool:
        """Whether all turns were said."""
        return said >= len(prepared)

    def say(
        self, prepared: Sequence[str], messages: Sequence[Message], meter: Meter
    ) -> Generator[object, object, Said]:
        """The next turn."""
        yield from ()
        return Said(prepared[meter.user_turns])


class SimulatedUser:
    """A model with a persona, a goal and a stop rule."""

    def __init__(
        self,
        *,
        model: str,
        persona: str,
        goal: str,
        stop: str | None = None,
        opening: str | None = None,
        sampling: Sampling = Sampling(),  # noqa: B008 - a frozen record
    ) -> None:
        self._model = checked_model(model, whose="the simulated user")
        self._sampling = sampling
        parts = {"persona": persona, "goal": goal, "stop": stop or _STOP, "opening": opening or ""}
        for name in ("persona", "goal"):
            if not isinstance(parts[name], str) or not parts[name].strip():
                raise ConfigurationError(f"the simulated user has no {name}", fix=f"say it in words: {name}=")
        self._filling = Filling(parts, parameter="user")
        self.needs = self._filling.names
        self.settings: dict[str, object] = {
            **parts,
            "model": model,
            "parameters": sampling.settings(),
            "part": _PART,
        }
        self.demands = Demands(models=(model,))
        self.way = Way.STEPS
        self.config = _Named("the simulated user")

    def prepared(self, fields: Mapping[str, object]) -> list[str]:
        """Its part and its first message, for an item; raises CannotTake."""
        filled = self._filling.filled(fields)
        assert isinstance(filled, dict)
        for name, value in filled.items():
            if isinstance(value, list | dict) or value is None:
                raise CannotTake(Skip.INCOMPATIBLE_INPUT_SHAPE.value, f"the user's {name} is no text")
        told = {name: as_text(value) for name, value in filled.items()}
        opening = told.pop("opening")
        return [_PART.format(**told, ended=ENDED), opening]

    def is_done(self, prepared: Sequence[str], said: int) -> bool:
        """Only the model knows."""
        return False

    def say(
        self, prepared: Sequence[str], messages: Sequence[Message], meter: Meter
    ) -> Generator[object, object, Said]:
        """What the model says in its part; raises TaskError where it says nothing or refuses to play."""
        part, opening = prepared
        if opening and not meter.user_turns:
            return Said(opening)
        reply = yield self._sampling.call(self._model, [{"role": "system", "content": part}, *_from_its_side(messages)])
        assert isinstance(reply, Reply)
        meter.replied(reply)
        if reply.refusal or not reply.text.strip():
            raise TaskError(
                f"the simulated user said nothing: {reply.refusal or 'its reply is empty'}",
                fix="take another model for it, or change its persona and goal",
            )
        return Said(reply.text.replace(ENDED, "").strip(), ends=ENDED in reply.text)


class _Named(Struct, frozen=True):
    name: str


def _from_its_side(messages: Sequence[Message]) -> list[Message]:
    """The conversation with the parts swapped; what the system does behind its words is not shown."""
    swapped: list[Message] = []
    for message in messages:
        role, content = message.get("role"), message.get("content")
        if role == "user":
            swapped.append({"role": "assistant", "content": content})
        elif role == "assistant" and content and not message.get("tool_calls"):
            swapped.append({"role": "user", "content": content})
    return swapped if swapped and swapped[0]["role"] == "user" else [{"role": "user", "content": _BEGIN}, *swapped]
