"""How an evaluation is to be executed; nothing here changes an output or an id."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from rejudge.domain.arguments import whole_in
from rejudge.domain.errors import ConfigurationError

MOST_AT_ONCE = 10_000
"""Task calls at once; each has a slot of its own from the beginning."""

LEASE_SECONDS = 60.0
"""How long the claims of an evaluation on another machine outlive its last sign of life."""


class Isolation(StrEnum):
    """Where synchronous tasks run: in threads, which are left behind when they hang, or in processes, to be killed."""

    THREAD = "thread"
    PROCESS = "process"


class Stop(Struct, frozen=True, kw_only=True):
    """When a run gives up: after so many errors, or beyond an error rate once `after` cases have ended.

    Task errors and scorer errors both count.
    """

    errors: int | None = None
    rate: float | None = None
    after: int = 20

    def __post_init__(self) -> None:
        if self.errors is not None and self.errors < 1:
            raise ConfigurationError(f"stop after {self.errors} errors would never begin", fix="give 1 or more")
        if self.rate is not None and not 0 < self.rate <= 1:
            raise ConfigurationError(f"the error rate {self.rate} is not between 0 and 1")

    def reached(self, *, errors: int, ended: int) -> str | None:
        """Why to stop now, or None."""
        if self.errors is not None and errors >= self.errors:
            return f"stopped after {errors} error{'s' if errors > 1 else ''}"
        if self.rate is not None and ended >= self.after and errors > self.rate * ended:
            return f"stopped at an error rate of {errors / ended:.0%} ({errors} of {ended})"
        return None


class Settings(Struct, frozen=True, kw_only=True):
    """Limits of one evaluation. `timeout` is in seconds for one try of a task; `retries` are tries after the first.

    `allow_tools` names the tools of agents that may run though they are neither simulated nor in a sandbox.
    `span_wait` is in seconds: how long a task that has returned is waited for where spans of it are still open.
    """

    concurrency: int = 16
    timeout: float | None = None
    retries: int = 2
    stop: Stop = Stop()
    isolation: Isolation = Isolation.THREAD
    allow_tools: tuple[str, ...] = ()
    span_wait: float = 3.0

    def __post_init__(self) -> None:
        whole_in("concurrency", self.concurrency, most=MOST_AT_ONCE)
        if self.timeout is not None and not self.timeout > 0:
            raise ConfigurationError(f"timeout is {self.timeout}; give seconds above 0, or None for no limit")
        if self.retries < 0:
            raise ConfigurationError(f"retries is {self.retries}; give 0 or more")
        if not 0 <= self.span_wait < float("inf"):
            raise ConfigurationError(f"span_wait is {self.span_wait}; give seconds, 0 for no wait")
