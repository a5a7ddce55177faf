"""McNemar's tests: of two systems that pass or fail the same items, only the items that they decide differently count.

Sources: McNemar 1947; Fagerland, Lydersen and Laake 2013, BMC Medical Research Methodology 13:91, for the mid-p value;
Tango 1998, Statistics in Medicine 17, for the interval of the difference, which agrees with the χ² test.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from rejudge.domain.errors import RecordError
from rejudge.stats.differences import aligned
from rejudge.stats.interval import LEVEL, NOTHING_SCORED, Interval, Undefined, check_level, clopper_pearson
from rejudge.stats.p_value import PValue

if TYPE_CHECKING:
    from rejudge.stats.column import Numbers

_ALL_AGREE = Undefined("no item is passed by one side only")
_NEVER_FIRST = Undefined("no item is passed by the first side only, so the odds have no upper end")


class Outcomes(msgspec.Struct, frozen=True, kw_only=True):
    """How many items both sides pass, one side only, or neither."""

    both: int
    only_first: int
    only_second: int
    neither: int

    def __post_init__(self) -> None:
        if min(self.both, self.only_first, self.only_second, self.neither) < 0:
            raise RecordError("a count of items cannot be negative")

    @classmethod
    def of(cls, first: Numbers, second: Numbers) -> Outcomes:
        """The counts of two aligned columns of 0 and 1; raises RecordError for any other value."""
        before, after = aligned(first, second)
        for values in (before, after):
            if ((values != 0) & (values != 1)).any():
                raise RecordError("only values that are 0 or 1 pass or fail")
        both = int((before * after).sum())
        passed_first, passed_second = int(before.sum()), int(after.sum())
        return cls(
            both=both,
            only_first=passed_first - both,
            only_second=passed_second - both,
            neither=len(before) - passed_first - passed_second + both,
        )

    @property
    def n(self) -> int:
        """All pairs."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def b(self) -> int:
        """Items that only the second passes, so that the difference is (b − c)/n and the odds ratio b/c."""
        return self.only_second

    @property
    def c(self) -> int:
        """Items that only the first passes."""
        return self.only_first


def mcnemar_exact(b: int, c: int) -> PValue:
    """2·P(Bin(b + c, ½) ≤ min(b, c)), at most 1; 1 for b + c = 0. It never rejects more often than it says."""
    return PValue(test="mcnemar-exact", p=min(1.0, 2 * _lower_tail(b, c)), statistic=float(min(b, c)), n=b + c)


def mcnemar_mid_p(b: int, c: int) -> PValue:
    """The exact p-value less the probability of the observed split, which the exact one counts whole (not half).

    Nearer to its level than the exact test, and seldom above it. 1 for b + c = 0.
    """
    smaller, n = min(b, c), b + c
    tail = _lower_tail(b, c)
    here = math.exp(math.lgamma(n + 1) - math.lgamma(smaller + 1) - math.lgamma(n - smaller + 1) - n * math.log(2))
    p = 1 - here / 2 if b == c else 2 * tail - here
    return PValue(test="mcnemar-mid-p", p=min(1.0, max(0.0, p)) if n else 1.0, statistic=float(smaller), n=n)


def mcnemar_chi2(b: int, c: int) -> PValue:
    """χ² = (b − c)²/(b + c) on one degree of freedom: an approximation for large b + c. 1 for b + c = 0."""
    return PValue(test="mcnemar-chi2", p=_chi2_tail(b, c, 0), statistic=_chi2(b, c, 0), n=b + c)


def mcnemar_chi2_corrected(b: int, c: int) -> PValue:
    """χ² with the continuity correction: (|b − c| − 1)²/(b + c). 1 for b + c = 0."""
    return PValue(test="mcnemar-chi2-corrected", p=_chi2_tail(b, c, 1), statistic=_chi2(b, c, 1), n=b + c)


def paired_share_interval(outcomes: Outcomes, *, level: float = LEVEL) -> Interval | Undefined:
    """Tango's score interval of the difference of the two pass rates, (b − c)/n.

    Defined also where no item is passed by one side only, and within −1 and 1. Undefined without items.
    """
    check_level(level)
    n, b, c = outcomes.n, outcomes.b, outcomes.c
    if not n:
        return Undefined(NOTHING_SCORED)
    from scipy.optimize import brentq
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))

    def score(difference: float) -> float:
        """(b − c − nΔ)/√(n(2q + Δ(1 − Δ))), q the likeliest P(only first) given Δ."""
        linear = (2 * n - b + c) * difference - b - c
        inner = linear * linear + 8 * n * c * difference * (1 - difference)
        share = (math.sqrt(max(0.0, inner)) - linear) / (4 * n)
        variance = n * (2 * share + difference * (1 - difference))
        return (b - c - n * difference) / math.sqrt(max(variance, math.ulp(0.0)))

    estimate, edge = (b - c) / n, 1 - 1e-12
    high = low = estimate
    if estimate < edge:
        high = brentq(lambda at: score(at) + z, estimate, edge, xtol=1e-13) if score(edge) < -z else 1.0
    if estimate > -edge:
        low = brentq(lambda at: score(at) - z, -edge, estimate, xtol=1e-13) if score(-edge) > z else -1.0
    return Interval(low=float(low), high=float(high), level=level, method="tango")


def odds_ratio(outcomes: Outcomes, *, level: float = LEVEL) -> tuple[float, Interval] | Undefined:
    """b/c, how many items only the second passes for each that only the first passes, with its exact interval.

    The interval is Clopper and Pearson's of b/(b + c), as odds. Undefined where c = 0.
    """
    b, c = outcomes.b, outcomes.c
    if not c:
        return _NEVER_FIRST if b else _ALL_AGREE
    share = clopper_pearson(b, b + c, level=level)
    if isinstance(share, Undefined):
        return share
    low, high = share.low / (1 - share.low), share.high / (1 - share.high)
    return b / c, Interval(low=low, high=high, level=level, method="clopper-pearson")


def _lower_tail(b: int, c: int) -> float:
    if b < 0 or c < 0:
        raise RecordError(f"b = {b} and c = {c} are not counts of items")
    from scipy.special import bdtr

    return float(bdtr(min(b, c), b + c, 0.5))


def _chi2(b: int, c: int, correction: int) -> float:
    return max(0, abs(b - c) - correction) ** 2 / (b + c) if b + c else 0.0


def _chi2_tail(b: int, c: int, correction: int) -> float:
    _lower_tail(b, c)
    return math.erfc(math.sqrt(_chi2(b, c, correction) / 2))
