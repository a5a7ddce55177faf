"""The numbers of a run's summary: the database counts, and the sums are exact in whatever order they are added."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from functools import cached_property
from itertools import compress, repeat
from math import fsum
from typing import TYPE_CHECKING, NamedTuple, cast

from sqlalchemy import func, select

from rejudge.domain.case import ExecutionStatus
from rejudge.domain.scale import Outcome
from rejudge.storage.bulk import blocks
from rejudge.storage.cells import text_of
from rejudge.storage.codes import EXECUTION, OUTCOME
from rejudge.storage.current_scores import RUN, all_in_run, last_attempt_in_run
from rejudge.storage.judged_counts import Judged, judgements_in
from rejudge.storage.records import (
    CaseCounts,
    LabelCount,
    RunCounts,
    TrialCount,
    ValueMoments,
    trial_counts,
)
from rejudge.storage.schema import cases, score_values, scorers, scores, traces

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection

    from rejudge.storage.bulk import AnySelect


def _how_many(status: ExecutionStatus) -> ColumnElement[int]:
    return func.count().filter(cases.c.status == EXECUTION.numbers[status])


_executed = select(
    _how_many(ExecutionStatus.COMPLETED).label("completed"),
    _how_many(ExecutionStatus.SKIPPED).label("skipped"),
    _how_many(ExecutionStatus.ERROR).label("errors"),
    func.coalesce(func.max(cases.c.trial), 0).label("last_trial"),
).where(cases.c.run == RUN)
_elsewhere = (
    select(traces.c.item, cases.c.item)
    .join_from(cases, traces, traces.c.id == cases.c.trace)
    .where(cases.c.run == RUN, traces.c.item != cases.c.item)
)
_digests = select(scorers.c.id, scorers.c.digest)
_values = select(
    scores.c.scorer,
    score_values.c.name,
    scores.c.trace,
    score_values.c.number,
    score_values.c.label,
    score_values.c.outcome,
).join_from(scores, score_values, score_values.c.score == scores.c.id)
_item_of = (
    select(scores.c.trace, func.max(traces.c.item))
    .join_from(scores, traces, traces.c.id == scores.c.trace)
    .group_by(scores.c.trace)
)

_PASSED = OUTCOME.numbers[Outcome.PASSED]
_UNJUDGED = -1
_BINARY = frozenset({0.0, 1.0})
_GLANCE = 64
"""So many values mostly tell already that not all are 0 or 1."""


class _Columns(NamedTuple):
    """Values as the database gives them, column by column."""

    traces: tuple[int, ...]
    numbers: tuple[float | None, ...]
    labels: tuple[str | None, ...]
    outcomes: tuple[int | None, ...]

    def where(self, chosen: Sequence[bool]) -> _Columns:
        """The chosen rows."""
        return _Columns(
            tuple(compress(self.traces, chosen)),
            tuple(compress(self.numbers, chosen)),
            tuple(compress(self.labels, chosen)),
            tuple(compress(self.outcomes, chosen)),
        )


class _Values:
    """The values of one name, packed: numbers with their traces and outcomes, and labels."""

    def __init__(self) -> None:
        self._traces = array("q")
        self.numbers = array("d")
        self._outcomes = array("b")
        self.labels: Counter[str] = Counter()
        self.item_of: Mapping[int, int] | None = None
        """The item of each trace; None where every item has one trace."""

    def add(self, columns: _Columns) -> None:
        """Take in columns of equal length."""
        if None in columns.numbers:
            self.labels.update(label for label in columns.labels if label is not None)
            columns = columns.where([number is not None for number in columns.numbers])
        self._traces.extend(columns.traces)
        self.numbers.extend(cast("Sequence[float]", columns.numbers))
        unjudged = columns.outcomes.count(None)
        if unjudged == len(columns.outcomes):
            self._outcomes.extend(repeat(_UNJUDGED, unjudged))
        elif unjudged:
            self._outcomes.extend(_UNJUDGED if one is None else one for one in columns.outcomes)
        else:
            self._outcomes.extend(cast("tuple[int, ...]", columns.outcomes))

    @property
    def judged(self) -> int:
        """How many numbers have an outcome."""
        return len(self._outcomes) - self._outcomes.count(_UNJUDGED)

    @cached_property
    def _items(self) -> Sequence[int] | None:
        """The item of each number; None where no item has two."""
        if self.item_of is None and len(set(self._traces)) == len(self._traces):
            return None
        return self._traces if self.item_of is None else [self.item_of[trace] for trace in self._traces]

    def means(self) -> list[float]:
        """The mean of each item."""
        if self._items is None:
            return self.numbers.tolist()
        of_item: defaultdict[int, list[float]] = defaultdict(list)
        for item, number in zip(self._items, self.numbers, strict=True):
            of_item[item].append(number)
        return [fsum(numbers) / len(numbers) for numbers in of_item.values()]

    def trials(self) -> tuple[TrialCount, ...]:
        """How often items passed."""
        if self._items is None:
            passed = self._outcomes.count(_PASSED)
            once = ((0, self.judged - passed), (1, passed))
            return tuple(TrialCount(scored=1, passed=passed, items=items) for passed, items in once if items)
        of_item: defaultdict[int, list[bool]] = defaultdict(list)
        for item, outcome in zip(self._items, self._outcomes, strict=True):
            if outcome != _UNJUDGED:
                of_item[item].append(outcome == _PASSED)
        return trial_counts(of_item.values())


def run_counts(connection: Connection, run: int, *, order: Sequence[bytes]) -> RunCounts:
    """The numbers of a run; the scorers in `order` come first, also those that judged nothing yet."""
    executed = connection.execute(_executed, {"run": run}).one()
    digest_of: dict[int, bytes] = dict(map(tuple, connection.execute(_digests)))
    wanted = set(order)
    named = [ref for ref, digest in digest_of.items() if digest in wanted]
    current = all_in_run(connection, run)
    judgements = judgements_in(connection, run, current=current, scorers=named)
    judged = {digest_of[ref]: one for ref, one in judgements.of.items()}
    values = _values.where(current, *([last_attempt_in_run()] if judgements.again else []))
    groups = _grouped(connection, values, run)
    if executed.last_trial:
        # A reused trace may be of an older version of its item: both are one item.
        newer = dict(map(tuple, connection.execute(_elsewhere, {"run": run})))
        found = connection.execute(_item_of.where(current), {"run": run})
        item_of = {trace: newer.get(item, item) for trace, item in found}
        for group in groups.values():
            group.item_of = item_of
    judging = list(dict.fromkeys([*order, *(scorer for scorer in digest_of.values() if scorer in judged)]))
    place = {scorer: number for number, scorer in enumerate(judging)}
    ordered = sorted(
        ((digest_of[ref], name, group) for (ref, name), group in groups.items()),
        key=lambda one: (place[one[0]], one[1]),
    )
    return RunCounts(
        cases=CaseCounts(completed=executed.completed, skipped=executed.skipped, errors=executed.errors),
        scores=tuple(judged.get(scorer, Judged()).counts(scorer) for scorer in judging),
        moments=tuple(_moments(*one) for one in ordered if one[2].numbers),
        labels=tuple(label for one in ordered for label in _label_counts(*one)),
    )


def _grouped(connection: Connection, values: AnySelect, run: int) -> dict[tuple[int, str], _Values]:
    """The values by their scorer and name."""
    groups: defaultdict[tuple[int, str], _Values] = defaultdict(_Values)
    for rows in blocks(connection.execute(values, {"run": run})):
        scorer, name, *rest = zip(*rows, strict=True)
        columns = _Columns(*rest)
        if scorer.count(scorer[0]) == len(rows) == name.count(name[0]):
            groups[scorer[0], name[0]].add(columns)
            continue
        of = list(zip(scorer, name, strict=True))
        for group in dict.fromkeys(of):
            groups[group].add(columns.where([one == group for one in of]))
    return {(scorer, text_of(name)): group for (scorer, name), group in groups.items()}


def _moments(scorer: bytes, name: str, values: _Values) -> ValueMoments:
    means = values.means()
    binary = set(means[:_GLANCE]) <= _BINARY and set(means) <= _BINARY
    ones = means.count(1.0) if binary else 0
    if binary:
        total = float(ones)
        mean = total / len(means)
        squares = ones * (1 - mean) ** 2 + (len(means) - ones) * mean**2
    else:
        total = fsum(means)
        mean = total / len(means)
        squares = fsum([(one - mean) ** 2 for one in means])
    return ValueMoments(
        scorer=scorer,
        name=name,
        items=len(means),
        values=len(values.numbers),
        mean=mean,
        squares=squares,
        minimum=min(means),
        maximum=max(means),
        binary=binary,
        total=total if len(means) == len(values.numbers) else fsum(values.numbers),
        judged=values.judged,
        trials=values.trials(),
    )


def _label_counts(scorer: bytes, name: str, values: _Values) -> list[LabelCount]:
    labels = sorted((text_of(label), count) for label, count in values.labels.items())
    return [LabelCount(scorer=scorer, name=name, label=label, count=count) for label, count in labels]
