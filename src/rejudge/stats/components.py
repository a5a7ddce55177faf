"""How far values differ between groups and how far within them: variance components of a one-way layout.

Sources: the analysis of variance with unequal groups as in Searle, Casella and McCulloch 1992, Variance Components,
section 3.6. Intervals come from leaving out one group at a time (Arvesen 1969, Annals of Mathematical Statistics 40;
for a correlation on Fisher's scale, atanh, and for the variance within groups on that of its logarithm): the textbook's
F interval supposes normal values, and covers as little as 83 % instead of 95 % where values are 0 or 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rejudge.stats.estimate import Estimate, Statistic
from rejudge.stats.interval import Interval, Undefined, student_interval

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Places

_ROUNDING = 1e-12
_LARGEST_LOG = 700.0


@dataclass(frozen=True, eq=False)
class Layout:
    """Sums over values in groups: first over all of them, then over all but one group, for each group in turn.

    `n` counts values, `sizes` sums the squared sizes of groups, `total` the values less their mean, `weighted` each
    group's squared sum over its size, and `inside` the squared distances of values from the mean of their group.
    """

    groups: Floats
    n: Floats
    sizes: Floats
    total: Floats
    weighted: Floats
    inside: Floats

    @classmethod
    def of(cls, numbers: Floats, place: Places, groups: int) -> Layout:
        """The layout of `numbers`, of which each is in the group `place`; every group has one or more."""
        import numpy as np

        centred = numbers - (numbers.mean() if len(numbers) else 0.0)
        sizes: Floats = np.bincount(place, minlength=groups).astype(float)
        totals: Floats = np.bincount(place, weights=centred, minlength=groups).astype(float)
        apart = centred - (totals / sizes)[place]
        apart[np.abs(apart) <= _ROUNDING * np.abs(numbers)] = 0.0
        inside: Floats = np.bincount(place, weights=apart * apart, minlength=groups).astype(float)

        def all_and_without_each(parts: Floats) -> Floats:
            whole: Floats = np.concatenate([[0.0], -parts]) + parts.sum()
            return whole

        return cls(
            groups=all_and_without_each(np.ones(groups)),
            n=all_and_without_each(sizes),
            sizes=all_and_without_each(sizes * sizes),
            total=all_and_without_each(totals),
            weighted=all_and_without_each(totals * totals / sizes),
            inside=all_and_without_each(inside),
        )

    @cached_property
    def within(self) -> Floats:
        """The variance of values of one group, pooled over groups; NaN where no group has two."""
        return _divided(self.inside, self.n - self.groups)

    @cached_property
    def size(self) -> Floats:
        """The size of groups that counts where they are unequal."""
        return _divided(self.n - _divided(self.sizes, self.n), self.groups - 1)

    @cached_property
    def between(self) -> Floats:
        """The variance of what groups truly are, without what their values add by chance; not cut at 0."""
        outside = _divided(self.weighted - _divided(self.total**2, self.n), self.groups - 1)
        return _divided(outside - self.within, self.size)

    @cached_property
    def icc(self) -> Floats:
        """The intraclass correlation: the share of `between` in the whole variance; not cut at 0."""
        return _divided(self.between, self.between + self.within)


def estimate_of(values: Floats, *, n: int, level: float) -> Statistic:
    """The first of `values` with an interval by t from the others, of which each leaves out one group.

    `n` is how many numbers it was computed from.
    """
    spread = _jackknifed(values)
    value = float(values[0])
    if isinstance(spread, Undefined):
        return Estimate(value=value, n=n, interval=spread) if math.isfinite(value) else spread
    interval = student_interval(value, spread, len(values) - 2, level=level, method="jackknife-t")
    return Estimate(value=value, n=n, interval=interval)


def variance_of(values: Floats, *, n: int, level: float) -> Statistic:
    """As `estimate_of` for a variance, on the scale of its logarithm, on which variances are nearly symmetric.

    Of 15 normal pairs it holds the truth in 93 % of samples, where value ± t·SE does in 88 %.
    """
    import numpy as np

    value, plain = float(values[0]), estimate_of(values, n=n, level=level)
    if isinstance(plain, Undefined) or isinstance(plain.interval, Undefined) or not (values > 0).all():
        return plain
    scaled = np.log(values)
    spread = _jackknifed(scaled)
    if isinstance(spread, Undefined):
        return Estimate(value=value, n=n, interval=spread)
    around = student_interval(float(scaled[0]), spread, len(values) - 2, level=level, method="jackknife-log")
    if around.high > _LARGEST_LOG:
        return Estimate(value=value, n=n, interval=_ONE_GROUP)
    low, high = math.exp(around.low), math.exp(around.high)
    return Estimate(value=value, n=n, interval=Interval(low=low, high=high, level=level, method="jackknife-log"))


def correlation_of(values: Floats, *, n: int, level: float) -> Statistic:
    """As `estimate_of` for numbers between −1 and 1, on Fisher's scale, so that the interval stays between them."""
    import numpy as np

    value = float(values[0])
    if not math.isfinite(value):
        return _UNKNOWN
    if not (np.abs(values) < 1 - _ROUNDING).all():
        return Estimate(value=value, n=n, interval=_ONE_GROUP)
    scaled = np.arctanh(values)
    spread = _jackknifed(scaled)
    if isinstance(spread, Undefined):
        return Estimate(value=value, n=n, interval=spread)
    around = student_interval(float(scaled[0]), spread, len(values) - 2, level=level, method="jackknife-z")
    low, high = math.tanh(around.low), math.tanh(around.high)
    return Estimate(value=value, n=n, interval=Interval(low=low, high=high, level=level, method="jackknife-z"))


_UNKNOWN = Undefined("there are too few groups, or too little differs in them, to tell it")
_ONE_GROUP = Undefined("too few groups differ within themselves, or from each other, to tell it")
_ALL_ALIKE = Undefined("every group says the same, so the spread cannot be estimated")


def _jackknifed(values: Floats) -> float | Undefined:
    """The standard error of values[0], from values[1:], of which each leaves out one group."""
    import numpy as np

    without = values[1:]
    if not np.isfinite(values).all():
        return _UNKNOWN
    count = len(without)
    # Variances of values beyond 1e75 have no sum of squares, but a norm.
    spread = math.sqrt((count - 1) / count) * math.hypot(*(without - without.mean()).tolist())
    return spread if spread > _ROUNDING * abs(float(values[0])) else _ALL_ALIKE


def _divided(above: Floats, below: Floats) -> Floats:
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, above / below, np.nan)
