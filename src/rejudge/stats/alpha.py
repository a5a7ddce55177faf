"""Krippendorff's α for nominal, ordinal, interval and ratio values, any number of raters, gaps allowed.

Source: Krippendorff 2004, Content Analysis, chapter 11. The interval's error is the delta method's over units, as in
Gwet 2014, Handbook of Inter-Rater Reliability, chapter 5; for ordinal values the ranks count as estimated too.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.agreement import NO_SECOND_RATING, ONE_UNIT
from rejudge.stats.estimate import Estimate, Statistic, delta_t
from rejudge.stats.interval import LEVEL, Undefined
from rejudge.stats.ratings import GAP, Ratings
from rejudge.stats.ties import above, mid_ranks

if TYPE_CHECKING:
    from rejudge.stats.ties import Codes, Floats

Measurement: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]

MOST_RATIO_VALUES = 5_000
ALL_EQUAL = Undefined("no variation: every rating is the same, so there is no difference for chance to make")

_AT_ONCE = 500


def krippendorff_alpha(
    ratings: Ratings, *, measurement: Measurement, items: Codes | None = None, level: float = LEVEL
) -> Statistic:
    """1 − D_o / D_e: how far two ratings of one unit differ, against how far any two ratings differ.

    1 is agreement; at 0 a unit tells nothing about its ratings; below 0 raters disagree systematically. Undefined
    where all ratings are equal (some programs say 1 there), and for ratios of negative values. Raises
    ConfigurationError for labels that are not nominal. `items` are the places of the units' items, where items come
    more than once.
    """
    import numpy as np

    codes = ratings.pairable
    if codes.shape[1] < 2:
        return ONE_UNIT if codes.shape[1] else NO_SECOND_RATING
    rated = codes != GAP
    counts = np.bincount(codes[rated], minlength=len(ratings.categories)).astype(np.float64)
    positions = _positions(ratings, counts, measurement)
    if isinstance(positions, Undefined):
        return positions
    n, raters = float(counts.sum()), rated.sum(axis=0)
    within = _within(codes, positions, raters, measurement)
    to_any = _to_any(positions, counts, measurement)
    observed, anywhere = float(within.sum()) / n, float(counts @ to_any) / n
    if np.count_nonzero(counts) < 2 or anywhere <= 0:
        return ALL_EQUAL
    value = 1 - observed / anywhere * (n - 1) / n
    own, other = np.zeros(len(counts)), 2 * (to_any - anywhere)
    if measurement == "ordinal":
        own, of_ranks = _rank_influence(codes, positions, counts, raters)
        other = other + of_ranks
    moves = within - raters * observed + _summed(own - observed / anywhere * other, codes)
    influence = -moves / anywhere / raters.mean()
    of_pairable = None if items is None else items[ratings.paired]
    interval = delta_t(value, influence, items=of_pairable, level=level, most=1.0)
    return Estimate(value=value, n=codes.shape[1], interval=interval)


def _positions(ratings: Ratings, counts: Floats, measurement: Measurement) -> Floats | Undefined:
    """Where each category lies on the line on which differences are taken; nominal ones are only equal or not."""
    import numpy as np

    if measurement == "nominal":
        return np.arange(len(counts), dtype=np.float64)
    numbers = [category for category in ratings.categories if not isinstance(category, str)]
    if len(numbers) < len(counts):
        raise ConfigurationError(f"labels are not {measurement}", fix="ask for the nominal α")
    if measurement == "ordinal":
        return mid_ranks(counts)
    positions = np.array(numbers, dtype=np.float64)
    if measurement == "ratio":
        if positions[0] < 0:
            return Undefined("values below 0 have no ratio")
        if len(positions) > MOST_RATIO_VALUES:
            return Undefined(f"{len(positions)} different values are too many to take all their ratios")
    return positions


def _apart(one: Floats, other: Floats, measurement: Measurement) -> Floats:
    import numpy as np

    if measurement == "nominal":
        return np.asarray(one != other, dtype=np.float64)
    difference = one - other
    if measurement == "ratio":
        total = one + other
        difference = np.divide(difference, total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(difference * difference)


def _within(codes: Codes, positions: Floats, raters: Codes, measurement: Measurement) -> Floats:
    """For each unit the distances of all ordered pairs of its ratings, divided by the raters less one."""
    import numpy as np

    total = np.zeros(codes.shape[1])
    for one, other in combinations(codes, 2):
        both = np.flatnonzero((one != GAP) & (other != GAP))
        total[both] += 2 * _apart(positions[one[both]], positions[other[both]], measurement)
    return np.asarray(total / (raters - 1))


def _to_any(positions: Floats, counts: Floats, measurement: Measurement) -> Floats:
    """For each category the mean distance to all ratings."""
    import numpy as np

    n = counts.sum()
    if measurement == "nominal":
        return np.asarray(1 - counts / n)
    if measurement == "ratio":
        slices = [positions[start : start + _AT_ONCE, None] for start in range(0, len(positions), _AT_ONCE)]
        sums = [_apart(part, positions[None, :], measurement) @ counts for part in slices]
        return np.asarray(np.concatenate(sums) / n)
    centred = positions - (counts @ positions) / n
    return np.asarray(centred**2 + (counts @ centred**2) / n)


def _rank_influence(codes: Codes, ranks: Floats, counts: Floats, raters: Codes) -> tuple[Floats, Floats]:
    """What a further rating of each category does to D_o and to D_e by moving the ranks of all the others."""
    import numpy as np

    n = counts.sum()
    slope = np.zeros(len(counts))
    for one, other in combinations(codes, 2):
        both = np.flatnonzero((one != GAP) & (other != GAP))
        steps = 4 * (ranks[one[both]] - ranks[other[both]]) / (raters[both] - 1)
        slope += np.bincount(one[both], weights=steps, minlength=len(counts))
        slope -= np.bincount(other[both], weights=steps, minlength=len(counts))
    slope /= n
    centred = ranks - 0.5
    variance = (counts @ centred**2) / n
    return above(slope) - slope @ ranks, 4 * (above(counts * centred / n) - variance)


def _summed(per_category: Floats, codes: Codes) -> Floats:
    import numpy as np

    return np.asarray(np.where(codes != GAP, per_category[codes], 0.0).sum(axis=0))
