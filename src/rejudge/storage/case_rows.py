"""Cases as rows, written once and read back with the item and the trace they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.case import Attempt, CaseResult, ExecutionError, ExecutionStatus
from rejudge.domain.payload import decode_as, encode
from rejudge.domain.usage import Usage
from rejudge.storage.bulk import Rows
from rejudge.storage.cells import cell, text_of
from rejudge.storage.codes import EXECUTION, EXECUTION_ERROR
from rejudge.storage.reading import record_of
from rejudge.storage.schema import cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from rejudge.storage.bulk import AnyRow
    from rejudge.storage.records import Batch, NewCase, NewTrace, TraceRef

LOST_RACE = "another trace was stored first under this key"

_rows = Rows(
    cases,
    "run",
    "position",
    "trial",
    "item",
    "status",
    "trace",
    "error_type",
    "message",
    "attempts",
    "started_at",
    "completed_at",
)


def add_cases(connection: Connection, batch: Batch, stored: Sequence[TraceRef], lost: frozenset[int]) -> None:
    """Store the cases that their runs do not have yet; `stored` and `lost` tell what became of the batch's traces."""
    new = batch.cases
    _rows.insert_columns(
        connection,
        [
            [case.run for case in new],
            [case.position for case in new],
            [case.trial for case in new],
            [case.item for case in new],
            EXECUTION.column([case.status for case in new]),
            [case.trace if case.fresh is None else stored[case.fresh].ref for case in new],
            EXECUTION_ERROR.column([case.error_type for case in new]),
            [None if case.message is None else cell(case.message) for case in new],
            [_with_loser(case, batch.traces[case.fresh]) if case.fresh in lost else case.attempts for case in new],
            [case.started_at for case in new],
            [case.completed_at for case in new],
        ],
    )


def case_of(row: AnyRow, *, run_id: str, item_id: str) -> CaseResult:
    """The record of a case; `trace` and `reused` come from the trace it was joined with."""
    status = EXECUTION.members[row.status]
    message = None if row.message is None else text_of(row.message)
    failed = status is ExecutionStatus.ERROR
    named = f"the case of item {item_id!r}, trial {row.trial}, in run {run_id}"
    return CaseResult(
        run_id=run_id,
        item_id=item_id,
        position=row.position,
        trial=row.trial,
        execution_status=status,
        execution_error=ExecutionError(
            type=EXECUTION_ERROR.members[row.error_type], message=(message or "") if failed else ""
        ),
        trace=row.trace_digest,
        reused=row.trace_run is not None and row.trace_run != row.run,
        reason=None if failed else message,
        attempts=() if row.attempts is None else record_of(row.attempts, tuple[Attempt, ...], named),
        started_at=row.started_at,
        completed_at=row.completed_at,
    )


def _with_loser(case: NewCase, loser: NewTrace) -> bytes:
    """The attempts of a case, and the trace that came too late: it is kept as spend alone."""
    attempts = () if case.attempts is None else decode_as(case.attempts, tuple[Attempt, ...])
    usage = None
    if loser.usage is not None:
        input_tokens, output_tokens, cost = loser.usage
        usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens, cost=cost)
    return encode((*attempts, Attempt(error=LOST_RACE, seconds=loser.seconds, usage=usage)))
