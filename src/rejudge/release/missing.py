"""What has no score in a comparison: how often and why, which items it leaves out, and what it could change."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import msgspec

from rejudge.release.alignment import AS_THEY_STAND
from rejudge.release.reach import Reaches
from rejudge.stats.bounds import Bounds, Known, bounds_of_difference, bounds_of_mean
from rejudge.stats.counts import Counts
from rejudge.stats.interval import Undefined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rejudge.domain.run import Run
    from rejudge.release.alignment import Alignment, Places
    from rejudge.release.scores import ItemScores
    from rejudge.storage.records import RunCounts
    from rejudge.storage.store import Store


class Lacking(msgspec.Struct, frozen=True, kw_only=True):
    """What has no score on two sides.

    `counts` say of either side's whole run how each planned unit (item × trial) of the score ended, and `causes` count
    the skips of its scorer by cause. `partial` are the items that both sides have a score of and the first, the second
    lost trials of, and `lost` how many trials that are.
    """

    counts: tuple[Counts, Counts]
    causes: tuple[dict[str, int], dict[str, int]]
    partial: tuple[int, int] = (0, 0)
    lost: tuple[int, int] = (0, 0)

    @property
    def any(self) -> bool:
        """Whether anything planned has no score on either side."""
        return any(one.missing for one in self.counts)


class Unscored(msgspec.Struct, frozen=True, kw_only=True):
    """How everything planned for one value of the first or the second run ended, and its scorer's skips by cause."""

    which: Literal["first", "second"]
    scorer: str
    value: str
    counts: Counts
    causes: dict[str, int] = {}


class Plan:
    """What a run planned to score; more than counts is read from the store only where scores are missing."""

    def __init__(self, store: Store, run: Run) -> None:
        self._store = store
        self._run = run

    def counts(self, scores: ItemScores) -> Counts:
        """How everything that was planned for a column of the run ended."""
        scored = len(scores.values)
        if scored == self._run.planned:
            return Counts(planned=scored, scored=scored)
        ended = [one for one in self._counts.scores if one.scorer in scores.scorers]
        return self._reaches.of(scores.measure.scorer).counts(ended, scored=scored)

    def causes(self, scores: ItemScores) -> dict[str, int]:
        """The skips of a column's scorer by cause, the commonest first."""
        found: Counter[str] = Counter()
        if len(scores.values) < self._run.planned:
            for one in self._counts.scores:
                if one.scorer in scores.scorers:
                    found.update(one.causes)
        return dict(found.most_common())

    def known(self, scores: ItemScores, *, alignment: Alignment, size: int) -> Known:
        """What is known of each of `size` items, to which `alignment` maps the run's own.

        An item that the scorer is not for has no planned trial.
        """
        import numpy as np

        positions, trials = (np.asarray(one, dtype=np.int64) for one in self._reaches.trials(scores.measure.scorer))
        known = Known(np.zeros(size), np.zeros(size), np.zeros(size))
        for column, at, values in (
            (known.planned, positions, trials),
            (known.scored, scores.positions, scores.counts),
            (known.totals, scores.positions, scores.means * scores.counts),
        ):
            there = alignment.mapped(at)
            column[there[there >= 0]] = values[there >= 0]
        # Where a trace was judged more often than once, no trial is missing.
        return known._replace(planned=np.where(known.planned > 0, np.maximum(known.planned, known.scored), 0.0))

    @cached_property
    def _counts(self) -> RunCounts:
        return self._store.counts(self._run.id)

    @cached_property
    def _reaches(self) -> Reaches:
        scorers = {digest: self._store.scorer(digest) for digest in self._run.scorers}
        experiment = self._store.experiment(self._run.experiment)
        return Reaches(self._store, self._run, self._counts, experiment, scorers=scorers)


class Missing:
    """What two columns lack: `neither` are the positions of the shared items without a score on either side.

    `bounds` are those of the difference over all shared items that both sides planned to score; None where every
    score is there.
    """

    def __init__(self, sides: Sequence[ItemScores], plans: Sequence[Plan], alignment: Alignment, *, items: int) -> None:
        import numpy as np

        first, second = sides
        counts = plans[0].counts(first), plans[1].counts(second)
        causes = plans[0].causes(first), plans[1].causes(second)
        self.lacking = Lacking(counts=counts, causes=causes)
        self.neither: Places = np.empty(0, dtype=np.int64)
        self.bounds: Bounds | Undefined | None = None
        if not self.lacking.any:
            return
        one = plans[0].known(first, alignment=AS_THEY_STAND, size=items)
        other = plans[1].known(second, alignment=alignment, size=items)
        shared = (one.planned > 0) & (other.planned > 0)
        self.neither = np.flatnonzero(shared & (one.scored == 0) & (other.scored == 0))
        both = (one.scored > 0) & (other.scored > 0)
        self.lacking = Lacking(
            counts=counts,
            causes=causes,
            partial=(_partial(one.at(both)), _partial(other.at(both))),
            lost=(_lost(one.at(both)), _lost(other.at(both))),
        )
        self.bounds = bounds_of_difference(one.at(shared), other.at(shared), first.scale)


class Absent(msgspec.Struct, frozen=True, kw_only=True):
    """What has no score in a ranking: how the planned units of each run ended, by its label, and `unscored` items.

    These are shared items without a score in any run. `causes` count the skips of each run's scorer. `bounds` are of
    each run's mean over all shared items, whatever the missing scores would have been; there are none where every score
    is there. `could_turn` are the pairs that are told apart and whose order the missing scores could turn.
    """

    counts: dict[str, Counts]
    causes: dict[str, dict[str, int]] = {}
    unscored: int = 0
    bounds: dict[str, Bounds | Undefined] = {}
    could_turn: tuple[tuple[str, str], ...] = ()


def absent(
    columns: Mapping[str, ItemScores], plans: Sequence[Plan], alignments: Sequence[Alignment], *, items: int
) -> Absent:
    """What the columns of several runs lack, by their labels; `could_turn` is left to who knows the pairs."""
    import numpy as np

    counts = {label: plan.counts(scores) for (label, scores), plan in zip(columns.items(), plans, strict=True)}
    if not any(one.missing for one in counts.values()):
        return Absent(counts=counts)
    known = {
        label: plan.known(scores, alignment=alignment, size=items)
        for (label, scores), plan, alignment in zip(columns.items(), plans, alignments, strict=True)
    }
    shared = np.logical_and.reduce([one.planned > 0 for one in known.values()])
    nobody = shared & np.logical_and.reduce([one.scored == 0 for one in known.values()])
    return Absent(
        counts=counts,
        causes={label: plan.causes(scores) for (label, scores), plan in zip(columns.items(), plans, strict=True)},
        unscored=int(nobody.sum()),
        bounds={label: bounds_of_mean(one.at(shared), columns[label].scale) for label, one in known.items()},
    )


def _partial(known: Known) -> int:
    return int((known.scored < known.planned).sum())


def _lost(known: Known) -> int:
    return int((known.planned - known.scored).sum())
