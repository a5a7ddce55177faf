"""Carries one context variable into the threads that are begun where it is set.

asyncio carries the context by itself; threads and executors do not. Only this one variable is carried, and nothing is
done where it is not set.
"""

from __future__ import annotations

from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from contextvars import ContextVar

T = TypeVar("T")
Value = TypeVar("Value")

_carried: set[str] = set()
_lock = Lock()


def carry_into_threads(variable: ContextVar[Value | None]) -> None:
    """From now on threads, and calls handed to thread pools, begin with the value that `variable` has there."""
    if variable.name in _carried:
        return
    with _lock:
        if variable.name not in _carried:
            _carry_into_new_threads(variable)
            _carry_into_pools(variable)
            _carried.add(variable.name)


def _carry_into_new_threads(variable: ContextVar[Value | None]) -> None:
    start = Thread.start

    def started(self: Thread) -> None:
        value = variable.get()
        if value is None:
            start(self)
            return
        own, run = vars(self).get("run"), self.run

        def restore() -> None:
            del self.run  # the attribute below, which holds the thread itself
            if own is not None:
                self.run = own  # type: ignore[method-assign]

        def carrying() -> None:
            restore()
            variable.set(value)
            run()

        self.run = carrying  # type: ignore[method-assign]
        try:
            start(self)
        except BaseException:
            restore()  # it never ran, and may be started again
            raise

    Thread.start = started  # type: ignore[method-assign]


def _carry_into_pools(variable: ContextVar[Value | None]) -> None:
    from concurrent.futures import ThreadPoolExecutor

    submit = ThreadPoolExecutor.submit

    def submitted(
        pool: ThreadPoolExecutor,
        function: Callable[..., T],
        /,
        *args: Any,  # noqa: ANN401 - what the function takes
        **kwargs: Any,  # noqa: ANN401 - what the function takes
    ) -> Future[T]:
        value = variable.get()
        if value is None:
            return submit(pool, function, *args, **kwargs)

        def carrying() -> T:
            before = variable.set(value)
            try:
                return function(*args, **kwargs)
            finally:
                variable.reset(before)

        outside = variable.set(None)  # a thread that the pool begins now outlives this call
        try:
            return submit(pool, carrying)
        finally:
            variable.reset(outside)

    ThreadPoolExecutor.submit = submitted  # type: ignore[method-assign, assignment]
