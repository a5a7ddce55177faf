"""A case result: did one item execute in one run, and, from its scores, was it good."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.scale import Outcome
from rejudge.domain.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable


class ExecutionStatus(StrEnum):
    """Whether the task ran for this case."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    SKIPPED = "skipped"
    ERROR = "error"


class ExecutionErrorType(StrEnum):
    """Why it did not."""

    NONE = "none"
    SYSTEM_ERROR = "system_error"
    TIMEOUT = "timeout"
    ENVIRONMENT_ERROR = "environment_error"


class QualityStatus(StrEnum):
    """Whether what came out is good."""

    PASSED = "passed"
    FAILED = "failed"
    NEEDS_HUMAN_REVIEW = "needs_human_review"
    NOT_EVALUATED = "not_evaluated"


class ExecutionError(Struct, frozen=True, kw_only=True):
    """The type and message of what stopped the task."""

    type: ExecutionErrorType = ExecutionErrorType.NONE
    message: str = ""


class Attempt(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One try that did not give the stored trace: an error that was tried again, or spend that lost a race."""

    error: str
    seconds: float = 0.0
    waited: float = 0.0
    usage: Usage | None = None


class CaseResult(Struct, frozen=True, kw_only=True):
    """One item in one run: `position` is its place in the dataset version, `trial` its repeat.

    `trace` is the digest of the trace that was generated or, when `reused`, found. `reason` explains a skip.
    """

    run_id: str
    item_id: str
    position: int
    trial: int
    execution_status: ExecutionStatus
    execution_error: ExecutionError = ExecutionError()
    trace: bytes | None = None
    reused: bool = False
    reason: str | None = None
    attempts: tuple[Attempt, ...] = ()
    started_at: float | None = None
    completed_at: float | None = None

    def __post_init__(self) -> None:
        failed = self.execution_error.type is not ExecutionErrorType.NONE
        if (self.execution_status is ExecutionStatus.ERROR) != failed:
            raise ValueError("a case has an execution error exactly when its status is error")
        if (self.completed_at is not None) != (
            self.execution_status not in (ExecutionStatus.PENDING, ExecutionStatus.RUNNING)
        ):
            raise ValueError("a case has completed_at exactly when its status is terminal")


class HitRecord(Struct, frozen=True, kw_only=True):
    """One reuse: what kind of thing, its full key, which run made it, its result's digest, and when it was reused."""

    object_type: str
    key: bytes
    source_run: str
    result_hash: bytes
    hit_at: float


def quality(required: Iterable[Outcome | None]) -> QualityStatus:
    """The quality of a case from the outcomes of its required scores; None stands for an error or a skip."""
    outcomes = list(required)
    if Outcome.FAILED in outcomes:
        return QualityStatus.FAILED
    if Outcome.NEEDS_HUMAN_REVIEW in outcomes:
        return QualityStatus.NEEDS_HUMAN_REVIEW
    if not outcomes or None in outcomes:
        return QualityStatus.NOT_EVALUATED
    return QualityStatus.PASSED
