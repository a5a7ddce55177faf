"""The values of a run, and what its traces took, as columns: for statistics over everything at once."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from rejudge.storage.bulk import blocks
from rejudge.storage.cells import cell, text_of
from rejudge.storage.codes import OUTCOME
from rejudge.storage.current_scores import RUN, all_in_run, in_run, last_attempt_in_run
from rejudge.storage.records import SpendingColumns, TraceValueColumns, ValueColumns
from rejudge.storage.schema import cases, score_values, scores, traces
from rejudge.storage.schema import scorers as scorers_

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Connection

    from rejudge.domain.scale import Outcome
    from rejudge.storage.bulk import AnySelect

_OUTCOMES: dict[int | None, Outcome | None] = {None: None, **dict(enumerate(OUTCOME.members))}
_attempts = select(func.coalesce(func.max(scores.c.attempt), 0))
_said = (score_values.c.number, score_values.c.label)
_values = select(cases.c.position, *_said, score_values.c.outcome)
_trace_values = select(cases.c.position, cases.c.trial, scores.c.trace, *_said)
_spending = (
    select(
        cases.c.position,
        cases.c.trial,
        traces.c.seconds,
        traces.c.input_tokens,
        traces.c.output_tokens,
        traces.c.cost,
    )
    .join_from(cases, traces, traces.c.id == cases.c.trace)
    .where(cases.c.run == RUN)
    .order_by(cases.c.position, cases.c.trial)
)


def value_columns(connection: Connection, run: int, *, scorers: Collection[bytes], name: str) -> ValueColumns:
    """What counts of the values that these scorers gave under a name in a run."""
    positions = array("q")
    numbers: list[float | None] = []
    labels: list[str | None] = []
    outcomes: list[Outcome | None] = []
    query = _of(connection, _values, run, scorers=scorers, name=name)
    for rows in blocks(connection.execute(query, {"run": run})):
        at, number, label, outcome = zip(*rows, strict=True)
        positions.extend(at)
        numbers.extend(number)
        labels.extend(_texts(label))
        outcomes.extend(map(_OUTCOMES.__getitem__, outcome))
    return ValueColumns(positions, numbers, labels, outcomes)


def trace_value_columns(
    connection: Connection, run: int, *, scorers: Collection[bytes], name: str
) -> TraceValueColumns:
    """The same values with the trial and the trace of each."""
    held: tuple[list[Any], ...] = ([], [], [], [], [])
    query = _of(connection, _trace_values, run, scorers=scorers, name=name)
    for rows in blocks(connection.execute(query, {"run": run})):
        *columns, label = zip(*rows, strict=True)
        for column, more in zip(held, (*columns, _texts(label)), strict=True):
            column.extend(more)
    return TraceValueColumns(*held)


def _of(connection: Connection, columns: AnySelect, run: int, *, scorers: Collection[bytes], name: str) -> AnySelect:
    """These columns of the values that count: from the cases on, so that rows come in order and none is sorted."""
    known = [ref for (ref,) in connection.execute(select(scorers_.c.id).where(scorers_.c.digest.in_(scorers)))]
    query = (
        columns.join_from(cases, scores, scores.c.trace == cases.c.trace)
        .join(score_values, score_values.c.score == scores.c.id)
        .where(cases.c.run == RUN, in_run(), scores.c.scorer.in_(known), score_values.c.name == cell(name))
        .order_by(cases.c.position, cases.c.trial)
    )
    again = connection.execute(_attempts.where(all_in_run(connection, run)), {"run": run}).scalar_one()
    return query.where(last_attempt_in_run()) if again else query


def _texts(labels: Sequence[str | None]) -> Sequence[str | None]:
    unlabelled = labels.count(None) == len(labels)
    return labels if unlabelled else [label and text_of(label) for label in labels]


def spending_columns(connection: Connection, run: int) -> SpendingColumns:
    """What the traces of a run took."""
    held: tuple[list[Any], ...] = ([], [], [], [], [], [])
    for rows in blocks(connection.execute(_spending, {"run": run})):
        for column, more in zip(held, zip(*rows, strict=True), strict=True):
            column.extend(more)
    return SpendingColumns(*held)
