"""What values that resemble each other within clusters still tell: their standard error, ICC and design effect.

Sources: Miller 2024, arXiv 2411.00640, appendix A, for the clustered error; Kish 1965, Survey Sampling, for the design
effect; Donner 1986, International Statistical Review 54, for the ICC of clusters of unequal size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rejudge.stats.column import places
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
    student_interval,
)

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Names


@dataclass(frozen=True, eq=False)
class Units:
    """The independent parts of a sample, single values or whole clusters, each with its size and its residual.

    The residual of a unit is the sum of its values less the mean of all, so the residuals sum to zero. `spread` is
    the standard error of the mean over units, √(Σ residual²)/n · √(U/(U−1)), or why there is none.
    """

    residuals: Floats
    sizes: Floats
    mean: float
    clustered: bool

    @classmethod
    def of(cls, numbers: Floats, clusters: Names | None) -> Units:
        """The units of checked `numbers`; raises RecordError unless there is one cluster for each."""
        import numpy as np

        n = len(numbers)
        mean = float(np.clip(numbers.mean(), numbers.min(), numbers.max())) if n else 0.0
        residuals: Floats = numbers - mean
        if clusters is None:
            return cls(residuals, np.ones(n), mean=mean, clustered=False)
        place, named = places(clusters, n=n, what="clusters")
        summed: Floats = np.bincount(place, weights=residuals, minlength=len(named)).astype(float)
        return cls(summed, np.bincount(place, minlength=len(named)).astype(float), mean=mean, clustered=True)

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
        if np.abs(self.residuals).max() <= 4 * math.ulp(self.mean) * (self.n if self.clustered else 1):
            return Undefined(NO_CLUSTER_SPREAD if self.clustered else NO_SPREAD)
        return float(np.linalg.norm(self.residuals)) / self.n * math.sqrt(count / (count - 1))

    def interval(self, *, level: float = LEVEL) -> Interval | Undefined:
        """mean ± t(U−1)·spread: the closed form, by t or cluster-t."""
        if isinstance(self.spread, Undefined):
            return self.spread
        method: Method = "cluster-t" if self.clustered else "t"
        return student_interval(self.mean, self.spread, len(self.sizes) - 1, level=level, method=method)
