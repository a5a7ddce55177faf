"""Many providers as one: a model is named PROVIDER/MODEL, and whoever stands before the slash answers."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import msgspec

from rejudge.domain.errors import ConfigurationError
from rejudge.providers.provider import Abilities, Route

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rejudge.domain.call import EmbedCall, Embeddings, ModelCall, Reply
    from rejudge.providers.provider import Provider


class Router:
    """Makes a provider when the first model of its name is asked for; those that were `named` come first.

    `reachable` says whether some provider could answer without being named, that is, whether its key is there.
    """

    def __init__(
        self, named: Mapping[str, Provider], *, make: Callable[[str], Provider], reachable: Callable[[], bool]
    ) -> None:
        self._made: dict[str, Provider] = dict(named)
        self._make = make
        self._reachable = reachable

    def route(self, model: str) -> Route:
        """Who answers for the model, and what it is called there; raises ConfigurationError where nobody does."""
        name, slash, rest = model.partition("/")
        if not slash or not name or not rest:
            raise ConfigurationError(
                f"the model {model!r} names no provider",
                fix=f"write PROVIDER/MODEL, such as openai/{model.strip('/') or 'gpt-4o-mini'}, or give provider=",
            )
        if name not in self._made:
            self._made[name] = self._make(name)
        return Route(self._made[name], rest)

    def check_asked(self, who: str) -> None:
        """Raise ConfigurationError where no provider was named and no key is there for those that are known."""
        if not self._made and not self._reachable():
            raise ConfigurationError(
                f"{who!r} yields model calls and nobody answers them",
                fix="give provider=, or set the key of a provider that is known by name, such as OPENAI_API_KEY",
            )

    def abilities(self, model: str) -> Abilities:
        """What the model's provider says that it can do."""
        found = self.route(model)
        declared = getattr(found.provider, "abilities", None)
        return declared(found.model) if declared is not None else Abilities()

    async def answer(self, call: ModelCall) -> Reply:
        """The reply of the model's provider."""
        found = self.route(call.model)
        return await found.provider.answer(msgspec.structs.replace(call, model=found.model))

    async def embed(self, call: EmbedCall) -> Embeddings:
        """The vectors of the model's provider."""
        found = self.route(call.model)
        embed = getattr(found.provider, "embed", None)
        if embed is None:
            raise ConfigurationError(f"who answers for {call.model!r} gives no vectors")
        vectors: Embeddings = await embed(msgspec.structs.replace(call, model=found.model))
        return vectors

    async def release(self) -> None:
        """Let go of the running loop's connections of all of them."""
        await release_all(self._made.values())


async def release_all(providers: Iterable[object]) -> None:
    """Let go of the running loop's connections of those that hold any."""
    for provider in list(providers):
        if inspect.iscoroutinefunction(release := getattr(provider, "release", None)):
            await release()
