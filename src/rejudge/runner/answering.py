"""The answer that every model call gets: retries stand before the provider, once for tasks and judges alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.runner.retry import is_transient, wait_before

if TYPE_CHECKING:
    from random import Random

    from rejudge.domain.call import ModelCall, Reply
    from rejudge.providers.provider import Provider
    from rejudge.runner.clock import Clock


class Answering:
    """Asks the provider, again after a transient error, with jittered back-off."""

    def __init__(self, provider: Provider, *, retries: int, clock: Clock, random: Random) -> None:
        self._provider = provider
        self._retries = retries
        self._clock = clock
        self._random = random

    async def __call__(self, call: ModelCall) -> Reply:
        """The provider's reply; raises its error when no further try may cure it."""
        attempt = 0
        while True:
            try:
                return await self._provider.answer(call)
            except Exception as error:
                attempt += 1
                if attempt > self._retries or not is_transient(error):
                    raise
                await self._clock.sleep(wait_before(attempt, error, random=self._random))
