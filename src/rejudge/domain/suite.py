"""A suite's rules: the part of an experiment's protocol that says when its items pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct, ValidationError, convert, to_builtins

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
