"""What a deterministic scorer compares: the value it judges and the reference it expects."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias, cast

from rejudge.domain.verdict import Skip
from rejudge.scorers.gap import Gap
from rejudge.scorers.wording import listed

if TYPE_CHECKING:
    from rejudge.domain.view import View
    from rejudge.scorers.expression import Expression

Extract: TypeAlias = "Callable[[View], object]"
"""A function that takes a value out of a view, or answers with a Gap."""


def expression(text: str, *, parameter: str) -> Expression:
    """The compiled expression; the template library loads with the first one."""
    from rejudge.scorers.expression import Expression

    return Expression(text, parameter=parameter)


def judged(value_expression: Expression | None) -> Extract:
    """What is judged: the value of the expression, or the output as text."""
    if value_expression is not None:
        return value_expression.value
    return cast("Extract", attrgetter("final_message"))


def referred(key: str, reference_expression: Expression | None) -> Extract:
    """What is expected: the reference at `key`, through the expression where there is one."""

    def reference(view: View) -> object:
        data = view.reference_data
        if data is None:
            return Gap(Skip.MISSING_REFERENCE_KEY, f"no {key!r}: the item has no reference data")
        found = data.get(key)
        if found is None:
            what = "is null" if key in data else "is not in the reference data"
            return Gap(Skip.MISSING_REFERENCE_KEY, f"{key!r} {what}; {listed(data)}")
        return found if reference_expression is None else reference_expression.value(view, found)

    return reference
