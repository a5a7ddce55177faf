"""Agreement among two or more raters, who need not all have rated every unit: Gwet's AC1 and AC2, and Fleiss' κ.

Sources: Fleiss 1971; Gwet 2008 for AC1 and its error; Gwet 2014, Handbook of Inter-Rater Reliability, for AC2 and for
units that some raters left out. A unit with one rating tells how common its category is, not whether raters agree.
`items` are the places of the units' items, where items come more than once.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from rejudge.stats.accuracy import rate_by_item
from rejudge.stats.estimate import Estimate, Statistic, delta_t
from rejudge.stats.interval import LEVEL, Undefined
from rejudge.stats.kappa import Weighting, agreement_weights, no_variation
from rejudge.stats.moments import Moments
from rejudge.stats.ratings import Tally
from rejudge.stats.scale import PASS_FAIL
from rejudge.stats.summary import interval_of

if TYPE_CHECKING:
    from rejudge.stats.ties import Codes, Floats, Mask

NO_SECOND_RATING = Undefined("no unit has two ratings")
ONE_UNIT = Undefined("one unit shows no agreement beyond chance")


def percent_agreement(tally: Tally, *, items: Codes | None = None, level: float = LEVEL) -> Statistic:
    """The share of agreeing pairs of ratings within a unit, averaged over the units that have a pair."""
    observed = _observed(tally, weighting="identity")
    if isinstance(observed, Undefined):
        return observed
    agreed = observed.per_unit[observed.paired]
    if items is not None:
        return rate_by_item(agreed, items[tally.rated][observed.paired], level=level)
    moments = Moments.of(agreed.tolist())
    interval = interval_of(moments, scale=PASS_FAIL, level=level)
    return Estimate(value=observed.mean, n=moments.n, interval=interval)


def gwet(
    tally: Tally, *, weighting: Weighting = "identity", items: Codes | None = None, level: float = LEVEL
) -> Statistic:
    """AC1, or AC2 with weights: (p_a − p_e) / (1 − p_e), p_e = T_w Σ π_k(1 − π_k) / (q(q − 1)).

    Chance falls as one category takes over, so it stays high where nearly everything passes and κ drops. It depends
    on the number of categories: name those that nobody used. Undefined for one category.
    """
    observed = _observed(tally, weighting=weighting)
    if isinstance(observed, Undefined):
        return observed
    if observed.paired.sum() < 2:
        return ONE_UNIT
    size = len(tally.categories)
    if size < 2:
        return no_variation(observed.mean)
    common = observed.shares.mean(axis=0)
    factor = float(observed.weights.sum()) / (size * (size - 1))
    expected = factor * float(common @ (1 - common))
    chance = factor * (observed.shares @ (1 - common))
    of_rated = None if items is None else items[tally.rated]
    return _beyond_chance(observed, expected, chance, items=of_rated, level=level)


def fleiss_kappa(
    tally: Tally, *, weighting: Weighting = "identity", items: Codes | None = None, level: float = LEVEL
) -> Statistic:
    """κ with chance from the categories' shares over all raters; undefined where every rating is the same."""
    observed = _observed(tally, weighting=weighting)
    if isinstance(observed, Undefined):
        return observed
    if observed.paired.sum() < 2:
        return ONE_UNIT
    common = observed.shares.mean(axis=0)
    expected = float(common @ observed.weights @ common)
    if math.isclose(expected, 1.0, abs_tol=1e-12):
        return no_variation(observed.mean)
    chance = observed.shares @ (observed.weights @ common)
    of_rated = None if items is None else items[tally.rated]
    return _beyond_chance(observed, expected, chance, items=of_rated, level=level)


class _Observed(NamedTuple):
    per_unit: Floats  # weighted agreement within a unit, 0 where it has no pair
    paired: Mask
    shares: Floats  # of the categories within a unit
    weights: Floats

    @property
    def mean(self) -> float:
        return min(1.0, float(self.per_unit.sum() / self.paired.sum()))


def _observed(tally: Tally, *, weighting: Weighting) -> _Observed | Undefined:
    import numpy as np

    weights = agreement_weights(tally.categories, weighting)
    counts = tally.counts[tally.rated]
    ratings = counts.sum(axis=1)
    paired = ratings >= 2
    if not paired.any():
        return NO_SECOND_RATING
    agreeing = (counts * (counts @ weights - 1)).sum(axis=1)
    per_unit = agreeing / np.where(paired, ratings * (ratings - 1), 1)
    return _Observed(per_unit, paired, counts / ratings[:, None], weights)


def _beyond_chance(
    observed: _Observed, expected: float, chance: Floats, *, items: Codes | None, level: float
) -> Statistic:
    """The coefficient, and what each unit does to it through its own agreement and through chance.

    Without gaps this is Gwet's variance. With gaps his is larger, as it counts a unit without a pair as a unit that
    agrees by chance alone.
    """
    room, paired = 1 - expected, observed.paired
    value = (observed.mean - expected) / room
    own = (observed.per_unit - observed.mean) * paired / paired.mean()
    influence = (own - 2 * (1 - value) * (chance - expected)) / room
    interval = delta_t(value, influence, items=items, level=level, most=1.0)
    return Estimate(value=value, n=int(paired.sum()), interval=interval)
