"""How sure a sum of weighted means is whose samples share some of their items.

The residual of an item is what it adds to Σ w·mean beyond the means, Σ_g w_g·(y − mean_g)/n_g·√(n_g/(n_g − 1)), so
that an item in several samples counts once, with its covariance. The error is the root of the sum of their squares;
its degrees of freedom are those of Satterthwaite 1946, Biometrics 2, over the groups of items that lie in the same
samples. For one sample this is Student's t, for two that share nothing Welch's, for two of the same items the paired
t. With clusters the residuals are summed within each, as in Miller 2024, arXiv 2411.00640, appendix A; the correction
and the degrees of freedom are by the number of clusters that each sample has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rejudge.stats.interval import (
    LEVEL,
    NO_CLUSTER_SPREAD,
    NO_SPREAD,
    NOTHING_SCORED,
    ONE_CLUSTER,
    Interval,
    Method,
    Undefined,
    student_interval,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rejudge.stats.column import Floats, Places

    Mask = NDArray[np.bool_]

ONE_ITEM = Undefined("one item alone shows no spread")

LEAST_CLUSTERS = 3
"""So many clusters show how far a sample may be off beside another; with two, t intervals hold 86 to 91 % for 95."""

FEW_CLUSTERS = Undefined(f"items of fewer than {LEAST_CLUSTERS} clusters are compared with others")

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Mean:
    """`weight` times the mean of the `values` at the `chosen` places; the values elsewhere mean nothing.

    `alike` are more places with values: those that the chosen ones are compared with.
    """

    weight: float
    values: Floats
    chosen: Mask
    alike: Mask | None = None

    @property
    def residuals(self) -> Floats:
        """How far each chosen value moves the weighted mean from where it is."""
        values = self.values[self.chosen]
        residuals: Floats = self.weight * (values - values.mean()) / len(values)
        return residuals


class StandardError(NamedTuple):
    """Of a sum of means, with its degrees of freedom and the method that its interval has."""

    error: float
    freedom: float
    method: Method


def sum_of(means: list[Mean]) -> float:
    """Σ weight·mean."""
    return math.fsum(one.weight * float(one.values[one.chosen].mean()) for one in means)


def interval_of(means: list[Mean], *, clusters: Places | None = None, level: float = LEVEL) -> Interval | Undefined:
    """The interval of `sum_of(means)`, where values of the same items are paired; `clusters` has that of every place.

    Undefined where a sample has one item, or shows no spread of its own: the others' alone would make it too narrow.
    For clusters also where a sample has one, or fewer than `LEAST_CLUSTERS` beside another.
    """
    paired = joined(means)
    moving = [one for one in paired if one.values[one.chosen].any() or any(one is alone for alone in means)] or paired
    found = error_of(moving, clusters=clusters)
    if not isinstance(found, Undefined) and not all(_varies(one) for one in moving):
        return Undefined(NO_SPREAD)
    if isinstance(found, Undefined):
        return found
    return student_interval(sum_of(means), found.error, found.freedom, level=level, method=found.method)


def joined(means: list[Mean]) -> list[Mean]:
    """The means with those over the same items made one, so that their values are paired."""
    import numpy as np

    found: list[Mean] = []
    for mean in means:
        for place, one in enumerate(found):
            if np.array_equal(one.chosen, mean.chosen):
                alike = None if one.alike is None or mean.alike is None else one.alike & mean.alike
                values = one.weight * one.values + mean.weight * mean.values
                found[place] = Mean(1.0, values, one.chosen, alike=alike)
                break
        else:
            found.append(mean)
    return found


def _varies(mean: Mean) -> bool:
    """Whether more than rounding tells the values apart."""
    import numpy as np

    values = mean.values[mean.chosen]
    return float(np.ptp(values)) > _ROUNDING * float(np.abs(values).max())


def error_of(means: list[Mean], *, clusters: Places | None = None) -> StandardError | Undefined:
    """How sure `sum_of(means)` is; undefined as its interval is."""
    import numpy as np

    if not means:
        return Undefined(NOTHING_SCORED)
    if any(one.chosen.sum() < 2 for one in means):
        return ONE_ITEM
    least = _ROUNDING * max(float(np.abs(one.weight * one.values[one.chosen]).max()) for one in means)
    if clusters is not None:
        return _clustered(means, clusters, least)
    size = len(means[0].values)
    residuals, pattern = np.zeros(size), np.zeros(size, dtype=np.int64)
    for place, one in enumerate(means):
        n = int(one.chosen.sum())
        residuals[one.chosen] += math.sqrt(n / (n - 1)) * one.residuals
        pattern[one.chosen] |= 1 << place
    used = pattern > 0
    parts = [float(np.square(residuals[pattern == one]).sum()) for one in np.unique(pattern[used])]
    counts = [int((pattern == one).sum()) for one in np.unique(pattern[used])]
    variance = sum(parts)
    if math.sqrt(variance) <= least:
        return Undefined(NO_SPREAD)
    freedom = 1 / sum((part / variance) ** 2 / max(1, n - 1) for part, n in zip(parts, counts, strict=True))
    return StandardError(math.sqrt(variance), freedom, "t" if len(parts) == 1 else "welch-t")


def _clustered(means: list[Mean], clusters: Places, least: float) -> StandardError | Undefined:
    """The error from the sums of the clusters; each mean is as uncertain as the few clusters of its own items make it.

    So are the degrees of freedom (Satterthwaite 1946), at most those of all clusters: three new clusters beside twenty
    common ones do not have twenty's.
    """
    import numpy as np

    sums, alone = np.zeros(int(clusters.max()) + 1), []
    for one in means:
        own = clusters[one.chosen]
        count = len(np.unique(own))
        if count < 2:
            return Undefined(ONE_CLUSTER)
        if count < LEAST_CLUSTERS and len(means) > 1:
            return FEW_CLUSTERS
        of_mean = np.bincount(own, weights=one.residuals, minlength=len(sums)) * math.sqrt(count / (count - 1))
        sums += of_mean
        alone.append((float(of_mean @ of_mean), count - 1))
    error = math.sqrt(float(sums @ sums))
    if error <= least:
        return Undefined(NO_CLUSTER_SPREAD)
    used = np.unique(clusters[np.logical_or.reduce([one.chosen for one in means])])
    total = sum(variance for variance, _ in alone)
    freedom = total**2 / sum(variance**2 / count for variance, count in alone)
    return StandardError(error, min(freedom, len(used) - 1), "cluster-t")
