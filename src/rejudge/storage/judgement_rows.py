"""What scorers said of the traces of a run, read from SQL without items, outputs and calls."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from rejudge.domain.judged_trace import JudgedTrace, Judgement
from rejudge.domain.score import ScoreValue
from rejudge.storage.bulk import blocks
from rejudge.storage.cells import text_of
from rejudge.storage.codes import OUTCOME, SCORING
from rejudge.storage.current_scores import RUN, in_run, last_attempt_in_run
from rejudge.storage.schema import cases, items, score_values, scorers, scores, traces

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from sqlalchemy import ColumnElement, Connection

    from rejudge.domain.scale import Outcome
    from rejudge.storage.bulk import AnySelect, AnyTuple

_OUTCOMES: dict[int | None, Outcome | None] = {None: None, **dict(enumerate(OUTCOME.members))}
_attempts = select(func.coalesce(func.max(scores.c.attempt), 0)).where(in_run())
_traces = (
    select(cases.c.trace, traces.c.digest, items.c.item_id, cases.c.trial)
    .join_from(cases, traces, traces.c.id == cases.c.trace)
    .join(items, items.c.id == cases.c.item)
    .where(cases.c.run == RUN)
    .order_by(cases.c.position, cases.c.trial)
)
_counting = (cases.c.run == RUN, in_run(), scores.c.rest == b"")
_scores = (
    select(scores.c.id, scores.c.trace, scores.c.scorer, scores.c.draw, scores.c.status, scores.c.reason)
    .join_from(cases, scores, scores.c.trace == cases.c.trace)
    .where(*_counting)
)
_values = (
    select(
        score_values.c.score,
        score_values.c.place,
        score_values.c.name,
        score_values.c.number,
        score_values.c.label,
        score_values.c.outcome,
    )
    .join_from(cases, scores, scores.c.trace == cases.c.trace)
    .join(score_values, score_values.c.score == scores.c.id)
    .where(*_counting)
)


def judged_traces(connection: Connection, run: int, *, by: Collection[bytes]) -> list[JudgedTrace]:
    """The cases of a run that have a trace, in their order, with what the scorers of these digests said of it."""
    known = select(scorers.c.id, scorers.c.digest).where(scorers.c.digest.in_(by))
    digests = {row.id: row.digest for row in connection.execute(known)}
    counting: list[ColumnElement[bool]] = [scores.c.scorer.in_(digests)]
    if connection.execute(_attempts, {"run": run}).scalar_one():
        counting += [last_attempt_in_run()]
    values: defaultdict[int, list[tuple[int, ScoreValue]]] = defaultdict(list)
    for score, place, name, number, label, outcome in _read(connection, _values.where(*counting), run):
        text = None if label is None else text_of(label)
        value = ScoreValue(name=text_of(name), number=number, label=text, outcome=_OUTCOMES[outcome])
        values[score].append((place, value))
    said: defaultdict[int, dict[bytes, tuple[int, Judgement]]] = defaultdict(dict)
    for score, trace, scorer, draw, status, reason in _read(connection, _scores.where(*counting), run):
        of_trace, digest = said[trace], digests[scorer]
        if digest not in of_trace or draw < of_trace[digest][0]:
            given = tuple(value for _, value in sorted(values.get(score, ()), key=_place))
            of_trace[digest] = draw, Judgement(SCORING.members[status], given, text_of(reason))
    return [
        JudgedTrace(
            trace=digest,
            item_id=text_of(item_id),
            trial=trial,
            said={scorer: judgement for scorer, (_, judgement) in said.get(trace, {}).items()},
        )
        for trace, digest, item_id, trial in _read(connection, _traces, run)
    ]


def _read(connection: Connection, query: AnySelect, run: int) -> Iterator[AnyTuple]:
    for rows in blocks(connection.execute(query, {"run": run})):
        yield from rows


def _place(placed: tuple[int, ScoreValue]) -> int:
    return placed[0]
