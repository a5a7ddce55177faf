"""A clock that goes as fast as the work allows: time passes only when everybody waits."""

from __future__ import annotations

import asyncio
import heapq
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")

SETTLING = 12
"""Rounds of the loop after which whatever could happen at one moment has happened."""


class VirtualClock:
    """Time as a number; `run` lets it pass until a coroutine has ended."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0

    def now(self) -> float:
        return 1_800_000_000 + self.seconds

    def elapsed(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        future = asyncio.get_running_loop().create_future()
        self._count += 1
        heapq.heappush(self._sleepers, (self.seconds + max(0.0, seconds), self._count, future))
        await future

    def run(self, work: Coroutine[object, object, T]) -> T:
        """The value of `work`; raises where everybody waits and nobody will ever wake them."""
        return asyncio.run(self._through(work))

    async def _through(self, work: Coroutine[object, object, T]) -> T:
        task = asyncio.ensure_future(work)
        while not task.done():
            for _ in range(SETTLING):
                await asyncio.sleep(0)
            if task.done():
                break
            while self._sleepers and self._sleepers[0][2].done():
                heapq.heappop(self._sleepers)
            if not self._sleepers:
                task.cancel()
                raise AssertionError(f"at {self.seconds} s everybody waits and nobody will wake them")
            at, _, future = heapq.heappop(self._sleepers)
            self.seconds = max(self.seconds, at)
            future.set_result(None)
        return task.result()
