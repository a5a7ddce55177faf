"""Cases put together with everything that belongs to them, and the order in which they are read."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import bindparam, func, select
from sqlalchemy import case as when

from rejudge.domain.case import ExecutionStatus
from rejudge.domain.item import Item
from rejudge.domain.payload import decode
from rejudge.domain.scale import Outcome
from rejudge.domain.score import ScoreStatus
from rejudge.storage.bulk import Listed
from rejudge.storage.case_rows import case_of
from rejudge.storage.cells import text_of
from rejudge.storage.codes import EXECUTION, OUTCOME, SCORING
from rejudge.storage.current_scores import RUN, in_run, last_attempt_in_run
from rejudge.storage.item_rows import whole_items
from rejudge.storage.records import CaseOrder, CaseRow
from rejudge.storage.schema import cases, items, score_values, scorers, scores, traces
from rejudge.storage.score_rows import score_columns, scores_of
from rejudge.storage.trace_rows import load_traces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection, Row, Select

    from rejudge.domain.run import Run
    from rejudge.domain.score import Score

_ERROR, _SCORER_ERROR, _FAILED, _SKIPPED, _REST = range(5)

_scores = Listed(
    select(*score_columns)
    .join_from(scores, traces, traces.c.id == scores.c.trace)
    .join(scorers, scorers.c.id == scores.c.scorer)
    .where(in_run(), last_attempt_in_run()),
    scores.c.trace,
)
_executed = cases.c.status == EXECUTION.numbers[ExecutionStatus.SKIPPED]
_unmarked = when((cases.c.status == EXECUTION.numbers[ExecutionStatus.SKIPPED], _SKIPPED), else_=_REST)
_worst_score = (
    select(
        func.min(
            when(
                (scores.c.status == SCORING.numbers[ScoreStatus.ERROR], _SCORER_ERROR),
                (score_values.c.outcome == OUTCOME.numbers[Outcome.FAILED], _FAILED),
                (scores.c.status == SCORING.numbers[ScoreStatus.SKIPPED], _SKIPPED),
                else_=_unmarked,
            )
        )
    )
    .outerjoin_from(scores, score_values, score_values.c.score == scores.c.id)
    .where(scores.c.trace == cases.c.trace, in_run(), last_attempt_in_run())
    .correlate(cases)
    .scalar_subquery()
)
_rank = when(
    (cases.c.status == EXECUTION.numbers[ExecutionStatus.ERROR], _ERROR), else_=func.coalesce(_worst_score, _unmarked)
)
_orders: dict[CaseOrder, tuple[ColumnElement[Any], ...]] = {
    CaseOrder.POSITION: (cases.c.position, cases.c.trial),
    CaseOrder.FAILURES_FIRST: (_rank, cases.c.position, cases.c.trial),
}
_units = select(cases.c.position, cases.c.trial).where(cases.c.run == RUN)


def case_page(connection: Connection, run: int, record: Run, *, start: int, count: int, order: CaseOrder) -> list[CaseRow]:
    """A page of the cases of a run; only the page itself is joined with what belongs to it."""
    page = _units.order_by(*_orders[order]).limit(count).offset(start)
    units = [(position, trial) for position, trial in connection.execute(page, {"run": run})]
    ...
