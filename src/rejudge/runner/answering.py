"""The answer that every model call gets: retries stand before the provider, once for tasks and judges alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.call import ModelCall
from rejudge.domain.errors import ConfigurationError
from rejudge.runner.retry import is_transient, tried_again, wait_before
from rejudge.runner.saying import said

if TYPE_CHECKING:
    from random import Random

    from rejudge.domain.call import Answered, Call
    from rejudge.providers.provider import Provider
    from rejudge.runner.clock import Clock


class Answering:
    """Asks the provider, again after a transient error, with jittered back-off."""

    def __init__(self, provider: Provider, *, retries: int, clock: Clock, random: Random) -> None:
        self._provider = provider
        self._retries = retries
        self._clock = clock
        self._random = random

    async def __call__(self, call: Call, failures: list[str]) -> Answered:
        """The provider's reply; raises its error when no further try may cure it."""
        while True:
            try:
                return await self._provider.answer(_for_a_model(call))
            except Exception as error:
                failures.append(said(error))
                if not is_transient(error):
                    raise
                if len(failures) > self._retries:
                    tried_again(error)
                    raise
                await self._clock.sleep(wait_before(len(failures), error, random=self._random))


def _for_a_model(call: Call) -> ModelCall:
    if isinstance(call, ModelCall):
        return call
    raise ConfigurationError(f"nobody answers a {type(call).__name__}")
