"""What the kinds share that compare one value with one expectation: their parameters, and both sides of a view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Protocol, TypeAlias

from msgspec import Meta, UnsetType

from rejudge.scorers.deterministic import Check, Reading
from rejudge.scorers.extraction import Operand, expected, judged
from rejudge.scorers.gap import Gap

if TYPE_CHECKING:
    from rejudge.domain.view import View

Difference: TypeAlias = "Callable[[object, object], str | Gap | None]"
"""Why a value is not what was expected, or what is not there; None where the value is right."""

ValueExpression: TypeAlias = Annotated[
    str | UnsetType,
    Meta(description="A Jinja2 expression for what is judged; the output as text (`final_message`), if left out."),
]
ReferenceKey: TypeAlias = Annotated[
    str | UnsetType, Meta(description="The reference field that holds what is expected.")
]
ReferenceExpression: TypeAlias = Annotated[
    str | UnsetType,
    Meta(description="A Jinja2 expression for what is expected; `reference` is the value at reference_key."),
]
CaseSensitive: TypeAlias = Annotated[bool, Meta(description="Whether upper and lower case differ.")]


class Expecting(Protocol):
    """Parameters that say what is judged, and where what is expected of an item is found."""

    @property
    def value_expression(self) -> str | UnsetType:
        """What is judged."""

    @property
    def reference_key(self) -> str | UnsetType:
        """The reference field that holds what is expected."""

    @property
    def reference_expression(self) -> str | UnsetType:
        """What is expected, made of the value at reference_key."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Both sides of a comparison."""

    value: Operand
    wanted: Operand

    @property
    def reading(self) -> Reading:
        """The item fields that both sides read."""
        value, wanted = self.value.sees, self.wanted.sees
        return Reading(
            needs=self.wanted.needs,
            sees=None if value is None or wanted is None else value | wanted,
            patterns=self.value.patterns or self.wanted.patterns,
        )

    def check(self, difference: Difference) -> Check:
        """The check that looks at the value first: a bad output fails even where the reference is missing."""
        value_of, wanted_of = self.value.extract, self.wanted.extract

        def check(view: View) -> str | Gap | None:
            found = value_of(view)
            if isinstance(found, Gap):
                return found
            reference = wanted_of(view)
            if isinstance(reference, Gap):
                return reference
            return difference(found, reference)

        return check


def pair(parameters: Expecting, *, literal: object, called: str) -> Pair:
    """What is judged, and what is expected: `literal`, given in the parameter `called`, or each item's reference.

    Raises ConfigurationError where not exactly one of them is given.
    """
    wanted = expected(literal, called=called, key=parameters.reference_key, through=parameters.reference_expression)
    return Pair(judged(parameters.value_expression), wanted)
