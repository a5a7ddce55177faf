"""Pairs: a scorer's value and a label for one trace, on a scale that both sides share."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from rejudge.domain.calibration import Pairs
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.scale import Direction, Outcome, ScoreSpec, ScoreType
from rejudge.domain.score import ScoreStatus
from rejudge.review.judgements import value_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.score import ScoreValue
    from rejudge.review.judgements import Case
    from rejudge.review.sides import OtherSide

PairValue: TypeAlias = "float | str"
"""What either side of a pair says: a number or a label."""

_SIGNED = {Outcome.PASSED: 1.0, Outcome.FAILED: 0.0}


class Basis(StrEnum):
    """What of both sides is compared: the values, or only whether they pass."""

    VALUES = "values"
    OUTCOMES = "outcomes"


class Pair(Struct, frozen=True, kw_only=True):
    """One trace with both sides: `judge` is the calibrated scorer's, `other` that of people or of another scorer.

    `reason` is the scorer's.
    """

    trace: bytes
    item_id: str
    trial: int
    run_id: str
    judge: PairValue
    other: PairValue
    reason: str


def comparable(judge: ScoreSpec, other: ScoreSpec) -> Basis:
    """What can be compared: values on one scale, else the outcomes of both; raises ConfigurationError for neither."""
    labels = [spec.type is ScoreType.LABEL for spec in (judge, other)]
    directions = {judge.direction, other.direction} - {Direction.INFORMATIONAL}
    if all(labels):
        return Basis.VALUES
    if not any(labels) and len(directions) < 2 and _ranges_fit(judge, other):
        return Basis.VALUES
    if judge.has_outcome and other.has_outcome:
        return Basis.OUTCOMES
    raise ConfigurationError(
        f"{_told(judge)} and {_told(other)} are not on one scale",
        fix="let both be one type with one range, or say from which value on each passes (passes_at, passing_labels)",
    )


def pairs_of(
    cases: Sequence[Case], judge: tuple[bytes, ScoreSpec], side: OtherSide, compared: Basis
) -> tuple[list[Pair], Pairs]:
    """The pairs in the order of the cases, and what became of every labelled trace, and of those that are open.

    `judge` is the scorer's digest and the score that is meant.
    """
    labels, undecided = side.labels, side.open
    scorer, spec = judge
    pairs: list[Pair] = []
    outcomes: list[Outcome | None] = []
    ended = {ScoreStatus.SKIPPED: 0, ScoreStatus.ERROR: 0}
    unjudged = deferred = 0
    labelled = [case for case in cases if case.trace in labels]
    for case in labelled:
        score, label = case.said.get(scorer), labels[case.trace]
        value = value_in(score, spec.key)
        if Outcome.NEEDS_HUMAN_REVIEW in (label.outcome, None if value is None else value.outcome):
            deferred += 1
            continue
        sides = None if value is None else _sides(value, label, compared)
        if score is not None and value is not None and sides is not None:
            outcomes.append(label.outcome)
            pairs.append(
                Pair(
                    trace=case.trace,
                    item_id=case.item_id,
                    trial=case.trial,
                    run_id=case.run_id,
                    judge=sides[0],
                    other=sides[1],
                    reason=score.reason,
                )
            )
        elif score is not None and score.status in ended:
            ended[score.status] += 1
        else:
            unjudged += 1
    by_item = {outcome: _items(pairs, outcomes, outcome) for outcome in _SIGNED}
    known = bool(pairs) and all(outcome in _SIGNED for outcome in outcomes)
    return pairs, Pairs(
        n=len(pairs),
        items=len({pair.item_id for pair in pairs}),
        skipped=ended[ScoreStatus.SKIPPED],
        errors=ended[ScoreStatus.ERROR],
        unjudged=unjudged,
        deferred=deferred,
        elsewhere=len(labels) - len(labelled),
        passed=outcomes.count(Outcome.PASSED) if known else None,
        failed=outcomes.count(Outcome.FAILED) if known else None,
        open=sum(case.trace in undecided for case in cases),
        passed_items=by_item[Outcome.PASSED] if known else None,
        failed_items=by_item[Outcome.FAILED] if known else None,
    )


def _items(pairs: Sequence[Pair], outcomes: Sequence[Outcome | None], outcome: Outcome) -> int:
    """Of how many items some pair has this outcome."""
    return len({pair.item_id for pair, one in zip(pairs, outcomes, strict=True) if one is outcome})


def _sides(value: ScoreValue, label: ScoreValue, compared: Basis) -> tuple[PairValue, PairValue] | None:
    """Both sides as they are compared; None where one of them has nothing of that kind."""
    if compared is Basis.OUTCOMES:
        if value.outcome not in _SIGNED or label.outcome not in _SIGNED:
            return None
        return _SIGNED[value.outcome], _SIGNED[label.outcome]
    one, other = _plain(value), _plain(label)
    if one is None or other is None or isinstance(one, str) is not isinstance(other, str):
        return None
    return one, other


def _plain(value: ScoreValue) -> PairValue | None:
    return value.label if value.number is None else value.number


def _ranges_fit(judge: ScoreSpec, other: ScoreSpec) -> bool:
    undeclared = (None, None)
    return judge.range == other.range or (judge.type is other.type and undeclared in (judge.range, other.range))


def _told(spec: ScoreSpec) -> str:
    low, high = spec.range
    ends = "" if low is None and high is None else f" from {_end(low)} to {_end(high)}"
    return f"{spec.name!r} ({spec.type.value}{ends})"


def _end(bound: float | None) -> str:
    return "∞" if bound is None else f"{bound:g}"
