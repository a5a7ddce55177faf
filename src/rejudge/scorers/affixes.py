"""starts_with and ends_with: what a text begins or ends with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from msgspec import UNSET, Meta, UnsetType

from rejudge.domain.verdict import Verdict
from rejudge.domain.view import View, as_text
from rejudge.scorers.comparison import lower_text
from rejudge.scorers.deterministic import Deterministic, scorer_of
from rejudge.scorers.expectation import CaseSensitive, ReferenceExpression, ReferenceKey, ValueExpression, pair
from rejudge.scorers.kind import Example, Kind
from rejudge.scorers.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

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
        return _looking(self, str.startswith, literal=self.prefix, called="prefix", verb="begin", kind="starts_with")


class EndsWith(Deterministic, frozen=True, kw_only=True):
    """Passes where the value as text ends with a text; nothing is trimmed first, no line break either."""

    value_expression: ValueExpression = UNSET
    suffix: Annotated[str | UnsetType, Meta(description="The end that is expected of every item.")] = UNSET
    reference_key: ReferenceKey = UNSET
    reference_expression: ReferenceExpression = UNSET
    case_sensitive: CaseSensitive = True

    def scorer(self) -> Scorer:
        """The scorer that looks at the end."""
        return _looking(self, str.endswith, literal=self.suffix, called="suffix", verb="end", kind="ends_with")


def _looking(
    parameters: StartsWith | EndsWith,
    holds: Callable[[str, str], bool],
    *,
    literal: object,
    called: str,
    verb: str,
    kind: str,
) -> Scorer:
    read = as_text if parameters.case_sensitive else lower_text

    def difference(value: object, wanted: object) -> str | None:
        return None if holds(read(value), read(wanted)) else f"{quoted(value)} does not {verb} with {quoted(wanted)}"

    sides = pair(parameters, literal=literal, called=called)
    return scorer_of(parameters, sides.check(difference), kind=kind, version=VERSION, reading=sides.reading)


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
