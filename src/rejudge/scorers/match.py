"""The kinds that compare one value with one expectation: equal to it, containing it, or matching a pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

from msgspec import UNSET, Meta, UnsetType

from rejudge.domain.view import as_text
from rejudge.scorers.comparison import lower_text, same, same_in_any_case
from rejudge.scorers.deterministic import Deterministic, Reading, scorer_of
from rejudge.scorers.expectation import CaseSensitive, ReferenceExpression, ReferenceKey, ValueExpression, pair
from rejudge.scorers.extraction import judged
from rejudge.scorers.gap import Gap
from rejudge.scorers.pattern import compiled
from rejudge.scorers.wording import quoted

if TYPE_CHECKING:
    from rejudge.domain.view import View
    from rejudge.scorers.scorer import Scorer

VERSION: Final = 1
"""Counts the changes in what these kinds do with equal parameters; part of every scorer's id."""


class ExactMatch(Deterministic, frozen=True, kw_only=True):
    """Passes where the value equals what is expected: text as it stands, objects in any order of keys."""

    value_expression: ValueExpression = UNSET
    expected_value: Annotated[object, Meta(description="What is expected of every item.")] = UNSET
    reference_key: ReferenceKey = UNSET
    reference_expression: ReferenceExpression = UNSET
    case_sensitive: CaseSensitive = True

    def scorer(self) -> Scorer:
        """The scorer that compares for equality."""
        equal = same if self.case_sensitive else same_in_any_case

        def difference(value: object, wanted: object) -> str | None:
            return None if equal(value, wanted) else f"expected {quoted(wanted)}, got {quoted(value)}"

        sides = pair(self, literal=self.expected_value, called="expected_value")
        return scorer_of(self, sides.check(difference), kind="exact_match", version=VERSION, reading=sides.reading)


class Contains(Deterministic, frozen=True, kw_only=True):
    """Passes where the value as text contains a text, or where it does not."""

    value_expression: ValueExpression = UNSET
    substring: Annotated[str | UnsetType, Meta(description="The text to look for in every item.")] = UNSET
    reference_key: ReferenceKey = UNSET
    reference_expression: ReferenceExpression = UNSET
    case_sensitive: CaseSensitive = True
    mode: Annotated[
        Literal["must_contain", "must_not_contain"], Meta(description="Whether finding the text is a pass or a fail.")
    ] = "must_contain"

    def scorer(self) -> Scorer:
        """The scorer that looks for a text."""
        read = as_text if self.case_sensitive else lower_text
        wanted = self.mode == "must_contain"
        told = "not found" if wanted else "found"

        def difference(value: object, part: object) -> str | None:
            return None if (read(part) in read(value)) is wanted else f"{quoted(part)} {told} in {quoted(value)}"

        sides = pair(self, literal=self.substring, called="substring")
        return scorer_of(self, sides.check(difference), kind="contains", version=VERSION, reading=sides.reading)


class PatternMatch(Deterministic, frozen=True, kw_only=True):
    """Passes where a regular expression matches anywhere in the value as text, or where it matches nowhere.

    The pattern is written as for Python's `re`, without flags; `(?i)` and the like go into it. A match that takes more
    than a second of processor time is given up, which is an error of that item: no pattern can hold up an evaluation.
    """

    pattern: Annotated[str, Meta(description="A regular expression.")]
    value_expression: ValueExpression = UNSET
    mode: Annotated[
        Literal["must_match", "must_not_match"], Meta(description="Whether a match is a pass or a fail.")
    ] = "must_match"

    def scorer(self) -> Scorer:
        """The scorer that looks for a match."""
        search = compiled(self.pattern, called="pattern").search
        side = judged(self.value_expression)
        wanted = self.mode == "must_match"

        def check(view: View) -> str | Gap | None:
            value = side.extract(view)
            if isinstance(value, Gap):
                return value
            found = search(as_text(value))
            if (found is not None) is wanted:
                return None
            if found is None:
                return f"pattern '{self.pattern}' not found in {quoted(value)}"
            return f"pattern '{self.pattern}' found in {quoted(value)}: {quoted(found[0])}"

        return scorer_of(
            self, check, kind="pattern_match", version=VERSION, reading=Reading(sees=side.sees, patterns=True)
        )
