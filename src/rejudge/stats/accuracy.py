"""How often a judge is right: accuracy, the rates on what people passed and failed, and Matthews' correlation.

Sources: Matthews 1975, and Gorodkin 2004 for more than two categories; the intervals of rates are Wilson's. Where items
come more than once, `placed` tells which pairs are of one item, and the interval of a rate is Wilson's at the effective
sample size (Korn and Graubard 1998, Survey Methodology 24; Franco et al. 2019, Journal of Survey Statistics and
Methodology 7).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.stats.confusion import NO_PAIRS, Confusion, Outcomes, Placed
from rejudge.stats.estimate import ONE_ITEM, Estimate, Statistic, delta_z, jackknife_z, spread_of
from rejudge.stats.interval import LEVEL, Interval, Undefined, check_level, wilson, wilson_ends

if TYPE_CHECKING:
    from rejudge.stats.ties import Codes, Floats, Mask

NO_PASSES = Undefined("the people let no item pass")
NO_FAILS = Undefined("the people failed no item")
ONE_SIDE_CONSTANT = "gave every item the same value"


def accuracy(confusion: Confusion, *, placed: Placed | None = None, level: float = LEVEL) -> Statistic:
    """The share of pairs in which both sides said the same, also called percent agreement and p_o."""
    if placed is not None and confusion.n:
        size = len(confusion.categories)
        return rate_by_item(placed.cells // size == placed.cells % size, placed.items, level=level)
    return rate(confusion.agreed, confusion.n, level=level, missing=NO_PAIRS)


def true_positive_rate(outcomes: Outcomes, *, placed: Placed | None = None, level: float = LEVEL) -> Statistic:
    """Of the items that the people let pass, the share that the judge lets pass (sensitivity, recall)."""
    if placed is not None and outcomes.positives:
        passed = placed.cells // 2 == 1
        return rate_by_item(placed.cells[passed] % 2 == 1, placed.items[passed], level=level)
    return rate(outcomes.true_positives, outcomes.positives, level=level, missing=NO_PASSES)


def true_negative_rate(outcomes: Outcomes, *, placed: Placed | None = None, level: float = LEVEL) -> Statistic:
    """Of the items that the people failed, the share that the judge fails (specificity)."""
    if placed is not None and outcomes.negatives:
        failed = placed.cells // 2 == 0
        return rate_by_item(placed.cells[failed] % 2 == 0, placed.items[failed], level=level)
    return rate(outcomes.true_negatives, outcomes.negatives, level=level, missing=NO_FAILS)


def rate(successes: int, n: int, *, level: float = LEVEL, missing: Undefined = NO_PAIRS) -> Statistic:
    """A share with Wilson's interval; `missing` says why there is none where n is 0."""
    if not n:
        return missing
    return Estimate(value=successes / n, n=n, interval=wilson(successes, n, level=level))


def rate_by_item(hits: Floats | Mask, items: Codes, *, level: float = LEVEL) -> Statistic:
    """The share of `hits`, numbers from 0 to 1 of which each is of the item in `items`; there is one hit or more.

    The effective sample size is p(1 − p) / SE², with the error by item; it is no more than the number of hits, and the
    number of items where these show no spread. The quantile is t's on items − 1 degrees of freedom.
    """
    import numpy as np
    from scipy.special import stdtrit

    check_level(level)
    numbers = np.asarray(hits, dtype=np.float64)
    share, n, count = float(numbers.mean()), len(numbers), int(np.count_nonzero(np.bincount(items)))
    if count < 2:
        return Estimate(value=share, n=n, interval=ONE_ITEM)
    spread = spread_of(numbers, items)
    size = float(count) if isinstance(spread, Undefined) else min(n, share * (1 - share) / spread.error**2)
    low, high = wilson_ends(share, size, float(stdtrit(count - 1, (1 + level) / 2)))
    return Estimate(value=share, n=n, interval=Interval(low=low, high=high, level=level, method="cluster-wilson"))


def matthews(confusion: Confusion, *, placed: Placed | None = None, level: float = LEVEL) -> Statistic:
    """Matthews' correlation between the two sides: 1 for agreement on every item, 0 for none beyond chance.

    Undefined where one side gave every item the same value. Interval by the jackknife; by the delta method over items
    where these come more than once.
    """
    import numpy as np

    cells = confusion.cells()
    if not (n := confusion.n):
        return NO_PAIRS
    shares = cells / n
    human, judge = shares.sum(axis=1), shares.sum(axis=0)
    if (constant := constant_side(confusion)) is not None:
        return constant
    chance, human_same, judge_same = human @ judge, human @ human, judge @ judge
    agreed = shares.trace()
    human_room, judge_room = 1 - human_same, 1 - judge_same
    value = float((agreed - chance) / np.sqrt(human_room * judge_room))
    # What one more pair of each cell would do to the numerator and to both factors of the denominator.
    top = (np.eye(len(human)) - agreed) - (judge[:, None] + human[None, :] - 2 * chance)
    human_moves = -2 * (human[:, None] - human_same) / human_room
    judge_moves = -2 * (judge[None, :] - judge_same) / judge_room
    influence = top / np.sqrt(human_room * judge_room) - value / 2 * (human_moves + judge_moves)
    value = min(1.0, max(-1.0, value))
    if placed is not None:
        interval = delta_z(value, influence.ravel()[placed.cells], items=placed.items, level=level)
        return Estimate(value=value, n=n, interval=interval)
    # The coefficient without one pair of each cell.
    same, people, graded = np.eye(len(human)), cells.sum(axis=1)[:, None], cells.sum(axis=0)[None, :]
    left = (n - 1) ** 2
    rooms = (left - (human_same * n * n - 2 * people + 1)) * (left - (judge_same * n * n - 2 * graded + 1))
    covariance = (n - 1) * (agreed * n - same) - (chance * n * n - graded.T - people.T + same)
    possible = rooms > 0.5
    without = np.where(possible, covariance / np.sqrt(np.where(possible, rooms, 1.0)), 1.0)
    times = cells.ravel().astype(np.intp)
    per_pair = [np.repeat(of_cell.ravel(), times) for of_cell in (without, influence)]
    return Estimate(value=value, n=n, interval=jackknife_z(value, *per_pair, level=level))


def constant_side(confusion: Confusion) -> Undefined | None:
    """Why a correlation does not exist where a side used one category only."""
    people = sum(1 for row in confusion.counts if any(row)) == 1
    judge = sum(1 for column in zip(*confusion.counts, strict=True) if any(column)) == 1
    if people and judge:
        return Undefined(f"no variation: either side {ONE_SIDE_CONSTANT}")
    if people or judge:
        return Undefined(f"{'the people' if people else 'the judge'} {ONE_SIDE_CONSTANT}")
    return None
