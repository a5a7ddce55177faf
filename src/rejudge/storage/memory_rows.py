"""Stored rows in memory, put together into the records that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from msgspec import Struct

from rejudge.domain.call import CallRecord
from rejudge.domain.case import Attempt, CaseResult, ExecutionError, ExecutionStatus
from rejudge.domain.ids import DIGEST_BYTES
from rejudge.domain.item import Item
from rejudge.domain.payload import decode, decode_as
from rejudge.domain.score import Score
from rejudge.domain.usage import Usage
from rejudge.storage.memory_work import usage_of
from rejudge.storage.records import CaseRow

if TYPE_CHECKING:
    from rejudge.storage.memory_datasets import MemoryDatasets
    from rejudge.storage.memory_runs import MemoryRuns
    from rejudge.storage.memory_work import Case, MemoryWork
    from rejudge.storage.records import NewScore

LOST_RACE = "another trace was stored first under this key"


class Detail(Struct, frozen=True, kw_only=True):
    """What of the detail of a stored score belongs to its record."""

    usage: Usage | None = None
    evidence: dict[str, object] | None = None
    calls: tuple[CallRecord, ...] | None = None
    author: str | None = None


class Rows:
    """Makes records of the rows of one store; its caller holds the lock."""

    def __init__(self, datasets: MemoryDatasets, runs: MemoryRuns, work: MemoryWork) -> None:
        self._datasets = datasets
        self._runs = runs
        self._work = work

    def item_of_trace(self, trace: int) -> str:
        """The id of the item that a trace was made from."""
        return self.item_id(self._work.trace(trace).item)

    def item_id(self, item: int) -> str:
        """The id of the item with this ref."""
        return self._datasets.item(item)[0]

    def reused(self, case: Case) -> bool:
        """Whether another run made the trace of this case."""
        return case.trace is not None and self._work.trace(case.trace).run != case.new.run

    def row(self, case: Case) -> CaseRow:
        """A case with its item, its trace and what counts of its scores, in the order of the run's scorers."""
        item_id, body = self._datasets.item(case.new.item)
        run = self._runs.run(self._runs.id(case.new.run))
        scores = [] if case.trace is None else self._work.scores_of(case.trace, run=case.new.run)
        places = {scorer: place for place, scorer in enumerate(run.scorers)}
        records = [self.score(score) for score in scores]
        records.sort(key=lambda score: (places.get(score.scorer, len(places)), score.subject, score.draw))
        return CaseRow(
            case=self._case(case, run_id=run.id, item_id=item_id),
            item=Item(id=item_id, fields=cast("dict[str, object]", decode(body))),
            trace=None if case.trace is None else self._work.load(case.trace),
            scores=tuple(records),
        )

    def score(self, new: NewScore) -> Score:
        """The record of a stored score."""
        detail = Detail() if new.detail is None else decode_as(new.detail, Detail)
        rest = (new.rest[start : start + DIGEST_BYTES] for start in range(0, len(new.rest), DIGEST_BYTES))
        return Score(
            subject=(self._work.trace(new.trace).digest, *rest),
            scorer=self._runs.scorers.digests[new.scorer - 1],
            seen=new.seen,
            draw=new.draw,
            attempt=new.attempt,
            status=new.status,
            values=new.values,
            reason=new.reason,
            cause=new.cause,
            usage=detail.usage,
            evidence=detail.evidence,
            calls=detail.calls or (),
            author=detail.author,
            at=new.at,
        )

    def _case(self, case: Case, *, run_id: str, item_id: str) -> CaseResult:
        new = case.new
        attempts = () if new.attempts is None else decode_as(new.attempts, tuple[Attempt, ...])
        if case.lost is not None:
            attempts += (Attempt(error=LOST_RACE, seconds=case.lost.seconds, usage=usage_of(case.lost)),)
        failed = new.status is ExecutionStatus.ERROR
        return CaseResult(
            run_id=run_id,
            item_id=item_id,
            position=new.position,
            trial=new.trial,
            execution_status=new.status,
            execution_error=ExecutionError(type=new.error_type, message=(new.message or "") if failed else ""),
            trace=None if case.trace is None else self._work.trace(case.trace).digest,
            reused=self.reused(case),
            reason=None if failed else new.message,
            attempts=attempts,
            started_at=new.started_at,
            completed_at=new.completed_at,
        )
