"""The units that others are generating: a run waits for their traces, and says so when it takes long."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from rejudge.runner.work import Unit, Work

PAGE = 1024
"""Units that are looked up at a time."""

FIRST_POLL_SECONDS, LONGEST_POLL_SECONDS = 0.02, 0.5
UNTOLD_SECONDS = 2.0
"""How long a run waits before it says whom it waits for."""


class Waiting:
    """Units whose claims others hold."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._units: dict[bytes, Unit] = {}

    def add(self, units: Iterable[Unit]) -> None:
        """Wait for these as well."""
        self._units.update((unit.key, unit) for unit in units)

    async def end(self, settle: Callable[[Sequence[Unit]], Awaitable[None]]) -> None:
        """Let `settle` try the units again and again, until it adds none that others still hold, or the run stops."""
        delay = FIRST_POLL_SECONDS
        clock = self._work.ports.clock
        begun = clock.elapsed()
        while self._units and not self._work.stop.raised:
            units = list(self._units.values())
            for start in range(0, len(units), PAGE):
                page = units[start : start + PAGE]
                for unit in page:
                    self._units.pop(unit.key)
                await settle(page)
            if clock.elapsed() - begun > UNTOLD_SECONDS:
                self._tell()
            await clock.sleep(delay)
            delay = min(LONGEST_POLL_SECONDS, delay * 1.5)
        self._work.progress.waiting = 0

    def _tell(self) -> None:
        progress = self._work.progress
        progress.waiting = len(self._units)
        owners = self._work.store.holders(list(self._units)[:PAGE])
        progress.waiting_for = tuple(sorted({owner.pid for owner in owners}))
