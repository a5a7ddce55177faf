"""The cases of a run that were skipped, by cause, and whether anything was left to score."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

from rejudge.domain.case import ExecutionStatus
from rejudge.domain.verdict import Skip
from rejudge.front.amounts import counted
from rejudge.front.cases import CaseKind, kind_of
from rejudge.front.lines import TEXT, clipped, item_name
from rejudge.storage.records import CaseOrder

if TYPE_CHECKING:
    from rejudge.front.result import RunResult
    from rejudge.storage.records import CaseRow
    from rejudge.storage.store import ResultStore

READ = 1000
"""So many skipped cases are read for their causes."""

CAUSES = 5
"""So many causes are named, the commonest; the others are counted."""

NAME = 24
"""Columns of an item's id that stands as an example."""


class Skips:
    """The skipped cases of one run."""

    def __init__(self, run: RunResult, store: ResultStore) -> None:
        self._run = run
        self.count = run.counts.cases.skipped
        rows = _skipped(run, store) if self.count else []
        self._read = len(rows)
        self._causes = Counter(row.case.reason or "" for row in rows)
        self._example = rows[0].item.id if rows else ""

    @property
    def are_all(self) -> bool:
        """Whether nothing but skips came of the run."""
        return bool(self.count) and self.count == self._run.run.planned

    def note(self) -> str:
        """How many cases were skipped, and why: `30 cases skipped: no_recording: no recorded output`."""
        told = f"{counted(self.count, 'case')} skipped: "
        if len(self._causes) == 1 and self._read == self.count:
            return told + clipped(next(iter(self._causes)), TEXT)
        if self._read < self.count:
            told += f"of the first {self._read} "
        parts = [f"{number} {clipped(cause, TEXT)}" for cause, number in self._causes.most_common(CAUSES)]
        if len(self._causes) > CAUSES:
            parts.append(counted(len(self._causes) - CAUSES, "more cause"))
        return told + "; ".join(parts)

    def warning(self) -> str:
        """That nothing was scored, and what to do about it, where `are_all`."""
        if any(not cause.startswith(Skip.NO_RECORDING.value) for cause in self._causes):
            return f"nothing was scored: {self.note()}"
        example = item_name(self._example, NAME)
        mend = "`id` of the replay to the field of the recordings that holds such names"
        if example != self._example and self._example.startswith("item-"):
            mend = "`id` of the dataset to the field that the recordings use"
        return f"nothing was scored: no item has a recorded output; items are named like {example!r}, so set {mend}"


def _skipped(run: RunResult, store: ResultStore) -> list[CaseRow]:
    """The first skipped cases, which stand behind those with an error or a fail."""

    def read(start: int, count: int) -> list[CaseRow]:
        return store.cases(run.id, start=start, count=count, order=CaseOrder.FAILURES_FIRST)

    def beyond(place: int) -> bool:
        row = read(place, 1)
        return not row or kind_of(row[0]) >= CaseKind.SKIPPED

    start = bisect_left(range(run.run.planned), True, key=beyond)
    return [row for row in read(start, READ) if row.case.execution_status is ExecutionStatus.SKIPPED]
