"""How sure a sum of weighted means is whose samples share some of their items.

The residual of an item is what it adds to Σ w·mean beyond the means, Σ_g w_g·(y − mean_g)/n_g·√(n_g/(n_g − 1)), so
that an item in several samples counts once, with its covariance. The error is the root of the sum of their squares;
its degrees of freedom are those of Satterthwaite 1946, Biometrics 2, over the groups of items that lie in the same
samples. For one sample this is Student's t, for two that share nothing Welch's, for two of the same items the paired
t. With clusters the residuals are summed within each, as in Miller 2024, arXiv 2411.00640, appendix A.
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


class StandardError(NamedTuple):
    """Of a sum of means, with its degrees of freedom and the method that its interval has."""

    error: float
    freedom: float
    method: Method


def sum_of(means: list[Mean]) -> float:
    """Σ weight·mean."""
    return math.fsum(one.weight * float(one.values[one.chosen].mean()) for one in means)


def interval_of(means: list[Mean], *, clusters: Places | None = None, level: float = LEVEL) -> Interval | Undefined:
    """The interval of `sum_of(means)`; `clusters` has the cluster of every place.

    Undefined where a sample has one item, for clusters where there is one, and where nothing varies.
    """
    found = error_of(means, clusters=clusters)
    if isinstance(found, Undefined):
        return found
    return student_interval(sum_of(means), found.error, found.freedom, level=level, method=found.method)


def error_of(means: list[Mean], *, clusters: Places | None = None) -> StandardError | Undefined:
    """How sure `sum_of(means)` is; undefined as its interval is."""
    import numpy as np

    if not means:
        return Undefined(NOTHING_SCORED)
    if any(one.chosen.sum() < 2 for one in means):
        return ONE_ITEM
    size = len(means[0].values)
    residuals, pattern = np.zeros(size), np.zeros(size, dtype=np.int64)
    for place, one in enumerate(means):
        n = int(one.chosen.sum())
        corrected = 1.0 if clusters is not None else math.sqrt(n / (n - 1))
        around = one.values[one.chosen] - one.values[one.chosen].mean()
        residuals[one.chosen] += one.weight * corrected * around / n
        pattern[one.chosen] |= 1 << place
    used = pattern > 0
    least = _ROUNDING * max(float(np.abs(one.weight * one.values[one.chosen]).max()) for one in means)
    if clusters is not None:
        return _clustered(residuals[used], clusters[used], least)
    parts = [float(np.square(residuals[pattern == one]).sum()) for one in np.unique(pattern[used])]
    counts = [int((pattern == one).sum()) for one in np.unique(pattern[used])]
    variance = sum(parts)
    if math.sqrt(variance) <= least:
        return Undefined(NO_SPREAD)
    freedom = 1 / sum((part / variance) ** 2 / max(1, n - 1) for part, n in zip(parts, counts, strict=True))
    return StandardError(math.sqrt(variance), freedom, "t" if len(parts) == 1 else "welch-t")


def _clustered(residuals: Floats, clusters: Places, least: float) -> StandardError | Undefined:
    import numpy as np

    named, place = np.unique(clusters, return_inverse=True)
    if len(named) < 2:
        return Undefined(ONE_CLUSTER)
    error = math.sqrt(float(np.square(np.bincount(place, weights=residuals)).sum()) * len(named) / (len(named) - 1))
    if error <= least:
        return Undefined(NO_CLUSTER_SPREAD)
    return StandardError(error, len(named) - 1, "cluster-t")
