from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.case import (
    CaseResult,
    ExecutionError,
    ExecutionErrorType,
    ExecutionStatus,
    QualityStatus,
    quality,
)
from rejudge.domain.scale import Outcome

PASSED, FAILED, REVIEW = Outcome.PASSED, Outcome.FAILED, Outcome.NEEDS_HUMAN_REVIEW
ERROR = None

outcomes = st.lists(st.sampled_from([PASSED, FAILED, REVIEW, ERROR]), max_size=6)


def case(status: ExecutionStatus, kind: ExecutionErrorType, completed_at: float | None) -> CaseResult:
    return CaseResult(
        run_id="r",
        item_id="i",
        position=0,
        trial=0,
        execution_status=status,
        execution_error=ExecutionError(type=kind),
        completed_at=completed_at,
    )


@pytest.mark.parametrize(("status", "kind"), list(product(ExecutionStatus, ExecutionErrorType)))
def test_a_case_has_an_error_type_exactly_when_it_ended_in_error(
    status: ExecutionStatus, kind: ExecutionErrorType
) -> None:
    ended = 1.0 if status in (ExecutionStatus.COMPLETED, ExecutionStatus.SKIPPED, ExecutionStatus.ERROR) else None
    if (status is ExecutionStatus.ERROR) == (kind is not ExecutionErrorType.NONE):
        assert case(status, kind, ended).execution_error.type is kind
        return
    with pytest.raises(ValueError, match="exactly when its status is error"):
        case(status, kind, ended)


@pytest.mark.parametrize("status", list(ExecutionStatus))
def test_a_case_has_an_end_exactly_when_it_ended(status: ExecutionStatus) -> None:
    kind = ExecutionErrorType.TIMEOUT if status is ExecutionStatus.ERROR else ExecutionErrorType.NONE
    open_still = status in (ExecutionStatus.PENDING, ExecutionStatus.RUNNING)
    assert case(status, kind, None if open_still else 1.0).execution_status is status
    with pytest.raises(ValueError, match="exactly when its status is terminal"):
        case(status, kind, 1.0 if open_still else None)


@pytest.mark.parametrize(
    ("required", "status"),
    [
        ([], "not_evaluated"),
        ([PASSED], "passed"),
        ([PASSED, PASSED], "passed"),
        ([PASSED, ERROR], "not_evaluated"),
        ([ERROR], "not_evaluated"),
        ([PASSED, ERROR, REVIEW], "needs_human_review"),
        ([PASSED, ERROR, REVIEW, FAILED], "failed"),
        ([FAILED, ERROR], "failed"),
    ],
)
def test_quality_follows_the_precedence_over_required_scorers(required: list[Outcome | None], status: str) -> None:
    assert quality(required).value == status


@given(outcomes, st.randoms())
def test_the_order_of_scorers_changes_no_quality(required: list[Outcome | None], random: object) -> None:
    mixed = list(required)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert quality(mixed) is quality(required)


@given(outcomes)
def test_a_scorer_error_makes_nothing_pass_and_nothing_fail(required: list[Outcome | None]) -> None:
    with_error = quality([*required, ERROR])
    assert with_error is not QualityStatus.PASSED
    assert (with_error is QualityStatus.FAILED) == (FAILED in required)


def test_outcomes_may_come_one_by_one() -> None:
    assert quality(outcome for outcome in [PASSED, FAILED]) is QualityStatus.FAILED
