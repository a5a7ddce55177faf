"""What a case came to, and how its input, output and scores read in a line."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from rejudge.domain.case import ExecutionStatus
from rejudge.domain.item import content, given_to_all
from rejudge.domain.scale import Outcome, normalised
from rejudge.domain.score import ScoreStatus
from rejudge.domain.view import as_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rejudge.domain.item import Item
    from rejudge.domain.run_config import RunConfig
    from rejudge.domain.score import Score, ScoreValue
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.storage.records import CaseRow

PLAIN = (("passed", "1"), ("failed", "0"))
"""Outcomes to which their value adds nothing."""


class CaseKind(IntEnum):
    """What a case came to, in the order in which failures are shown first."""

    TASK_ERROR = 0
    SCORER_ERROR = 1
    FAILED = 2
    SKIPPED = 3
    OTHER = 4


def kind_of(row: CaseRow) -> CaseKind:
    """The first thing that went wrong with a case."""
    if row.case.execution_status is ExecutionStatus.ERROR:
        return CaseKind.TASK_ERROR
    statuses = {score.status for score in row.scores}
    if ScoreStatus.ERROR in statuses:
        return CaseKind.SCORER_ERROR
    if Outcome.FAILED in outcomes(row):
        return CaseKind.FAILED
    if row.case.execution_status is ExecutionStatus.SKIPPED or ScoreStatus.SKIPPED in statuses:
        return CaseKind.SKIPPED
    return CaseKind.OTHER


def verdict_of(row: CaseRow) -> str:
    """What a case came to, in words."""
    kind = kind_of(row)
    if kind is not CaseKind.OTHER:
        return kind.name.lower().replace("_", " ")
    found = outcomes(row)
    if Outcome.NEEDS_HUMAN_REVIEW in found:
        return "needs review"
    if found:
        return "passed"
    return "scored" if row.scores else row.case.execution_status.value


def outcomes(row: CaseRow) -> list[Outcome]:
    """The outcomes of a case's values, of those that have one."""
    return [value.outcome for score in row.scores for value in score.values if value.outcome is not None]


def input_of(item: Item, config: RunConfig, *, reference: Sequence[str]) -> str:
    """What the task was given of an item but its id: the only field as it is, several with their names."""
    names = given_to_all(item.fields, reference=reference) if config.given is None else config.given
    given = {name: item.fields[name] for name in names if name in item.fields} or item.fields
    given = content(item.id, given) or given
    texts = {name: as_text(value) for name, value in given.items()}
    if len(texts) == 1:
        return next(iter(texts.values()))
    return " · ".join(f"{name}: {text}" for name, text in texts.items())


def error_of(row: CaseRow) -> str:
    """What stopped the task."""
    error, tries = row.case.execution_error, len(row.case.attempts)
    after = f" after {tries} tries" if tries > 1 else ""
    return f"{error.type.value}{after}: {error.message}"


def output_of(row: CaseRow) -> str:
    """What came out of the task, or else what kept anything from coming out."""
    if row.trace is not None:
        return as_text(row.trace.produced.output)
    if row.case.execution_status is ExecutionStatus.ERROR:
        return error_of(row)
    return row.case.reason or ""


def scores_of(row: CaseRow, scorers: Mapping[bytes, ScorerConfig]) -> Iterator[tuple[str, str, bool]]:
    """Each score of a case as its name, what it came to with the reason, and whether that is good."""
    for score in row.scores:
        config = scorers.get(score.scorer)
        scorer = config.name if config else "unknown scorer"
        if score.status is not ScoreStatus.SCORED:
            yield scorer, _with_reason(score.status.value, score), False
        for value in score.values:
            good = value.outcome in (None, Outcome.PASSED)
            yield value_name(scorer, value.name), _with_reason(value_text(value), score), good


def value_name(scorer: str, value: str) -> str:
    """The name of a scorer's value: the scorer's own where they are the same, else both."""
    return scorer if normalised(scorer) == value else f"{scorer}.{value}"


def value_text(value: ScoreValue) -> str:
    """A value with its outcome: `failed`, `passed (0.8)`, `4.5`."""
    plain = value.label if value.label is not None else f"{value.number:.6g}"
    if value.outcome is None:
        return plain
    outcome = value.outcome.value.replace("_", " ")
    return outcome if (outcome, plain) in PLAIN else f"{outcome} ({plain})"


def _with_reason(text: str, score: Score) -> str:
    if score.status is ScoreStatus.SKIPPED and score.cause:
        text = f"{text} ({score.cause})"
    return f"{text}: {score.reason}" if score.reason else text
