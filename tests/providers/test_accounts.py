"""The limits of an account hold for all that ask it: items, judges, and evaluations beside each other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

import rejudge
from rejudge.providers import misbehaviour
from rejudge.providers.fake_server import Asked, FakeModelServer, Script
from rejudge.providers.misbehaviour import Raw
from rejudge.providers.openai_compatible import openai_compatible
from rejudge.providers.provider import Limits
from rejudge.runner.limits import limiters_of_this_process
from tests.providers.conftest import QUICK, asking, judge

Serve = Callable[[Script], FakeModelServer]
MANY = [{"id": f"m{number}", "question": f"number {number}"} for number in range(40)]
YES = Raw.of({"choices": [{"message": {"content": "yes"}}]}, delay=0.02)


def test_no_more_calls_are_under_way_than_the_account_allows(serve: Serve) -> None:
    server = serve(lambda asked: YES)
    provider = openai_compatible(server.url, limits=Limits(concurrency=3))
    result = rejudge.evaluate(MANY, asking, [judge], provider=provider, store="memory:", concurrency=16)
    assert result.summary("judge").n == len(MANY)
    assert server.most_at_once == 3


def test_evaluations_in_two_threads_share_the_limits_of_one_account(serve: Serve) -> None:
    server = serve(lambda asked: YES)

    def run() -> None:
        provider = openai_compatible(server.url, limits=Limits(concurrency=2))
        rejudge.evaluate(MANY, asking, provider=provider, store="memory:")

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(server.asked) == 2 * len(MANY)
    assert server.most_at_once <= 2


def test_an_evaluation_inside_a_running_loop_does_not_wait_for_the_calls_of_that_loop(serve: Serve) -> None:
    server = serve(lambda asked: YES)
    provider = openai_compatible(server.url, limits=Limits(concurrency=1))
    completed = []

    async def inside_a_call() -> None:
        async with await limiters_of_this_process().of(provider.account, provider.limits).turn():
            result = rejudge.evaluate(MANY[:2], asking, provider=provider, store="memory:")
            completed.append(result.runs[0].counts.cases.completed)

    thread = threading.Thread(target=lambda: asyncio.run(inside_a_call()), daemon=True)
    thread.start()
    thread.join(60)
    assert completed == [2]


def test_two_evaluations_in_one_loop_share_a_provider_and_neither_cuts_the_other_off(serve: Serve) -> None:
    server = serve(lambda asked: YES)
    provider = openai_compatible(server.url, limits=QUICK)

    async def both() -> list[int]:
        wanted = [
            rejudge.evaluation(MANY[:size], asking, provider=provider, store="memory:", retries=0) for size in (2, 40)
        ]
        results = await asyncio.gather(*wanted)
        return [result.runs[0].counts.cases.completed for result in results]

    assert asyncio.run(both()) == [2, 40]


def test_a_server_that_throttles_is_asked_by_fewer_at_once_and_answers_everybody(serve: Serve) -> None:
    at_once = 0

    def script(asked: Asked) -> Raw:
        nonlocal at_once
        at_once = server.at_once
        return misbehaviour.throttled(retry_after=0.05) if at_once > 3 else YES

    server = serve(script)
    provider = openai_compatible(server.url, limits=QUICK)
    result = rejudge.evaluate(MANY, asking, provider=provider, store="memory:", retries=8)
    assert result.runs[0].counts.cases.completed == len(MANY)
    assert limiters_of_this_process().of(provider.account, provider.limits).window <= 8


def test_an_account_that_asks_to_be_left_alone_for_long_fails_its_items_soon_and_is_left_alone(serve: Serve) -> None:
    server = serve(lambda asked: misbehaviour.throttled(retry_after=3600))
    provider = openai_compatible(server.url, limits=QUICK)
    result = rejudge.evaluate(MANY, asking, provider=provider, store="memory:", concurrency=4)
    assert result.runs[0].counts.cases.errors == len(MANY)
    assert len(server.asked) <= 4
    assert "left alone" in result.runs[0].case("m39").case.execution_error.message


@pytest.mark.parametrize("retries", [0, 2])
def test_tries_end_when_they_are_used_up(serve: Serve, retries: int) -> None:
    server = serve(lambda asked: misbehaviour.status(500))
    provider = openai_compatible(server.url, limits=QUICK)
    rejudge.evaluate(MANY[:1], asking, provider=provider, store="memory:", retries=retries)
    assert len(server.asked) == retries + 1


def test_tries_end_when_the_time_of_a_call_is_up(serve: Serve) -> None:
    server = serve(lambda asked: misbehaviour.hanging())
    provider = openai_compatible(server.url, limits=Limits(attempt_seconds=0.2, total_seconds=0.5))
    result = rejudge.evaluate(MANY[:1], asking, provider=provider, store="memory:", retries=50)
    assert "no answer within" in result.runs[0].case("m0").case.execution_error.message
    assert len(server.asked) <= 4
