"""Models behind an OpenAI-compatible interface: OpenAI itself, routers, and local servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rejudge.domain.call import Embeddings
from rejudge.domain.errors import ConfigurationError, ProviderError
from rejudge.providers.address import checked_address, host_of
from rejudge.providers.completion import body_of, embeddings_of, reply_of
from rejudge.providers.dialect import Dialect, Form, conceded, first_dialect, without_logprobs
from rejudge.providers.endpoint import Endpoint
from rejudge.providers.faults import Refused
from rejudge.providers.keys import Redactor, Secret, address_named, key_named
from rejudge.providers.provider import Abilities, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rejudge.domain.call import EmbedCall, ModelCall, Reply

OPENAI = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"
OPENAI_ADDRESS = "OPENAI_BASE_URL"

DEFAULT_LIMITS = Limits(attempt_seconds=300.0, total_seconds=900.0)
"""Enough for a model that thinks for minutes, and an end for a server that never answers."""

_CONCESSIONS = 6
"""More than there are things to concede."""


class OpenAICompatible:
    """Answers by `chat/completions` and gives vectors by `embeddings`.

    What a server does not take (a schema, a temperature) is learned from its refusal, once for each model: a schema
    then goes as `json_object`, or in words at the end of the prompt.
    """

    def __init__(
        self,
        address: str,
        *,
        key: Secret | None,
        account: str,
        limits: Limits,
        abilities: Abilities,
        headers: Mapping[str, str],
    ) -> None:
        host = host_of(address)
        self._own_limits = limits
        self._account = f"{host}/{account}"
        self._abilities = abilities
        self._dialects: dict[str, Dialect] = {}
        self._who = host
        secret = [
            Secret(word, called=f"the header {name}")
            for name, text in headers.items()
            if _is_secret(name)
            for word in text.split()  # such as `Bearer KEY`
        ]
        sent = dict(headers)

        def all_headers() -> Mapping[str, str]:
            return sent if key is None else {"authorization": f"Bearer {key.reveal()}", **sent}

        self._endpoint = Endpoint(
            address,
            who=host,
            headers=all_headers,
            redactor=Redactor([key, *secret]),
            seconds=limits.attempt_seconds,
        )

    @property
    def account(self) -> str:
        """The host and the account's name."""
        return self._account

    @property
    def limits(self) -> Limits:
        """What the account allows."""
        return self._own_limits

    @property
    def vendor(self) -> str:
        """The address, by which price lists know the vendor."""
        return self._endpoint.address

    def abilities(self, model: str) -> Abilities:
        """What was said about the models when this was made, what is known of OpenAI's, and what was learned."""
        dialect = self._dialect(model)
        said = self._abilities
        learned = Abilities(
            logprobs=dialect.logprobs,
            schema=False if dialect.form in (Form.OBJECT, Form.WORDS) else None,
            temperature=None if dialect.temperature else False,
        )
        stated = {name: value for name in said.__struct_fields__ if (value := getattr(said, name)) is not None}
        return msgspec.structs.replace(learned, **stated)

    async def answer(self, call: ModelCall) -> Reply:
        """The reply to one call."""
        for _ in range(_CONCESSIONS):
            dialect = self._dialect(call.model)
            try:
                value = await self._endpoint.post("/chat/completions", body_of(call, call.model, dialect))
            except Refused as refused:
                if (noted := without_logprobs(dialect, refused, call)) is not None:
                    self._learn(call.model, dialect, noted)
                    raise ProviderError(refused.what, fix="take a model that gives log-probabilities") from None
                other = conceded(dialect, refused, call)
                if other is None:
                    raise
                self._learn(call.model, dialect, other)
                continue
            return reply_of(value, who=self._who)
        raise ProviderError(f"{self._who} takes no form of this call", fix="ask for less: schema, temperature, seed")

    async def embed(self, call: EmbedCall) -> Embeddings:
        """One vector for each text."""
        if not call.texts:
            return Embeddings(vectors=[], model=call.model)
        body: dict[str, object] = {"model": call.model, "input": call.texts, "encoding_format": "float"}
        value = await self._endpoint.post("/embeddings", body)
        return embeddings_of(value, count=len(call.texts), who=self._who)

    async def release(self) -> None:
        """Let go of the running loop's connections."""
        await self._endpoint.release()

    def _dialect(self, model: str) -> Dialect:
        found = self._dialects.get(model)
        if found is None:
            found = first_dialect(model)
            if self._abilities.schema is False:
                found = msgspec.structs.replace(found, form=Form.WORDS)
            if self._abilities.temperature is not None:
                found = msgspec.structs.replace(found, temperature=self._abilities.temperature)
            self._dialects[model] = found
        return found

    def _learn(self, model: str, before: Dialect, after: Dialect) -> None:
        """Note what a refusal taught, unless a call beside it has learned more in the meantime."""
        if self._dialects[model] == before:
            self._dialects[model] = after

    def __repr__(self) -> str:
        return f"openai_compatible({self._endpoint.address!r}, account={self._account!r})"


def openai_compatible(
    base_url: str | None = None,
    *,
    key_from: str | None = None,
    api_key: str | None = None,
    account: str = "default",
    limits: Limits = DEFAULT_LIMITS,
    abilities: Abilities = Abilities(),  # noqa: B008 - a frozen record
    headers: Mapping[str, str] | None = None,
) -> OpenAICompatible:
    """A provider for a server with OpenAI's interface, up to and including its `/v1`; OpenAI itself by default.

    Args:
        base_url: the address; without one it is that of OPENAI_BASE_URL, or else OpenAI's own.
        key_from: the environment variable, or the keyring's entry under `rejudge`, that holds the key. Without a
            `base_url` it is OPENAI_API_KEY; another server is sent no key unless one is named.
        api_key: the key itself, where neither will do.
        account: tells accounts at one server apart; those of one name share their limits.
        limits: what the account allows, and how long a call may take.
        abilities: what the models can do, where it is known better than by asking.
        headers: sent with every request.

    Raises ConfigurationError for an address that is none, and where the key that is named does not exist.
    """
    if base_url is None:
        key_from = key_from or OPENAI_KEY
        base_url = address_named(OPENAI_ADDRESS)
        if base_url is not None and api_key is None and key_named(key_from) is None:
            key_from = None  # a server of one's own may want no key
    return OpenAICompatible(
        checked_address(OPENAI if base_url is None else base_url),
        key=key_of(api_key, key_from),
        account=account,
        limits=limits,
        abilities=abilities,
        headers=headers or {},
    )


def key_of(api_key: str | None, key_from: str | None) -> Secret | None:
    """The key that was given or named, None where neither was; raises ConfigurationError for a name without a key."""
    if api_key is not None:
        return Secret(api_key, called="api_key")
    if key_from is None:
        return None
    key = key_named(key_from)
    if key is None:
        raise ConfigurationError(
            f"there is no key {key_from}",
            fix=f"set the environment variable {key_from}, or `keyring set rejudge {key_from}`",
        )
    return key


def _is_secret(header: str) -> bool:
    return any(word in header.casefold() for word in ("auth", "key", "token", "secret", "cookie"))
