"""The few sums from which a mean, a spread and their interval follow, however many values there were."""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from rejudge.domain.errors import RecordError

_ROUNDING = 1e-9


class Moments(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over `n` values, as a database or `Moments.of` computes them.

    `squares` is Σ(x − mean)², taken in a second pass once the mean is known: Σx² − n·mean² loses every digit
    where the values are large beside their spread. `zero_or_one` says whether each single value is exactly 0 or 1.
    `minimum` and `maximum` are None only for n = 0. Raises RecordError for sums that no values can have.
    """

    n: int
    total: float
    squares: float
    minimum: float | None
    maximum: float | None
    zero_or_one: bool

    def __post_init__(self) -> None:
        if self.n < 0 or self.squares < 0 or not (math.isfinite(self.total) and math.isfinite(self.squares)):
            raise RecordError(f"n = {self.n}, total = {self.total} and squares = {self.squares} are sums of no values")
        if self.n == 0:
            if self.total or self.squares or self.minimum is not None or self.maximum is not None:
                raise RecordError("no values have no total, no squares, no minimum and no maximum")
            return
        if self.minimum is None or self.maximum is None:
            raise RecordError(f"{self.n} values have a minimum and a maximum")
        room = _ROUNDING * max(abs(self.minimum), abs(self.maximum))
        if not self.minimum - room <= self.total / self.n <= self.maximum + room:
            raise RecordError(f"a mean of {self.total / self.n} is not between {self.minimum} and {self.maximum}")
        if self.zero_or_one and (self.minimum < 0 or self.maximum > 1 or self.total != round(self.total)):
            raise RecordError(f"values that are 0 or 1 have no minimum {self.minimum}, total {self.total}")

    @classmethod
    def of(cls, values: Iterable[float]) -> Moments:
        """The moments of `values`, the same to the last bit in any order; raises RecordError for NaN and infinity."""
        numbers = finite(values)
        if not numbers:
            return cls(n=0, total=0.0, squares=0.0, minimum=None, maximum=None, zero_or_one=True)
        low, high = min(numbers), max(numbers)
        total = _sum(numbers)
        mean = _mean(total, len(numbers), low, high)
        squares = _sum((number - mean) * (number - mean) for number in numbers)
        binary = low in (0, 1) and high in (0, 1) and set(numbers) <= {0.0, 1.0}
        return cls(n=len(numbers), total=total, squares=squares, minimum=low, maximum=high, zero_or_one=binary)

    @property
    def mean(self) -> float | None:
        """The mean, kept between minimum and maximum where rounding would carry it outside; None for n = 0."""
        if self.minimum is None or self.maximum is None:
            return None
        return _mean(self.total, self.n, self.minimum, self.maximum)

    @property
    def std(self) -> float | None:
        """The sample standard deviation (n − 1); None under two values."""
        return math.sqrt(self.squares / (self.n - 1)) if self.n > 1 else None


def finite(values: Iterable[float]) -> list[float]:
    """`values` as floats; raises RecordError for the first that is no number, or is NaN or infinite."""
    numbers = []
    for value in values:
        try:
            if not math.isfinite(value):
                raise RecordError(
                    f"{value} is not a number that can be averaged", fix="record a skip or an error instead"
                )
            numbers.append(float(value))
        except (TypeError, OverflowError):
            raise RecordError(f"{value!r:.60} is not a number that can be averaged") from None
    return numbers


def _sum(numbers: Iterable[float]) -> float:
    try:
        total = math.fsum(numbers)
    except OverflowError:
        total = math.inf
    if math.isfinite(total):
        return total
    raise RecordError("the values are too large to be summed", fix="use a smaller unit")


def _mean(total: float, n: int, low: float, high: float) -> float:
    return min(max(total / n, low), high)
