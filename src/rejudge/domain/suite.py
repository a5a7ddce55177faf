"""A suite: the part of an experiment's protocol that says when its items pass, and what follows from their runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct, ValidationError, convert, to_builtins

from rejudge.domain.case import QualityStatus
from rejudge.domain.errors import RecordError
from rejudge.domain.policy import ExecutionPolicy, MergedPolicy, merged, policy_of

SUITE: Final = "suite"
"""The key of the protocol that holds the rules."""


class SuiteRules(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What holds for all items of a suite: the policy, the assertions, the scorers by id, and the model that judges.

    Items have policies and scorers of their own beside these; those belong to the dataset version.
    """

    policy: ExecutionPolicy = ExecutionPolicy()
    assertions: tuple[str, ...] = ()
    scorers: tuple[str, ...] = ()
    model: str | None = None

    def protocol(self) -> dict[str, object]:
        """The rules as an experiment keeps them."""
        return {SUITE: to_builtins(self)}

    def policy_for(self, stated: object, *, item: str) -> MergedPolicy:
        """The policy of an item that states this one; raises ConfigurationError, naming the item."""
        return merged(self.policy, policy_of(stated, item=item))


def rules_in(protocol: Mapping[str, object]) -> SuiteRules | None:
    """The rules of an experiment with this protocol; None where it is no suite."""
    stated = protocol.get(SUITE)
    if stated is None:
        return None
    try:
        return convert(stated, SuiteRules)
    except ValidationError as error:
        raise RecordError(f"the protocol's suite cannot be read: {error}") from None


class SuiteStatus(StrEnum):
    """What a suite came to."""

    PASSED = "passed"
    FAILED = "failed"
    NEEDS_HUMAN_REVIEW = "needs_human_review"
    NOT_EVALUATED = "not_evaluated"
    EMPTY = "empty"


def item_quality(runs: Sequence[QualityStatus], threshold: int) -> QualityStatus:
    """Whether an item passes: enough of its runs pass, or not enough can pass any more.

    In between stands what the undecided runs leave open: a review, or runs that could not be evaluated.
    """
    passed = runs.count(QualityStatus.PASSED)
    if passed >= threshold:
        return QualityStatus.PASSED
    reviews = runs.count(QualityStatus.NEEDS_HUMAN_REVIEW)
    if passed + reviews + runs.count(QualityStatus.NOT_EVALUATED) < threshold:
        return QualityStatus.FAILED
    return QualityStatus.NEEDS_HUMAN_REVIEW if passed + reviews >= threshold else QualityStatus.NOT_EVALUATED


def suite_status(items: Iterable[QualityStatus]) -> SuiteStatus:
    """What a suite of such items came to: it passes if all of them do, and fails if one does."""
    found = set(items)
    if not found:
        return SuiteStatus.EMPTY
    order = (QualityStatus.FAILED, QualityStatus.NOT_EVALUATED, QualityStatus.NEEDS_HUMAN_REVIEW, QualityStatus.PASSED)
    return SuiteStatus(next(status for status in order if status in found).value)
