"""The answer that every model call gets: limits, time and retries stand before the provider, once for all askers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

import msgspec

from rejudge.domain.call import EmbedCall, Embeddings, HttpCall, HttpReply, ModelCall, Reply
from rejudge.domain.demands import NOTHING
from rejudge.domain.errors import ConfigurationError, ProviderError, Transient
from rejudge.domain.media import media_of
from rejudge.domain.usage import Usage, checked_usage
from rejudge.providers.prices import Prices, Sold
from rejudge.runner.limits import Limiters, Paused
from rejudge.runner.retry import LONGEST_WAIT, asked_to_wait, is_throttled, is_transient, tried_again, wait_before
from rejudge.runner.routes import Routed, routed
from rejudge.runner.saying import said

if TYPE_CHECKING:
    from random import Random

    from rejudge.domain.call import Answered, Call
    from rejudge.domain.demands import Address, Demands
    from rejudge.providers.provider import Embedder, Limits, Provider
    from rejudge.runner.clock import Clock
    from rejudge.runner.limits import Limiter, Turn

CHARACTERS_A_TOKEN = 4
"""Of English text; what a call really took is put right once the reply says it."""

EXPECTED_OUTPUT = 256
"""Tokens of a reply to a call that sets no limit."""


Asked: TypeAlias = ModelCall | EmbedCall | HttpCall
Told: TypeAlias = Reply | Embeddings | HttpReply


class Endpoints(Protocol):
    """Asks the endpoints that are evaluated."""

    def learn(self, address: Address) -> None:
        """Note an endpoint's limits; raises ConfigurationError where it cannot be asked, or a key is missing."""

    def account(self, url: str) -> tuple[str, Limits]:
        """Whose limits a request falls under, and what they are."""

    async def ask(self, call: HttpCall) -> HttpReply:
        """The reply to one request."""


class Answering:
    """Asks providers: in turn, within the limits of their account, and again after a transient error."""

    def __init__(
        self,
        provider: Provider,
        *,
        retries: int,
        clock: Clock,
        random: Random,
        limiters: Limiters | None = None,
        prices: Prices | None = None,
        endpoints: Endpoints | None = None,
    ) -> None:
        self._provider = provider
        self._retries = retries
        self._clock = clock
        self._random = random
        self._limiters = limiters or Limiters(clock)
        self._prices = prices or Prices()
        self._endpoints = endpoints
        self._unshared: dict[int, Limiter] = {}

    async def __call__(self, call: Call, failures: list[str]) -> Answered:
        """The provider's reply; raises its error when no further try may cure it."""
        if isinstance(call, HttpCall):
            return await self._tries(call, self._endpoint(call), failures)
        if not isinstance(call, ModelCall | EmbedCall):
            raise ConfigurationError(f"nobody answers a {type(call).__name__}")
        route = routed(self._provider, call.model)
        if isinstance(call, ModelCall):
            _check_media(call, route)
        there = call if route.model == call.model else msgspec.structs.replace(call, model=route.model)
        return self._priced(call.model, route, await self._tries(there, route, failures))

    def check(self, who: str, demands: Demands) -> None:
        """Raise ConfigurationError where nobody answers for a model, or it cannot do what is demanded."""
        if demands == NOTHING:
            check = getattr(self._provider, "check_asked", None)
            if check is not None:
                check(who)
        if demands.address is not None:
            self._known_endpoints(who).learn(demands.address)
        for model in demands.models:
            abilities = routed(self._provider, model).abilities
            for kind in demands.media:
                if getattr(abilities, kind) is False:
                    raise ConfigurationError(
                        f"{who!r} sends {kind} parts, which {model!r} does not take",
                        fix="choose a model that does, or leave the parts out",
                    )
            if demands.functions and abilities.tools is False:
                raise ConfigurationError(
                    f"{who!r} offers tools, which {model!r} does not call", fix="choose a model that does"
                )
            if demands.logprobs and abilities.logprobs is False:
                raise ConfigurationError(
                    f"{who!r} weighs log-probabilities, which {model!r} does not give",
                    fix="choose a model that does, or leave g_eval out",
                )
        for model in demands.embedding_models:
            _embedder(routed(self._provider, model), model)

    def _known_endpoints(self, who: str) -> Endpoints:
        if self._endpoints is None:
            raise ConfigurationError(f"{who!r} asks an endpoint, and nobody does that here")
        return self._endpoints

    def _endpoint(self, call: HttpCall) -> Routed:
        endpoints = self._known_endpoints(call.url)
        account, limits = endpoints.account(call.url)
        return Routed(provider=self._provider, model="", account=account, limits=limits)

    async def _tries(self, call: Asked, route: Routed, failures: list[str]) -> Told:
        limiter = self._limiter(route)
        limits = route.limits
        tokens = 0.0 if limits.tokens_per_minute is None else _expected(call)
        end: float | None = None
        while True:
            asked_at = self._clock.elapsed()
            try:
                turn = await limiter.turn(tokens, patience=self._left(end, limits))
            except Paused as paused:
                failures.append(said(paused))
                tried_again(paused)
                raise
            if end is not None:
                end += self._clock.elapsed() - asked_at
            elif limits.total_seconds is not None:
                end = self._clock.elapsed() + limits.total_seconds
            try:
                async with turn:
                    return await self._answered(turn, call, route, end)
            except Exception as error:  # noqa: BLE001 - looked at below, once the turn has ended
                failure = error
            failures.append(said(failure))
            await self._wait_after(failure, failures, end)

    async def _answered(self, turn: Turn, call: Asked, route: Routed, end: float | None) -> Told:
        """The reply to one try; the account's limiter learns what came of it."""
        try:
            reply = await self._one_try(call, route, end)
        except Exception as error:
            _tell(turn, error, route.limits)
            raise
        turn.spent(_tokens_of(reply))
        return reply

    async def _one_try(self, call: Asked, route: Routed, end: float | None) -> Told:
        seconds = route.limits.attempt_seconds
        if end is not None:
            left = max(0.001, end - self._clock.elapsed())
            seconds = left if seconds is None else min(seconds, left)
        timer = asyncio.timeout(seconds)
        try:
            async with timer:
                if isinstance(call, ModelCall):
                    return await route.provider.answer(call)
                if isinstance(call, HttpCall):
                    return await self._known_endpoints(call.url).ask(call)
                return await _embedder(route, call.model).embed(call)
        except TimeoutError:
            if not timer.expired():
                raise
            raise Transient(f"{route.account or 'the provider'} gave no answer within {seconds:g} s") from None

    async def _wait_after(self, failure: Exception, failures: list[str], end: float | None) -> None:
        """Wait before the next try, or raise the failure where there is to be none."""
        if not is_transient(failure):
            raise failure
        wait = wait_before(len(failures), failure, random=self._random)
        late = end is not None and self._clock.elapsed() + max(wait, asked_to_wait(failure) or 0.0) >= end
        if len(failures) > self._retries or late:
            tried_again(failure)
            raise failure
        await self._clock.sleep(wait)

    def _left(self, end: float | None, limits: Limits) -> float | None:
        return limits.total_seconds if end is None else max(0.0, end - self._clock.elapsed())

    def _limiter(self, route: Routed) -> Limiter:
        if route.account is not None:
            return self._limiters.of(route.account, route.limits)
        known = self._unshared.get(id(route.provider))
        if known is None:
            known = self._unshared[id(route.provider)] = self._limiters.unshared(route.limits)
        return known

    def _priced(self, model: str, route: Routed, reply: Told) -> Told:
        """The reply with what it cost, where a price list knows and the provider has not said it itself."""
        usage = _usage_of(reply)
        if usage is None or usage.cost is not None or isinstance(reply, HttpReply):
            return reply
        if isinstance(reply, Embeddings) and usage.output_tokens is None:
            usage = msgspec.structs.replace(usage, output_tokens=0)
        sold = Sold(asked=model, reported=reply.model or route.model, vendor=route.vendor)
        found = self._prices.of(usage, sold, now=self._clock.now())
        if found is None:
            return reply
        costed = msgspec.structs.replace(usage, cost=found.cost)
        return msgspec.structs.replace(reply, usage=costed, prices=found.prices)


def _tell(turn: Turn, error: Exception, limits: Limits) -> None:
    """Let the account's limiter know what an error says about the account."""
    if is_throttled(error):
        turn.refused()
    asked = asked_to_wait(error) if is_transient(error) else None
    if asked:
        turn.pause(asked if limits.total_seconds is not None else min(asked, LONGEST_WAIT))


def _embedder(route: Routed, model: str) -> Embedder:
    if not callable(getattr(route.provider, "embed", None)):
        raise ConfigurationError(f"who answers for {model!r} gives no vectors", fix="name a model of another provider")
    return cast("Embedder", route.provider)


def _check_media(call: ModelCall, route: Routed) -> None:
    """Raise for content that the model does not take, rather than have it left out."""
    for kind in media_of(call.messages):
        if getattr(route.abilities, kind) is False:
            raise ProviderError(f"{call.model!r} takes no {kind} parts", fix="choose a model that does")


def _expected(call: Asked) -> float:
    if isinstance(call, HttpCall):
        return 0.0
    if isinstance(call, EmbedCall):
        return sum(map(len, call.texts)) / CHARACTERS_A_TOKEN
    characters = sum(len(str(message.get("content") or "")) for message in call.messages)
    return characters / CHARACTERS_A_TOKEN + (call.max_tokens or EXPECTED_OUTPUT)


def _usage_of(reply: object) -> Usage | None:
    """The usage of a reply, where it has one that is well formed; what is not is told where the reply is taken."""
    if not isinstance(reply, Reply | Embeddings) or not isinstance(reply.usage, Usage):
        return None
    try:
        return checked_usage(reply.usage)
    except (ValueError, TypeError):
        return None


def _tokens_of(reply: object) -> int | None:
    usage = _usage_of(reply)
    if usage is None or usage.input_tokens is None:
        return None
    return usage.input_tokens + (usage.output_tokens or 0)
