"""What several trials of each item tell: how much of the spread is between items, and how much is chance within them.

The mean is over item means, whose variance is ω² + σ²/K: ω² between items, σ² between trials of one item, K trials.
More trials cut only σ²/K. Source: Miller 2024, arXiv 2411.00640, section 3.1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from rejudge.stats.clusters import Units
from rejudge.stats.column import moments_of, trials_column
from rejudge.stats.components import Layout, correlation_of, estimate_of, variance_of
from rejudge.stats.differences import TIE, tie_unit
from rejudge.stats.estimate import Estimate, Statistic
from rejudge.stats.interval import LEVEL, NOTHING_SCORED, Interval, Undefined, check_level
from rejudge.stats.scale import PASS_FAIL, Scale
from rejudge.stats.summary import interval_of

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Places

NO_REPEATS = Undefined("no item has two scored trials")
_BELOW_ZERO = Undefined("items differ less from each other than the chance between trials alone would make them")


class RepeatSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What `scored` trials of `items` items say; `repeated` items have two or more, and `trials` is K.

    `standard_error` and `interval` are of the mean of item means. `pooled_error` takes trials for independent items,
    which is wrong: it is here to show by how much. `between` (ω²) and `within` (σ²) are variances; `between` may come
    out a little below 0 by chance. `reliability` is the share of ω² in the variance of one trial, and
    `reliability_of_mean` in that of an item's mean: what is missing to 1 is what endless trials would remove from the
    squared standard error. `agreement` is how likely two trials of an item are equal; not all trials of `flipped` items
    are. What is equal, `differences.tie_unit` tells.
    """

    items: int
    repeated: int
    scored: int
    trials: float
    mean: float | Undefined
    interval: Interval | Undefined
    standard_error: float | Undefined
    pooled_error: float | Undefined
    between: Statistic
    within: Statistic
    reliability: Statistic
    reliability_of_mean: Statistic
    agreement: Statistic
    flipped: int


class Flip(msgspec.Struct, frozen=True, kw_only=True):
    """An item, by its place among all, whose trials were not all equal; `agreement` is how likely two of them are."""

    item: int
    trials: int
    agreement: float
    mean: float
    minimum: float
    maximum: float


class LabelFlip(msgspec.Struct, frozen=True, kw_only=True):
    """An item, by its place among all, whose trials had different labels; `agreement` is how likely two are equal."""

    item: int
    trials: int
    agreement: float
    labels: dict[str, int]


def summarise_repeats(
    values_by_item: Sequence[Sequence[float]], *, scale: Scale, level: float = LEVEL
) -> RepeatSummary:
    """The summary of one inner sequence per item: its scored trials; items that have none are left out.

    Raises RecordError for values that are no numbers.
    """
    import numpy as np

    check_level(level)
    numbers, place = trials_column([trials for trials in values_by_item if len(trials)])
    sizes = np.bincount(place)
    items, repeated = len(sizes), int((sizes > 1).sum())
    means = np.bincount(place, weights=numbers) / sizes
    # Rounding would make three equal trials 0.1 a mean that differs from 0.1.
    room = TIE * tie_unit(numbers)
    low, high, agreement = _within(numbers, place, room)
    means = np.clip(means, low, high)
    of_means = moments_of(means)
    layout = Layout.of(numbers, place, items)
    size = float(layout.size[0]) if items > 1 else float(len(numbers))
    between, within, reliability = (
        (
            estimate_of(layout.between, n=len(numbers), level=level),
            variance_of(layout.within, n=len(numbers), level=level),
            _share(correlation_of(layout.icc, n=len(numbers), level=level), 1.0),
        )
        if repeated
        else (NO_REPEATS,) * 3
    )
    return RepeatSummary(
        items=items,
        repeated=repeated,
        scored=len(numbers),
        trials=size,
        mean=Undefined(NOTHING_SCORED) if of_means.mean is None else of_means.mean,
        interval=interval_of(of_means, scale=scale, level=level),
        standard_error=Units.of(means, None).spread,
        pooled_error=Units.of(numbers, None).spread,
        between=between,
        within=within,
        reliability=reliability,
        reliability_of_mean=_share(reliability, size),
        agreement=_mean_agreement(agreement[sizes > 1], level=level),
        flipped=int((high - low > room).sum()),
    )


def flips(values_by_item: Sequence[Sequence[float]]) -> list[Flip]:
    """The items whose trials are not all equal, those with the least agreement first."""
    import numpy as np

    kept = np.array([index for index, trials in enumerate(values_by_item) if len(trials) > 1], dtype=np.intp)
    numbers, place = trials_column([values_by_item[index] for index in kept])
    room = TIE * tie_unit(numbers)
    low, high, agreement = _within(numbers, place, room)
    sizes = np.bincount(place)
    means = np.bincount(place, weights=numbers) / sizes
    unequal = np.flatnonzero(high - low > room)
    order = unequal[np.argsort(agreement[unequal], kind="stable")]
    told = (kept, sizes, agreement, means, low, high)
    return [
        Flip(item=item, trials=trials, agreement=equal, mean=mean, minimum=least, maximum=most)
        for item, trials, equal, mean, least, most in zip(*(part[order].tolist() for part in told), strict=True)
    ]


def label_flips(labels_by_item: Sequence[Sequence[str]]) -> list[LabelFlip]:
    """The items whose trials have different labels, those with the least agreement first."""
    found = []
    for index, labels in enumerate(labels_by_item):
        counts = Counter(labels)
        if len(counts) > 1:
            agreement = sum(count * (count - 1) for count in counts.values()) / (len(labels) * (len(labels) - 1))
            found.append(
                LabelFlip(item=index, trials=len(labels), agreement=agreement, labels=dict(counts.most_common()))
            )
    return sorted(found, key=lambda flip: flip.agreement)


def _within(numbers: Floats, place: Places, room: float) -> tuple[Floats, Floats, Floats]:
    """Of each item the least value, the largest, and the share of pairs of trials that are equal (1 of one).

    Neighbours in order of size are equal within `room`.
    """
    import numpy as np

    if not len(numbers):
        return numbers, numbers, numbers
    order = np.lexsort((numbers, place))
    numbers, place = numbers[order], place[order]
    starts = np.flatnonzero(np.diff(place, prepend=-1))
    ends = np.append(starts[1:], len(place))
    sizes = ends - starts
    runs = np.flatnonzero((np.diff(place, prepend=-1) != 0) | (np.diff(numbers, prepend=-np.inf) > room))
    lengths = np.diff(np.append(runs, len(numbers)))
    equal = np.bincount(place[runs], weights=lengths * (lengths - 1.0), minlength=len(sizes))
    pairs = sizes * (sizes - 1.0)
    return numbers[starts], numbers[ends - 1], np.divide(equal, pairs, out=np.ones(len(sizes)), where=pairs > 0)


def _mean_agreement(agreement: Floats, *, level: float) -> Statistic:
    if not len(agreement):
        return NO_REPEATS
    moments = moments_of(agreement)
    interval = interval_of(moments, scale=PASS_FAIL, level=level)
    assert moments.mean is not None, "some item has two trials"
    return Estimate(value=moments.mean, n=moments.n, interval=interval)


def _share(icc: Statistic, trials: float) -> Statistic:
    """The reliability of the mean of `trials` trials, K·r/(1 + (K − 1)·r) by Spearman and Brown, not under 0.

    An interval that lies below 0 as a whole is none: cut at 0 it would have no width, and claim to be certain.
    """

    def of_mean(one: float) -> float:
        one = max(one, 0.0)
        return trials * one / (1 + (trials - 1) * one)

    if isinstance(icc, Undefined):
        return icc
    around = icc.interval
    if isinstance(around, Interval) and around.high <= 0:
        around = _BELOW_ZERO
    if isinstance(around, Interval):
        around = Interval(low=of_mean(around.low), high=of_mean(around.high), level=around.level, method=around.method)
    return Estimate(value=of_mean(icc.value), n=icc.n, interval=around)
