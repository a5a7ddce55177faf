"""Several runs ranked by one score of the same items, with the ranks that the data allow."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, TypedDict, Unpack

import msgspec

from rejudge.domain.errors import ConfigurationError
from rejudge.release.alignment import aligned, clusters_at, dataset_of
from rejudge.release.scores import ScoresOf, common_scorers
from rejudge.stats.interval import LEVEL
from rejudge.stats.leaderboard import Leaderboard, leaderboard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.run import Run
    from rejudge.release.alignment import Alignment
    from rejudge.release.scores import ItemScores
    from rejudge.stats.comparison import Terms
    from rejudge.storage.store import Store


class RankQuestion(TypedDict, total=False):
    """What a ranking is asked; each may be left out.

    `scorer` and `value`: which score, the first common one where none is named. `clusters`: a field of the items whose
    equal values make them resemble each other. `smallest`: the smallest difference of interest. `level` and `seed`.
    """

    scorer: str | None
    value: str | None
    clusters: str | None
    smallest: float | None
    level: float
    seed: int


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """A leaderboard over the items that every run has a score of; `left_out` counts each run's others."""

    leaderboard: Leaderboard
    left_out: dict[str, int]
    same_scorer: bool


def rank_runs(
    store: Store, runs: Sequence[Run], labels: Sequence[str], **question: Unpack[RankQuestion]
) -> tuple[Ranked, ...]:
    """Rank runs by each measure of a score: one ranking, or one for each label.

    Raises ConfigurationError where fewer than two runs are named or they have no scored item in common.
    """

    if len(runs) < 2:
        raise ConfigurationError(f"{len(runs)} runs are no ranking", fix="name two or more")
    sides = [ScoresOf(store, run) for run in runs]
    scorer = common_scorers(sides, question.get("scorer"))[0]
    version = dataset_of(store, runs[0])
    alignments = [aligned(store, version, dataset_of(store, run)) for run in runs]
    measured = [{one.measure: one for one in side.measured(scorer, question.get("value"))} for side in sides]
    common = [measure for measure in measured[0] if all(measure in side for side in measured)]
    field = _Field(store, version, labels, question)
    return tuple(
        field.ranked([(one, side[measure]) for one, side in zip(alignments, measured, strict=True)])
        for measure in common
    )


class _Field:
    """The runs that are ranked, and what is asked."""

    def __init__(self, store: Store, version: DatasetVersion, labels: Sequence[str], question: RankQuestion) -> None:
        self._store = store
        self._version = version
        self._labels = labels
        self._question = question

    def ranked(self, columns: Sequence[tuple[Alignment, ItemScores]]) -> Ranked:
        """The ranking by one measure, which each run has a column of."""
        import numpy as np

        question, first = self._question, columns[0][1]
        mapped = [alignment.mapped(scores.positions) for alignment, scores in columns]
        common = reduce(np.intersect1d, mapped)
        common = common[common >= 0]
        if not len(common):
            raise ConfigurationError(
                f"no item has a {first.measure.name} in every run", fix="name runs over the same items"
            )
        values = {}
        for label, places, (_, scores) in zip(self._labels, mapped, columns, strict=True):
            order = np.argsort(places, kind="stable")
            values[label] = scores.means[order[np.searchsorted(places[order], common)]]
        terms: Terms = {"level": question.get("level", LEVEL), "smallest": question.get("smallest")}
        if (path := question.get("clusters")) is not None:
            terms["clusters"] = clusters_at(self._store, self._version, path, common.tolist())
        name, kind, scale, seed = first.measure.name, first.kind, first.scale, question.get("seed", 0)
        left_out = {label: scores.n - len(common) for label, (_, scores) in zip(self._labels, columns, strict=True)}
        return Ranked(
            leaderboard=leaderboard(values, name=name, kind=kind, scale=scale, seed=seed, **terms),
            left_out={label: count for label, count in left_out.items() if count},
            same_scorer=len({scores.scorers for _, scores in columns}) == 1,
        )
