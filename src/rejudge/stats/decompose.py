"""Why a mean moved: the difference of two runs as the sum of what judge, task, data and missing scores did.

Each run has a judge and a task. Where both judges say something of the traces of both tasks, an item has four scores:

    AA  the first judge on the first task's traces      BA  the second judge on them
    AB  the first judge on the second task's traces     BB  the second judge on them

Changing the judge first and the task second moves a score by (BA − AA) + (BB − BA), the other way round by
(BB − AB) + (AB − AA). The judge effect is the mean of the first with the second order, and so is the task effect: the
Shapley values of the two changes (Shapley 1953; for differences of means Shorrocks 2013, Journal of Economic
Inequality 11), which sum to BB − AA whatever the scores are. What the order matters is the interaction
BB − AB − BA + AA, of which either effect holds half.

The data effect is what the difference of the two means loses when only items with equal content on both sides are
kept; missing scores are what it loses further when only those of them with every score are. So all four sum to the
whole difference. Items are the units: several trials are averaged first.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Literal

import msgspec

from rejudge.domain.errors import RecordError
from rejudge.stats.bootstrap import RESAMPLES, bootstrap_mean, check_drawing
from rejudge.stats.column import column, places
from rejudge.stats.differences import rounding
from rejudge.stats.interval import LEVEL, Interval, Undefined, check_level
from rejudge.stats.linear import Mean, interval_of, joined, sum_of
from rejudge.stats.multiple import holm
from rejudge.stats.part_test import p_of_contrast, p_of_mean
from rejudge.stats.rates import are_rates, interval_of_rates
from rejudge.stats.scale import NO_BOUNDS, Scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rejudge.stats.column import Floats, Names, Numbers, Places

    Mask = NDArray[np.bool_]

NOT_COMMON = Undefined("no item has the same content and a score on both sides")
NOT_CROSSED = Undefined("neither judge has judged the other run's traces")

UNTESTED = Undefined("it is not called a cause")

PartName = Literal["judge", "task", "data", "missing"]
PARTS: tuple[PartName, ...] = ("judge", "task", "data", "missing")


class Order(Enum):
    """In which orders judge and task were changed, as far as the scores allow."""

    BOTH = "both"
    TASK_FIRST = "task first"
    JUDGE_FIRST = "judge first"
    NONE = "none"


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores:
    """A score of each item, `known` where there is one; the values elsewhere mean nothing."""

    values: Floats
    known: Mask

    @classmethod
    def of(cls, values: Numbers | list[float | None]) -> Scores:
        """The scores of a column in which None stands for none; raises RecordError for what is no finite number."""
        import numpy as np

        known = np.array([value is not None for value in values], dtype=bool)
        return cls(values=column([0.0 if value is None else float(value) for value in values]), known=known)


@dataclass(frozen=True, eq=False, kw_only=True)
class Cells:
    """What each judge says of each run's traces, a row for each item of either run.

    `first` and `second` are what the runs' own judges said of their own traces, `first_on_second` what the first
    run's judge says of the second run's traces, `second_on_first` the other way round; either is the reason where
    there is no such thing. `same` are the items whose content both runs share.
    """

    first: Scores
    second: Scores
    first_on_second: Scores | Undefined = NOT_CROSSED
    second_on_first: Scores | Undefined = NOT_CROSSED
    same: Mask

    def __post_init__(self) -> None:
        sizes = {len(one.values) for one in self.columns} | {len(self.same)}
        if len(sizes) != 1:
            raise RecordError(f"columns of {sorted(sizes)} items are not of the same ones")

    @property
    def columns(self) -> list[Scores]:
        """The scores that there are, of two to four kinds."""
        crossed = (self.first_on_second, self.second_on_first)
        return [self.first, self.second, *(one for one in crossed if isinstance(one, Scores))]

    @property
    def order(self) -> Order:
        """In which orders the two can be changed with these scores."""
        after, before = isinstance(self.first_on_second, Scores), isinstance(self.second_on_first, Scores)
        if after and before:
            return Order.BOTH
        return Order.TASK_FIRST if after else Order.JUDGE_FIRST if before else Order.NONE

    @property
    def split(self) -> Mask:
        """The items that have every score and the same content."""
        kept = self.same
        for one in self.columns:
            kept = kept & one.known
        return kept


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the difference: how far it moved the mean, from `n` items, and how sure that is.

    Where only the rounding of the scores moved it, `value` is 0, whatever their unit is.
    `bootstrap` is by resampling the items (or clusters), where the part is a mean of one number for each. `p` is how
    likely chance alone moves the mean as far, `p_adjusted` the same by Holm among all parts that might be called a
    cause, and `shown` whether that is at or under 1 − level and the interval, if there is one, leaves 0 out; of what is
    not called a cause, `p` is meant. The intervals are of each part alone.
    """

    value: float | Undefined
    n: int
    interval: Interval | Undefined
    bootstrap: Interval | Undefined
    p: float | Undefined = UNTESTED
    p_adjusted: float | Undefined = UNTESTED
    shown: bool = False


class Split(msgspec.Struct, frozen=True, kw_only=True):
    """The difference of two means, second − first, and its parts; judge + task + data + missing = difference.

    Of the items `n_apart` are in one run alone or have other content by now, and of `n_neither` no run has a score.
    `together` is judge + task, which is known where the two cannot be told apart. `judge_on_first` is what changing
    the judge does to the first task's traces, `task_by_first` what changing the task does in the eyes of the first
    judge, and so on; `interaction` is judge_on_second − judge_on_first, which is task_by_second − task_by_first.
    """

    n_first: int
    n_second: int
    n_split: int
    n_apart: int
    n_neither: int
    mean_first: float | Undefined
    mean_second: float | Undefined
    difference: Part
    together: Part
    judge: Part
    task: Part
    data: Part
    missing: Part
    order: Order
    judge_on_first: Part
    judge_on_second: Part
    task_by_first: Part
    task_by_second: Part
    interaction: Part
    seed: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Decomposition:
    """A split, and how far each item moved the mean within each part; the shifts of a part sum to it."""

    split: Split
    shifts: dict[PartName, Floats]


def decompose(
    cells: Cells,
    *,
    scale: Scale = NO_BOUNDS,
    clusters: Names | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Decomposition:
    """Split the difference of two runs; `clusters` names the cluster of each item.

    Intervals are by t (paired, within items) or cluster-t; where the samples differ by Welch's t, or, of scores that
    are all 0 or 1 on a scale that has both, by those of the single rates (`rates.py`). Raises RecordError for columns
    that do not fit each other, ConfigurationError for a level or seed that cannot be used.
    """
    check_level(level)
    check_drawing(seed, resamples)
    place = None if clusters is None else places(clusters, n=len(cells.same), what="clusters")[0]
    return _Splitting(cells, place, scale=scale, seed=seed, resamples=resamples, level=level).done()


class _Splitting:
    """The parts of one difference."""

    def __init__(
        self, cells: Cells, clusters: Places | None, *, scale: Scale, seed: int, resamples: int, level: float
    ) -> None:
        self._cells = cells
        self._clusters = clusters
        self._rates = scale.holds(0) and scale.holds(1)
        self._seed = seed
        self._resamples = resamples
        self._level = level
        self._kept = cells.split
        self._rounding = rounding(*(one.values for one in cells.columns))

    def done(self) -> Decomposition:
        cells = self._cells
        first, second = cells.first, cells.second
        sides = (-1.0, first), (1.0, second)
        both = [Mean(sign, side.values, side.known) for sign, side in sides if side.known.any()]
        whole = self._sum(both) if len(both) == 2 else _without(Undefined("one of the runs has no score"))
        moved = self._moved()
        data, data_shifts = self._outside(
            [cells.same & side.known for _, side in sides], [one.known for _, one in sides]
        )
        missing, missing_shifts = self._outside(
            [self._kept, self._kept], [cells.same & side.known for _, side in sides]
        )
        split = Split(
            n_first=int(first.known.sum()),
            n_second=int(second.known.sum()),
            n_split=int(self._kept.sum()),
            n_apart=int((~cells.same).sum()),
            n_neither=int((~(first.known | second.known)).sum()),
            mean_first=_mean(first),
            mean_second=_mean(second),
            difference=whole,
            together=self._mean(self._moved_by(first.values, second.values)),
            data=data,
            missing=missing,
            order=cells.order,
            seed=self._seed,
            **{name: self._mean(values) for name, values in moved.items()},
        )
        return Decomposition(
            split=adjusted([split], level=self._level)[0],
            shifts={
                "judge": self._shifts(moved["judge"]),
                "task": self._shifts(moved["task"]),
                "data": data_shifts,
                "missing": missing_shifts,
            },
        )

    def _moved(self) -> dict[str, Floats | Undefined]:
        """What each change moved each item by, as far as the scores tell."""
        cells = self._cells
        first, second = cells.first.values, cells.second.values
        ab, ba = cells.first_on_second, cells.second_on_first
        moved: dict[str, Floats | Undefined] = {
            "task_by_first": ab if isinstance(ab, Undefined) else self._moved_by(first, ab.values),
            "judge_on_second": ab if isinstance(ab, Undefined) else self._moved_by(ab.values, second),
            "judge_on_first": ba if isinstance(ba, Undefined) else self._moved_by(first, ba.values),
            "task_by_second": ba if isinstance(ba, Undefined) else self._moved_by(ba.values, second),
        }
        for name, one, other in (("judge", "on_first", "on_second"), ("task", "by_first", "by_second")):
            moved[name] = _halfway(moved[f"{name}_{one}"], moved[f"{name}_{other}"])
        one_side, other_side = moved["judge_on_first"], moved["judge_on_second"]
        if isinstance(one_side, Undefined) or isinstance(other_side, Undefined):
            moved["interaction"] = one_side if isinstance(one_side, Undefined) else other_side
        else:
            moved["interaction"] = self._moved_by(one_side, other_side)
        return moved

    def _moved_by(self, before: Floats, after: Floats) -> Floats:
        """after − before, and 0 where only the rounding of the scores tells the two apart."""
        import numpy as np

        moved = after - before
        moved[np.abs(moved) <= self._rounding] = 0
        return moved

    def _mean(self, values: Floats | Undefined) -> Part:
        """The mean over the items that are split."""
        if isinstance(values, Undefined):
            return _without(values)
        if not self._kept.any():
            return _without(NOT_COMMON)
        kept = values[self._kept]
        clusters = None if self._clusters is None else self._clusters[self._kept]
        drawn = bootstrap_mean(kept, clusters=clusters, seed=self._seed, resamples=self._resamples, level=self._level)
        found = self._sum([Mean(1.0, values, self._kept)])
        p = p_of_mean(kept, clusters)
        is_shown = _is_shown(p, found.interval, self._level)
        return msgspec.structs.replace(found, bootstrap=drawn.interval, p=p, shown=is_shown)

    def _sum(self, means: list[Mean]) -> Part:
        import numpy as np

        paired = joined(means)
        p = p_of_contrast(paired, self._clusters)
        value = sum_of(means)
        of_rates = self._rates and self._clusters is None and len(paired) > 1 and are_rates(means)
        interval = (
            interval_of_rates(means, level=self._level)
            if of_rates
            else interval_of(means, clusters=self._clusters, level=self._level)
        )
        return Part(
            value=0.0 if abs(value) <= max(float(self._rounding[one.chosen].mean()) for one in means) else value,
            n=int(np.logical_or.reduce([one.chosen for one in means]).sum()),
            interval=interval,
            bootstrap=Undefined("it is no mean of one number for each item"),
            p=p,
            shown=_is_shown(p, interval, self._level),
        )

    def _outside(self, inner: list[Mask], outer: list[Mask]) -> tuple[Part, Floats]:
        """What the items of `outer` that are not in `inner` move each side's mean by, and each of them alone."""
        import numpy as np

        shifts = np.zeros(len(self._cells.same))
        means: list[Mean] = []
        nothing = Undefined("both sides have the same items, so nothing of it varies")
        for sign, side, within, all_of in zip(
            (-1.0, 1.0), (self._cells.first, self._cells.second), inner, outer, strict=True
        ):
            rest = all_of & ~within
            if not all_of.any() or not within.any():
                return _without(NOT_COMMON), shifts
            if not rest.any():
                continue
            weight = sign * float(rest.sum()) / float(all_of.sum())
            means += [Mean(weight, side.values, rest, alike=rest | within), Mean(-weight, side.values, within)]
            against = np.full(len(shifts), side.values[within].mean())
            shifts[rest] += sign * self._moved_by(against, side.values)[rest] / all_of.sum()
        if not means:
            return Part(value=0.0, n=0, interval=nothing, bootstrap=nothing), shifts
        part = self._sum(means)
        changed = int(
            np.logical_or.reduce([all_of & ~within for within, all_of in zip(inner, outer, strict=True)]).sum()
        )
        return msgspec.structs.replace(part, n=changed), shifts

    def _shifts(self, values: Floats | Undefined) -> Floats:
        import numpy as np

        shifts = np.zeros(len(self._cells.same))
        if not isinstance(values, Undefined) and self._kept.any():
            shifts[self._kept] = values[self._kept] / self._kept.sum()
        return shifts


def adjusted(splits: Sequence[Split], *, level: float = LEVEL) -> list[Split]:
    """The splits with what their parts show beside each other: adjusted by Holm, all parts of all of them together."""
    found: list[dict[str, Part]] = [{name: getattr(one, name) for name in (*PARTS, "together")} for one in splits]
    for parts in found:
        if not isinstance(parts["judge"].value, Undefined):
            del parts["together"]
    tested = [(parts, name, part.p) for parts in found for name, part in parts.items() if isinstance(part.p, float)]
    for (parts, name, _), p in zip(tested, holm([p for _, _, p in tested]), strict=True):
        is_shown = _is_shown(p, parts[name].interval, level)
        parts[name] = msgspec.structs.replace(parts[name], p_adjusted=p, shown=is_shown)
    return [msgspec.structs.replace(one, **parts) for one, parts in zip(splits, found, strict=True)]


def _is_shown(p: float | Undefined, interval: Interval | Undefined, level: float) -> bool:
    """Whether p is small enough, and no interval says that it may be nothing after all."""
    may_be_nothing = isinstance(interval, Interval) and interval.low <= 0 <= interval.high
    return not isinstance(p, Undefined) and p <= 1 - level and not may_be_nothing


def _halfway(one: Floats | Undefined, other: Floats | Undefined) -> Floats | Undefined:
    """The mean of both orders, or the only one there is."""
    if isinstance(one, Undefined):
        both = isinstance(other, Undefined) and other != one
        return Undefined(f"{other.reason}; {one.reason}") if both and isinstance(other, Undefined) else other
    return one if isinstance(other, Undefined) else (one + other) / 2


def _mean(scores: Scores) -> float | Undefined:
    return float(scores.values[scores.known].mean()) if scores.known.any() else Undefined("nothing was scored")


def _without(reason: Undefined) -> Part:
    return Part(value=reason, n=0, interval=reason, bootstrap=reason)
