"""What stands before a provider: turns at an account, in the order of asking, as many and as fast as it allows."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from contextlib import suppress
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from rejudge.domain.errors import Transient
from rejudge.runner.clock import SystemClock

if TYPE_CHECKING:
    from types import TracebackType

    from rejudge.providers.provider import Limits
    from rejudge.runner.clock import Clock

FIRST_WINDOW = 4.0
"""Calls at once before anything is known about an account; doubled with every round of answers until one is 429."""

WIDEST_WINDOW = 1024.0

LONGEST_PAUSE = 3600.0
"""Seconds for which an account is left alone at most, whatever its Retry-After says; then one call finds out."""


class Bucket:
    """A token bucket over a minute: what is taken flows back evenly, and at most a second's worth is saved up.

    In no minute is more taken than `per_minute`. Something larger than the bucket goes when it is full, and those that
    come after it wait for what was overdrawn. One that takes the place of another goes on from its level.
    """

    def __init__(self, per_minute: float, *, now: float, before: Bucket | None = None) -> None:
        self._capacity = max(1.0, math.floor(per_minute / 60))
        self._rate = (per_minute - (self._capacity - 1)) / 60
        self._level = self._capacity
        self._at = now
        if before is not None:
            before._flow(now)
            self._level = min(before._level, self._capacity)

    def wait(self, amount: float, *, now: float) -> float:
        """Seconds until `amount` may be taken; 0 for at once."""
        self._flow(now)
        missing = min(amount, self._capacity) - self._level
        return missing / self._rate if missing > 1e-9 else 0.0

    def take(self, amount: float, *, now: float) -> None:
        """Take it, also where that overdraws; a negative amount is given back."""
        self._flow(now)
        self._level = min(self._capacity, self._level - amount)

    def _flow(self, now: float) -> None:
        if now > self._at:
            self._level = min(self._capacity, self._level + (now - self._at) * self._rate)
            self._at = now


class Paused(Transient):
    """The account asked to be left alone for longer than a call may take."""


class Turn:
    """One admitted call; leaving it, by whatever way, makes room for the next."""

    __slots__ = ("_limiter", "_tokens", "answered", "cuts", "throttled")

    def __init__(self, limiter: Limiter, *, tokens: float, cuts: int) -> None:
        self._limiter = limiter
        self._tokens = tokens
        self.cuts = cuts
        self.answered = False
        self.throttled = False

    def spent(self, tokens: int | None) -> None:
        """Say how many tokens it really took, where that is known."""
        if tokens is not None:
            self._limiter.correct(tokens - self._tokens)
            self._tokens = tokens

    def refused(self) -> None:
        """Say that the account had too much of it (429): fewer calls at once from now on."""
        self.throttled = True

    def pause(self, seconds: float) -> None:
        """Say that the account asked to be left alone for so long."""
        self._limiter.pause(seconds)

    async def __aenter__(self) -> Turn:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.answered = kind is None
        self._limiter.end(self)


class _Waiter:
    """Somebody in the queue: what wakes it, from whichever thread."""

    __slots__ = ("_future", "_loop")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._future = self._loop.create_future()

    def renewed(self) -> asyncio.Future[None]:
        """The next wake-up call; to be asked for under the lock, so that none is missed."""
        if self._future.done():
            self._future = self._loop.create_future()
        return self._future

    def wake(self) -> None:
        """Wake it; one whose loop has ended is not there any more."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._ring, self._future)

    @staticmethod
    def _ring(future: asyncio.Future[None]) -> None:
        if not future.done():
            future.set_result(None)

    @property
    def gone(self) -> bool:
        """Whether its loop has ended."""
        return self._loop.is_closed()


class Limiter:
    """The turns at one account, for all runs of the process, in whichever thread and loop they are.

    The number of calls at once is found out: it grows with every answer while it is used up, first fast and after the
    first cut slowly, and is halved by a 429, once for all calls that were under way together.
    """

    def __init__(self, limits: Limits, *, clock: Clock, first: float = FIRST_WINDOW) -> None:
        self._clock = clock
        self._lock = Lock()
        self._queue: deque[_Waiter] = deque()
        self._at_work = 0
        self._cuts = 0
        self._paused_until = clock.elapsed()
        self._window = first
        self._threshold = WIDEST_WINDOW
        self._limits: Limits | None = None
        self._buckets: dict[str, Bucket] = {}
        self.allow(limits)

    def allow(self, limits: Limits) -> None:
        """Keep to these limits from now on; what was found out about the account stays."""
        with self._lock:
            if limits == self._limits:
                return
            now = self._clock.elapsed()
            self._limits = limits
            self._widest = WIDEST_WINDOW if limits.concurrency is None else float(limits.concurrency)
            self._window = min(self._window, self._widest)
            self._requests = self._bucket("requests", limits.requests_per_minute, now=now)
            self._tokens = self._bucket("tokens", limits.tokens_per_minute, now=now)
            self._wake_first()

    def _bucket(self, kind: str, per_minute: int | None, *, now: float) -> Bucket | None:
        """The bucket for a limit; the last one of its kind hands on its level, also over a time without a limit."""
        if per_minute is None:
            return None
        self._buckets[kind] = Bucket(per_minute, now=now, before=self._buckets.get(kind))
        return self._buckets[kind]

    @property
    def window(self) -> int:
        """How many calls may be under way at once."""
        return max(1, int(self._window + 1e-6))

    @property
    def at_work(self) -> int:
        """How many are."""
        return self._at_work

    @property
    def waiting(self) -> int:
        """How many wait for their turn."""
        return len(self._queue)

    async def turn(self, tokens: float = 0.0, *, patience: float | None = None) -> Turn:
        """Wait for a turn with a call of about so many tokens.

        Raises Paused where the account asked to be left alone for more than `patience` seconds.
        """
        with self._lock:
            if not self._queue and self._delay(tokens, patience) == 0:
                return self._admitted(tokens)
            waiter = _Waiter()
            self._queue.append(waiter)
        try:
            while True:
                with self._lock:
                    woken = waiter.renewed()
                    delay: float | None = None
                    if self._first() is waiter:
                        delay = self._delay(tokens, patience)
                        if delay == 0:
                            return self._admitted(tokens)
                await self._sleep(woken, delay)
        finally:
            with self._lock:
                with suppress(ValueError):
                    self._queue.remove(waiter)
                self._wake_first()

    def correct(self, tokens: float) -> None:
        """Take what a call spent beyond what was expected, or give back what it did not."""
        with self._lock:
            if self._tokens is not None:
                self._tokens.take(tokens, now=self._clock.elapsed())
                self._wake_first()

    def pause(self, seconds: float) -> None:
        """Admit nobody for so long, an hour at most."""
        with self._lock:
            until = self._clock.elapsed() + min(seconds, LONGEST_PAUSE)
            self._paused_until = max(self._paused_until, until)
            self._wake_first()

    def end(self, turn: Turn) -> None:
        """Count a turn as over."""
        with self._lock:
            if turn.throttled:
                self._cut(turn)
            elif turn.answered and (self._queue or self._at_work >= self.window):
                more = 1 / self.window if self._window >= self._threshold else 1.0
                self._window = min(self._widest, self._window + more)
            self._at_work -= 1
            self._wake_first()

    def _cut(self, turn: Turn) -> None:
        if turn.cuts == self._cuts:
            self._cuts += 1
            self._window = self._threshold = max(1.0, min(self._window, self._at_work) / 2)

    def _admitted(self, tokens: float) -> Turn:
        now = self._clock.elapsed()
        self._at_work += 1
        if self._requests is not None:
            self._requests.take(1, now=now)
        if self._tokens is not None:
            self._tokens.take(tokens, now=now)
        return Turn(self, tokens=tokens, cuts=self._cuts)

    def _delay(self, tokens: float, patience: float | None) -> float | None:
        """Seconds until the next may be admitted: 0 for now, None for when somebody ends."""
        now = self._clock.elapsed()
        pause = self._paused_until - now
        if patience is not None and pause > patience:
            raise Paused(
                f"the account asked to be left alone for another {pause:.0f} s, longer than a call may take",
                fix="evaluate again later, or raise total_seconds of its limits",
            )
        if self._at_work >= self.window:
            return None
        requests = 0.0 if self._requests is None else self._requests.wait(1, now=now)
        spend = 0.0 if self._tokens is None else self._tokens.wait(tokens, now=now)
        return max(0.0, pause, requests, spend)

    def _first(self) -> _Waiter | None:
        while self._queue and self._queue[0].gone:
            self._queue.popleft()
        return self._queue[0] if self._queue else None

    def _wake_first(self) -> None:
        if (first := self._first()) is not None:
            first.wake()

    async def _sleep(self, woken: asyncio.Future[None], seconds: float | None) -> None:
        if seconds is None:
            await woken
            return
        alarm = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait({woken, alarm}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            alarm.cancel()


class Limiters:
    """The limiters by account. Where two providers say different things about one account, the later word counts."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[str, Limiter] = {}
        self._lock = Lock()

    def of(self, account: str, limits: Limits) -> Limiter:
        """The limiter of an account, the same one whenever it is asked for, under these limits."""
        with self._lock:
            found = self._known.get(account)
            if found is None:
                found = self._known[account] = Limiter(limits, clock=self._clock)
        found.allow(limits)
        return found

    def unshared(self, limits: Limits) -> Limiter:
        """A limiter for a provider that names no account: it is thought to bear whatever it is given, until a 429."""
        return Limiter(limits, clock=self._clock, first=WIDEST_WINDOW)


@lru_cache(maxsize=1)
def limiters_of_this_process() -> Limiters:
    """The limiters that all runs of the process share."""
    return Limiters(SystemClock())
