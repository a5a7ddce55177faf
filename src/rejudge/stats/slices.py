"""How each part of the items did (a tag, a risk level, a field's value), and whether it differs from the rest.

Looking at many slices finds some that differ by chance alone, so each p-value is adjusted by Benjamini and Hochberg
over all slices that have one. The tests are those of `two_samples`; for clusters the error is that of `Units`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from rejudge.domain.errors import RecordError
from rejudge.stats.clusters import Units
from rejudge.stats.column import column, moments_of, places
from rejudge.stats.interval import LEVEL, NOTHING_SCORED, Interval, Undefined, check_level
from rejudge.stats.moments import Moments
from rejudge.stats.multiple import benjamini_hochberg
from rejudge.stats.scale import Scale
from rejudge.stats.summary import NO_RANGE, interval_of, on_scale
from rejudge.stats.two_samples import (
    NO_SPREAD_INSIDE,
    Difference,
    Passes,
    Sample,
    Test,
    difference_by_t,
    two_means,
    two_rates,
)

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Names, Places

    Members: TypeAlias = Mapping[str, Sequence[int] | Places]

Verdict: TypeAlias = Literal["better", "worse", "higher", "lower", "no difference shown", "not enough data"]

NO_REST = Undefined("no other item has a score")


class Contrast(msgspec.Struct, frozen=True, kw_only=True):
    """A slice's mean less that of the `n` scored items outside it; `p` is adjusted for all slices in `p_adjusted`.

    `verdict` is by `p_adjusted`; an informational score is higher or lower instead of better or worse.
    """

    n: int
    mean: float | None
    difference: float | Undefined
    interval: Interval | Undefined
    test: Test | None = None
    p: float | Undefined
    p_adjusted: float | Undefined
    verdict: Verdict = "not enough data"


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """One slice of `items` items, of which `n` have a score; mean, std and interval are over these.

    `best` and `worst` are the mean of all items if each missing score were the best or the worst of the range.
    """

    name: str
    items: int
    n: int
    mean: float | None
    std: float | None
    interval: Interval | Undefined
    best: float | Undefined
    worst: float | Undefined
    rest: Contrast


def summarise_slices(
    values: Sequence[float | None] | Floats,
    members: Members,
    *,
    scale: Scale,
    clusters: Names | None = None,
    level: float = LEVEL,
) -> list[Slice]:
    """Each slice of `members`, in that order; an item may be in several, or in none.

    `values` has one number per planned item (of several trials their mean), None where it has no score; `members` and
    `clusters` go by the places of items in it. Raises RecordError for what is no number, for a place that does not
    exist or is named twice, and unless there is one cluster for each item.
    """
    check_level(level)
    whole = _Whole(values, clusters)
    found = [_slice(name, whole, whole.places(name, part), scale=scale, level=level) for name, part in members.items()]
    tested = [place for place, one in enumerate(found) if not isinstance(one.rest.p, Undefined)]
    adjusted = benjamini_hochberg([_p(found[place]) for place in tested])
    for place, p in zip(tested, adjusted, strict=True):
        rest = found[place].rest
        verdict = _verdict(rest.difference, p, scale, level=level)
        rest = msgspec.structs.replace(rest, p_adjusted=p, verdict=verdict)
        found[place] = msgspec.structs.replace(found[place], rest=rest)
    return found


class _Whole:
    """All items: their scores (0 where there is none), which have one, and sums that every slice is taken from."""

    def __init__(self, values: Sequence[float | None] | Floats, clusters: Names | None) -> None:
        import numpy as np

        if isinstance(values, np.ndarray):
            self.scored = np.ones(len(values), dtype=bool)
            numbers = column(values)
        else:
            self.scored = np.fromiter((value is not None for value in values), dtype=bool, count=len(values))
            numbers = column([0.0 if value is None else value for value in values])
        self.moments = moments_of(numbers[self.scored])
        self.centre = self.moments.mean or 0.0
        self.largest = max(abs(self.moments.minimum or 0.0), abs(self.moments.maximum or 0.0))
        self.numbers = numbers
        self.clusters: Places | None = None
        if clusters is not None:
            self.clusters, named = places(clusters, n=len(numbers), what="clusters")
            self.groups = len(named)
            inside = self.clusters[self.scored]
            centred = numbers[self.scored] - self.centre
            self.sums: Floats = np.bincount(inside, weights=centred, minlength=self.groups).astype(float)
            self.sizes = np.bincount(inside, minlength=self.groups)
            self.used = int((self.sizes > 0).sum())
            self.products = _products(self.sums, self.sizes)

    def places(self, name: str, part: Sequence[int] | Places) -> Places:
        import numpy as np

        chosen = np.asarray(part, dtype=np.intp)
        ordered = np.sort(chosen)
        if len(chosen) and (ordered[0] < 0 or ordered[-1] >= len(self.numbers) or not np.diff(ordered).all()):
            raise RecordError(
                f"{name}: its items are not different places from 0 to {len(self.numbers) - 1}",
                fix="give the place of each item of the slice once",
            )
        return chosen


def _slice(name: str, whole: _Whole, chosen: Places, *, scale: Scale, level: float) -> Slice:
    import numpy as np

    held = chosen[whole.scored[chosen]]
    moments = moments_of(whole.numbers[held])
    clusters = None if whole.clusters is None else whole.clusters[held]
    if clusters is None:
        interval = interval_of(moments, scale=scale, level=level)
    else:
        used, place = np.unique(clusters, return_inverse=True)
        interval = on_scale(Units.grouped(whole.numbers[held], place, len(used)).interval(level=level), scale)
    missing = len(chosen) - moments.n
    return Slice(
        name=name,
        items=len(chosen),
        n=moments.n,
        mean=moments.mean,
        std=moments.std,
        interval=interval,
        best=_if_missing_were(scale.best, moments, missing),
        worst=_if_missing_were(scale.worst, moments, missing),
        rest=_contrast(whole, held, moments, scale=scale, level=level),
    )


def _if_missing_were(end: float | None, moments: Moments, missing: int) -> float | Undefined:
    if not moments.n + missing:
        return Undefined("the slice has no items")
    if end is None:
        return NO_RANGE
    return (moments.total + missing * end) / (moments.n + missing)


def _contrast(whole: _Whole, held: Places, moments: Moments, *, scale: Scale, level: float) -> Contrast:
    all_of = whole.moments
    n = all_of.n - moments.n
    if moments.mean is None or not n:
        none = Undefined(NOTHING_SCORED) if moments.mean is None else NO_REST
        return Contrast(n=n, mean=all_of.mean if n else None, difference=none, interval=none, p=none, p_adjusted=none)
    mean = (all_of.total - moments.total) / n
    if whole.clusters is not None:
        found = _clustered(whole, whole.clusters, held, (mean, moments.mean), level=level)
    elif all_of.zero_or_one and scale.holds(0) and scale.holds(1):
        rest = Passes(round(all_of.total - moments.total), n)
        found = two_rates(rest, Passes(round(moments.total), moments.n), level=level)
    else:
        # Σ(x − centre)² of all is that of the slice and that of the rest; each about its own mean is less.
        inside = moments.squares + moments.n * (moments.mean - whole.centre) ** 2
        squares = all_of.squares - inside - n * (mean - whole.centre) ** 2
        rest_sample = Sample(n, mean, squares if squares > _ROUNDING * all_of.squares else 0.0)
        found = two_means(rest_sample, Sample(moments.n, moments.mean, moments.squares), level=level)
    return Contrast(
        n=n,
        mean=mean,
        difference=found.value,
        interval=found.interval,
        test=found.test,
        p=found.p,
        p_adjusted=found.p,
    )


def _clustered(
    whole: _Whole, clusters: Places, held: Places, means: tuple[float, float], *, level: float
) -> Difference:
    """By t from the clusters, which may lie on both sides; the side with fewer sets the degrees of freedom."""
    import numpy as np

    rest_mean, mean = means
    touched, inside = np.unique(clusters[held], return_inverse=True)
    sums = np.bincount(inside, weights=whole.numbers[held] - whole.centre)
    sizes = np.bincount(inside)
    n, shift = whole.moments.n - len(held), rest_mean - whole.centre
    others = whole.sizes[touched] - sizes
    count = min(len(touched), whole.used - int((others == 0).sum()))
    if count < 2:
        return Difference(value=mean - rest_mean, interval=_ONE_CLUSTER, test="cluster-t", p=_ONE_CLUSTER)
    here = (sums - (mean - whole.centre) * sizes) / len(held)
    there = (whole.sums[touched] - sums - shift * others) / n
    # Σ(sum − shift·size)² over the clusters that the slice does not touch, from the sums over all.
    away = whole.products - _products(whole.sums[touched], whole.sizes[touched])
    squares = float(np.square(here - there).sum()) + max(0.0, float(away @ [1.0, -2 * shift, shift**2])) / n**2
    error = math.sqrt(squares * count / (count - 1))
    if error <= _ROUNDING * whole.largest:
        return Difference(value=mean - rest_mean, interval=NO_SPREAD_INSIDE, test="cluster-t", p=NO_SPREAD_INSIDE)
    return difference_by_t(rest_mean, mean, error, count - 1, test="cluster-t", level=level)


def _products(sums: Floats, sizes: Places) -> Floats:
    import numpy as np

    return np.array([np.square(sums).sum(), (sums * sizes).sum(), np.square(sizes).sum()], dtype=np.float64)


def _p(one: Slice) -> float:
    return one.rest.p if isinstance(one.rest.p, float) else 1.0


def _verdict(difference: float | Undefined, p: float, scale: Scale, *, level: float) -> Verdict:
    if isinstance(difference, Undefined):
        return "not enough data"
    if p > 1 - level:
        return "no difference shown"
    if scale.direction == "informational":
        return "higher" if difference > 0 else "lower"
    return "better" if (difference > 0) == (scale.direction == "higher") else "worse"


_ROUNDING = 1e-12
_ONE_CLUSTER = Undefined("one cluster on either side shows no spread between clusters")
