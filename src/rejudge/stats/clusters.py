"""What values that resemble each other within clusters still tell: their standard error, ICC and design effect.

Sources: Miller 2024, arXiv 2411.00640, appendix A, for the clustered error; Kish 1965, Survey Sampling, for the design
effect, also for clusters of unequal size. The ICC is that of the analysis of variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.column import column, places
from rejudge.stats.components import Layout, correlation_of
from rejudge.stats.estimate import Estimate, Statistic
from rejudge.stats.interval import (
    LEVEL,
    NO_CLUSTER_SPREAD,
    NO_SPREAD,
    NOTHING_SCORED,
    ONE_CLUSTER,
    ONE_VALUE,
    Interval,
    Method,
    Undefined,
    check_level,
    student_interval,
)

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Names, Numbers, Places


class ClusterEffect(msgspec.Struct, frozen=True, kw_only=True):
    """What it costs that `n` values lie in `clusters` clusters, in which they resemble each other.

    `icc` is how much the values of one cluster are alike (1: all equal; about 0, a little below by chance, where
    clusters do not matter). `design_effect` is how many times as large as for independent values that makes the
    variance of the mean, and `effective_n` how many independent values would say as much. `independent_error` is the
    standard error as if they were independent; `standard_error` is the one to use.
    """

    n: int
    clusters: int
    size: float
    standard_error: float | Undefined
    independent_error: float | Undefined
    icc: Statistic
    design_effect: Statistic
    effective_n: Statistic


@dataclass(frozen=True, eq=False)
class Units:
    """The independent parts of a sample, single values or whole clusters, each with its size and its residual.

    The residual of a unit is the sum of its values less the mean of all, so the residuals sum to zero; one that is
    only rounding is 0. `spread` is the standard error of the mean over units, √(Σ residual²)/n · √(U/(U−1)), or why
    there is none.
    """

    residuals: Floats
    sizes: Floats
    mean: float
    clustered: bool

    @classmethod
    def of(cls, numbers: Floats, clusters: Names | None, *, rounding: Floats | None = None) -> Units:
        """The units of checked `numbers`, of which each may be wrong by its `rounding`, a few last digits by default.

        Raises RecordError unless there is one cluster for each.
        """
        import numpy as np

        if clusters is None:
            mean = _mean(numbers)
            residuals = numbers - mean
            residuals[np.abs(residuals) <= _last_digits(numbers, mean)] = 0.0
            return cls(residuals, np.ones(len(numbers)), mean=mean, clustered=False)
        place, named = places(clusters, n=len(numbers), what="clusters")
        return cls.grouped(numbers, place, len(named), rounding=rounding)

    @classmethod
    def grouped(cls, numbers: Floats, place: Places, groups: int, *, rounding: Floats | None = None) -> Units:
        """The units of `numbers`, each in the cluster `place` of `groups`; clusters that hold none are left out."""
        import numpy as np

        mean = _mean(numbers)
        room = _last_digits(numbers, mean) if rounding is None else rounding
        sizes = np.bincount(place, minlength=groups)
        residuals = exact_sums(numbers - mean, room, place, groups)
        used = sizes > 0
        return cls(residuals[used], sizes[used].astype(float), mean=mean, clustered=True)

    @cached_property
    def n(self) -> int:
        return int(self.sizes.sum())

    @cached_property
    def equal_sizes(self) -> bool:
        return bool((self.sizes == self.sizes[:1]).all())

    @cached_property
    def spread(self) -> float | Undefined:
        import numpy as np

        count = len(self.sizes)
        if not count:
            return Undefined(NOTHING_SCORED)
        if count < 2:
            return Undefined(ONE_CLUSTER if self.clustered else ONE_VALUE)
        if not self.residuals.any():
            return Undefined(NO_CLUSTER_SPREAD if self.clustered else NO_SPREAD)
        return math.sqrt(float(np.square(self.residuals).sum())) / self.n * math.sqrt(count / (count - 1))

    def interval(self, *, level: float = LEVEL) -> Interval | Undefined:
        """mean ± t(U−1)·spread: the closed form, by t or cluster-t."""
        if isinstance(self.spread, Undefined):
            return self.spread
        method: Method = "cluster-t" if self.clustered else "t"
        return student_interval(self.mean, self.spread, len(self.sizes) - 1, level=level, method=method)


def exact_sums(numbers: Floats, rounding: Floats, place: Places, groups: int) -> Floats:
    """The sum of `numbers` in each group, 0 where it is no more than what each number may be wrong by.

    0.1 + 0.2 − 0.3 is not 0 in floating point, and a sum of 5e-17 in every group would look like a sure gain.
    """
    import numpy as np

    sums = np.bincount(place, weights=numbers, minlength=groups).astype(float)
    sums[np.abs(sums) <= np.bincount(place, weights=rounding, minlength=groups)] = 0.0
    return np.asarray(sums)


def cluster_effect(values: Numbers, clusters: Names, *, level: float = LEVEL) -> ClusterEffect:
    """The ICC and the design effect of `values`, of which each lies in the cluster that `clusters` names.

    Of clusters of unequal size `size` is the mean over values of the size of their cluster, Σm²/n. Intervals leave out
    one cluster at a time. Raises RecordError as `column` and `places` do.
    """
    check_level(level)
    numbers = column(values)
    place, named = places(clusters, n=len(numbers), what="clusters")
    units = Units.grouped(numbers, place, len(named))
    size = float((units.sizes**2).sum()) / units.n if units.n else 0.0
    if isinstance(units.spread, Undefined) and len(named) < 2:
        icc: Statistic = units.spread
    else:
        icc = correlation_of(Layout.of(numbers, place, len(named)).icc, n=units.n, level=level)
    effect = _design_effect(icc, size)
    return ClusterEffect(
        n=units.n,
        clusters=len(named),
        size=size,
        standard_error=units.spread,
        independent_error=Units.of(numbers, None).spread,
        icc=icc,
        design_effect=effect,
        effective_n=_effective(effect, units.n),
    )


def design_effect(icc: float, size: float) -> float:
    """1 + (size − 1)·icc: how many times as large the variance of a mean is in clusters of that size (Kish 1965)."""
    if not (-1 <= icc <= 1 and size >= 1):
        raise ConfigurationError(f"an ICC of {icc:g} in clusters of {size:g} does not exist")
    return 1 + (size - 1) * icc


def _design_effect(icc: Statistic, size: float) -> Statistic:
    if isinstance(icc, Undefined):
        return icc
    around = icc.interval
    if isinstance(around, Interval):
        low, high = (max(0.0, design_effect(end, size)) for end in (around.low, around.high))
        around = Interval(low=low, high=high, level=around.level, method=around.method)
    return Estimate(value=max(0.0, design_effect(icc.value, size)), n=icc.n, interval=around)


def _effective(effect: Statistic, n: int) -> Statistic:
    none = Undefined("the clusters differ less than independent values would")
    if isinstance(effect, Undefined):
        return effect
    if not effect.value:
        return none
    around = effect.interval
    if isinstance(around, Interval):
        low, high = n / around.high, n / around.low if around.low else math.inf
        known = math.isfinite(high)
        around = Interval(low=low, high=high, level=around.level, method=around.method) if known else none
    return Estimate(value=n / effect.value, n=n, interval=around)


def _last_digits(numbers: Floats, mean: float) -> Floats:
    import numpy as np

    return np.asarray(4 * np.spacing(np.maximum(np.abs(numbers), abs(mean))))


def _mean(numbers: Floats) -> float:
    import numpy as np

    return float(np.clip(numbers.mean(), numbers.min(), numbers.max())) if len(numbers) else 0.0
