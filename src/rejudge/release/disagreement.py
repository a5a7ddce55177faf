"""Where two scorers of the same traces disagree: about which items, and in which part of their scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rejudge.stats.clusters import Units
from rejudge.stats.differences import differences, tie_unit
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.mcnemar import Outcomes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.release.common_traces import CommonTraces
    from rejudge.release.joined import Changed, Joined
    from rejudge.stats.scale import Scale
    from rejudge.storage.store import Store

BANDS = 5

_EMPTY = Undefined("no item is there")
_NO_OUTCOME = Undefined("a score without a value to pass at has no outcome; say passes_at")


class Band(msgspec.Struct, frozen=True, kw_only=True):
    """The items whose two values average from `low` to `high`, and the mean difference, second − first, of these.

    The intervals of all bands hold at once: each is at 1 − (1 − level)/k, for the k bands with items (Bonferroni).
    """

    low: float
    high: float
    n: int
    difference: float | Undefined
    interval: Interval | Undefined


class Disagreement(msgspec.Struct, frozen=True, kw_only=True):
    """Where two scorers disagree. `equal` items have one value from both; `items` are those that differ most.

    `equal_traces` of the `traces` that both scored have one value from both, and `outcomes` counts the traces that both
    pass, one alone, or neither. `bands` are equal parts of the scale, by the mean of the
    two values, which favours neither (Bland and Altman 1986, Lancet 327); there are none where every value is 0 or 1.
    """

    equal: int
    items: Changed
    traces: int
    equal_traces: int
    outcomes: Outcomes | Undefined
    bands: tuple[Band, ...]


def disagreement(
    store: Store,
    version: DatasetVersion,
    joined: Joined,
    common: CommonTraces,
    *,
    listed: int,
    level: float,
    clusters: Sequence[str] | None = None,
) -> Disagreement:
    """Where the two sides of `joined` differ, largest difference first; equal ones in the order of the dataset.

    `clusters` names the cluster of each item of `joined`, where items resemble each other.
    """
    import numpy as np

    apart = differences(joined.first, joined.second)
    order = np.lexsort([-np.round(np.abs(apart) / tie_unit(joined.first, joined.second), 9)])
    places = order[: int((apart != 0).sum())]
    return Disagreement(
        equal=int((apart == 0).sum()),
        items=joined.changed(store, version, places, listed),
        traces=common.n,
        equal_traces=int((differences(common.first, common.second) == 0).sum()),
        outcomes=_outcomes(common),
        bands=_bands(joined, clusters, level=level),
    )


def _outcomes(common: CommonTraces) -> Outcomes | Undefined:
    one, other = common.sides
    first, second = one.passed(common.first), other.passed(common.second)
    if first is None or second is None:
        return _NO_OUTCOME
    return Outcomes.of(first.astype(float), second.astype(float))


def _bands(joined: Joined, clusters: Sequence[str] | None, *, level: float) -> tuple[Band, ...]:
    """Equal parts of the declared range, or of that of the values where an end is not declared."""
    import numpy as np

    both = np.concatenate([joined.first, joined.second])
    if not len(both) or ((both == 0) | (both == 1)).all():
        return ()
    low, high = _ends(joined.sides[0].scale, float(both.min()), float(both.max()))
    if not low < high:
        return ()
    edges = np.linspace(low, high, BANDS + 1)
    place = np.clip(np.searchsorted(edges, (joined.first + joined.second) / 2, side="right") - 1, 0, BANDS - 1)
    apart = differences(joined.first, joined.second)
    alone = 1 - (1 - level) / len(np.unique(place))
    found = []
    for number in range(BANDS):
        inside = np.flatnonzero(place == number)
        mean: float | Undefined = _EMPTY
        interval: Interval | Undefined = _EMPTY
        if len(inside):
            mean = float(apart[inside].mean())
            named = None if clusters is None else [clusters[one] for one in inside.tolist()]
            interval = Units.of(apart[inside], named).interval(level=alone)
        band = Band(
            low=float(edges[number]), high=float(edges[number + 1]), n=len(inside), difference=mean, interval=interval
        )
        found.append(band)
    return tuple(found)


def _ends(scale: Scale, least: float, most: float) -> tuple[float, float]:
    return least if scale.low is None else scale.low, most if scale.high is None else scale.high
