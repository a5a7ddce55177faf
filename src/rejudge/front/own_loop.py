"""An event loop for one evaluation, which is left in bounded time whatever the user's async functions do."""

from __future__ import annotations

import asyncio
from logging import getLogger
from typing import TYPE_CHECKING, TypeVar

from rejudge.front.amounts import counted
from rejudge.runner.patience import GRACE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from types import TracebackType

T = TypeVar("T")


class OwnLoop:
    """Runs one coroutine; at the end, what swallows its cancellation is left behind, where asyncio would wait for it.

    The coroutine itself is waited for, however long it takes to put its things in order.
    """

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._main: asyncio.Task[object] | None = None

    def __enter__(self) -> OwnLoop:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._end()
        finally:
            self.loop.close()

    def run(self, main: Coroutine[object, object, T]) -> T:
        """The value of the coroutine."""
        running = self._main = self.loop.create_task(main)
        return self.loop.run_until_complete(running)

    def _end(self) -> None:
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        if self._main in tasks:
            self.loop.run_until_complete(asyncio.wait({self._main}))
        self._wait_a_moment(tasks)
        left = sum(not task.done() for task in tasks)
        if left:
            getLogger(__name__).warning("left behind: %s that cancelling did not end", counted(left, "async call"))
        self._wait_a_moment({self.loop.create_task(self.loop.shutdown_asyncgens())})

    def _wait_a_moment(self, tasks: set[asyncio.Task[object]] | set[asyncio.Task[None]]) -> None:
        if tasks:
            self.loop.run_until_complete(asyncio.wait(tasks, timeout=GRACE_SECONDS))
