"""What a running evaluation writes and looks up, group by group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select

from rejudge.storage.bulk import Listed, tuples
from rejudge.storage.case_rows import add_cases
from rejudge.storage.codes import SCORING
from rejudge.storage.payloads import Payloads
from rejudge.storage.records import Committed, ScoreRef, TraceRef, UnitTrace
from rejudge.storage.references import check_references, stored_now
from rejudge.storage.run_rows import run_row
from rejudge.storage.schema import cases, runs, scores, traces
from rejudge.storage.score_rows import add_hits, add_scores, inherit_hits
from rejudge.storage.sql_claims import release_claims, settle_claims, take_claims
from rejudge.storage.trace_rows import add_traces, drop_traces, find_traces, load_traces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.trace import Trace
    from rejudge.storage.database import Database
    from rejudge.storage.records import Batch

_scores = Listed(
    select(
        scores.c.id,
        scores.c.trace,
        scores.c.scorer,
        scores.c.seen,
        scores.c.attempt,
        scores.c.status,
        scores.c.run,
    ),
    scores.c.trace,
)


_latest = (
    select(cases.c.position, cases.c.trial, traces.c.id, traces.c.key, traces.c.digest, traces.c.run)
    .join_from(cases, traces, traces.c.id == cases.c.trace)
    .where(
        cases.c.run.in_(
            select(runs.c.id).where(
                runs.c.experiment_id == bindparam("experiment"), runs.c.run_config == bindparam("config")
            )
        ),
        cases.c.position >= bindparam("start"),
        cases.c.position < bindparam("stop"),
    )
    .order_by(cases.c.position, cases.c.trial, cases.c.run)
)


class SqlWork:
    """What the engine writes and looks up."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def commit(self, batch: Batch, *, owner: int) -> Committed:
        """Write a batch in one transaction."""
        contents = (content for trace in batch.traces for content in (trace.body, trace.calls, trace.spans))
        large = Payloads(self._database, contents)
        with self._database.write() if batch.lasts else self._database.note() as connection:
            before = stored_now(connection)
            check_references(batch, before)
            release_claims(connection, batch.releases, owner=owner)
            drop_traces(connection, batch.dropped)
            large.store(connection)
            stored, lost = add_traces(connection, batch.traces, large, first=before.trace + 1)
            if before.claimed:
                settle_claims(connection, first_trace=before.trace + 1)
            add_cases(connection, batch, stored, lost)
            add_scores(connection, batch.scores, first=before.score + 1)
            add_hits(connection, batch.hits)
            for inherited in batch.inherited:
                inherit_hits(connection, inherited, source=run_row(connection, inherited.source).id)
            granted = take_claims(connection, batch.claims, owner=owner)
        return Committed(granted, stored, lost)

    def find_traces(self, keys: Sequence[bytes]) -> dict[bytes, TraceRef]:
        """The filed traces among these keys."""
        with self._database.read() as connection:
            return find_traces(connection, keys)

    def load_traces(self, refs: Sequence[int]) -> dict[int, Trace]:
        """The readable traces among these."""
        with self._database.read() as connection:
            return load_traces(connection, refs)

    def find_scores(self, traces: Sequence[int], scorers: Sequence[int]) -> list[ScoreRef]:
        """The scores of these traces by these scorers."""
        wanted = frozenset(scorers)
        with self._database.read() as connection:
            rows = _scores.tuples(connection, traces)
        statuses = SCORING.members
        return [
            ScoreRef(ref, trace, scorer, seen, attempt, statuses[status], run)
            for ref, trace, scorer, seen, attempt, status, run in rows
            if scorer in wanted
        ]

    def executed(self, run_id: str) -> set[tuple[int, int]]:
        """The units that the run has a case for."""
        with self._database.read() as connection:
            query = select(cases.c.position, cases.c.trial).where(cases.c.run == run_row(connection, run_id).id)
            return {(position, trial) for position, trial in connection.execute(query)}

    def latest_traces(self, experiment: str, run_config: bytes, *, start: int, count: int) -> list[UnitTrace]:
        """The trace of each unit of a page in the newest run that has one."""
        page = {"experiment": experiment, "config": run_config, "start": start, "stop": start + count}
        with self._database.read() as connection:
            newest = {
                (position, trial): UnitTrace(position, trial, TraceRef(ref, key, digest, run))
                for position, trial, ref, key, digest, run in tuples(connection.execute(_latest, page))
            }
        return list(newest.values())
