"""The values of a run, and what its traces took, as columns: for statistics over everything at once."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from rejudge.storage.bulk import blocks
from rejudge.storage.cells import cell, text_of
from rejudge.storage.codes import OUTCOME
from rejudge.storage.current_scores import RUN, in_run, last_attempt_in_run
from rejudge.storage.records import SpendingColumns, ValueColumns
from rejudge.storage.schema import cases, score_values, scores, traces
from rejudge.storage.schema import scorers as scorers_

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

    from rejudge.domain.scale import Outcome

_OUTCOMES: dict[int | None, Outcome | None] = {None: None, **dict(enumerate(OUTCOME.members))}
_attempts = select(func.coalesce(func.max(scores.c.attempt), 0)).where(in_run())
# From the cases on, so that rows come in their order and none has to be sorted.
_values = (
    select(
        cases.c.position,
        cases.c.trial,
        scores.c.trace,
        score_values.c.number,
        score_values.c.label,
        score_values.c.outcome,
    )
    .join_from(cases, scores, scores.c.trace == cases.c.trace)
    .join(score_values, score_values.c.score == scores.c.id)
    .where(cases.c.run == RUN, in_run())
    .order_by(cases.c.position, cases.c.trial)
)
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
    known = [ref for (ref,) in connection.execute(select(scorers_.c.id).where(scorers_.c.digest.in_(scorers)))]
    query = _values.where(scores.c.scorer.in_(known), score_values.c.name == cell(name))
    if connection.execute(_attempts, {"run": run}).scalar_one():
        query = query.where(last_attempt_in_run())
    positions, trials, made = array("q"), array("q"), array("q")
    numbers: list[float | None] = []
    labels: list[str | None] = []
    outcomes: list[Outcome | None] = []
    for rows in blocks(connection.execute(query, {"run": run})):
        columns = list(zip(*rows, strict=True))
        for held, column in zip((positions, trials, made), columns, strict=False):
            held.extend(column)
        numbers.extend(columns[3])
        unlabelled = columns[4].count(None) == len(rows)
        labels.extend(columns[4] if unlabelled else [label and text_of(label) for label in columns[4]])
        outcomes.extend(map(_OUTCOMES.__getitem__, columns[5]))
    return ValueColumns(positions, trials, made, numbers, labels, outcomes)


def spending_columns(connection: Connection, run: int) -> SpendingColumns:
    """What the traces of a run took."""
    held: tuple[list[Any], ...] = ([], [], [], [], [], [])
    for rows in blocks(connection.execute(_spending, {"run": run})):
        for column, more in zip(held, zip(*rows, strict=True), strict=True):
            column.extend(more)
    return SpendingColumns(*held)
