"""Waiting no longer than a limit for something that may not let itself be cancelled."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rejudge.domain.errors import TaskError, TaskTimeout
from rejudge.runner.saying import said

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from rejudge.runner.work import StopFlag

GRACE_SECONDS = 1.0
"""How long something that was cancelled may take to end before it is left behind."""


async def within(seconds: float, call: Awaitable[object], *, stop: StopFlag) -> object:
    """The value of `call`; raises TaskTimeout after `seconds`, also where `call` swallows its cancellation."""
    running = asyncio.ensure_future(_contained(call, stop))
    try:
        await asyncio.wait({running}, timeout=seconds)
        if running.done():
            return running.result()
        running.cancel()
        await asyncio.wait({running}, timeout=GRACE_SECONDS)
    except asyncio.CancelledError:
        running.cancel()
        raise
    running.add_done_callback(_forget)
    raise TaskTimeout(f"nothing came back within {seconds:g} s")


async def _contained(call: Awaitable[object], stop: StopFlag) -> object:
    """`call`, with what would end the whole loop (SystemExit, KeyboardInterrupt) made an error of its own."""
    try:
        return await call
    except (Exception, asyncio.CancelledError, GeneratorExit):
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and stop.raised:
            raise  # the second Ctrl-C, not the task
        raise TaskError(f"the task raised {said(error)}") from error


def _forget(late: asyncio.Future[object]) -> None:
    """Look at a late outcome, so that nobody is warned about it."""
    if not late.cancelled():
        late.exception()
