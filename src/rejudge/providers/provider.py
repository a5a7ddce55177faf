"""The seam to models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from rejudge.domain.call import EmbedCall, Embeddings, ModelCall, Reply


class Abilities(Struct, frozen=True, kw_only=True):
    """What a model can do, as its provider knows; None where only a try would tell.

    `temperature` says whether a temperature may be chosen, `schema` whether replies can be held to one.
    """

    logprobs: bool | None = None
    schema: bool | None = None
    tools: bool | None = None
    temperature: bool | None = None


class Limits(Struct, frozen=True, kw_only=True):
    """What one account of a provider allows; the engine keeps to it. None means that no limit is known."""

    concurrency: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


class Provider(Protocol):
    """Answers model calls; limits, retries and records are the engine's.

    An `answer` raises Transient for what another try may cure, ProviderError for what it will not. What else a provider
    has is optional, and asked for by the classes below.
    """

    async def answer(self, call: ModelCall) -> Reply:
        """The reply to one call."""


class Embedder(Protocol):
    """A provider that gives vectors too."""

    async def embed(self, call: EmbedCall) -> Embeddings:
        """One vector for each text."""


class Declaring(Protocol):
    """A provider that says what its models can do and what its account allows."""

    @property
    def account(self) -> str:
        """Names the provider and account whose limits are shared; no secret."""

    @property
    def limits(self) -> Limits:
        """What the account allows."""

    def abilities(self, model: str) -> Abilities:
        """What the model can do."""


class Closing(Protocol):
    """A provider that holds connections."""

    async def close(self) -> None:
        """Let them go; a closed provider answers no more."""
