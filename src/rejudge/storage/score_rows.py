"""Scores as rows: written once each, or noted as a hit where they are there already, and read back."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec import Struct
from sqlalchemy import Float, Integer, bindparam, insert, select, union_all

from rejudge.domain.call import CallRecord
from rejudge.domain.ids import DIGEST_BYTES
from rejudge.domain.score import Score, ScoreValue
from rejudge.domain.usage import Usage
from rejudge.storage.bulk import Listed, Rows
from rejudge.storage.cells import cell, text_of
from rejudge.storage.codes import OUTCOME, SCORING
from rejudge.storage.current_scores import RUN
from rejudge.storage.reading import record_of
from rejudge.storage.records import ScoreHit
from rejudge.storage.schema import late_scores, score_hits, score_values, scorers, scores, traces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from rejudge.storage.bulk import AnyRow
    from rejudge.storage.records import Inheritance, NewScore

_KEY = ("trace", "scorer", "rest", "draw", "seen", "attempt")

_UNKNOWN = (None, None, None)
_RARE = ("cause", "detail", "input_tokens", "output_tokens", "cost")
_scores = Rows(scores, "id", *_KEY, "run", "status", "reason", "at", *_RARE, rare=len(_RARE))
_values = Rows(score_values, "score", "place", "name", "number", "label", "outcome")
_hits = Rows(score_hits, "run", "score", "at")
_late = Rows(late_scores, "run", "score", "detail", "input_tokens", "output_tokens", "cost", "at")
_keys = Listed(select(scores.c.id, scores.c.run, *(scores.c[name] for name in _KEY)), scores.c.trace)

score_columns = (
    scores.c.id,
    scores.c.trace,
    traces.c.digest.label("trace_digest"),
    scorers.c.digest.label("scorer_digest"),
    scores.c.rest,
    scores.c.draw,
    scores.c.seen,
    scores.c.attempt,
    scores.c.status,
    scores.c.reason,
    scores.c.cause,
    scores.c.detail,
    scores.c.at,
)
_values_of = Listed(select(score_values), score_values.c.score)


_by = scores.c.scorer.in_(bindparam("by", expanding=True))
_noted = (bindparam("to", type_=Integer), scores.c.id, bindparam("at", type_=Float))
_hit_of = scores.c.id == score_hits.c.score
_inherit = (
    insert(score_hits)
    .from_select(
        ["run", "score", "at"],
        union_all(
            select(*_noted).where(scores.c.run == RUN, _by),
            select(*_noted).join_from(score_hits, scores, _hit_of).where(score_hits.c.run == RUN, _by),
        ),
    )
    .prefix_with("OR IGNORE", dialect="sqlite")
)


class _Detail(Struct, frozen=True, kw_only=True):
    """What of the detail of a stored score belongs to its record."""

    usage: Usage | None = None
    evidence: dict[str, object] | None = None
    calls: tuple[CallRecord, ...] | None = None
    author: str | None = None


def add_scores(connection: Connection, new: Sequence[NewScore], *, first: int) -> None:
    """Store scores with their values, with ids from `first` on; one that another run stored becomes a hit."""
    written = list(enumerate(new, first))
    if _scores.insert_columns(connection, _columns(new, first)) < len(new):
        written = _sorted_out(connection, written)
    placed = [(ref, place, value) for ref, score in written for place, value in enumerate(score.values)]
    values = [value for _, _, value in placed]
    _values.insert_columns(
        connection,
        [
            [ref for ref, _, _ in placed],
            [place for _, place, _ in placed],
            [cell(value.name) for value in values],
            [value.number for value in values],
            [None if value.label is None else cell(value.label) for value in values],
            OUTCOME.column([value.outcome for value in values]),
        ],
    )


def add_hits(connection: Connection, hits: Sequence[ScoreHit]) -> None:
    """Note which stored scores a run reuses."""
    _hits.insert(connection, [(hit.run, hit.score, hit.at) for hit in hits])


def inherit_hits(connection: Connection, inherited: Inheritance, *, source: int) -> None:
    """Note that a run reuses what some scorers said in another one, in one statement."""
    connection.execute(_inherit, {"run": source, "to": inherited.run, "at": inherited.at, "by": inherited.scorers})


def scores_of(connection: Connection, rows: Sequence[AnyRow]) -> list[Score]:
    """The records of scores that were selected with `score_columns`."""
    values: defaultdict[int, list[tuple[int, ScoreValue]]] = defaultdict(list)
    for score, place, name, number, label, outcome in _values_of.tuples(connection, [row.id for row in rows]):
        value = ScoreValue(
            name=text_of(name),
            number=number,
            label=None if label is None else text_of(label),
            outcome=None if outcome is None else OUTCOME.members[outcome],
        )
        values[score].append((place, value))
    return [_score(row, tuple(value for _, value in sorted(values[row.id], key=_place))) for row in rows]


def _sorted_out(connection: Connection, new: list[tuple[int, NewScore]]) -> list[tuple[int, NewScore]]:
    """Those that were written; the others were there already, and become hits. What they spent is kept."""
    there = {tuple(key): (ref, run) for ref, run, *key in _keys.tuples(connection, [score.trace for _, score in new])}
    written, hits, late = [], [], []
    for ref, score in new:
        stored, run = there[score.trace, score.scorer, score.rest, score.draw, score.seen, score.attempt]
        if stored == ref:
            written.append((ref, score))
            continue
        if run != score.run:
            hits.append(ScoreHit(score.run, stored, score.at))
        if score.asked_somebody:
            late.append((score.run, stored, score.detail, *(score.usage or _UNKNOWN), score.at))
    add_hits(connection, hits)
    _late.insert(connection, late)
    return written


def _columns(new: Sequence[NewScore], first: int) -> list[Sequence[object]]:
    spent = [score.usage or _UNKNOWN for score in new]
    return [
        range(first, first + len(new)),
        [score.trace for score in new],
        [score.scorer for score in new],
        [score.rest for score in new],
        [score.draw for score in new],
        [score.seen for score in new],
        [score.attempt for score in new],
        [score.run for score in new],
        SCORING.column([score.status for score in new]),
        [cell(score.reason) for score in new],
        [score.at for score in new],
        [None if score.cause is None else cell(score.cause) for score in new],
        [score.detail for score in new],
        *([amounts[place] for amounts in spent] for place in range(len(_UNKNOWN))),
    ]


def _score(row: AnyRow, values: tuple[ScoreValue, ...]) -> Score:
    detail = _Detail() if row.detail is None else record_of(row.detail, _Detail, f"score {row.id}")
    rest = (row.rest[start : start + DIGEST_BYTES] for start in range(0, len(row.rest), DIGEST_BYTES))
    return Score(
        subject=(row.trace_digest, *rest),
        scorer=row.scorer_digest,
        seen=row.seen,
        draw=row.draw,
        attempt=row.attempt,
        status=SCORING.members[row.status],
        values=values,
        reason=text_of(row.reason),
        cause=None if row.cause is None else text_of(row.cause),
        usage=detail.usage,
        evidence=detail.evidence,
        calls=detail.calls or (),
        author=detail.author,
        at=row.at,
    )


def _place(placed: tuple[int, ScoreValue]) -> int:
    return placed[0]
