"""starts_with and ends_with: what a text begins or ends with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from msgspec import UNSET, Meta, UnsetType

from rejudge.domain.verdict import Verdict
from rejudge.domain.view import View, as_text
from rejudge.scorers.deterministic import Deterministic, scorer_of
from rejudge.scorers.expectation import CaseSensitive, ReferenceExpression, ReferenceKey, ValueExpression, pair
from rejudge.scorers.kind import Example, Kind
from rejudge.scorers.wording import quoted

if TYPE_CHECKING:
    from rejudge.scorers.scorer import Scorer

VERSION: Final = 1
"""Counts the changes in what these kinds do with equal parameters; part of every scorer's id."""


class StartsWith(Deterministic, frozen=True, kw_only=True):
    """Passes where the value as text begins with a text; nothing is trimmed first."""

    value_expression: ValueExpression = UNSET
    prefix: Annotated[str | UnsetType, Meta(description="The beginning that is expected of every item.")] = UNSET
    reference_key: ReferenceKey = UNSET
    reference_expression: ReferenceExpression = UNSET
    case_sensitive: CaseSensitive = True

    def scorer(self) -> Scorer:
        """The scorer that looks at the beginning."""
        read = as_text if self.case_sensitive else _lower

        def difference(value: object, wanted: object) -> str | None:
            if read(value).startswith(read(wanted)):
                return None
            return f"{quoted(value)} does not begin with {quoted(wanted)}"

        sides = pair(self, literal=self.prefix, called="prefix")
        return scorer_of(self, sides.check(difference), kind="starts_with", version=VERSION, reading=sides.reading)


class EndsWith(Deterministic, frozen=True, kw_only=True):
    """Passes where the value as text ends with a text; nothing is trimmed first, no line break either."""

    value_expression: ValueExpression = UNSET
    suffix: Annotated[str | UnsetType, Meta(description="The end that is expected of every item.")] = UNSET
    reference_key: ReferenceKey = UNSET
    reference_expression: ReferenceExpression = UNSET
    case_sensitive: CaseSensitive = True

    def scorer(self) -> Scorer:
        """The scorer that looks at the end."""
        read = as_text if self.case_sensitive else _lower

        def difference(value: object, wanted: object) -> str | None:
            if read(value).endswith(read(wanted)):
                return None
            return f"{quoted(value)} does not end with {quoted(wanted)}"

        sides = pair(self, literal=self.suffix, called="suffix")
        return scorer_of(self, sides.check(difference), kind="ends_with", version=VERSION, reading=sides.reading)


def _lower(value: object) -> str:
    return as_text(value).lower()


STARTS_WITH: Final = Kind(
    name="starts_with",
    parameters=StartsWith,
    examples=(
        Example(
            what="the output begins with the customer's name",
            parameters={"reference_key": "name", "case_sensitive": False},
            view=View(output="ADA, your kettle was sent.", reference_data={"name": "Ada"}),
            verdict=Verdict(values={"": 1.0}),
        ),
        Example(
            what="a greeting stands before the answer",
            parameters={"prefix": "SELECT "},
            view=View(output="Sure! SELECT 1"),
            verdict=Verdict(values={"": 0.0}, reason='"Sure! SELECT 1" does not begin with "SELECT "'),
        ),
    ),
)

ENDS_WITH: Final = Kind(
    name="ends_with",
    parameters=EndsWith,
    examples=(
        Example(
            what="the query ends with a semicolon",
            parameters={"suffix": ";"},
            view=View(output="SELECT 1;"),
            verdict=Verdict(values={"": 1.0}),
        ),
        Example(
            what="a line break stands behind the semicolon",
            parameters={"suffix": ";"},
            view=View(output="SELECT 1;\n"),
            verdict=Verdict(values={"": 0.0}, reason='"SELECT 1;\\n" does not end with ";"'),
        ),
        Example(
            what="what surrounds the text is trimmed by an expression",
            parameters={"value_expression": "final_message | trim", "suffix": ";"},
            view=View(output="SELECT 1;\n"),
            verdict=Verdict(values={"": 1.0}),
        ),
    ),
)
