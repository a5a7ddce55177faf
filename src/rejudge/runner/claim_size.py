"""How much is claimed at a time: little of what is slow, so that others find work too, and much of what is quick."""

from __future__ import annotations

QUICK_SECONDS, SLOW_SECONDS = 0.05, 1.0
LARGEST_CLAIM = 1024


class ClaimSize:
    """The size of the next claim, fitted to how quickly the last one was worked off."""

    def __init__(self, concurrency: int) -> None:
        self._smallest = concurrency
        self.now = max(concurrency, 32)

    def fit(self, waited: float) -> None:
        """Take into account that there was room for the next claim after so many seconds."""
        if waited < QUICK_SECONDS:
            self.now = min(LARGEST_CLAIM, self.now * 4)
        elif waited > SLOW_SECONDS:
            self.now = max(self._smallest, self.now // 2)
