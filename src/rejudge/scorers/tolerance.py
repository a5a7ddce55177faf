"""numeric_tolerance: a number that is near enough to another one."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import UNSET, Meta, UnsetType

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers.deterministic import Deterministic, scorer_of
from rejudge.scorers.expectation import ReferenceExpression, ReferenceKey, ValueExpression, pair
from rejudge.scorers.gap import Gap
from rejudge.scorers.kind import Example, Kind
from rejudge.scorers.number import last_number
from rejudge.scorers.wording import kind, quoted

if TYPE_CHECKING:
    from rejudge.scorers.scorer import Scorer

VERSION: Final = 1
"""Counts the changes in what this kind does with equal parameters; part of every scorer's id."""

_DIGITS: Final = 4_000
"""So long may a number in a text be; Python reads no whole number of more than 4,300 digits."""


class NumericTolerance(Deterministic, frozen=True, kw_only=True):
    """Passes where a number lies no further from what is expected than the larger tolerance allows.

    Of text, the last number counts, as `final_number` finds it. The allowance is `absolute`, or `relative` times the
    size of what is expected, and the bounds are included; numbers are compared exactly as they are written, so that
    1.1 lies within 0.1 of 1.
    """

    value_expression: ValueExpression = UNSET
    expected_value: Annotated[
        int | float | str | UnsetType,
        Meta(description="The number that is expected of every item, or a text that holds it."),
    ] = UNSET
    reference_key: ReferenceKey = UNSET
    reference_expression: ReferenceExpression = UNSET
    absolute: Annotated[float, Meta(ge=0, description="How far off a number may be.")] | UnsetType = UNSET
    relative: (
        Annotated[float, Meta(ge=0, description="How far off it may be, as a share of what is expected: 0.01 is 1 %.")]
        | UnsetType
    ) = UNSET

    def scorer(self) -> Scorer:
        """The scorer that measures how far off a number is."""
        absolute, relative = _tolerance(self.absolute, "absolute"), _tolerance(self.relative, "relative")
        if self.absolute is UNSET and self.relative is UNSET:
            raise ConfigurationError(
                "numeric_tolerance has no tolerance", fix="give absolute, relative or both; 0 for equal numbers"
            )
        sides = pair(self, literal=self.expected_value, called="expected_value")
        if not isinstance(self.expected_value, UnsetType) and isinstance(number_in(self.expected_value), str):
            raise ConfigurationError(f"expected_value: {number_in(self.expected_value)}", fix="give a number")

        def difference(value: object, wanted: object) -> str | Gap | None:
            found, expected = number_in(value), number_in(wanted)
            if isinstance(found, str):
                return found
            if isinstance(expected, str):
                return Gap(Skip.MISSING_REFERENCE_KEY, f"reference_key {self.reference_key!r}: {expected}")
            allowed = max(absolute, relative * abs(expected))
            off = abs(found - expected)
            if off <= allowed:
                return None
            return f"{_shown(found)} is {_shown(off)} from {_shown(expected)}, more than {_shown(allowed)}"

        return scorer_of(
            self, sides.check(difference), kind="numeric_tolerance", version=VERSION, reading=sides.reading
        )


def number_in(value: object) -> Fraction | str:
    """The number that a value is, or the last one that a text holds; else why there is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return f"{kind(value)} is no number"
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, float):
        return Fraction(repr(value)) if math.isfinite(value) else f"{value} is no number"
    found = last_number(value)
    if found is None:
        return f"no number in {quoted(value)}"
    return Fraction(found) if len(found) <= _DIGITS else f"a number of {len(found):,} digits is too long to be compared"


def _tolerance(stated: float | UnsetType, called: str) -> Fraction:
    if isinstance(stated, UnsetType):
        return Fraction(0)
    if not math.isfinite(stated):
        raise ConfigurationError(f"{called} is {stated}, which allows any number")
    return Fraction(repr(stated))


def _shown(number: Fraction) -> str:
    """A number for a reason: as it was written where it is short, else rounded."""
    if number.denominator == 1 and abs(number) < 10**15:
        return str(number.numerator)
    return f"{Decimal(number.numerator) / Decimal(number.denominator):.10g}"


KIND: Final = Kind(
    name="numeric_tolerance",
    parameters=NumericTolerance,
    examples=(
        Example(
            what="the last number of the output is within a hundredth of the reference",
            parameters={"reference_key": "area", "relative": 0.01},
            view=View(output="With a radius of 2 m it is about 12.6 m².", reference_data={"area": 12.566}),
            verdict=Verdict(values={"": 1.0}),
        ),
        Example(
            what="the number is too far off",
            parameters={"expected_value": 3.14159, "absolute": 0.01},
            view=View(output="pi is 3.2"),
            verdict=Verdict(values={"": 0.0}, reason="3.2 is 0.05841 from 3.14159, more than 0.01"),
        ),
        Example(
            what="an output without a number fails",
            parameters={"expected_value": 18, "absolute": 0},
            view=View(output="eighteen"),
            verdict=Verdict(values={"": 0.0}, reason='no number in "eighteen"'),
        ),
    ),
)
