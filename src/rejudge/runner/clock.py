"""Time as a port, so that nothing in the engine reads a clock of its own."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time and waits."""

    def now(self) -> float:
        """Seconds since 1970 (UTC)."""

    def elapsed(self) -> float:
        """Seconds of a clock that never goes back, for durations."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock:
    """The machine's own clock."""

    now = staticmethod(time.time)
    elapsed = staticmethod(time.perf_counter)

    async def sleep(self, seconds: float) -> None:
        """Wait in the running loop."""
        await asyncio.sleep(seconds)
