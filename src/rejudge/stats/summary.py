"""The aggregate of one value of one scorer over one run: estimate, interval, and what is missing from it.

The unit of the statistics is the item. An item with several trials counts once, as the mean of its scored trials;
the mean is the mean of these item means, so an item that lost trials to errors weighs as much as the others, and
trials are never taken for independent items. One trial each is the special case in which an item's mean is its value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from rejudge.domain.errors import RecordError
from rejudge.stats.counts import Counts
from rejudge.stats.interval import LEVEL, NOTHING_SCORED, Interval, Undefined, t_interval, wilson
from rejudge.stats.moments import Moments
from rejudge.stats.scale import Direction, Kind, Scale

NO_RANGE = Undefined("the range is not declared")
NOTHING_PLANNED = Undefined("nothing was planned")
UNEQUAL_PLAN = Undefined("the items were not all planned with the same number of trials")


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """How often one label was given; with several trials per item, `share` is the mean of the items' shares."""

    count: int
    share: float
    interval: Interval | Undefined


class Repeats(msgspec.Struct, frozen=True, kw_only=True):
    """What item means alone do not tell: the planned items, trials per item, and the sum of all scored values."""

    items: int
    trials: int
    total: float


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What one scorer's value says about one run.

    `n` is the number of items with a score; mean, std (None under 2), minimum, maximum and interval are over their
    means. `items` and `trials` are as planned, `counts` is over units (item × trial). `best` and `worst` are the mean
    over everything planned if each missing score were the best or the worst of the declared range.
    """

    name: str
    kind: Kind
    direction: Direction
    counts: Counts
    items: int
    trials: int
    n: int
    mean: float | None = None
    std: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    interval: Interval | Undefined
    best: float | Undefined
    worst: float | Undefined
    labels: dict[str, Share] = {}

    @property
    def standard_error(self) -> float | None:
        """The standard error of the mean, std / √n over the items' means; None under two items."""
        return None if self.std is None else self.std / math.sqrt(self.n)

    @property
    def planned(self) -> int:
        """Units (item × trial) that were planned: the sum of the five counts below."""
        return self.counts.planned

    @property
    def scored(self) -> int:
        """Units with a score."""
        return self.counts.scored

    @property
    def skipped(self) -> int:
        """Units that our own data left without a score."""
        return self.counts.skipped

    @property
    def scorer_errors(self) -> int:
        """Units that the scorer failed on."""
        return self.counts.scorer_errors

    @property
    def task_errors(self) -> int:
        """Units that the task failed on."""
        return self.counts.task_errors

    @property
    def pending(self) -> int:
        """Units that are not run or not scored yet."""
        return self.counts.pending


def summarise(
    values: Sequence[float], *, name: str, kind: Kind, scale: Scale, counts: Counts, level: float = LEVEL
) -> Summary:
    """The summary of one scored value per item, as many as `counts.scored`, in any order.

    Raises RecordError for NaN, infinity, a value outside the range, and a number of values that `counts` denies.
    """
    return summarise_moments(Moments.of(values), name=name, kind=kind, scale=scale, counts=counts, level=level)


def summarise_moments(
    moments: Moments,
    *,
    name: str,
    kind: Kind,
    scale: Scale,
    counts: Counts,
    level: float = LEVEL,
    repeats: Repeats | None = None,
) -> Summary:
    """The summary from sums that a database computed: over the values, or with `repeats` over the items' means.

    Raises RecordError as `summarise` does.
    """
    if repeats is None:
        check_scored(moments.n, counts, name)
        repeats = Repeats(items=counts.planned, trials=1, total=moments.total)
    elif not moments.n <= min(repeats.items, counts.scored) or (counts.scored > 0) != (moments.n > 0):
        raise RecordError(f"{name}: {moments.n} items cannot hold {counts.scored} scores of {repeats.items} items")
    for value in (moments.minimum, moments.maximum):
        if value is not None:
            check_range(value, scale, name)
    return Summary(
        name=name,
        kind=kind,
        direction=scale.direction,
        counts=counts,
        items=repeats.items,
        trials=repeats.trials,
        n=moments.n,
        mean=moments.mean,
        std=moments.std,
        minimum=moments.minimum,
        maximum=moments.maximum,
        interval=interval_of(moments, scale=scale, level=level),
        best=_if_missing_were(scale.best, moments, repeats, counts),
        worst=_if_missing_were(scale.worst, moments, repeats, counts),
    )


def interval_of(moments: Moments, *, scale: Scale, level: float = LEVEL) -> Interval | Undefined:
    """The interval of a mean of independent items: Wilson where every item's value is 0 or 1, else t cut to the scale.

    Five stars that are all 1 are no proportion, so both 0 and 1 have to lie on the scale. Item means that are all
    0 or 1 may use Wilson too: a mean of trials varies at most as much as one trial, so the interval is not too narrow.
    """
    if moments.zero_or_one and scale.holds(0) and scale.holds(1):
        return wilson(round(moments.total), moments.n, level=level)
    if moments.mean is None:
        return Undefined(NOTHING_SCORED)
    return on_scale(t_interval(moments.mean, moments.std or 0.0, moments.n, level=level), scale)


def on_scale(interval: Interval | Undefined, scale: Scale) -> Interval | Undefined:
    """The interval of a mean, cut at the ends of the scale that are declared: no mean lies beyond them."""
    if isinstance(interval, Undefined):
        return interval
    low = interval.low if scale.low is None else min(max(interval.low, scale.low), interval.high)
    high = interval.high if scale.high is None else max(min(interval.high, scale.high), low)
    return msgspec.structs.replace(interval, low=float(low), high=float(high))


def planned_trials(scored_by_item: Sequence[Sequence[object]], counts: Counts, name: str) -> int:
    """The trials planned per item, given the scored ones of every planned item; at least the most of any item."""
    check_scored(sum(map(len, scored_by_item)), counts, name)
    if scored_by_item:
        return max(math.ceil(counts.planned / len(scored_by_item)), *map(len, scored_by_item))
    if counts.planned:
        raise RecordError(f"{name}: no items for {counts.planned} planned units", fix="give an empty list per item")
    return 0


def check_scored(given: int, counts: Counts, name: str) -> None:
    """Raises RecordError where the number of values given is not the number counted as scored."""
    if given != counts.scored:
        raise RecordError(f"{name}: {given} values were given, but {counts.scored} are counted as scored")


def _if_missing_were(end: float | None, moments: Moments, repeats: Repeats, counts: Counts) -> float | Undefined:
    """The mean over everything planned; with equal trials per item it is also the mean of the item means."""
    if not counts.planned:
        return NOTHING_PLANNED
    if end is None:
        return NO_RANGE
    if not counts.missing and moments.mean is not None:
        return moments.mean
    if repeats.items * repeats.trials != counts.planned:
        return UNEQUAL_PLAN
    return (repeats.total + counts.missing * end) / counts.planned


def check_range(value: float, scale: Scale, name: str) -> None:
    """Raises RecordError for a value outside the declared range."""
    if not scale.holds(value):
        raise RecordError(
            f"{name}: {value:g} is outside the declared range {scale.low} to {scale.high}",
            fix="declare the range that the scorer really has",
        )
