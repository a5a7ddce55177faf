"""The numbers of a run's summary: the database counts, and the sums are exact in whatever order they are added."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from math import fsum
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from rejudge.domain.case import ExecutionStatus
from rejudge.domain.scale import Outcome
from rejudge.domain.score import ScoreStatus
from rejudge.storage.cells import text_of
from rejudge.storage.codes import EXECUTION, OUTCOME, SCORING
from rejudge.storage.current_scores import RUN, in_run, last_attempt_in_run
from rejudge.storage.records import (
    CaseCounts,
    LabelCount,
    RunCounts,
    ScoreCounts,
    TrialCount,
    ValueMoments,
    trial_counts,
)
from rejudge.storage.schema import cases, score_values, scorers, scores, traces

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection

    from rejudge.storage.bulk import AnyRow


def _how_many(status: ExecutionStatus) -> ColumnElement[int]:
    return func.count().filter(cases.c.status == EXECUTION.numbers[status])


_made = traces.c.run == cases.c.run
_executed = (
    select(
        _how_many(ExecutionStatus.COMPLETED).label("completed"),
        _how_many(ExecutionStatus.SKIPPED).label("skipped"),
        _how_many(ExecutionStatus.ERROR).label("errors"),
        func.count().filter(~_made).label("reused"),
        func.count().filter(traces.c.item != cases.c.item).label("elsewhere"),
        func.sum(traces.c.cost).filter(_made).label("cost"),
        func.count(traces.c.cost).filter(_made).label("known_costs"),
        func.sum(traces.c.input_tokens).filter(_made).label("input_tokens"),
        func.sum(traces.c.output_tokens).filter(_made).label("output_tokens"),
        func.coalesce(func.sum(traces.c.seconds).filter(_made), 0.0).label("seconds"),
    )
    .outerjoin_from(cases, traces, traces.c.id == cases.c.trace)
    .where(cases.c.run == RUN)
)
_elsewhere = (
    select(traces.c.item, cases.c.item)
    .join_from(cases, traces, traces.c.id == cases.c.trace)
    .where(cases.c.run == RUN, traces.c.item != cases.c.item)
)
_ended = (
    select(
        scorers.c.digest,
        scores.c.status,
        scores.c.cause,
        func.count().label("ended"),
        func.max(scores.c.attempt).label("attempt"),
    )
    .join_from(scores, scorers, scorers.c.id == scores.c.scorer)
    .where(in_run())
    .group_by(scores.c.scorer, scores.c.status, scores.c.cause)
)
_spent = (
    select(
        scorers.c.digest,
        func.count().label("made"),
        func.sum(scores.c.cost).label("cost"),
        func.count(scores.c.cost).label("known_costs"),
        func.sum(scores.c.input_tokens).label("input_tokens"),
        func.sum(scores.c.output_tokens).label("output_tokens"),
    )
    .join_from(scores, scorers, scorers.c.id == scores.c.scorer)
    .where(scores.c.run == RUN)
    .group_by(scores.c.scorer)
)
_values = (
    select(
        scorers.c.digest,
        score_values.c.name,
        traces.c.item,
        score_values.c.number,
        score_values.c.label,
        score_values.c.outcome,
    )
    .join_from(scores, score_values, score_values.c.score == scores.c.id)
    .join(scorers, scorers.c.id == scores.c.scorer)
    .join(traces, traces.c.id == scores.c.trace)
    .where(in_run())
)

_PASSED = OUTCOME.numbers[Outcome.PASSED]
_UNJUDGED = -1

_SPENT = ("made", "cost", "known_costs", "input_tokens", "output_tokens")


class _Values:
    """The values of one name, packed."""

    def __init__(self) -> None:
        self.items = array("q")
        self.numbers = array("d")
        self.outcomes = array("b")
        self.labels: Counter[str] = Counter()

    def means(self) -> list[float]:
        """The mean of each item."""
        if len(set(self.items)) == len(self.items):
            return self.numbers.tolist()
        of_item: defaultdict[int, list[float]] = defaultdict(list)
        for item, number in zip(self.items, self.numbers, strict=True):
            of_item[item].append(number)
        return [fsum(numbers) / len(numbers) for numbers in of_item.values()]

    def trials(self) -> tuple[TrialCount, ...]:
        """How often items passed."""
        if len(set(self.items)) == len(self.items):
            once = ((passed, self.outcomes.count(passed)) for passed in (0, 1))
            return tuple(TrialCount(scored=1, passed=passed, items=items) for passed, items in once if items)
        of_item: defaultdict[int, list[bool]] = defaultdict(list)
        for item, outcome in zip(self.items, self.outcomes, strict=True):
            if outcome != _UNJUDGED:
                of_item[item].append(bool(outcome))
        return trial_counts(of_item.values())


def run_counts(connection: Connection, run: int, *, order: Sequence[bytes]) -> RunCounts:
    """The numbers of a run; the scorers in `order` come first, also those that judged nothing yet."""
    executed = connection.execute(_executed, {"run": run}).one()
    ended, values = connection.execute(_ended, {"run": run}).all(), _values
    if any(row.attempt for row in ended):
        ended = connection.execute(_ended.where(last_attempt_in_run()), {"run": run}).all()
        values = values.where(last_attempt_in_run())
    spent = {row.digest: row for row in connection.execute(_spent, {"run": run})}
    # A reused trace may be of an older version of its item: both are one item.
    newer = dict(map(tuple, connection.execute(_elsewhere, {"run": run}))) if executed.elsewhere else {}
    groups = _grouped(connection.execute(values, {"run": run}), newer=newer)
    judging = list(dict.fromkeys([*order, *(row.digest for row in ended)]))
    place = {scorer: number for number, scorer in enumerate(judging)}
    named = sorted(groups, key=lambda group: (place[group[0]], group[1]))
    of_scorer: defaultdict[bytes, list[AnyRow]] = defaultdict(list)
    for row in ended:
        of_scorer[row.digest].append(row)
    return RunCounts(
        cases=CaseCounts(
            completed=executed.completed, skipped=executed.skipped, errors=executed.errors, reused=executed.reused
        ),
        scores=tuple(_score_counts(scorer, of_scorer[scorer], spent.get(scorer)) for scorer in judging),
        moments=tuple(_moments(*name, groups[name]) for name in named if groups[name].numbers),
        labels=tuple(label for name in named for label in _label_counts(*name, groups[name])),
        cost=executed.cost,
        known_costs=executed.known_costs,
        input_tokens=executed.input_tokens,
        output_tokens=executed.output_tokens,
        seconds=executed.seconds,
    )


def _grouped(rows: Iterable[AnyRow], *, newer: Mapping[int, int]) -> dict[tuple[bytes, str], _Values]:
    groups: defaultdict[tuple[bytes, str], _Values] = defaultdict(_Values)
    for scorer, name, item, number, label, outcome in rows:
        group = groups[scorer, name]
        if number is not None:
            group.items.append(newer.get(item, item))
            group.numbers.append(number)
            group.outcomes.append(_UNJUDGED if outcome is None else outcome == _PASSED)
        if label is not None:
            group.labels[label] += 1
    return {(scorer, text_of(name)): group for (scorer, name), group in groups.items()}


def _score_counts(scorer: bytes, rows: Sequence[AnyRow], spent: AnyRow | None) -> ScoreCounts:
    ended: Counter[ScoreStatus] = Counter()
    causes: Counter[str] = Counter()
    for row in rows:
        status = SCORING.members[row.status]
        ended[status] += row.ended
        if status is ScoreStatus.SKIPPED:
            causes[text_of(row.cause or "")] += row.ended
    return ScoreCounts(
        scorer=scorer,
        scored=ended[ScoreStatus.SCORED],
        skipped=ended[ScoreStatus.SKIPPED],
        errors=ended[ScoreStatus.ERROR],
        causes=dict(sorted(causes.items())),
        **({} if spent is None else {name: getattr(spent, name) for name in _SPENT}),
    )


def _moments(scorer: bytes, name: str, values: _Values) -> ValueMoments:
    means = values.means()
    mean = fsum(means) / len(means)
    return ValueMoments(
        scorer=scorer,
        name=name,
        items=len(means),
        values=len(values.numbers),
        mean=mean,
        squares=fsum((one - mean) ** 2 for one in means),
        minimum=min(means),
        maximum=max(means),
        binary=all(one in (0.0, 1.0) for one in means),
        total=fsum(values.numbers),
        judged=sum(outcome != _UNJUDGED for outcome in values.outcomes),
        trials=values.trials(),
    )


def _label_counts(scorer: bytes, name: str, values: _Values) -> list[LabelCount]:
    labels = sorted((text_of(label), count) for label, count in values.labels.items())
    return [LabelCount(scorer=scorer, name=name, label=label, count=count) for label, count in labels]
