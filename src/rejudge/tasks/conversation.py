"""A conversation as a task: the system and its user speak in turns, and the whole of it is one trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.ids import digest
from rejudge.domain.run_config import RunConfig
from rejudge.domain.way import Way
from rejudge.tasks.caps import Caps, Meter
from rejudge.tasks.partner import last_answer
from rejudge.tasks.prompt import named_fields
from rejudge.tasks.task import Given

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Mapping

    from rejudge.tasks.partner import Message, Partner
    from rejudge.tasks.tool import Tool
    from rejudge.tasks.user import User


_SPOKEN = frozenset({"messages", "message"})
"""What a partner may name that is no field of the item: the conversation so far, and what was said last."""


class ConversationTask:
    """Lets a user talk to the system until the user is done or a cap is reached.

    What the system said last is the output; `metadata` says how it ended, with the turns, steps and calls of tools.
    """

    def __init__(
        self,
        partner: Partner,
        user: User,
        *,
        caps: Caps,
        name: str | None = None,
        depends_on: Mapping[str, object] | None = None,
        scenario: str | None = None,
    ) -> None:
        self._partner = partner
        self._user = user
        self._caps = caps.and_those(partner.caps)
        _check_kept(self._caps, partner)
        self.way = Way.STEPS
        self.needs = (partner.needs - _SPOKEN) | user.needs
        self.outputs: frozenset[str] = frozenset()
        self.functions = partner.functions
        self.usage_of = getattr(partner, "usage_of", None)
        self.real_tools: tuple[str, ...] = getattr(partner, "real_tools", ())
        self.sandboxed: tuple[Tool, ...] = getattr(partner, "sandboxed", ())
        self.demands = partner.demands
        self.parts = (partner, user)
        told = partner.config
        self.config = RunConfig(
            name=name or told.name,
            kind="conversation",
            settings={
                "partner": {"kind": told.kind, "settings": told.settings},
                "user": user.settings,
                "caps": self._caps.settings(),
            },
            depends_on={**told.depends_on, **(depends_on or {})},
            scenario=scenario or told.scenario,
            given=tuple(sorted(self.needs)),
            unpinned=told.unpinned,
        )

    def given(self, item_id: str, fields: dict[str, object], *, reference: Collection[str], trial: int) -> Given:
        """The first messages and the user's part for an item; its key depends on the fields that both name."""
        named = named_fields(self.needs, fields)
        arguments = {
            "messages": self._partner.opening(named),
            "user": self._user.prepared(named),
            "fields": named,
        }
        return Given(digest("given", named), arguments)

    def call(self, given: Given, *, trial: int) -> Generator[object, object, object]:
        """Hold the conversation."""
        messages = list(cast("list[Message]", given.arguments["messages"]))
        prepared = cast("list[str]", given.arguments["user"])
        fields = cast("dict[str, object]", given.arguments["fields"])
        meter = Meter(self._caps)
        ended = yield from self._held(messages, prepared, fields, meter)
        return {
            "output": last_answer(messages),
            "messages": messages,
            "metadata": {"ended": ended, **meter.told()},
        }

    def _held(
        self, messages: list[Message], prepared: list[str], fields: Mapping[str, object], meter: Meter
    ) -> Generator[object, object, str]:
        """Add the messages of both sides; says why it ended: the user was done, or a limit was reached."""
        asked_already = bool(messages) and messages[-1].get("role") == "user"
        while True:
            if not asked_already:
                if self._user.is_done(prepared, meter.user_turns):
                    return "user"
                if not (yield from meter.may_turn()):
                    return "limit"
                said = yield from self._user.say(prepared, messages, meter)
                if said.text or not said.ends:
                    messages.append({"role": "user", "content": said.text})
                    meter.user_turns += 1
                if said.ends:
                    return "user"
                if meter.limit is not None:
                    return "limit"
            asked_already = False
            before = len(messages)
            yield from self._partner.turn(messages, meter, fields)
            meter.turns += len(messages) > before
            if meter.limit is not None:
                return "limit"
            meter.exchanged("turn", [message.get("content") for message in messages[before - 1 :]])
            if meter.limit is not None:
                return "limit"


def _check_kept(caps: Caps, partner: Partner) -> None:
    """Raise where a cap counts what the system never says; it would silently never be reached."""
    for name in ("tokens", "cost"):
        if getattr(caps, name) is not None and not partner.reports_usage:
            raise ConfigurationError(
                f"the cap on {name} cannot be kept: {partner.config.name!r} does not say what it uses",
                fix="name where an endpoint says it: http(…, usage=…); or cap the turns or the seconds",
            )
