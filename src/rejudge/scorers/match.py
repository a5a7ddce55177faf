"""The kinds that compare one value with one expectation: equal to it, containing it, or matching a pattern."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from rejudge.domain.canonical import canonical
from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View, as_text
from rejudge.scorers.comparison import same, same_in_any_case
from rejudge.scorers.deterministic import Check, Deterministic, Reading, scorer_of
from rejudge.scorers.extraction import Extract, expression, judged, referred
from rejudge.scorers.gap import Gap
from rejudge.scorers.kind import Example, Kind, constructor
from rejudge.scorers.scorer import Scorer
from rejudge.scorers.wording import quoted

if TYPE_CHECKING:
    from rejudge.scorers.expression import Expression

VERSION: Final = 1

Difference: TypeAlias = Callable[[object, object], str | None]
"""Why a value is not what was expected; None where it is."""

_Expression: TypeAlias = Annotated[
    str | UnsetType,
    Meta(description="A Jinja2 expression for what is judged; the output as text (`final_message`), if left out."),
]
_ReferenceKey: TypeAlias = Annotated[str | UnsetType, Meta(description="The reference field with what is expected.")]
_ReferenceExpression: TypeAlias = Annotated[
    str | UnsetType,
    Meta(description="A Jinja2 expression for what is expected; `reference` is the value at reference_key."),
]
_CaseSensitive: TypeAlias = Annotated[bool, Meta(description="Whether upper and lower case differ.")]


class ExactMatch(Deterministic, frozen=True, kw_only=True):
    """Passes where the value equals what is expected: text as it stands, objects in any order of keys."""

    value_expression: _Expression = UNSET
    expected_value: Annotated[object, Meta(description="What is expected, for every item.")] = UNSET
    reference_key: _ReferenceKey = UNSET
    reference_expression: _ReferenceExpression = UNSET
    case_sensitive: _CaseSensitive = True

    def scorer(self) -> Scorer:
        """The scorer that compares for equality."""
        sides = _sides(self, literal=self.expected_value, called="expected_value")
        equal = same if self.case_sensitive else same_in_any_case

        def difference(value: object, expected: object) -> str | None:
            return None if equal(value, expected) else f"expected {quoted(expected)}, got {quoted(value)}"

        return scorer_of(self, sides.check(difference), kind="exact_match", version=VERSION, reading=sides.reading)


class Contains(Deterministic, frozen=True, kw_only=True):
    """Passes where the value as text contains a text, or where it does not."""

    value_expression: _Expression = UNSET
    substring: Annotated[str | UnsetType, Meta(description="The text to look for, for every item.")] = UNSET
    reference_key: _ReferenceKey = UNSET
    reference_expression: _ReferenceExpression = UNSET
    case_sensitive: _CaseSensitive = True
    mode: Annotated[
        Literal["must_contain", "must_not_contain"], Meta(description="Whether finding the text is a pass or a fail.")
    ] = "must_contain"

    def scorer(self) -> Scorer:
        """The scorer that looks for a text."""
        sides = _sides(self, literal=self.substring, called="substring")
        wanted = self.mode == "must_contain"
        prepare = as_text if self.case_sensitive else _lower
        told = "not found" if wanted else "found"

        def difference(value: object, part: object) -> str | None:
            if (prepare(part) in prepare(value)) is wanted:
                return None
            return f"{quoted(part)} {told} in {quoted(value)}"

        return scorer_of(self, sides.check(difference), kind="contains", version=VERSION, reading=sides.reading)


class PatternMatch(Deterministic, frozen=True, kw_only=True):
    """Passes where a regular expression matches anywhere in the value as text, or where it does not.

    Python's `re` without flags; `(?i)` and the like go into the pattern. A pattern that backtracks without end
    (nested repeats such as `(a+)+$`) holds up the evaluation: no limit of time is set on a match.
    """

    pattern: Annotated[str, Meta(description="A regular expression.")]
    value_expression: _Expression = UNSET
    mode: Annotated[
        Literal["must_match", "must_not_match"], Meta(description="Whether a match is a pass or a fail.")
    ] = "must_match"

    def scorer(self) -> Scorer:
        """The scorer that looks for a match."""
        try:
            search = re.compile(self.pattern).search
        except (re.error, RecursionError, OverflowError) as error:
            raise ConfigurationError(f"pattern_match: pattern {quoted(self.pattern)} does not compile: {error}") from None
        value_expression = _compiled(self.value_expression, "value_expression")
        value_of = judged(value_expression)
        wanted = self.mode == "must_match"

        def check(view: View) -> str | Gap | None:
            value = value_of(view)
            if isinstance(value, Gap):
                return value
            found = search(as_text(value))
            if (found is not None) is wanted:
                return None
            if found is None:
                return f"pattern {quoted(self.pattern)} not found in {quoted(value)}"
            return f"pattern {quoted(self.pattern)} found in {quoted(value)}: {quoted(found[0])}"

        sees = value_expression.fields if value_expression else frozenset()
        return scorer_of(self, check, kind="pattern_match", version=VERSION, reading=Reading(sees=sees))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    """What is judged and what is expected of it."""

    value: Extract
    expected: Extract
    reading: Reading

    def check(self, difference: Difference) -> Check:
        """The check that looks at the value first: a bad output fails even where the reference is missing."""
        value_of, expected_of = self.value, self.expected

        def check(view: View) -> str | Gap | None:
            value = value_of(view)
            if type(value) is Gap:
                return value
            expected = expected_of(view)
            if type(expected) is Gap:
                return expected
            return difference(value, expected)

        return check


def _sides(parameters: ExactMatch | Contains, *, literal: object, called: str) -> _Sides:
    value_expression = _compiled(parameters.value_expression, "value_expression")
    key, through = parameters.reference_key, parameters.reference_expression
    if (literal is UNSET) == (key is UNSET):
        both = "cannot have both" if key is not UNSET else "needs one of"
        raise ConfigurationError(
            f"{type(parameters).__name__}: {both} {called} and reference_key",
            fix=f"give {called} for one expectation for all items, or reference_key for each item's own",
        )
    if isinstance(key, UnsetType):
        if through is not UNSET:
            raise ConfigurationError("reference_expression is given without reference_key")
        reads = [value_expression.fields if value_expression else frozenset()]
        return _Sides(
            value=judged(value_expression),
            expected=_always(_literal(literal, called)),
            reading=Reading(sees=_together(reads)),
        )
    if not key.strip():
        raise ConfigurationError("reference_key is empty", fix="name the reference field that holds what is expected")
    reference_expression = _compiled(through, "reference_expression")
    ...


