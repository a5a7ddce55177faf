"""How the judgements of a run ended and what they cost: counted by the database, sorting as little as it can."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from msgspec import Struct, field
from sqlalchemy import func, or_, select

from rejudge.domain.score import ScoreStatus
from rejudge.storage.cells import text_of
from rejudge.storage.codes import SCORING
from rejudge.storage.current_scores import RUN, last_attempt_in_run
from rejudge.storage.known import known_sum
from rejudge.storage.records import ScoreCounts
from rejudge.storage.schema import late_scores, scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection, Label, Table

    from rejudge.storage.bulk import AnyRow

_FEW = 16
"""Up to so many scorers are counted in one pass. Grouping sorts every row, which takes three times as long."""

_SCORED = SCORING.numbers[ScoreStatus.SCORED]

_own = scores.c.run == RUN
_scored = scores.c.status == _SCORED
_paid = or_(*(scores.c[name].is_not(None) for name in ("cost", "input_tokens", "output_tokens")))
_totals = (
    func.count().filter(_scored),
    func.count().filter(_own),
    func.count().filter(_own, _paid),
    func.count(),
    func.coalesce(func.max(scores.c.attempt), 0),
)
_unscored = (
    select(scores.c.scorer, scores.c.status, scores.c.cause, func.count().label("ended"))
    .where(~_scored)
    .group_by(scores.c.scorer, scores.c.status, scores.c.cause)
)
_grouped = select(scores.c.scorer, func.count().filter(_scored), func.count().filter(_own)).group_by(scores.c.scorer)
_last = select(scores.c.scorer, func.count()).where(_scored, last_attempt_in_run()).group_by(scores.c.scorer)


def _sums(table: Table) -> list[Label[int | float | None]]:
    return [
        func.sum(table.c.cost).label("cost"),
        func.count(table.c.cost).label("known_costs"),
        func.sum(table.c.input_tokens).label("input_tokens"),
        func.sum(table.c.output_tokens).label("output_tokens"),
    ]


_spent = select(scores.c.scorer, *_sums(scores)).where(_own, _paid).group_by(scores.c.scorer)
_late = (
    select(scores.c.scorer, func.count().label("made"), *_sums(late_scores))
    .join_from(late_scores, scores, scores.c.id == late_scores.c.score)
    .where(late_scores.c.run == RUN)
    .group_by(scores.c.scorer)
)


class Judged(Struct, kw_only=True):
    """What is known of one scorer's judgements in a run."""

    scored: int = 0
    made: int = 0
    unscored: list[AnyRow] = field(default_factory=list)
    spent: list[AnyRow] = field(default_factory=list)

    def counts(self, scorer: bytes) -> ScoreCounts:
        """As the store tells it."""
        ended: Counter[ScoreStatus] = Counter()
        causes: Counter[str] = Counter()
        for row in self.unscored:
            status = SCORING.members[row.status]
            ended[status] += row.ended
            if status is ScoreStatus.SKIPPED:
                causes[text_of(row.cause or "")] += row.ended
        return ScoreCounts(
            scorer=scorer,
            scored=self.scored,
            skipped=ended[ScoreStatus.SKIPPED],
            errors=ended[ScoreStatus.ERROR],
            causes=dict(sorted(causes.items())),
            made=self.made,
            cost=known_sum(row.cost for row in self.spent),
            known_costs=sum(row.known_costs for row in self.spent),
            input_tokens=known_sum(row.input_tokens for row in self.spent),
            output_tokens=known_sum(row.output_tokens for row in self.spent),
        )


class Judgements(Struct, frozen=True, kw_only=True):
    """How the judgements of a run ended, by scorer; `again` says that something was judged more than once."""

    of: dict[int, Judged]
    again: bool


def judgements_in(
    connection: Connection, run: int, *, current: ColumnElement[bool], scorers: Sequence[int]
) -> Judgements:
    """How the judgements of a run ended, `current` scores; `scorers` are those that it is thought to have."""
    few = scorers if len(scorers) <= _FEW else ()
    each = [func.count().filter(one, scores.c.scorer == scorer) for scorer in few for one in (_scored, _own)]
    counted = connection.execute(select(*_totals, *each).where(current), {"run": run}).one()
    (scored, made, paid, ended, attempt), of_each = counted[: len(_totals)], counted[len(_totals) :]
    found: defaultdict[int, Judged] = defaultdict(Judged)
    if (scored, made) == (sum(of_each[::2]), sum(of_each[1::2])):
        rows = list(zip(few, of_each[::2], of_each[1::2], strict=True))
    else:
        rows = [(row[0], row[1], row[2]) for row in connection.execute(_grouped.where(current), {"run": run})]
    for scorer, scored_by, made_by in rows:
        found[scorer].scored, found[scorer].made = scored_by, made_by
    unscored = _unscored.where(current)
    if attempt:
        unscored = unscored.where(last_attempt_in_run())
        last = dict(map(tuple, connection.execute(_last.where(current), {"run": run})))
        for scorer, judged in found.items():
            judged.scored = last.get(scorer, 0)
    if ended > scored:
        for row in connection.execute(unscored, {"run": run}):
            found[row.scorer].unscored.append(row)
    if paid:
        for row in connection.execute(_spent, {"run": run}):
            found[row.scorer].spent.append(row)
    for row in connection.execute(_late, {"run": run}):
        found[row.scorer].made += row.made
        found[row.scorer].spent.append(row)
    return Judgements(of=dict(found), again=attempt > 0)
