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
    """The interval of `sum_of(means)`, where values of the same items are paired; `clusters` has that of every place.

    Undefined where a sample has one item, or shows no spread of its own: the others' alone would make it too narrow.
    For clusters also where there is one.
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
