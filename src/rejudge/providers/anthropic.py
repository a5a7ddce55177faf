"""Anthropic's models, by its messages interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rejudge.domain.errors import ProviderError
from rejudge.providers.address import checked_address, host_of
from rejudge.providers.anthropic_messages import message_body, message_reply
from rejudge.providers.endpoint import Endpoint
from rejudge.providers.faults import Refused
from rejudge.providers.keys import Redactor
from rejudge.providers.openai_compatible import DEFAULT_LIMITS, key_of
from rejudge.providers.provider import Abilities, Limits

if TYPE_CHECKING:
    from rejudge.domain.call import ModelCall, Reply
    from rejudge.providers.keys import Secret

ANTHROPIC = "https://api.anthropic.com"
ANTHROPIC_KEY = "ANTHROPIC_API_KEY"
VERSION = "2023-06-01"
"""Of the interface, which is sent with every request."""

_ABILITIES = Abilities(logprobs=False, schema=True, tools=True, audio=False)


class Anthropic:
    """Answers by `v1/messages`. There are no log-probabilities; a schema is held by a tool that the model must use."""

    def __init__(self, address: str, *, key: Secret | None, account: str, limits: Limits) -> None:
        self._who = host_of(address)
        self._account = f"{self._who}/{account}"
        self._limits = limits
        self._without_temperature: set[str] = set()

        def headers() -> dict[str, str]:
            version = {"anthropic-version": VERSION}
            return version if key is None else {"x-api-key": key.reveal(), **version}

        self._endpoint = Endpoint(
            address, who=self._who, headers=headers, redactor=Redactor([key]), seconds=limits.attempt_seconds
        )

    @property
    def account(self) -> str:
        """The host and the account's name."""
        return self._account

    @property
    def limits(self) -> Limits:
        """What the account allows."""
        return self._limits

    @property
    def vendor(self) -> str:
        """The address, by which price lists know the vendor."""
        return self._endpoint.address

    def abilities(self, model: str) -> Abilities:
        """What the models can do; that one takes no temperature is learned from its refusal."""
        temperature = False if model in self._without_temperature else None
        return msgspec.structs.replace(_ABILITIES, temperature=temperature)

    async def answer(self, call: ModelCall) -> Reply:
        """The reply to one call."""
        if call.logprobs is not None:
            raise ProviderError(f"{self._who} gives no log-probabilities", fix="take a model that does")
        temperature = None if call.model in self._without_temperature else call.temperature
        try:
            value = await self._endpoint.post("/v1/messages", message_body(call, temperature=temperature))
        except Refused as refused:
            if temperature is None or "temperature" not in refused.said:
                raise
            self._without_temperature.add(call.model)
            value = await self._endpoint.post("/v1/messages", message_body(call, temperature=None))
        return message_reply(value, call=call, who=self._who)

    async def release(self) -> None:
        """Let go of the running loop's connections."""
        await self._endpoint.release()

    def __repr__(self) -> str:
        return f"anthropic({self._endpoint.address!r}, account={self._account!r})"


def anthropic(
    base_url: str = ANTHROPIC,
    *,
    key_from: str | None = None,
    api_key: str | None = None,
    account: str = "default",
    limits: Limits = DEFAULT_LIMITS,
) -> Anthropic:
    """A provider for Anthropic's messages interface, at Anthropic by default.

    Args:
        base_url: the address without `/v1`.
        key_from: the environment variable, or the keyring's entry under `rejudge`, that holds the key; at Anthropic
            itself it is ANTHROPIC_API_KEY. Another server is sent no key unless one is named.
        api_key: the key itself, where neither will do.
        account: tells accounts apart; those of one name share their limits.
        limits: what the account allows, and how long a call may take.

    Raises ConfigurationError for an address that is none, and where the key that is named does not exist.
    """
    address = checked_address(base_url)
    if address == ANTHROPIC and api_key is None:
        key_from = key_from or ANTHROPIC_KEY
    return Anthropic(address, key=key_of(api_key, key_from), account=account, limits=limits)
