"""Adjudication: from what several people said of a trace to its gold label, by one of a few stated rules."""

from __future__ import annotations

from collections import Counter
from statistics import fmean, median
from typing import TYPE_CHECKING, assert_never

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.gold import GoldLabel, GoldRule, GoldVersion, OpenTrace
from rejudge.domain.rating import current
from rejudge.domain.scale import ScoreType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.rating import Rating, RatingSet
    from rejudge.domain.score import ScoreValue

_NUMERIC = (ScoreType.NUMBER, ScoreType.FIVE_STAR)
_SAME_DECIMALS = 9
"""Numbers that are equal to so many decimals are one value."""


def adjudicate(
    rating_set: RatingSet, ratings: Sequence[Rating], *, rule: GoldRule, adjudicator: str | None = None, at: float = 0.0
) -> GoldVersion:
    """The gold labels that the ratings of a set come to; a trace that the rule does not decide stays open.

    - `majority`: the value that more than half of the raters gave.
    - `unanimous`: the value that all raters gave.
    - `mean`, `median`: of numbers and stars.
    - `adjudicator`: the word of one named rater; where that one said nothing, what all others agree on.

    A single rating is a majority, and unanimous; the label says from how many raters it is. Raises ConfigurationError
    for a set without ratings, a rule that does not fit its scale, and an adjudicator who rated nothing.
    """
    counted = current(ratings)
    if not counted:
        raise ConfigurationError(
            f"rating set {rating_set.name!r} has no rating yet", fix="import some: rejudge ratings import"
        )
    if rule in (GoldRule.MEAN, GoldRule.MEDIAN) and rating_set.score.type not in _NUMERIC:
        raise ConfigurationError(
            f"a {rating_set.score.type.value} has no {rule.value}", fix="take the rule majority, or unanimous"
        )
    raters = {rating.rater for rating in counted}
    if rule is GoldRule.ADJUDICATOR and adjudicator not in raters:
        raise UnknownName.among("rater", adjudicator or "", raters)
    by_trace: dict[bytes, dict[str, ScoreValue]] = {}
    for rating in counted:
        by_trace.setdefault(rating.trace, {})[rating.rater] = rating.value
    labels, undecided = [], []
    for trace, said in by_trace.items():
        found = _decided(rating_set, said, rule, adjudicator)
        if isinstance(found, str):
            undecided.append(OpenTrace(trace=trace, why=found, said=tuple(said.items())))
        else:
            decider = adjudicator if adjudicator in said else None
            labels.append(GoldLabel(trace=trace, value=found, raters=len(said), adjudicator=decider))
    return GoldVersion(
        rating_set=rating_set.digest(),
        rule=rule,
        adjudicator=adjudicator,
        labels=tuple(labels),
        open=tuple(undecided),
        at=at,
    )


def labels_since(rating_set: RatingSet, ratings: Sequence[Rating], gold: GoldVersion) -> int:
    """How many traces have another label than in a gold version, or a first one, by the ratings that there are now."""
    now = adjudicate(rating_set, ratings, rule=gold.rule, adjudicator=gold.adjudicator)
    before, after = _labels(gold), _labels(now)
    return sum(trace not in before or before[trace] != label for trace, label in after.items())


def _decided(
    rating_set: RatingSet, said: dict[str, ScoreValue], rule: GoldRule, adjudicator: str | None
) -> ScoreValue | str:
    """The value that a rule makes of the raters' values, or why it makes none."""
    match rule:
        case GoldRule.MAJORITY:
            return _majority(list(said.values()))
        case GoldRule.UNANIMOUS:
            return _unanimous(list(said.values()))
        case GoldRule.MEAN:
            return rating_set.value(fmean(_numbers(said)))
        case GoldRule.MEDIAN:
            return rating_set.value(median(_numbers(said)))
        case GoldRule.ADJUDICATOR:
            if adjudicator in said:
                return said[adjudicator]
            found = _unanimous(list(said.values()))
            return f"{found}, and {adjudicator} has not rated it" if isinstance(found, str) else found
    assert_never(rule)


def _majority(values: Sequence[ScoreValue]) -> ScoreValue | str:
    (most, count), *_ = Counter(map(_same, values)).most_common(1)
    if 2 * count <= len(values):
        return f"no value has more than half of the {len(values)} ratings"
    return next(value for value in values if _same(value) == most)


def _unanimous(values: Sequence[ScoreValue]) -> ScoreValue | str:
    first, *others = values
    return "the raters differ" if any(_same(other) != _same(first) for other in others) else first


def _same(value: ScoreValue) -> float | str | None:
    return value.label if value.number is None else round(value.number, _SAME_DECIMALS)


def _numbers(said: dict[str, ScoreValue]) -> list[float]:
    return [value.number for value in said.values() if value.number is not None]


def _labels(gold: GoldVersion) -> dict[bytes, ScoreValue | None]:
    undecided: dict[bytes, ScoreValue | None] = dict.fromkeys(one.trace for one in gold.open)
    return undecided | {label.trace: label.value for label in gold.labels}
