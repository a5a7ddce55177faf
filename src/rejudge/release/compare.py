"""Two runs compared by their scores on the same items, and what changed item by item."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack

import msgspec

from rejudge.domain.errors import ConfigurationError
from rejudge.release.alignment import Alignment, aligned, clusters_at, dataset_of, item_ids, members_of
from rejudge.release.scores import ItemScores, ScoresOf, common_scorers
from rejudge.stats.changes import changes
from rejudge.stats.comparison import Comparison, compare
from rejudge.stats.interval import LEVEL, Interval, Undefined
from rejudge.stats.leaderboard import mean_interval
from rejudge.stats.many import Corrected, correct
from rejudge.stats.multiple import benjamini_hochberg

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.run import Run
    from rejudge.stats.column import Places
    from rejudge.stats.comparison import Terms
    from rejudge.storage.store import Store

LISTED = 20
"""So many items of each kind of change are read from the store where nobody says otherwise."""


class Question(TypedDict, total=False):
    """What a comparison of runs is asked; each may be left out.

    `scorer` and `value`: which score; all that both have in common where none is named. `clusters`: a field of the
    items whose equal values make items resemble each other. `by`: a field whose values are slices (of a list, as of
    tags, each value). `margin`: how much worse is still acceptable, and `smallest`: the smallest difference of
    interest, both in the score's unit. `level`: of confidence. `seed`: of the bootstrap. `listed`: how many items of
    each kind of change are named.
    """

    scorer: str | None
    value: str | None
    clusters: str | None
    by: str | None
    margin: float | None
    smallest: float | None
    level: float
    seed: int
    listed: int


class ItemChange(msgspec.Struct, frozen=True, kw_only=True):
    """One item with what either side scored: the mean of its trials."""

    item_id: str
    first: float
    second: float


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """How many items changed in one way, and the worst of them."""

    count: int
    items: tuple[ItemChange, ...]


class SliceComparison(msgspec.Struct, frozen=True, kw_only=True):
    """The items with one value of a field; `p` and `verdict` are corrected for all slices."""

    name: str
    comparison: Comparison
    p: float | Undefined
    verdict: str


class ScoreComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One measure on both sides. `same_scorer` says whether the very same scorer judged both.

    `intervals` are those of either side's mean alone, `differences` a sample in order of size.
    """

    measure: str
    corrected: Corrected
    same_scorer: bool
    passes_at: float | None
    regressions: Changed | Undefined
    fixes: Changed | Undefined
    both_wrong: Changed | Undefined
    intervals: tuple[Interval | Undefined, Interval | Undefined]
    slices: tuple[SliceComparison, ...] = ()
    differences: tuple[float, ...] = ()

    @property
    def comparison(self) -> Comparison:
        """The comparison before it was corrected for its company."""
        return self.corrected.comparison


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a comparison of two runs found; the first score is the first scorer's."""

    scores: tuple[ScoreComparison, ...]
    changed_items: tuple[str, ...]
    only_first: int
    only_second: int


class Pairing:
    """Two runs of one store, item by item."""

    def __init__(self, store: Store, first: Run, second: Run) -> None:
        self.store = store
        self.sides = ScoresOf(store, first), ScoresOf(store, second)
        self.version = dataset_of(store, first)
        self.alignment = aligned(store, self.version, dataset_of(store, second))
        if self.alignment.first is not None and not len(self.alignment.first):
            raise ConfigurationError(
                "the runs have no item in common", fix="compare runs over the same dataset, or versions of it"
            )

    def common(self, scorer: str | None, value: str | None) -> list[tuple[ItemScores, ItemScores]]:
        """The measures that both sides have."""
        return [
            pair
            for name in common_scorers(self.sides, scorer)
            for pair in matched(*(side.measured(name, value) for side in self.sides))
        ]


def compare_runs(store: Store, first: Run, second: Run, **question: Unpack[Question]) -> Compared:
    """Compare two runs on the items that both have; second − first. Raises ConfigurationError or UnknownName."""
    pairing = Pairing(store, first, second)
    pairs = pairing.common(question.get("scorer"), question.get("value"))
    return compared(store, pairing.version, pairing.alignment, pairs, **question)


def compare_scorers(store: Store, run: Run, first: str, second: str, **question: Unpack[Question]) -> Compared:
    """Compare what two scorers of one run say of the same traces; second − first.

    Raises ConfigurationError where they do not score in the same unit.
    """
    scores = ScoresOf(store, run)
    value = question.get("value")
    one, other = scores.measured(first, value), scores.measured(second, value)
    if len(one) != 1 or len(other) != 1:
        raise ConfigurationError(
            f"{first!r} gives {len(one)} values and {second!r} {len(other)}", fix="name one that both give with value="
        )
    units = [(side.scale.low, side.scale.high, side.scale.direction) for side in (one[0], other[0])]
    if units[0] != units[1]:
        raise ConfigurationError(
            f"{first!r} and {second!r} do not score in the same unit: {_unit(one[0])}, and {_unit(other[0])}",
            fix="see how far they agree instead: rejudge calibrate",
        )
    return compared(store, dataset_of(store, run), Alignment(first=None, second=None), [(one[0], other[0])], **question)


def compared(
    store: Store,
    version: DatasetVersion,
    alignment: Alignment,
    pairs: Sequence[tuple[ItemScores, ItemScores]],
    **question: Unpack[Question],
) -> Compared:
    """The comparison of pairs of columns, corrected as one family."""
    if not pairs:
        raise ConfigurationError("the runs have no score in common", fix="name a scorer that both have with scorer=")
    asked = _Asked(store, version, question)
    joined = [_Joined(one, other, alignment) for one, other in pairs]
    found = [asked.comparison(one) for one in joined]
    return Compared(
        scores=tuple(asked.score(one, corrected) for one, corrected in zip(joined, correct(found), strict=True)),
        changed_items=alignment.changed,
        only_first=alignment.only_first,
        only_second=alignment.only_second,
    )


def matched(first: Iterable[ItemScores], second: Iterable[ItemScores]) -> list[tuple[ItemScores, ItemScores]]:
    """The columns of both sides that measure the same, of labels also those that one side never gave."""
    others = {one.measure: one for one in second}
    return [(one, others[one.measure]) for one in first if one.measure in others]


class _Joined:
    """Two columns over the items that both have."""

    def __init__(self, first: ItemScores, second: ItemScores, alignment: Alignment) -> None:
        import numpy as np

        mapped = alignment.mapped(second.positions)
        known = mapped >= 0
        order = np.argsort(mapped[known], kind="stable")
        places, values = mapped[known][order], second.means[known][order]
        self.sides = first, second
        self.positions, here, there = np.intersect1d(first.positions, places, assume_unique=True, return_indices=True)
        self.first, self.second = first.means[here], values[there]
        self.unpaired = first.n - len(here), second.n - len(there)

    def at(self, positions: set[int]) -> NDArray[np.intp]:
        """The places of the items at these positions."""
        import numpy as np

        return np.flatnonzero(np.isin(self.positions, np.fromiter(positions, dtype=np.int64, count=len(positions))))


class _Asked:
    """A question with what its fields say of the items, read once."""

    def __init__(self, store: Store, version: DatasetVersion, question: Question) -> None:
        self._store = store
        self._version = version
        self._question = question
        by = question.get("by")
        self._slices = {} if by is None else members_of(store, version, by)

    def comparison(self, joined: _Joined, chosen: Places | None = None) -> Comparison:
        """The comparison of all items, or of the chosen ones."""
        question = self._question
        first, second = joined.first, joined.second
        positions = joined.positions
        if chosen is not None:
            first, second, positions = first[chosen], second[chosen], positions[chosen]
        one = joined.sides[0]
        terms: Terms = {
            "level": question.get("level", LEVEL),
            "margin": question.get("margin"),
            "smallest": question.get("smallest"),
            "unpaired": joined.unpaired if chosen is None else (0, 0),
            "clusters": self._clusters(positions),
        }
        if chosen is not None:
            terms["resamples"] = 0
        return compare(
            first, second, name=one.measure.name, kind=one.kind, scale=one.scale, seed=question.get("seed", 0), **terms
        )

    def intervals(self, joined: _Joined) -> tuple[Interval | Undefined, Interval | Undefined]:
        """Of the mean of either side alone."""
        scale, level = joined.sides[0].scale, self._question.get("level", LEVEL)
        clusters = self._clusters(joined.positions)
        first = mean_interval(joined.first, scale=scale, clusters=clusters, level=level)
        return first, mean_interval(joined.second, scale=scale, clusters=clusters, level=level)

    def score(self, joined: _Joined, corrected: Corrected) -> ScoreComparison:
        """Everything about one measure."""
        one, other = joined.sides
        found = changes(joined.first, joined.second, kind=one.kind, scale=one.scale, passes_at=one.passes_at)
        if isinstance(found, Undefined):
            regressions: Changed | Undefined = found
            fixes: Changed | Undefined = found
            both_wrong: Changed | Undefined = found
        else:
            regressions, fixes = (self._changed(joined, places) for places in (found.regressions, found.fixes))
            wrong = found.both_wrong
            both_wrong = wrong if isinstance(wrong, Undefined) else self._changed(joined, wrong)
        return ScoreComparison(
            measure=one.measure.name,
            corrected=corrected,
            same_scorer=set(one.scorers) == set(other.scorers),
            passes_at=one.passes_at,
            regressions=regressions,
            fixes=fixes,
            both_wrong=both_wrong,
            intervals=self.intervals(joined),
            slices=self._of_slices(joined),
            differences=tuple(_sample(joined.second - joined.first)),
        )

    def _clusters(self, positions: NDArray[np.int64]) -> list[str] | None:
        path = self._question.get("clusters")
        return None if path is None else clusters_at(self._store, self._version, path, positions.tolist())

    def _changed(self, joined: _Joined, places: Places) -> Changed:
        shown = places[: self._question.get("listed", LISTED)]
        ids = item_ids(self._store, self._version, joined.positions[shown].tolist())
        return Changed(
            count=len(places),
            items=tuple(
                ItemChange(item_id=item_id, first=float(first), second=float(second))
                for item_id, first, second in zip(ids, joined.first[shown], joined.second[shown], strict=True)
            ),
        )

    def _of_slices(self, joined: _Joined) -> tuple[SliceComparison, ...]:
        found = {name: self.comparison(joined, joined.at(set(positions))) for name, positions in self._slices.items()}
        known = [name for name, one in found.items() if not isinstance(one.p, Undefined)]
        adjusted = dict(zip(known, benjamini_hochberg([_number(found[name].p) for name in known]), strict=True))
        return tuple(
            SliceComparison(
                name=name,
                comparison=one,
                p=(p := adjusted.get(name, one.p)),
                verdict=one.decided_by(p).verdict.value,
            )
            for name, one in found.items()
        )


SAMPLED = 5_000


def _sample(differences: NDArray[np.float64]) -> list[float]:
    """The differences for a picture, in order of size; of many, evenly spaced ones."""
    import numpy as np

    ordered = np.sort(differences)
    if len(ordered) > SAMPLED:
        ordered = ordered[np.linspace(0, len(ordered) - 1, SAMPLED).astype(np.intp)]
    return [float(one) for one in ordered]


def _number(p: float | Undefined) -> float:
    return 1.0 if isinstance(p, Undefined) else p


def _unit(scores: ItemScores) -> str:
    low, high = scores.scale.low, scores.scale.high
    if low is None or high is None:
        return f"{scores.measure.name} has no declared range"
    return f"{scores.measure.name} goes from {low:g} to {high:g}, {scores.scale.direction} is better"
