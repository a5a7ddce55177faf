"""What a call's time and its account's window are worth when a server fails."""

from __future__ import annotations

import asyncio
from random import Random

from rejudge.domain.call import ModelCall, Reply
from rejudge.domain.errors import Transient
from rejudge.providers.provider import Limits
from rejudge.runner.answering import Answering
from rejudge.runner.clock import SystemClock
from rejudge.runner.limits import FIRST_WINDOW, Limiters
from tests.runner.virtual_time import VirtualClock

CALL = ModelCall(model="m", messages=[])


class Failing:
    """A provider whose server takes a second to fail."""

    account = "shop/default"
    limits = Limits()

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock

    async def answer(self, call: ModelCall) -> Reply:
        await self._clock.sleep(1.0)
        raise Transient("HTTP 500")


def test_a_server_that_fails_is_not_asked_by_more_at_once() -> None:
    clock = VirtualClock()
    limiters = Limiters(clock)
    answering = Answering(Failing(clock), retries=0, clock=clock, random=Random(1), limiters=limiters)

    async def ask() -> list[object]:
        return list(await asyncio.gather(*(answering(CALL, []) for _ in range(40)), return_exceptions=True))

    assert all(isinstance(one, Transient) for one in clock.run(ask()))
    assert limiters.of(Failing.account, Failing.limits).window == FIRST_WINDOW


class Recovering:
    """A provider that fails once, of an account that takes a call in two seconds."""

    account = "shop/slow"
    limits = Limits(requests_per_minute=30, total_seconds=1.0)

    def __init__(self) -> None:
        self.asked = 0

    async def answer(self, call: ModelCall) -> Reply:
        self.asked += 1
        if self.asked == 1:
            raise Transient("once")
        await asyncio.sleep(0.05)
        return Reply(text="well again")


def test_waiting_for_a_turn_takes_no_time_from_another_try() -> None:
    answering = Answering(Recovering(), retries=1, clock=SystemClock(), random=Random(1))
    failures: list[str] = []
    assert asyncio.run(answering(CALL, failures)) == Reply(text="well again")
    assert len(failures) == 1
