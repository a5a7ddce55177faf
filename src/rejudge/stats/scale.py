"""What the values of a score can be, and which end of them is wanted."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import msgspec

from rejudge.domain.errors import RecordError

Kind: TypeAlias = Literal["pass_fail", "pass_fail_critical", "five_star", "number", "label"]
Direction: TypeAlias = Literal["higher", "lower", "informational"]

_ROUNDING = 1e-9


class Scale(msgspec.Struct, frozen=True, kw_only=True):
    """The declared range of a score and its direction; an end that is not declared is None.

    `direction` says which values are better; an informational score has no better end, so its "best" is the high end.
    """

    low: float | None = None
    high: float | None = None
    direction: Direction = "higher"

    def __post_init__(self) -> None:
        if not all(math.isfinite(end) for end in (self.low, self.high) if end is not None):
            raise RecordError(
                f"a range from {self.low} to {self.high} is not finite", fix="leave an open end undeclared"
            )
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise RecordError(f"a range from {self.low} to {self.high} is empty", fix="give the low end first")

    @property
    def best(self) -> float | None:
        """The best value a score can have, or None where that end is not declared."""
        return self.low if self.direction == "lower" else self.high

    @property
    def worst(self) -> float | None:
        """The worst value a score can have, or None where that end is not declared."""
        return self.high if self.direction == "lower" else self.low

    @property
    def width(self) -> float | None:
        """From one declared end to the other, or None where an end is not declared."""
        return None if self.low is None or self.high is None else self.high - self.low

    def holds(self, value: float) -> bool:
        """Whether `value` lies in the declared range; a rounding error beyond an end is forgiven."""
        above = self.low is None or value >= self.low - _ROUNDING * max(1.0, abs(self.low))
        below = self.high is None or value <= self.high + _ROUNDING * max(1.0, abs(self.high))
        return above and below


NO_BOUNDS = Scale()
PASS_FAIL = Scale(low=0, high=1)
PASS_FAIL_CRITICAL = Scale(low=-1, high=1)
FIVE_STAR = Scale(low=1, high=5)
