"""How likely one of k trials passes, or all of them: pass@k and pass^k, unbiased from n trials of each item."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import NamedTuple

import msgspec

from rejudge.domain.errors import RecordError
from rejudge.stats.clusters import Units
from rejudge.stats.column import column
from rejudge.stats.interval import LEVEL, Interval, Undefined
from rejudge.stats.moments import Moments
from rejudge.stats.scale import PASS_FAIL
from rejudge.stats.summary import interval_of, on_scale


class Tried(NamedTuple):
    """`items` items of which each passed `passed` of its `trials` scored trials."""

    trials: int
    passed: int
    items: int = 1


class AttemptSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The mean over items of pass@k or pass^k. `n` items had k scored trials or more, `short` had fewer.

    `mean` is None for n = 0. The interval treats items as independent, or the clusters where these were named; it is
    undefined under two of them.
    """

    k: int
    n: int
    short: int
    mean: float | None
    interval: Interval | Undefined


def pass_at_k(trials: int, passed: int, k: int) -> float:
    """The chance that at least one of k trials drawn without replacement passed: 1 − C(n−c, k) / C(n, k).

    Source: Chen et al. 2021, arXiv 2107.03374, equation 1. Raises RecordError unless 0 ≤ passed ≤ trials and
    1 ≤ k ≤ trials.
    """
    _check(trials, passed, k)
    return 1.0 - math.comb(trials - passed, k) / math.comb(trials, k)


def pass_hat_k(trials: int, passed: int, k: int) -> float:
    """The chance that all of k trials drawn without replacement passed: C(c, k) / C(n, k).

    Source: Yao et al. 2024 (τ-bench), arXiv 2406.12045. Raises RecordError as `pass_at_k` does.
    """
    _check(trials, passed, k)
    return math.comb(passed, k) / math.comb(trials, k)


def any_of(
    tried: Sequence[Tried], k: int, *, items: int, clusters: Sequence[str] | None = None, level: float = LEVEL
) -> AttemptSummary:
    """pass@k over `items` items; those with fewer than k scored trials are left out and counted as `short`.

    `clusters` names the cluster of each of `tried`, which then are single items. Raises RecordError where they are not.
    """
    return _over_items(tried, k, pass_at_k, items=items, clusters=clusters, level=level)


def all_of(
    tried: Sequence[Tried], k: int, *, items: int, clusters: Sequence[str] | None = None, level: float = LEVEL
) -> AttemptSummary:
    """pass^k over `items` items, as `any_of`."""
    return _over_items(tried, k, pass_hat_k, items=items, clusters=clusters, level=level)


def _over_items(
    tried: Sequence[Tried],
    k: int,
    chance: Callable[[int, int, int], float],
    *,
    items: int,
    clusters: Sequence[str] | None,
    level: float,
) -> AttemptSummary:
    if type(k) is not int or k < 1:
        raise RecordError(f"k is {k!r}; it counts trials, so it is a whole number, 1 or more")
    enough = [place for place, one in enumerate(tried) if one.trials >= k]
    chances = [chance(tried[place].trials, tried[place].passed, k) for place in enough]
    moments = Moments.of(
        [value for place, one in zip(enough, chances, strict=True) for value in repeat(one, tried[place].items)]
    )
    if moments.n > items:
        raise RecordError(f"{moments.n} of {items} items were tried {k} times or more")
    if clusters is None:
        interval = interval_of(moments, scale=PASS_FAIL, level=level)
    else:
        if len(clusters) != len(tried) or any(one.items != 1 for one in tried):
            raise RecordError(f"{len(clusters)} clusters for {len(tried)} counts", fix="count each item for itself")
        units = Units.of(column(chances), [clusters[place] for place in enough])
        interval = on_scale(units.interval(level=level), PASS_FAIL)
    return AttemptSummary(k=k, n=moments.n, short=items - moments.n, mean=moments.mean, interval=interval)


def _check(trials: int, passed: int, k: int) -> None:
    if not 0 <= passed <= trials or not 1 <= k <= trials:
        raise RecordError(f"{passed} of {trials} trials passed, and k is {k}: no such drawing exists")
