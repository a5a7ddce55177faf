"""Which scores count in a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, exists, literal, or_, select

from rejudge.storage.schema import score_hits, scores

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, FromClause

RUN: ColumnElement[int] = bindparam("run")

_reuses = select(literal(1)).where(score_hits.c.run == RUN).limit(1)
_later = scores.alias("later")


def in_run(table: FromClause = scores) -> ColumnElement[bool]:
    """Whether a score belongs to the run `RUN`: made by it, or reused."""
    reused = select(score_hits.c.score).where(score_hits.c.run == RUN)
    return or_(table.c.run == RUN, table.c.id.in_(reused))


def all_in_run(connection: Connection, run: int) -> ColumnElement[bool]:
    """As `in_run`, for whoever reads them all: where nothing is reused, its own are found quicker without asking."""
    reuses = connection.execute(_reuses, {"run": run}).first() is not None
    return in_run() if reuses else scores.c.run == RUN


def last_attempt_in_run() -> ColumnElement[bool]:
    """Whether `RUN` has no later attempt at the same judgement."""
    same = [_later.c[name] == scores.c[name] for name in ("trace", "scorer", "rest", "draw", "seen")]
    return ~exists().where(*same, _later.c.attempt > scores.c.attempt, in_run(_later))
