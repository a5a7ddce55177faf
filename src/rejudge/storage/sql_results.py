"""What a result object reads from SQL, page by page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from rejudge.domain.case import HitRecord
from rejudge.domain.errors import NotFound
from rejudge.domain.ids import id_of
from rejudge.storage.case_pages import case_rows, page_of_cases, units_of_item
from rejudge.storage.cells import cell, text_of
from rejudge.storage.columns import spending_columns, trace_value_columns, value_columns
from rejudge.storage.current_scores import RUN
from rejudge.storage.judgement_rows import judged_traces
from rejudge.storage.lookup import missing
from rejudge.storage.records import CaseOrder, CaseRow, EvaluationMade
from rejudge.storage.run_rows import run_of, run_row
from rejudge.storage.schema import cases, items, runs, score_hits, scorers, scores, traces
from rejudge.storage.score_rows import score_columns, scores_of
from rejudge.storage.sql_counts import run_counts
from rejudge.storage.trace_rows import load_spans
from rejudge.storage.usage_sums import run_usage

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Connection

    from rejudge.domain.judged_trace import JudgedTrace
    from rejudge.domain.span import Spans
    from rejudge.storage.database import Database
    from rejudge.storage.records import RunCounts, RunUsage, SpendingColumns, TraceValueColumns, ValueColumns

_NEAR = 5_000
"""So many ids are looked through for one that was perhaps meant."""

_reused_traces = (
    select(traces.c.key, runs.c.run_id, traces.c.digest, cases.c.completed_at)
    .join_from(cases, traces, traces.c.id == cases.c.trace)
    .join(runs, runs.c.id == traces.c.run)
    .where(cases.c.run == RUN, traces.c.run != RUN)
)
_reused_scores = (
    select(*score_columns, runs.c.run_id, score_hits.c.at.label("hit_at"))
    .join_from(score_hits, scores, scores.c.id == score_hits.c.score)
    .join(traces, traces.c.id == scores.c.trace)
    .join(scorers, scorers.c.id == scores.c.scorer)
    .join(runs, runs.c.id == scores.c.run)
    .where(score_hits.c.run == RUN)
)


class SqlResults:
    """Counts, cases and hits of runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def counts(self, run_id: str) -> RunCounts:
        """The numbers of a run's summary."""
        with self._database.read() as connection:
            row = run_row(connection, run_id)
            return run_counts(connection, row.id, order=run_of(row).scorers)

    def usage(self, run_id: str) -> RunUsage:
        """What generating the outputs of a run took."""
        with self._database.read() as connection:
            return run_usage(connection, run_row(connection, run_id).id)

    def values(self, run_id: str, *, scorers: Collection[bytes], name: str) -> ValueColumns:
        """What counts of the values that these scorers gave under a name in a run."""
        with self._database.read() as connection:
            return value_columns(connection, run_row(connection, run_id).id, scorers=scorers, name=name)

    def trace_values(self, run_id: str, *, scorers: Collection[bytes], name: str) -> TraceValueColumns:
        """The same values with the trial and the trace of each."""
        with self._database.read() as connection:
            return trace_value_columns(connection, run_row(connection, run_id).id, scorers=scorers, name=name)

    def spending(self, run_id: str) -> SpendingColumns:
        """What the traces of a run took."""
        with self._database.read() as connection:
            return spending_columns(connection, run_row(connection, run_id).id)

    def cases(
        self, run_id: str, *, start: int = 0, count: int = 500, order: CaseOrder = CaseOrder.POSITION
    ) -> list[CaseRow]:
        """A page of a run's cases."""
        with self._database.read() as connection:
            row = run_row(connection, run_id)
            return case_rows(connection, run_of(row), row.id, page_of_cases(start=start, count=count, order=order))

    def case(self, run_id: str, item_id: str, *, trial: int = 0) -> CaseRow:
        """One case of a run."""
        with self._database.read() as connection:
            row = run_row(connection, run_id)
            trials = {one.case.trial: one for one in case_rows(connection, run_of(row), row.id, units_of_item(item_id))}
            if not trials:
                raise missing(f"case in run {run_id!r} of item", item_id, _near_ids(connection, row.id, item_id))
        if trial not in trials:
            known = ", ".join(map(str, trials))
            raise NotFound(f"run {run_id!r} has no trial {trial} of item {item_id!r}", fix=f"it has {known}")
        return trials[trial]

    def judged(self, run_id: str, *, scorers: Collection[bytes]) -> list[JudgedTrace]:
        """The cases of a run that have a trace, with what these scorers said of each."""
        with self._database.read() as connection:
            return judged_traces(connection, run_row(connection, run_id).id, by=scorers)

    def load_spans(self, traces: Sequence[int]) -> dict[int, Spans]:
        """The readable spans that were recorded with these traces."""
        with self._database.read() as connection:
            return load_spans(connection, traces)

    def hits(self, run_id: str, *, start: int = 0, count: int = 500) -> list[HitRecord]:
        """The hit records of a run: traces by position, then scores in the order in which they were stored."""
        with self._database.read() as connection:
            run = run_row(connection, run_id).id
            found = _trace_hits(connection, run, start=start, count=count)
            if len(found) < count:
                before = select(func.count()).select_from(_reused_traces.subquery())
                traces_hit = connection.execute(before, {"run": run}).scalar_one()
                found += _score_hits(connection, run, start=max(start - traces_hit, 0), count=count - len(found))
        return found

    def listed_traces(self, *, evaluation_made: EvaluationMade) -> list[str]:
        """Ids of the traces that stand under a key."""
        query = select(traces.c.digest).where(traces.c.dropped_at.is_(None)).order_by(traces.c.id)
        if evaluation_made is EvaluationMade.LEFT_OUT:
            query = query.where(traces.c.evaluation_made == 0)
        with self._database.read() as connection:
            return [id_of("trace", digest) for digest in connection.execute(query).scalars()]


def _trace_hits(connection: Connection, run: int, *, start: int, count: int) -> list[HitRecord]:
    page = _reused_traces.order_by(cases.c.position, cases.c.trial).limit(count).offset(start)
    return [
        HitRecord(
            object_type="model_output",
            key=key,
            source_run=text_of(source),
            result_hash=digest,
            hit_at=completed_at or 0.0,
        )
        for key, source, digest, completed_at in connection.execute(page, {"run": run})
    ]


def _score_hits(connection: Connection, run: int, *, start: int, count: int) -> list[HitRecord]:
    page = _reused_scores.order_by(score_hits.c.score).limit(count).offset(start)
    rows = connection.execute(page, {"run": run}).all()
    return [
        HitRecord(
            object_type="judge_score",
            key=score.digest(),
            source_run=text_of(row.run_id),
            result_hash=score.result_hash(),
            hit_at=row.hit_at,
        )
        for row, score in zip(rows, scores_of(connection, rows), strict=True)
    ]


def _near_ids(connection: Connection, run: int, item_id: str) -> list[str]:
    """Item ids of a run, those with the same first letter before others."""
    query = (
        select(items.c.item_id)
        .join_from(cases, items, items.c.id == cases.c.item)
        .where(cases.c.run == run)
        .order_by(func.substr(items.c.item_id, 1, 1) != cell(item_id)[:1])
        .limit(_NEAR)
    )
    return [text_of(known) for known in connection.execute(query).scalars()]
