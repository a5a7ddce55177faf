"""The kinds that compare one value with one expectation: equal to it, containing it, or matching a pattern."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.view import as_text
from rejudge.scorers.comparison import same, same_in_any_case
from rejudge.scorers.deterministic import Check, Deterministic, Reading, scorer_of
from rejudge.scorers.extraction import Side, expected, judged
from rejudge.scorers.gap import Gap
from rejudge.scorers.wording import quoted

if TYPE_CHECKING:
    from rejudge.domain.view import View
    from rejudge.scorers.scorer import Scorer

VERSION: Final = 1
"""Counts the changes in what these kinds do with equal parameters; part of every scorer's id."""

Difference: TypeAlias = Callable[[object, object], str | None]
"""Why a value is not what was expected; None where it is."""

_Expression: TypeAlias = Annotated[
    str | UnsetType,
    Meta(description="A Jinja2 expression for what is judged; the output as text (`final_message`), if left out."),
]
_ReferenceKey: TypeAlias = Annotated[
    str | UnsetType, Meta(description="The reference field that holds what is expected.")
]
_ReferenceExpression: TypeAlias = Annotated[
    str | UnsetType,
    Meta(description="A Jinja2 expression for what is expected; `reference` is the value at reference_key."),
]
_CaseSensitive: TypeAlias = Annotated[bool, Meta(description="Whether upper and lower case differ.")]


class ExactMatch(Deterministic, frozen=True, kw_only=True):
    """Passes where the value equals what is expected: text as it stands, objects in any order of keys."""

    value_expression: _Expression = UNSET
    expected_value: Annotated[object, Meta(description="What is expected of every item.")] = UNSET
    reference_key: _ReferenceKey = UNSET
    reference_expression: _ReferenceExpression = UNSET
    case_sensitive: _CaseSensitive = True

    def scorer(self) -> Scorer:
        """The scorer that compares for equality."""
        equal = same if self.case_sensitive else same_in_any_case

        def difference(value: object, wanted: object) -> str | None:
            return None if equal(value, wanted) else f"expected {quoted(wanted)}, got {quoted(value)}"

        return _comparing(self, difference, literal=self.expected_value, called="expected_value")


class Contains(Deterministic, frozen=True, kw_only=True):
    """Passes where the value as text contains a text, or where it does not."""

    value_expression: _Expression = UNSET
    substring: Annotated[str | UnsetType, Meta(description="The text to look for in every item.")] = UNSET
    reference_key: _ReferenceKey = UNSET
    reference_expression: _ReferenceExpression = UNSET
    case_sensitive: _CaseSensitive = True
    mode: Annotated[
        Literal["must_contain", "must_not_contain"], Meta(description="Whether finding the text is a pass or a fail.")
    ] = "must_contain"

    def scorer(self) -> Scorer:
        """The scorer that looks for a text."""
        read = as_text if self.case_sensitive else _lower
        wanted = self.mode == "must_contain"
        told = "not found" if wanted else "found"

        def difference(value: object, part: object) -> str | None:
            return None if (read(part) in read(value)) is wanted else f"{quoted(part)} {told} in {quoted(value)}"

        return _comparing(self, difference, literal=self.substring, called="substring")


class PatternMatch(Deterministic, frozen=True, kw_only=True):
    """Passes where a regular expression matches anywhere in the value as text, or where it matches nowhere.

    Python's `re` without flags; `(?i)` and the like go into the pattern. No limit of time is set on a
    match: a pattern with nested repeats, such as `(a+)+$`, can hold up the whole evaluation.
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
        except (re.error, OverflowError, RecursionError) as error:
            raise ConfigurationError(f"pattern {quoted(self.pattern)} is no regular expression: {error}") from None
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

        return scorer_of(self, check, kind="pattern_match", version=VERSION, reading=Reading(sees=side.sees))


def _comparing(parameters: ExactMatch | Contains, difference: Difference, *, literal: object, called: str) -> Scorer:
    value = judged(parameters.value_expression)
    wanted = expected(literal, called=called, key=parameters.reference_key, through=parameters.reference_expression)
    sees = None if value.sees is None or wanted.sees is None else value.sees | wanted.sees
    return scorer_of(
        parameters,
        _check(value, wanted, difference),
        kind="exact_match" if isinstance(parameters, ExactMatch) else "contains",
        version=VERSION,
        reading=Reading(needs=wanted.needs, sees=sees),
    )


def _check(value: Side, wanted: Side, difference: Difference) -> Check:
    """The check that looks at the value first: a bad output fails even where the reference is missing."""
    value_of, wanted_of = value.extract, wanted.extract

    def check(view: View) -> str | Gap | None:
        found = value_of(view)
        if isinstance(found, Gap):
            return found
        reference = wanted_of(view)
        if isinstance(reference, Gap):
            return reference
        return difference(found, reference)

    return check


def _lower(value: object) -> str:
    return as_text(value).lower()
