"""What a batch may refer to. Ids are given out in order, so the highest one tells what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func, select

from rejudge.domain.case import ExecutionErrorType, ExecutionStatus
from rejudge.domain.errors import NotFound, RecordError
from rejudge.storage.schema import claims, items, run_configs, runs, scorers, scores, traces

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rejudge.storage.records import Batch


class Stored(NamedTuple):
    """The highest id of each kind, and whether there is any claim."""

    run: int
    item: int
    run_config: int
    scorer: int
    trace: int
    score: int
    claimed: bool


_stored = select(
    *(
        func.coalesce(select(func.max(table.c.id)).scalar_subquery(), 0)
        for table in (runs, items, run_configs, scorers, traces, scores)
    ),
    select(claims.c.key).exists(),
)


def stored_now(connection: Connection) -> Stored:
    """What is there; the caller holds the write lock, so it stays so."""
    return Stored._make(connection.execute(_stored).one())


def check_references(batch: Batch, stored: Stored) -> None:
    """Raise NotFound for a record that refers to what the store does not hold, RecordError for a case that is none."""
    run, item, run_config, scorer, trace, score, _ = stored
    for new in batch.traces:
        if not (0 < new.run <= run and 0 < new.item <= item and 0 < new.run_config <= run_config):
            raise _stranger("a trace", new)
    made, error, none = len(batch.traces), ExecutionStatus.ERROR, ExecutionErrorType.NONE
    for case in batch.cases:
        there, fresh = case.trace, case.fresh
        if (case.status is error) != (case.error_type is not none):
            raise RecordError("a case has an error type exactly when its status is error")
        if there is not None and fresh is not None:
            raise RecordError("a case has a stored trace or a fresh one, not both")
        known = (there is None or 0 < there <= trace) and (fresh is None or 0 <= fresh < made)
        if not (known and 0 < case.run <= run and 0 < case.item <= item):
            raise _stranger("a case", case)
    for judged in batch.scores:
        if not (0 < judged.run <= run and 0 < judged.trace <= trace and 0 < judged.scorer <= scorer):
            raise _stranger("a score", judged)
    for hit in batch.hits:
        if not (0 < hit.run <= run and 0 < hit.score <= score):
            raise _stranger("a hit", hit)
    for dropped in batch.dropped:
        if not 0 < dropped <= trace:
            raise _stranger("a dropped trace", dropped)


def _stranger(what: str, record: object) -> NotFound:
    return NotFound(f"{what} refers to a record that this store does not hold: {record!r:.200}")
