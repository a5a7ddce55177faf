"""Several runs ranked by one score of the same items, with the ranks that the data allow."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack

import msgspec
from msgspec import structs

from rejudge.domain.errors import ConfigurationError
from rejudge.release.alignment import Fields, aligned, dataset_of
from rejudge.release.common_measures import common_scorers, paired, uncommon_scorers
from rejudge.release.missing import Absent, Plan, absent
from rejudge.release.scores import ScoresOf
from rejudge.stats.decision import SHOWN
from rejudge.stats.interval import LEVEL, Undefined
from rejudge.stats.leaderboard import Leaderboard, leaderboard

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rejudge.domain.run import Run
    from rejudge.release.scores import ItemScores
    from rejudge.stats.bounds import Bounds
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
    """A leaderboard over the items that every run has a score of; `left_out` counts each run's others.

    `label` is the one whose share it ranks by, and `absent` says what was planned and has no score.
    """

    leaderboard: Leaderboard
    left_out: dict[str, int]
    same_scorer: bool
    label: str | None
    absent: Absent


class Ranking(NamedTuple):
    """A ranking by each measure of one scorer; `others` are the runs' further common scorers, `apart` what is not."""

    rankings: tuple[Ranked, ...]
    others: tuple[str, ...]
    apart: tuple[str, ...]


def rank_runs(store: Store, runs: Sequence[Run], labels: Sequence[str], **question: Unpack[RankQuestion]) -> Ranking:
    """Rank runs by each measure of a score: one ranking, or one for each label.

    Raises ConfigurationError where fewer than two runs are named or they have no scored item in common.
    """

    if len(runs) < 2:
        raise ConfigurationError(f"{len(runs)} of the runs named, and a ranking takes two", fix="name two or more")
    sides = [ScoresOf(store, run) for run in runs]
    scorer, *others = common_scorers(sides, question.get("scorer"), question.get("value"))
    field = _Field(store, runs, labels, question)
    measured, apart = paired(sides, scorer, question.get("value"))
    if not measured:
        raise ConfigurationError(
            f"nothing ranks these runs: {'; '.join(apart)}", fix="name a scorer that all have with scorer="
        )
    if question.get("scorer") is None:
        apart += uncommon_scorers(sides)
    return Ranking(tuple(field.ranked(columns) for columns in measured), tuple(others), tuple(apart))


class _Field:
    """The runs that are ranked, and what is asked."""

    def __init__(self, store: Store, runs: Sequence[Run], labels: Sequence[str], question: RankQuestion) -> None:
        version = dataset_of(store, runs[0])
        self._items = version.count
        self._plans = [Plan(store, run) for run in runs]
        self._alignments = [aligned(store, version, dataset_of(store, run)) for run in runs]
        self._fields = Fields(store, version)
        self._labels = labels
        self._question = question

    def ranked(self, columns: Sequence[ItemScores]) -> Ranked:
        """The ranking by one measure, which each run has a column of."""
        import numpy as np

        question, first = self._question, columns[0]
        mapped = [one.mapped(scores.positions) for one, scores in zip(self._alignments, columns, strict=True)]
        common = reduce(np.intersect1d, mapped)
        common = common[common >= 0]
        if not len(common):
            told = ", ".join(f"{scores.n} of {label}" for label, scores in zip(self._labels, columns, strict=True))
            raise ConfigurationError(
                f"the runs have no item in common with a score of {first.measure.name}; alone they have {told}",
                fix="name runs over the same dataset, or over versions of it",
            )
        values = {}
        for label, places, scores in zip(self._labels, mapped, columns, strict=True):
            order = np.argsort(places, kind="stable")
            values[label] = scores.means[order[np.searchsorted(places[order], common)]]
        terms: Terms = {"level": question.get("level", LEVEL), "smallest": question.get("smallest")}
        if (path := question.get("clusters")) is not None:
            terms["clusters"] = self._fields.clusters(path, common.tolist())
        name, kind, scale, seed = first.measure.name, first.kind, first.scale, question.get("seed", 0)
        left_out = {label: scores.n - len(common) for label, scores in zip(self._labels, columns, strict=True)}
        board = leaderboard(values, name=name, kind=kind, scale=scale, seed=seed, **terms)
        named = dict(zip(self._labels, columns, strict=True))
        lacking = absent(named, self._plans, self._alignments, items=self._items)
        return Ranked(
            leaderboard=board,
            left_out={label: count for label, count in left_out.items() if count},
            same_scorer=len({scores.scorers for scores in columns}) == 1,
            label=first.measure.label,
            absent=structs.replace(lacking, could_turn=tuple(_could_turn(board, lacking.bounds))),
        )


def _could_turn(board: Leaderboard, bounds: Mapping[str, Bounds | Undefined]) -> Iterator[tuple[str, str]]:
    """The pairs that are told apart though the missing scores could give them the other order, or none."""
    for pair in board.pairs:
        difference = pair.corrected.comparison.difference
        if not bounds or pair.corrected.verdict not in SHOWN or isinstance(difference, Undefined):
            continue
        first, second = bounds[pair.first], bounds[pair.second]
        if isinstance(first, Undefined) or isinstance(second, Undefined):
            yield pair.first, pair.second
            continue
        apart = second.less(first)
        if not (apart.low > 0 if difference > 0 else apart.high < 0):
            yield pair.first, pair.second
