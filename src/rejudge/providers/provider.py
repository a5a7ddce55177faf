"""The seam to models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from rejudge.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from rejudge.domain.call import EmbedCall, Embeddings, ModelCall, Reply


class Abilities(Struct, frozen=True, kw_only=True):
    """What a model can do, as its provider knows; None where only a try would tell.

    `temperature` says whether a temperature may be chosen, `schema` whether replies can be held to one, `image`,
    `audio` and `file` whether messages may have such parts.
    """

    logprobs: bool | None = None
    schema: bool | None = None
    tools: bool | None = None
    temperature: bool | None = None
    image: bool | None = None
    audio: bool | None = None
    file: bool | None = None


class Limits(Struct, frozen=True, kw_only=True):
    """What one account of a provider allows; the engine keeps to it. None means that no limit is known.

    `attempt_seconds` bounds one try of a call, `total_seconds` all its tries with the waits between them; waiting for
    one's turn under the other limits is not counted.
    """

    concurrency: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    attempt_seconds: float | None = None
    total_seconds: float | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigurationError(f"{name} is {value}", fix="give a number above 0, or None for no limit")


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


class Billed(Protocol):
    """A provider whose models have the prices of a vendor."""

    @property
    def vendor(self) -> str:
        """The vendor's name as price lists have it, or the address that is asked."""


class Connected(Protocol):
    """A provider that holds connections."""

    async def release(self) -> None:
        """Let go of the connections of the running loop once nothing is in flight; a later call makes new ones."""


class Route(Struct, frozen=True):
    """Who answers for a model, and what the model is called there."""

    provider: Provider
    model: str


class Routing(Protocol):
    """A provider that hands each call on to another."""

    def route(self, model: str) -> Route:
        """Who answers for this model; raises ConfigurationError where nobody does."""

    def check_asked(self, who: str) -> None:
        """Raise ConfigurationError where nobody could answer whatever model `who` may ask."""
