"""From a page of items to units of work: what each is given, and under which key its trace is filed."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from msgspec import Struct, field

from rejudge.domain.errors import StoreDamaged
from rejudge.domain.payload import decode
from rejudge.domain.trace import TraceKey
from rejudge.runner.work import Unit
from rejudge.tasks.task import CannotTake

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rejudge.storage.records import StoredItem
    from rejudge.tasks.task import Task


class SkippedUnit(Struct):
    """An item that the task cannot take, with the reason."""

    position: int
    trial: int
    item: StoredItem
    reason: str


class Page(Struct):
    """The units of some items from position `first`; `skipped` ones have no key."""

    units: list[Unit] = field(default_factory=list)
    skipped: list[SkippedUnit] = field(default_factory=list)
    first: int = 0


def page_of(
    items: Sequence[StoredItem],
    task: Task,
    *,
    run_config: bytes,
    reference: Sequence[str],
    trials: Callable[[int], int],
) -> Page:
    """The units of these items; `trials` says how many the item at a position has.

    Every trial gets a decoding of its own, so no call can change another's input.
    """
    page = Page(first=items[0].position if items else 0)
    hidden = frozenset(reference)
    for item in items:
        for trial in range(trials(item.position)):
            try:
                fields = cast("dict[str, object]", decode(item.body))
            except ValueError as error:
                raise StoreDamaged.record(f"item {item.item_id!r}", error) from error
            try:
                given = task.given(item.item_id, fields, reference=hidden, trial=trial)
            except CannotTake as refusal:
                page.skipped.append(SkippedUnit(item.position, trial, item, f"{refusal.cause}: {refusal.what}"))
                continue
            key = TraceKey(item_id=item.item_id, given=given.digest, run_config=run_config, trial=trial).digest()
            page.units.append(Unit(item.position, trial, item, key, given))
    return page
