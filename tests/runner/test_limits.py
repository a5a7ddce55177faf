"""Turns at an account: in order, never more or faster than it allows, and nobody is forgotten."""

from __future__ import annotations

import asyncio
import threading
from bisect import bisect_left
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError
from rejudge.providers.provider import Limits
from rejudge.runner.clock import SystemClock
from rejudge.runner.limits import FIRST_WINDOW, Bucket, Limiter, Limiters, Paused
from tests.runner.virtual_time import VirtualClock


@dataclass(frozen=True)
class Job:
    """A call: when it comes, how long it takes, how it ends, and when its caller loses patience."""

    comes: float
    takes: float = 1.0
    tokens: float = 10.0
    really: int | None = None
    ends: str = "answered"
    pause: float | None = None
    given_up: float | None = None


@dataclass
class Log:
    """What happened: who was admitted when, and how many were at work at most."""

    asked: list[int] = field(default_factory=list)
    admitted: list[tuple[float, int]] = field(default_factory=list)
    most: int = 0
    ended: set[int] = field(default_factory=set)
    cancelled: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    now: int = 0


async def _one(number: int, job: Job, limiter: Limiter, clock: VirtualClock, log: Log) -> None:
    log.asked.append(number)
    try:
        async with await limiter.turn(job.tokens) as turn:
            log.admitted.append((clock.elapsed(), number))
            log.now += 1
            log.most = max(log.most, log.now)
            try:
                await clock.sleep(job.takes)
            finally:
                log.now -= 1
            turn.spent(job.really)
            if job.ends == "throttled":
                turn.refused()
            if job.pause is not None:
                turn.pause(job.pause)
            if job.ends != "answered":
                raise ValueError(job.ends)
    except ValueError:
        log.failed.add(number)
    except asyncio.CancelledError:
        log.cancelled.add(number)
        raise
    log.ended.add(number)


def _played(jobs: list[Job], limits: Limits) -> tuple[Log, Limiter]:
    clock = VirtualClock()
    limiter = Limiter(limits, clock=clock)
    log = Log()

    async def play() -> None:
        tasks: list[asyncio.Task[None]] = []
        endings: list[asyncio.Task[None]] = []
        for number, job in enumerate(sorted(jobs, key=lambda job: job.comes)):
            if job.comes > clock.elapsed():
                await clock.sleep(job.comes - clock.elapsed())
            task = asyncio.create_task(_one(number, job, limiter, clock, log))
            tasks.append(task)
            if job.given_up is not None:
                endings.append(asyncio.create_task(_cancelled(task, job.given_up, clock)))
        await asyncio.gather(*tasks, *endings, return_exceptions=True)

    clock.run(play())
    return log, limiter


async def _cancelled(task: asyncio.Task[None], after: float, clock: VirtualClock) -> None:
    await clock.sleep(after)
    task.cancel()


JOBS = st.lists(
    st.builds(
        Job,
        comes=st.sampled_from([0.0, 0.0, 0.5, 1.0, 7.0, 90.0]),
        takes=st.sampled_from([0.0, 0.1, 1.0, 5.0]),
        tokens=st.sampled_from([0.0, 1.0, 100.0, 5000.0]),
        really=st.sampled_from([None, 0, 50, 9000]),
        ends=st.sampled_from(["answered", "answered", "throttled", "failed"]),
        pause=st.sampled_from([None, None, None, 0.0, 3.0, 40.0]),
        given_up=st.sampled_from([None, None, 0.0, 0.05, 0.5, 2.0, 30.0]),
    ),
    max_size=25,
)
LIMITS = st.builds(
    Limits,
    concurrency=st.sampled_from([None, 1, 2, 5]),
    requests_per_minute=st.sampled_from([None, 1, 20, 60, 600]),
    tokens_per_minute=st.sampled_from([None, 60, 6000]),
)


@settings(max_examples=300)
@given(JOBS, LIMITS)
def test_everybody_is_served_in_order_within_the_limits_or_leaves_no_trace(jobs: list[Job], limits: Limits) -> None:
    log, limiter = _played(jobs, limits)
    assert log.ended | log.cancelled == set(range(len(jobs))) - _never_begun(jobs, log)
    assert (limiter.at_work, limiter.waiting) == (0, 0)
    assert log.most <= (limits.concurrency or len(jobs))
    order = [number for _, number in log.admitted]
    assert order == [number for number in log.asked if number in set(order)]
    if limits.requests_per_minute is not None:
        times = [at for at, _ in log.admitted]
        for place, at in enumerate(times):
            assert bisect_left(times, at + 60 - 1e-6) - place <= limits.requests_per_minute


def _never_begun(jobs: list[Job], log: Log) -> set[int]:
    """Those whose task was cancelled before it asked for anything."""
    return set(range(len(jobs))) - set(log.asked)


@given(st.integers(1, 5000), st.lists(st.tuples(st.floats(0, 30), st.floats(0, 400)), max_size=40))
def test_in_no_minute_is_more_taken_than_a_bucket_gives_but_for_one_that_is_larger_than_it(
    per_minute: int, wishes: list[tuple[float, float]]
) -> None:
    bucket, now = Bucket(per_minute, now=0.0), 0.0
    taken: list[tuple[float, float]] = []
    for later, amount in wishes:
        now += later
        now += bucket.wait(amount, now=now)
        assert bucket.wait(amount, now=now) < 1e-6
        bucket.take(amount, now=now)
        taken.append((now, amount))
    for place, (start, _) in enumerate(taken):
        within = [amount for at, amount in taken[place:] if at < start + 60 - 1e-6]
        assert sum(within) <= per_minute + max(within) + 1e-6


def test_the_number_of_calls_at_once_grows_while_it_is_used_up() -> None:
    log, _ = _played([Job(comes=0.0) for _ in range(60)], Limits())
    at_once = [sum(1 for at, _ in log.admitted if at == second) for second in range(4)]
    assert at_once == [FIRST_WINDOW, 2 * FIRST_WINDOW, 4 * FIRST_WINDOW, 8 * FIRST_WINDOW]


def test_a_quiet_account_is_not_thought_to_bear_more() -> None:
    _, limiter = _played([Job(comes=float(2 * second)) for second in range(60)], Limits())
    assert limiter.window == FIRST_WINDOW


@pytest.mark.parametrize(("ends", "expected"), [("throttled", FIRST_WINDOW / 2), ("failed", FIRST_WINDOW)])
def test_a_429_halves_it_once_for_all_that_were_under_way_and_another_error_does_not(ends: str, expected: int) -> None:
    _, limiter = _played([Job(comes=0.0, ends=ends) for _ in range(int(FIRST_WINDOW))], Limits())
    assert limiter.window == expected


def test_after_a_cut_it_grows_by_one_a_round() -> None:
    jobs = [Job(comes=0.0, ends="throttled") for _ in range(4)] + [Job(comes=1.0) for _ in range(30)]
    log, _ = _played(jobs, Limits())
    assert [sum(1 for at, _ in log.admitted if at == second) for second in (1, 2, 3)] == [2, 3, 4]


def test_a_retry_after_pauses_the_whole_account() -> None:
    jobs = [Job(comes=0.0, ends="throttled", pause=30.0), *(Job(comes=2.0) for _ in range(3))]
    log, _ = _played(jobs, Limits())
    assert log.admitted[0] == (0.0, 0)
    assert min(at for at, number in log.admitted if number) == 31.0


def test_a_pause_longer_than_a_call_may_take_is_told_at_once() -> None:
    clock = VirtualClock()
    limiter = Limiter(Limits(), clock=clock)
    limiter.pause(3600)

    async def ask() -> None:
        await limiter.turn(patience=900)

    with pytest.raises(Paused, match="another 3600 s"):
        clock.run(ask())
    assert clock.elapsed() == 0.0
    assert limiter.waiting == 0


def test_tokens_that_were_not_spent_are_given_back() -> None:
    generous = [Job(comes=0.0, takes=0.1, tokens=1000.0, really=10) for _ in range(5)]
    exact = [Job(comes=0.0, takes=0.1, tokens=1000.0) for _ in range(5)]
    limits = Limits(concurrency=1, tokens_per_minute=60_000)
    assert _played(generous, limits)[0].admitted[-1][0] < 0.6
    assert _played(exact, limits)[0].admitted[-1][0] == pytest.approx(4.0, rel=0.05)


def test_an_account_has_one_limiter_and_the_later_word_about_its_limits_counts() -> None:
    limiters = Limiters(VirtualClock())
    first = limiters.of("openai/default", Limits(concurrency=3))
    assert limiters.of("openai/default", Limits(concurrency=2)) is first
    assert first.window == 2
    assert limiters.of("openai/other", Limits(concurrency=2)) is not first


@pytest.mark.parametrize("other", [Limits(requests_per_minute=60, concurrency=8), Limits(requests_per_minute=6000)])
def test_two_words_about_one_account_do_not_fill_its_bucket_again(other: Limits) -> None:
    assert _seconds_of_ten_calls(Limits(requests_per_minute=60), other) >= 4.0


def test_nor_does_a_word_without_a_limit_between_them() -> None:
    assert _seconds_of_ten_calls(Limits(requests_per_minute=60), Limits()) >= 4.0


def _seconds_of_ten_calls(*limits: Limits) -> float:
    clock = VirtualClock()
    limiters = Limiters(clock)

    async def play() -> None:
        for number in range(10):
            async with await limiters.of("openai/default", limits[number % 2]).turn():
                await asyncio.sleep(0)

    clock.run(play())
    return clock.elapsed()


def test_an_account_is_left_alone_for_an_hour_at_most() -> None:
    clock = VirtualClock()
    limiter = Limiter(Limits(), clock=clock)
    limiter.pause(1e12)

    async def ask() -> None:
        async with await limiter.turn():
            assert clock.elapsed() == 3600

    clock.run(ask())
    assert clock.elapsed() == 3600


def test_loops_in_several_threads_share_an_account_and_wake_each_other() -> None:
    limiter = Limiter(Limits(concurrency=2), clock=SystemClock())
    at_work: list[int] = []

    async def one() -> None:
        async with await limiter.turn():
            at_work.append(limiter.at_work)
            await asyncio.sleep(0.001)

    async def many() -> None:
        await asyncio.gather(*(one() for _ in range(50)))

    threads = [threading.Thread(target=lambda: asyncio.run(many())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(at_work) == 150
    assert max(at_work) <= 2
    assert (limiter.at_work, limiter.waiting) == (0, 0)


@pytest.mark.parametrize("wrong", [{"concurrency": 0}, {"requests_per_minute": -1}, {"attempt_seconds": 0.0}])
def test_limits_that_would_stop_everything_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError, match="above 0"):
        Limits(**wrong)
