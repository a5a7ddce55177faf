"""Systems in the order of their means, with the places that the data cannot tell apart.

Source of the rank ranges: Al Mohamad, van Zwet, Solari and Goeman 2021, Statistics in Medicine 40; of the groups:
Piepho 2004, Journal of Computational and Graphical Statistics 13.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

import msgspec

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.clusters import Units
from rejudge.stats.column import column, moments_of
from rejudge.stats.comparison import Terms
from rejudge.stats.decision import SHOWN
from rejudge.stats.interval import LEVEL, Interval, Undefined
from rejudge.stats.many import Pair, compare_pairs
from rejudge.stats.scale import Direction, Kind, Scale
from rejudge.stats.summary import interval_of, on_scale

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Names, Numbers


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """One system: its mean with its interval, the ranks that it may truly have, and the groups that it belongs to.

    `best_rank` is 1 + the number of systems shown to be above it, `worst_rank` the number of all less those shown to
    be below it. Two systems share a group, numbered from 1, exactly where no difference between them is shown.
    """

    name: str
    mean: float | Undefined
    interval: Interval | Undefined
    best_rank: int
    worst_rank: int
    groups: tuple[int, ...]

    @property
    def alone(self) -> bool:
        """Whether the data give it one rank only."""
        return self.best_rank == self.worst_rank


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """The `places` by mean, best first (highest first, for an informational score), over the same `n` items.

    The rank ranges hold all at once with the chance `level`, because the `pairs` are corrected by Holm's method; the
    intervals of the means hold one by one, and those of two that overlap may well be separated by their pairs.
    """

    name: str
    kind: Kind
    direction: Direction
    n: int
    level: float
    places: tuple[Place, ...]
    pairs: tuple[Pair, ...]


def leaderboard(
    columns: Mapping[str, Numbers], *, name: str, kind: Kind, scale: Scale, seed: int, **terms: Unpack[Terms]
) -> Leaderboard:
    """The leaderboard of columns over the same items in the same order; `Terms` as for one comparison.

    Raises as `compare` does, and ConfigurationError without columns.
    """
    if not columns:
        raise ConfigurationError("a leaderboard of nothing", fix="give one column at least")
    numbers = {one: column(values) for one, values in columns.items()}
    pairs = compare_pairs(numbers, name=name, kind=kind, scale=scale, seed=seed, **terms)
    level, clusters = terms.get("level", LEVEL), terms.get("clusters")
    sign = 1 if scale.direction == "lower" else -1
    order = sorted(numbers, key=lambda one: sign * float(numbers[one].mean()) if len(numbers[one]) else 0.0)
    above = [_upper_first(pair, sign) for pair in pairs if pair.corrected.verdict in SHOWN]
    groups = tie_groups(order, above)
    return Leaderboard(
        name=name,
        kind=kind,
        direction=scale.direction,
        n=len(next(iter(numbers.values()))),
        level=level,
        places=tuple(
            Place(
                name=one,
                mean=_mean(numbers[one]),
                interval=mean_interval(numbers[one], scale=scale, clusters=clusters, level=level),
                best_rank=1 + sum(lower == one for _, lower in above),
                worst_rank=len(order) - sum(upper == one for upper, _ in above),
                groups=tuple(number for number, group in enumerate(groups, 1) if one in group),
            )
            for one in order
        ),
        pairs=pairs,
    )


def tie_groups(order: Sequence[str], separated: Collection[tuple[str, str]]) -> list[frozenset[str]]:
    """The largest sets without a separated pair, those of the first in `order` first (insert and absorb)."""
    groups = [frozenset(order)]
    for one, other in separated:
        split = [
            part
            for group in groups
            for part in ((group - {one}, group - {other}) if {one, other} <= group else (group,))
        ]
        groups = [group for group in dict.fromkeys(split) if not any(group < wider for wider in split)]
    rank = {name: place for place, name in enumerate(order)}
    return sorted(groups, key=lambda group: sorted(rank[name] for name in group))


def mean_interval(
    values: Floats, *, scale: Scale, clusters: Names | None = None, level: float = LEVEL
) -> Interval | Undefined:
    """The interval of the mean of one system alone, by its kind or, where items share clusters, over these."""
    if clusters is None:
        return interval_of(moments_of(values), scale=scale, level=level)
    return on_scale(Units.of(values, clusters).interval(level=level), scale)


def _upper_first(pair: Pair, sign: int) -> tuple[str, str]:
    difference = pair.corrected.comparison.difference
    risen = not isinstance(difference, Undefined) and -sign * difference > 0
    return (pair.second, pair.first) if risen else (pair.first, pair.second)


def _mean(values: Floats) -> float | Undefined:
    return float(values.mean()) if len(values) else Undefined("nothing was scored")
