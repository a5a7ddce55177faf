"""Cases put together with everything that belongs to them, and the order in which they are read."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sqlalchemy import case as when
from sqlalchemy import column, func, literal, select

from rejudge.domain.case import ExecutionStatus
from rejudge.domain.item import Item
from rejudge.domain.scale import Outcome
from rejudge.domain.score import ScoreStatus
from rejudge.storage.bulk import Listed
from rejudge.storage.case_rows import case_of
from rejudge.storage.cells import cell, text_of
from rejudge.storage.codes import EXECUTION, OUTCOME, SCORING
from rejudge.storage.current_scores import RUN, in_run, last_attempt_in_run
from rejudge.storage.item_rows import item_body
from rejudge.storage.payloads import load_payloads
from rejudge.storage.reading import record_of
from rejudge.storage.records import CaseOrder, CaseRow
from rejudge.storage.schema import cases, items, score_values, scorers, scores, traces
from rejudge.storage.score_rows import score_columns, scores_of
from rejudge.storage.trace_rows import load_traces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from rejudge.domain.run import Run
    from rejudge.domain.score import Score
    from rejudge.storage.bulk import AnyRow, AnySelect

_ERROR, _SCORER_ERROR, _FAILED, _SKIPPED, _REST = range(5)

_scores = Listed(
    select(*score_columns)
    .join_from(scores, traces, traces.c.id == scores.c.trace)
    .join(scorers, scorers.c.id == scores.c.scorer)
    .where(in_run(), last_attempt_in_run()),
    scores.c.trace,
)
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
_units = select(cases.c.position, cases.c.trial).where(cases.c.run == RUN)
_by_position = _units.add_columns(literal(0).label("rank")).order_by(cases.c.position, cases.c.trial)
_by_rank = _units.add_columns(_rank.label("rank")).order_by(column("rank"), cases.c.position, cases.c.trial)


def page_of_cases(*, start: int, count: int, order: CaseOrder) -> AnySelect:
    """The units of a page of `RUN`."""
    units = _by_position if order is CaseOrder.POSITION else _by_rank
    return units.limit(count).offset(start)


def units_of_item(item_id: str) -> AnySelect:
    """The units of `RUN` for one item."""
    return _by_position.where(cases.c.item.in_(select(items.c.id).where(items.c.item_id == cell(item_id))))


def case_rows(connection: Connection, run: Run, ref: int, units: AnySelect) -> list[CaseRow]:
    """The cases of these units in their order, each with its item, its trace and what counts of its scores."""
    rows = _joined(connection, ref, units)
    made = [row.trace for row in rows if row.trace is not None]
    large = load_payloads(connection, (row.body_payload for row in rows))
    loaded = load_traces(connection, made)
    judged = _judged(connection, ref, made, order=run.scorers)
    return [
        CaseRow(
            case=case_of(row, run_id=run.id, item_id=text_of(row.item_id)),
            item=Item(id=text_of(row.item_id), fields=_fields(row, large)),
            trace=loaded.get(row.trace),
            scores=tuple(judged.get(row.trace, ())),
        )
        for row in rows
    ]


def _fields(row: AnyRow, large: dict[int, bytes]) -> dict[str, object]:
    payload = row.body_payload
    body = row.body if payload is None else item_body(row.item_id, payload, large)
    return record_of(body, dict[str, object], f"item {text_of(row.item_id)!r}")


def _joined(connection: Connection, ref: int, units: AnySelect) -> list[AnyRow]:
    """Only the page itself is joined; how a join orders its rows is the database's business."""
    page = units.subquery()
    query = (
        select(
            cases,
            page.c.rank,
            items.c.item_id,
            items.c.body,
            items.c.body_payload,
            traces.c.digest.label("trace_digest"),
            traces.c.run.label("trace_run"),
        )
        .join_from(page, cases, (cases.c.position == page.c.position) & (cases.c.trial == page.c.trial))
        .join(items, items.c.id == cases.c.item)
        .outerjoin(traces, traces.c.id == cases.c.trace)
        .where(cases.c.run == RUN)
    )
    rows = connection.execute(query, {"run": ref}).all()
    return sorted(rows, key=lambda row: (row.rank, row.position, row.trial))


def _judged(connection: Connection, ref: int, made: Sequence[int], *, order: Sequence[bytes]) -> dict[int, list[Score]]:
    """What counts of the scores of each trace, in the order of the run's scorers."""
    places = {scorer: place for place, scorer in enumerate(order)}
    rows = _scores.rows(connection, made, run=ref)
    judged: defaultdict[int, list[Score]] = defaultdict(list)
    for row, score in zip(rows, scores_of(connection, rows), strict=True):
        judged[row.trace].append(score)
    for records in judged.values():
        records.sort(key=lambda score: (places.get(score.scorer, len(places)), score.subject, score.draw))
    return judged
