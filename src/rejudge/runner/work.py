"""What the stages of one run share: its place in the store, its limits, and the ports to the world."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from rejudge.domain.code import CodeCall
from rejudge.domain.errors import ConfigurationError, StoreDamaged
from rejudge.domain.item import ANNOTATIONS
from rejudge.domain.payload import decode
from rejudge.runner.first_look import FirstLook

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from rejudge.domain.call import Answered, Call
    from rejudge.domain.run_config import RunConfig
    from rejudge.domain.trace import Produced
    from rejudge.domain.usage import Usage
    from rejudge.runner.clock import Clock
    from rejudge.runner.drive import CheckedAnswer
    from rejudge.runner.progress import Progress
    from rejudge.runner.sandboxes import Sandboxes
    from rejudge.runner.settings import Settings
    from rejudge.runner.span_reader import SpanReader
    from rejudge.storage.records import StoredItem, TraceRef
    from rejudge.storage.store import Store
    from rejudge.tasks.task import Given


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The world as the engine sees it: time, chance, whoever answers model calls, and where code runs."""

    clock: Clock
    random: Random
    answer: CheckedAnswer | None = None
    sandboxes: Sandboxes | None = None

    async def answered(self, call: Call, failures: list[str]) -> Answered:
        """The answer to any call, as `drive` wants it; raises ConfigurationError where nobody gives one."""
        if isinstance(call, CodeCall) and self.sandboxes is not None:
            return await self.sandboxes(call)
        if self.answer is None:
            raise ConfigurationError(f"nobody answers a {type(call).__name__}", fix="give provider=")
        return await self.answer(call, failures)


class Shape(Struct, frozen=True, kw_only=True):
    """How the items of a version divide: what the task is given and what only scorers see.

    `given_is_elsewhere` says that the trace's key does not hold what the item gives, as with a recorded output.
    `hidden` are the fields that a task which asks for the whole item is not given.
    """

    reference: tuple[str, ...]
    given: tuple[str, ...] | None
    given_is_elsewhere: bool = False
    hidden: frozenset[str] = ANNOTATIONS

    @staticmethod
    def of(config: RunConfig, *, reference: tuple[str, ...]) -> Shape:
        """The shape of a version's items for a task."""
        return Shape(
            reference=reference,
            given=config.given,
            given_is_elsewhere=config.recorded,
            hidden=ANNOTATIONS.union(reference),
        )


class Unit(Struct, gc=False):
    """One item and trial of a run. `given` is what the task gets; None when the trace is found, not made."""

    position: int
    trial: int
    item: StoredItem
    key: bytes
    given: Given | None = None

    def fields(self) -> dict[str, object]:
        """A fresh decoding of the item's fields."""
        try:
            return cast("dict[str, object]", decode(self.item.body))
        except ValueError as error:
            raise StoreDamaged.record(f"item {self.item.item_id!r}", error) from error


class Judged(Struct, gc=False):
    """A stored trace on its way to the scorers; with the trace it is compared with, for a judge of pairs."""

    unit: Unit
    ref: TraceRef
    produced: Produced
    usage: Usage | None
    seconds: float
    other: Judged | None = None
    spans: SpanReader | None = None


class StopFlag:
    """Raised once to end a run early, with the reason; stages that wait for something are woken."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.cancelled = False
        self.abandoned = False
        """Whether what is in flight is being cancelled."""
        self._wake: list[Callable[[], None]] = []

    @property
    def raised(self) -> bool:
        """Whether no further work is to begin."""
        return self.reason is not None

    @property
    def cancels(self) -> bool:
        """Whether a cancellation may be ours; else it is one that the user's code asked for."""
        return self.abandoned or self.cancelled

    def on_raise(self, wake: Callable[[], None]) -> None:
        """Call `wake` when the flag is raised."""
        self._wake.append(wake)

    def stop(self, reason: str) -> None:
        """End the run as failed; the first reason counts."""
        if self.reason is None:
            self.reason = reason
            self._wake_all()

    def mark_cancelled(self) -> None:
        """End the run as cancelled and wake nobody: this much may be done in a signal handler."""
        if self.reason is None:
            self.cancelled = True
            self.reason = "cancelled"

    def cancel(self) -> None:
        """End the run as cancelled."""
        self.mark_cancelled()
        self._wake_all()

    def _wake_all(self) -> None:
        for wake in self._wake:
            wake()


@dataclass(slots=True, kw_only=True)
class Work:
    """One run at work."""

    store: Store
    owner: int
    run: int
    run_config: int
    settings: Settings
    ports: Ports
    shape: Shape
    progress: Progress
    stop: StopFlag = field(default_factory=StopFlag)
    look: FirstLook = field(default_factory=FirstLook)
