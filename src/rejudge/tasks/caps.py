"""The caps of a system under test: reaching one ends its work as completed, with the limit recorded."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from rejudge.domain.call import Elapsed
from rejudge.domain.errors import ConfigurationError, TaskError

if TYPE_CHECKING:
    from rejudge.domain.call import HttpReply, Reply
    from rejudge.domain.usage import Usage


_AMOUNTS: Final = frozenset({"cost", "seconds"})
"""Caps that need be no whole numbers."""


class Caps(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one trial may take; None is no cap.

    `turns` counts what the system says to its user, `steps` the replies of its model for one turn, `tokens` and `cost`
    (in US dollars) everything that models used, the simulated user's too. `repeats` ends a loop: the same exchange so
    many times in a row.
    """

    turns: int | None = None
    steps: int | None = None
    tool_calls: int | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    repeats: int | None = 3

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value: object = getattr(self, name)
            if value is None:
                continue
            amount = name in _AMOUNTS
            if isinstance(value, bool) or not isinstance(value, int | float if amount else int):
                raise ConfigurationError(
                    f"{name} is {value!r}, which is no {'number' if amount else 'whole number'}",
                    fix="give a number, or None for no cap",
                )
            least = 2 if name == "repeats" else 0 if amount else 1
            if not (value >= least and value > 0):
                raise ConfigurationError(f"{name} is {value}", fix="give a larger number, or None for no cap")

    def settings(self) -> dict[str, object]:
        """The caps that there are, for the run config."""
        return {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) is not None}

    def and_those(self, others: Caps) -> Caps:
        """The lower of both in everything."""
        lower: dict[str, object] = {}
        for name in self.__struct_fields__:
            known = [value for one in (self, others) if (value := getattr(one, name)) is not None]
            lower[name] = min(known) if known else None
        return msgspec.convert(lower, Caps)


NO_CAPS = Caps(repeats=None)


class Meter:
    """Counts what one trial has taken, and says which cap it has reached; `limit` is set once one is."""

    def __init__(self, caps: Caps) -> None:
        self._caps = caps
        self.turns = 0
        self.user_turns = 0
        self.steps = 0
        self.tool_calls = 0
        self.limit: dict[str, object] | None = None
        self._tokens = 0
        self._cost = 0.0
        self._steps_of_turn = 0
        self._last: dict[str, object] = {}
        self._repeats: dict[str, int] = {}

    def replied(self, reply: Reply | HttpReply) -> None:
        """Count what a reply used; raises TaskError where it says nothing and a cap depends on it."""
        usage = reply.usage
        if self._caps.tokens is not None:
            self._tokens += int(_known(_tokens(usage), "tokens", "the reply reports no tokens"))
            self._reach("tokens", self._tokens)
        if self._caps.cost is not None:
            cost = None if usage is None else usage.cost
            self._cost += _known(cost, "cost", "what the reply cost is unknown; give prices=")
            self._reach("cost", self._cost)

    def begin_turn(self) -> None:
        """Count steps anew."""
        self._steps_of_turn = 0

    def stepped(self, reply: Reply) -> None:
        """Count a reply of the system's model."""
        self.steps += 1
        self._steps_of_turn += 1
        self.replied(reply)

    def may_step(self) -> Generator[object, object, bool]:
        """Whether another reply of the system's model may be asked for."""
        self._reach("steps", self._steps_of_turn)
        yield from self._look_at_time()
        return self.limit is None

    def may_use_tools(self, count: int) -> bool:
        """Whether so many calls of tools more may be made; they are counted."""
        most = self._caps.tool_calls
        if most is not None and self.tool_calls + count > most:
            self._set("tool_calls", most)
            return False
        self.tool_calls += count
        return True

    def may_turn(self) -> Generator[object, object, bool]:
        """Whether the conversation may go on."""
        self._reach("turns", self.turns)
        yield from self._look_at_time()
        return self.limit is None

    def exchanged(self, kind: str, exchange: object) -> None:
        """Note what was asked and answered; the same of its kind again and again is a loop."""
        same = kind in self._last and exchange == self._last[kind]
        self._repeats[kind] = self._repeats[kind] + 1 if same else 1
        self._last[kind] = exchange
        if self._caps.repeats is not None and self._repeats[kind] >= self._caps.repeats:
            self._set("loop", self._caps.repeats)

    def told(self) -> dict[str, object]:
        """What a trial took, as its metadata says it."""
        counts: dict[str, object] = {"turns": self.turns, "steps": self.steps, "tool_calls": self.tool_calls}
        return counts if self.limit is None else counts | {"limit": self.limit}

    def _look_at_time(self) -> Generator[object, object, None]:
        if self._caps.seconds is not None:
            seconds = yield Elapsed()
            self._reach("seconds", msgspec.convert(seconds, float))

    def _reach(self, name: str, reached: float) -> None:
        most = getattr(self._caps, name)
        if most is not None and reached >= most:
            self._set(name, most)

    def _set(self, name: str, most: object) -> None:
        if self.limit is None:
            self.limit = {"reached": name, "of": most}


def _tokens(usage: Usage | None) -> int | None:
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    return usage.input_tokens + usage.output_tokens


def _known(amount: float | None, cap: str, why: str) -> float:
    if amount is None:
        raise TaskError(f"the cap on {cap} cannot be kept: {why}", fix="leave the cap out, or cap the turns")
    return amount
