"""The seam to the system under test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from rejudge.domain.errors import RejudgeError

if TYPE_CHECKING:
    from collections.abc import Collection

    from rejudge.domain.run_config import RunConfig
    from rejudge.domain.way import Way


class Given(Struct, frozen=True, gc=False):
    """What a task is given for one unit: the call's arguments and the digest that the trace key holds."""

    digest: bytes
    arguments: dict[str, object]


class CannotTake(RejudgeError):
    """The task cannot take this item; the case is skipped without a call."""

    def __init__(self, cause: str, what: str) -> None:
        self.cause = cause
        super().__init__(what)


class Task(Protocol):
    """Something that makes an output from an item."""

    @property
    def config(self) -> RunConfig:
        """Everything in it that can change an output."""

    @property
    def way(self) -> Way:
        """How `call` is to be run."""

    @property
    def needs(self) -> frozenset[str]:
        """Item fields that it asks for by name; a name that no item has is refused before the first call."""

    @property
    def outputs(self) -> frozenset[str]:
        """Other keys than `output` that it is known to return, which scorers may ask for by name."""

    def given(self, item_id: str, fields: dict[str, object], *, reference: Collection[str], trial: int) -> Given:
        """What the task gets of an item; raises CannotTake. `fields` may become part of the arguments."""

    def call(self, given: Given, *, trial: int) -> object:
        """The value, awaitable or generator, as `way` says."""
