"""How likely chance alone moves the mean as far as a part of a difference says.

A part that is a mean of one number for each item is tested by random signs (`permutation.py`). A part that compares
items with others is tested by the t of its interval, and once more with the spread that the compared items have
together with the others, as it is where the two are alike: the larger p counts. So five new items that all pass, which
show no spread of their own, prove nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rejudge.stats.interval import NO_SPREAD, Undefined
from rejudge.stats.linear import ONE_ITEM, Mean, error_of, sum_of
from rejudge.stats.permutation import sign_flip

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rejudge.stats.column import Floats, Places

    Mask = NDArray[np.bool_]

NOTHING_MOVED = Undefined("it moved no item")

_ROUNDING = 1e-12


def p_of_mean(values: Floats, clusters: Places | None = None) -> float | Undefined:
    """The p-value of a mean of 0, from what each item was moved by; with clusters their sums have the signs."""
    import numpy as np

    sums = values if clusters is None else np.bincount(np.unique(clusters, return_inverse=True)[1], weights=values)
    return sign_flip(sums, seed=0, flips=0).p if np.any(sums) else NOTHING_MOVED


def p_of_contrast(means: list[Mean], clusters: Places | None = None) -> float | Undefined:
    """The p-value of a sum of means of 0, where the chosen items of each are like all that it calls `alike`."""
    if any(one.chosen.sum() < 2 for one in means):
        return ONE_ITEM
    if clusters is not None and any(_variance(one, one.chosen) == 0 for one in means):
        return Undefined(NO_SPREAD)
    own = error_of(means, clusters=clusters)
    found = [] if isinstance(own, Undefined) else [_by_t(sum_of(means), own.error, own.freedom)]
    compared = [one for one in means if one.alike is not None]
    if clusters is None and compared:
        others = error_of([one for one in means if one.alike is None])
        parts = [_variance(one, one.alike) for one in compared if one.alike is not None]
        error = math.hypot(0.0 if isinstance(others, Undefined) else others.error, *map(math.sqrt, parts))
        freedom = min(int(one.alike.sum()) for one in compared if one.alike is not None) - 2
        if error > 0 and freedom > 0:
            found.append(_by_t(sum_of(means), error, freedom))
    return max(found) if found else Undefined(NO_SPREAD)


def _variance(mean: Mean, among: Mask) -> float:
    """Of a mean of so many items with the spread of those `among` which they are; a spread of rounding is none."""
    import numpy as np

    values = mean.weight * mean.values[among]
    spread = float(values.std(ddof=1))
    return 0.0 if spread <= _ROUNDING * float(np.abs(values).max()) else spread * spread / int(mean.chosen.sum())


def _by_t(value: float, error: float, freedom: float) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(value / error)))
