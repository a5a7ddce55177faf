"""How sure a mean is, by drawing the same data again and again: percentile and BCa intervals, whole clusters too.

Sources: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapters 13 (percentile) and 14 (BCa, with the
acceleration from the jackknife); Davison and Hinkley 1997, section 3.8, for drawing whole clusters. Means of resamples
of u units spread too little, by √((u − 1)/u), and as if that spread were known; so the ends lie as far out as t with
u − 1 degrees of freedom would have them: Hesterberg 2015, The American Statistician 69, "expanded" intervals.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.clusters import Units
from rejudge.stats.column import column
from rejudge.stats.differences import TIE
from rejudge.stats.interval import LEVEL, NOTHING_SCORED, Interval, Method, Undefined, check_level

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Names, Numbers

Resampling: TypeAlias = Literal["percentile", "bca"]

RESAMPLES = 10_000
MOST_UNITS = 10_000  # so many are drawn one by one
MOST_DISTINCT = 200  # of so few values it is drawn how often each comes, however many units there are

_LEAST_RESAMPLES = 100
_DRAWS_AT_ONCE = 2_000_000
_ONE_SIDE = Undefined("the resampled means all lie on one side of the mean")
_TOO_SKEWED = Undefined("the values are too skewed for an interval of this level by BCa")


class Bootstrap(msgspec.Struct, frozen=True, kw_only=True):
    """A mean of `n` values with what `resamples` drawings of its `units` (values, or whole clusters) say about it.

    `resamples` is 0 where nothing was drawn: where the interval is undefined, and where it is by t or cluster-t,
    which its method then says. The same values, seed and resamples give the same interval.
    """

    mean: float | Undefined
    n: int
    units: int
    standard_error: float | Undefined
    interval: Interval | Undefined
    resamples: int
    seed: int


def bootstrap_mean(
    values: Numbers,
    *,
    clusters: Names | None = None,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    method: Resampling = "bca",
) -> Bootstrap:
    """The mean of `values` with a bootstrap interval; `clusters` names the cluster of each value, drawn as a whole.

    Above MOST_UNITS units of more than MOST_DISTINCT different values the interval is by t or cluster-t instead; an end
    by BCa lies some 0.7 % of the half-width away from that, times the skewness of the units. Under some 50 skewed units
    it covers a little less than it says. Raises RecordError for values that are no numbers, ConfigurationError for a
    level, seed or number of resamples that cannot be used.
    """
    check_level(level)
    check_drawing(seed, resamples)
    numbers = column(values)
    units = Units.of(numbers, clusters)
    spread = units.spread
    if isinstance(spread, Undefined):
        mean = units.mean if units.n else Undefined(NOTHING_SCORED)
        return Bootstrap(
            mean=mean,
            n=units.n,
            units=len(units.sizes),
            standard_error=spread,
            interval=spread,
            resamples=0,
            seed=seed,
        )
    drawn = _resampled(units, seed=seed, resamples=resamples)
    if drawn is None:
        error, interval = spread, units.interval(level=level)
    else:
        error = float(drawn.std(ddof=1))
        interval = _interval(drawn, units, level=level, method=method)
    return Bootstrap(
        mean=units.mean,
        n=units.n,
        units=len(units.sizes),
        standard_error=error,
        interval=interval,
        resamples=0 if drawn is None else resamples,
        seed=seed,
    )


def check_drawing(seed: int, resamples: int) -> None:
    """Raises ConfigurationError for a seed or a number of drawings that cannot be used."""
    if seed < 0:
        raise ConfigurationError(f"{seed} is not a seed", fix="use a whole number from 0 on")
    if resamples < _LEAST_RESAMPLES:
        raise ConfigurationError(
            f"{resamples} resamples do not show where an interval ends", fix=f"draw {RESAMPLES}, the default, or more"
        )


def _resampled(units: Units, *, seed: int, resamples: int) -> Floats | None:
    """The means of the resamples less the mean itself, or None where there is too much to draw."""
    import numpy as np

    chance = np.random.default_rng(seed)
    count = len(units.sizes)
    if units.equal_sizes:
        distinct, times = np.unique(units.residuals, return_counts=True)
        if len(distinct) <= MOST_DISTINCT and (count > MOST_UNITS or 20 * len(distinct) <= count):
            return chance.multinomial(count, times / count, size=resamples) @ distinct / units.n
    if count > MOST_UNITS:
        return None
    drawn = np.empty(resamples)
    step = max(1, _DRAWS_AT_ONCE // count)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        chosen = chance.integers(0, count, size=(rows, count), dtype=np.int32)
        sizes = units.n if units.equal_sizes else units.sizes[chosen].sum(axis=1)
        drawn[start : start + rows] = units.residuals[chosen].sum(axis=1) / sizes
    return drawn


def _interval(drawn: Floats, units: Units, *, level: float, method: Resampling) -> Interval | Undefined:
    import numpy as np
    from scipy.special import ndtr, stdtrit

    count = len(units.sizes)
    away = float(stdtrit(count - 1, (1 + level) / 2)) * math.sqrt(count / (count - 1))
    quantiles = np.array([-away, away])
    tails = _accelerated(quantiles, drawn, units) if method == "bca" else ndtr(quantiles)
    if isinstance(tails, Undefined):
        return tails
    low, high = np.quantile(drawn, tails)
    name: Method = "bootstrap-bca" if method == "bca" else "bootstrap-percentile"
    if units.clustered:
        name = "cluster-bootstrap-bca" if method == "bca" else "cluster-bootstrap-percentile"
    return Interval(low=units.mean + float(low), high=units.mean + float(high), level=level, method=name)


def _accelerated(quantiles: Floats, drawn: Floats, units: Units) -> Floats | Undefined:
    """The shares of the resamples below the two ends, corrected for bias and skewness."""
    import numpy as np
    from scipy.special import ndtr, ndtri

    # Means that are equal but for rounding count half on either side.
    tie = TIE * float(np.ptp(drawn))
    below = float(((drawn < -tie).mean() + (drawn <= tie).mean()) / 2)
    if not 0 < below < 1:
        return _ONE_SIDE
    bias = ndtri(below)
    # The mean without unit i, less the mean of all: (0 − residual) / (n − size).
    without = -units.residuals / (units.n - units.sizes)
    influence = without.mean() - without
    influence = influence / np.abs(influence).max()  # cubes of values beyond 1e100 have no sum
    acceleration = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    shifted = bias + quantiles
    room = 1 - acceleration * shifted
    if (room <= 0).any():
        return _TOO_SKEWED
    return np.asarray(ndtr(bias + shifted / room), dtype=np.float64)
