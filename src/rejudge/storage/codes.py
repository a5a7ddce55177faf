"""The small numbers that stand for enum members in columns that every row has.

A member's number is its place here: append, and never reorder.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Generic, TypeVar

from rejudge.domain.case import ExecutionErrorType, ExecutionStatus
from rejudge.domain.scale import Outcome
from rejudge.domain.score import ScoreStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

_Member = TypeVar("_Member", bound=Enum)


class Codes(Generic[_Member]):
    """An enum's members as numbers and back."""

    def __init__(self, *members: _Member) -> None:
        self.numbers = {member: number for number, member in enumerate(members)}
        self.members = members
        self._cells = dict(zip((None, *members), (None, *range(len(members))), strict=True))

    def column(self, members: Sequence[_Member | None]) -> list[int | None]:
        """The cells of these members: mostly all are one, and to look each up would cost as much as a row."""
        if members and members.count(members[0]) == len(members):
            return [self._cells[members[0]]] * len(members)
        return [self._cells[member] for member in members]


EXECUTION = Codes(
    ExecutionStatus.PENDING,
    ExecutionStatus.RUNNING,
    ExecutionStatus.COMPLETED,
    ExecutionStatus.SKIPPED,
    ExecutionStatus.ERROR,
)
EXECUTION_ERROR = Codes(
    ExecutionErrorType.NONE,
    ExecutionErrorType.SYSTEM_ERROR,
    ExecutionErrorType.TIMEOUT,
    ExecutionErrorType.ENVIRONMENT_ERROR,
)
SCORING = Codes(ScoreStatus.SCORED, ScoreStatus.SKIPPED, ScoreStatus.ERROR)
OUTCOME = Codes(Outcome.PASSED, Outcome.FAILED, Outcome.NEEDS_HUMAN_REVIEW)
