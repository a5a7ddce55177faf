"""The difference of two samples of different items: second − first, with its interval and the p-value of none.

Sources: Welch 1947, Biometrika 34, for means; for rates the interval of Newcombe 1998, Statistics in Medicine 17,
method 10, and the test that Campbell 2007, Statistics in Medicine 26, recommends: χ² with N − 1 where every count
expected is 1 or more, else Fisher's exact test.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec

from rejudge.domain.errors import RecordError
from rejudge.stats.interval import LEVEL, NOTHING_SCORED, Interval, Undefined, student_interval, wilson

if TYPE_CHECKING:
    import numpy as np

    from rejudge.stats.column import Floats, Places

Test: TypeAlias = Literal["welch-t", "chi-square-n-1", "fisher", "cluster-t"]

ONE_OF_A_SIDE = Undefined("one value on either side shows no spread")
NO_SPREAD_INSIDE = Undefined("every value on either side is equal, so their spread cannot be estimated")

_ROUNDING = 1e-12


class Sample(NamedTuple):
    """One sample: how many values, their mean, and Σ(x − mean)²."""

    n: int
    mean: float
    squares: float


class Passes(NamedTuple):
    """One sample of passes and failures."""

    passed: int
    n: int


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """second − first, with its interval and the two-sided p-value of `test`, or why there is none."""

    value: float
    interval: Interval | Undefined
    test: Test
    p: float | Undefined


def two_means(first: Sample, second: Sample, *, level: float = LEVEL) -> Difference:
    """The difference of two means by Welch's t, from the spread of either side; undefined with one value on a side."""
    if min(first.n, second.n) < 2:
        return Difference(value=second.mean - first.mean, interval=ONE_OF_A_SIDE, test="welch-t", p=ONE_OF_A_SIDE)
    parts = [side.squares / (side.n - 1) / side.n for side in (first, second)]
    error = math.sqrt(sum(parts))
    if error == 0:
        return difference_by_t(first.mean, second.mean, 0.0, 1.0, test="welch-t", level=level)
    shares = [part / sum(parts) for part in parts]
    freedom = 1 / (shares[0] ** 2 / (first.n - 1) + shares[1] ** 2 / (second.n - 1))
    return difference_by_t(first.mean, second.mean, error, freedom, test="welch-t", level=level)


def difference_by_t(
    first: float, second: float, error: float, freedom: float, *, test: Literal["welch-t", "cluster-t"], level: float
) -> Difference:
    """The difference of two means of a known standard error; one that is only rounding counts as none."""
    value = second - first
    if error <= _ROUNDING * max(abs(first), abs(second)):
        return Difference(value=value, interval=NO_SPREAD_INSIDE, test=test, p=NO_SPREAD_INSIDE)
    from scipy.special import stdtr

    interval = student_interval(value, error, freedom, level=level, method=test)
    return Difference(value=value, interval=interval, test=test, p=float(2 * stdtr(freedom, -abs(value / error))))


def two_rates(first: Passes, second: Passes, *, level: float = LEVEL) -> Difference:
    """The difference of two pass rates; raises RecordError for a sample without items."""
    intervals = [wilson(side.passed, side.n, level=level) for side in (first, second)]
    one, two = intervals
    if isinstance(one, Undefined) or isinstance(two, Undefined):
        raise RecordError(f"a rate of no items is {Undefined(NOTHING_SCORED)}")
    low, high = first.passed / first.n, second.passed / second.n
    below = math.hypot(two.low - high, one.high - low)
    above = math.hypot(two.high - high, one.low - low)
    value = high - low
    interval = Interval(low=max(-1.0, value - below), high=min(1.0, value + above), level=level, method="newcombe")
    passed, total = first.passed + second.passed, first.n + second.n
    if min(first.n, second.n) * min(passed, total - passed) < total:
        return Difference(value=value, interval=interval, test="fisher", p=_fisher(first, second))
    cross = second.passed * (first.n - first.passed) - first.passed * (second.n - second.passed)
    margins = math.sqrt(first.n * second.n) * math.sqrt(passed * (total - passed))
    p = math.erfc(abs(cross) / margins * math.sqrt((total - 1) / 2))
    return Difference(value=value, interval=interval, test="chi-square-n-1", p=p)


def _fisher(first: Passes, second: Passes) -> float:
    """The chance, given both margins, of all tables that are no likelier than this one."""
    import numpy as np

    passed = first.passed + second.passed
    of_first = np.arange(max(0, passed - second.n), min(first.n, passed) + 1)
    ways = _log_choose(first.n, of_first) + _log_choose(second.n, passed - of_first)
    chance = np.exp(ways - _log_choose(first.n + second.n, np.array([passed])))
    here = chance[first.passed - of_first[0]]
    return min(1.0, float(chance[chance <= here * (1 + 1e-7)].sum()))


def _log_choose(n: int, k: Places) -> Floats:
    from scipy.special import gammaln

    logs: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return logs
