"""Cancellations that the user's code asked for itself: they may end one call, and never the worker that made it."""

from __future__ import annotations

import asyncio
from contextlib import suppress


def is_cancelled() -> bool:
    """Whether somebody asked for the running task to be cancelled."""
    current = asyncio.current_task()
    return current is not None and current.cancelling() > 0


async def take_back() -> None:
    """Let the running task go on, as if nobody had asked for its cancellation."""
    current = asyncio.current_task()
    if current is None or not current.cancelling():
        return
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(0)  # where it is raised, if it has not been
    while current.cancelling():
        current.uncancel()
