"""Two runs compared by their scores on the same items, and what changed item by item."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Unpack

from msgspec import structs

from rejudge.domain.errors import ConfigurationError
from rejudge.release.alignment import Alignment, Fields, aligned, dataset_of
from rejudge.release.common_measures import common_scorers, paired, uncommon_scorers, unsure
from rejudge.release.common_traces import CommonTraces
from rejudge.release.comparison import Compared, ScoreComparison, SliceComparison
from rejudge.release.disagreement import Disagreement, disagreement
from rejudge.release.joined import Changed, Joined, named
from rejudge.release.missing import Missing, Plan
from rejudge.release.scores import ItemScores, ScoresOf, commonest
from rejudge.stats.changes import changes
from rejudge.stats.comparison import Comparison, compare
from rejudge.stats.interval import LEVEL, Interval, Undefined
from rejudge.stats.leaderboard import mean_interval
from rejudge.stats.many import Corrected, correct
from rejudge.stats.multiple import benjamini_hochberg

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.run import Run
    from rejudge.release.comparison import CompareQuestion
    from rejudge.stats.bounds import Bounds
    from rejudge.stats.comparison import Terms
    from rejudge.storage.store import Store

LISTED = 20
"""So many items of each kind of change are read from the store where nobody says otherwise."""

SAMPLED = 5_000
"""So many differences are kept for a picture."""


def compare_runs(store: Store, first: Run, second: Run, **question: Unpack[CompareQuestion]) -> Compared:
    """Compare two runs on the items that both have; second − first. Raises ConfigurationError or UnknownName."""
    pairing = _Pairing.of(store, first, second)
    sides = ScoresOf(store, first), ScoresOf(store, second)
    pairs: list[Joined] = []
    apart: list[str] = []
    value = question.get("value")
    for name in common_scorers(sides, question.get("scorer"), value):
        found, left_out = paired(sides, name, value)
        pairs += [Joined(one, other, pairing.alignment) for one, other in found]
        apart += left_out
    if question.get("scorer") is None:
        apart += uncommon_scorers(sides)
    if not pairs:
        raise ConfigurationError(
            f"the runs have no score in common: {'; '.join(apart)}", fix="name a scorer that both have with scorer="
        )
    return _Asked(pairing, (first, second), question).compared(pairs, not_comparable=apart)


def compare_scorers(store: Store, run: Run, first: str, second: str, **question: Unpack[CompareQuestion]) -> Compared:
    """Compare what two scorers of one run say of the same traces; second − first, and neither is the better one.

    A trace that only one of them scored counts for neither. An item's value is the mean of the traces that both scored.
    Raises ConfigurationError where they do not score in the same unit, or give several values and none is named.
    """
    if first == second:
        raise ConfigurationError(f"{first!r} is named twice", fix="name two scorers of the run")
    scores, value = ScoresOf(store, run), question.get("value")
    names = scores.values(first), scores.values(second)
    if value is None and max(map(len, names)) > 1:
        told = " and ".join(
            f"{name!r} gives {', '.join(given)}" for name, given in zip((first, second), names, strict=True)
        )
        raise ConfigurationError(told, fix="name one that both give with value=")
    given: Counter[str] = Counter()
    for scorer in (first, second):
        for name in scores.named(scorer, value):
            given += scores.undeclared_labels(scorer, name)
    labels, rarer = commonest(given, f"{first} and {second}")
    told_apart = dict.fromkeys([*scores.named(first, value), *scores.named(second, value)], labels)
    sides = [
        {one.measure.label: one for one in scores.measured(scorer, value, labels=told_apart)}
        for scorer in (first, second)
    ]
    pairing = _Pairing.of(store, run, run)
    pairs: list[Joined] = []
    for label in dict.fromkeys(label for side in sides for label in side):
        pair = [side.get(label) or _never(scores, side, label) for side in sides]
        units = [_unit(one) for one in pair]
        if pair[0].unit != pair[1].unit:
            raise ConfigurationError(
                f"{first!r} and {second!r} do not score in the same unit: {units[0]}, and {units[1]}",
                fix="see how far they agree instead: rejudge calibrate",
            )
        one, other = pair
        common = CommonTraces.of(one, other, (scores.traces(one.measure), scores.traces(other.measure)))
        pairs.append(Joined.scorers(common, pairing.alignment))
    caution = [] if all(one.sides[0].ranged for one in pairs) else [unsure(first, second)]
    return _Asked(pairing, (run, run), question).compared(pairs, not_comparable=[*caution, *rarer])


def _never(scores: ScoresOf, side: dict[str | None, ItemScores], label: str | None) -> ItemScores:
    """The column of a label that a scorer never gave; raises where its values are no labels."""
    some = next(iter(side.values()))
    share = scores.share(replace(some.measure, label=label))
    if share is None:
        raise ConfigurationError(
            f"{some.measure.name} gives no labels, and the other scorer does", fix="compare scorers of one kind"
        )
    return share


class _Pairing(NamedTuple):
    """Two runs of one store with the dataset versions that they are over."""

    store: Store
    versions: tuple[DatasetVersion, DatasetVersion]
    alignment: Alignment

    @classmethod
    def of(cls, store: Store, first: Run, second: Run) -> _Pairing:
        versions = dataset_of(store, first), dataset_of(store, second)
        alignment = aligned(store, *versions)
        if alignment.first is not None and not len(alignment.first):
            raise ConfigurationError(
                "the runs have no item in common: no id stands in both datasets with equal content",
                fix="compare runs over the same dataset, or over versions of it",
            )
        return cls(store, versions, alignment)


class _Asked:
    """A question about a pairing, with what the fields say of its items."""

    def __init__(self, pairing: _Pairing, runs: tuple[Run, Run], question: CompareQuestion) -> None:
        self._store = pairing.store
        self._versions = pairing.versions
        self._alignment = pairing.alignment
        self._question = question
        self._count = self._versions[0].count if self._alignment.first is None else len(self._alignment.first)
        first, second = (Plan(pairing.store, run) for run in runs)
        self._plans = first, first if runs[0].id == runs[1].id else second
        self._fields = Fields(pairing.store, pairing.versions[0])
        self._listed = question.get("listed", LISTED)
        by = question.get("by")
        self._slices = {} if by is None else self._shared(self._fields.members(by))
        self._sliceless = 0 if by is None else self._count - len(set().union(*self._slices.values()))

    def compared(self, joined: Sequence[Joined], *, not_comparable: Sequence[str] = ()) -> Compared:
        """The comparison of pairs of columns, corrected as one family."""
        items = self._versions[0].count
        missing = [Missing(one.whole, self._plans, self._alignment, items=items) for one in joined]
        found = [self._comparison(one, bounds=lack.bounds) for one, lack in zip(joined, missing, strict=True)]
        scores = [self._score(*parts) for parts in zip(joined, missing, correct(found), strict=True)]
        alignment = self._alignment
        return Compared(
            scores=tuple(scores),
            shared=self._count,
            changed_items=alignment.changed,
            only_first=alignment.only_first,
            only_second=alignment.only_second,
            not_comparable=tuple(not_comparable),
            sliceless=self._sliceless,
        )

    def _shared(self, members: dict[str, list[int]]) -> dict[str, list[int]]:
        """The members that both dataset versions have."""
        if self._alignment.first is None:
            return members
        shared = frozenset(self._alignment.first.tolist())
        return {name: kept for name, places in members.items() if (kept := [one for one in places if one in shared])}

    def _comparison(
        self, joined: Joined, part: Sequence[int] | None = None, *, bounds: Bounds | Undefined | None = None
    ) -> Comparison:
        """The comparison of all items, or of those at the positions of a part, which are not resampled."""
        question, one = self._question, joined.sides[0]
        first, second, positions = joined.first, joined.second, joined.positions
        terms: Terms = {
            "level": question.get("level", LEVEL),
            "margin": question.get("margin"),
            "smallest": question.get("smallest"),
            "bounds": bounds,
        }
        if part is None:
            terms["unpaired"] = joined.unpaired
        else:
            chosen = joined.at(part)
            terms["unpaired"] = joined.unpaired_at(part)
            first, second, positions = first[chosen], second[chosen], positions[chosen]
            terms["resamples"] = 0
        if (path := question.get("clusters")) is not None:
            terms["clusters"] = self._fields.clusters(path, positions.tolist())
        scale = structs.replace(one.scale, direction="informational") if joined.common is not None else one.scale
        return compare(
            first, second, name=one.measure.name, kind=one.kind, scale=scale, seed=question.get("seed", 0), **terms
        )

    def _intervals(self, joined: Joined) -> tuple[Interval | Undefined, Interval | Undefined]:
        scale, level = joined.sides[0].scale, self._question.get("level", LEVEL)
        clusters = self._clusters(joined)
        first = mean_interval(joined.first, scale=scale, clusters=clusters, level=level)
        return first, mean_interval(joined.second, scale=scale, clusters=clusters, level=level)

    def _score(self, joined: Joined, missing: Missing, corrected: Corrected) -> ScoreComparison:
        """Everything about one measure."""
        one, other = joined.sides
        regressions, fixes, both_wrong = self._changes(joined)
        return ScoreComparison(
            measure=one.measure.name,
            label=one.measure.label,
            corrected=corrected,
            same_scorer=set(one.scorers) == set(other.scorers),
            passes_at=one.passes_at,
            unpaired=joined.alone(self._store, self._versions, self._listed),
            regressions=regressions,
            fixes=fixes,
            both_wrong=both_wrong,
            intervals=self._intervals(joined),
            slices=self._of_slices(joined, frozenset(missing.neither.tolist())),
            differences=tuple(_sample(joined.second - joined.first)),
            disagreement=None if joined.common is None else self._disagreement(joined, joined.common),
            lacking=missing.lacking,
            unscored=named(self._store, self._versions[0], missing.neither, self._listed),
            unpaired_traces=None if joined.common is None else joined.common.alone,
        )

    def _disagreement(self, joined: Joined, common: CommonTraces) -> Disagreement:
        return disagreement(
            self._store,
            self._versions[0],
            joined,
            common,
            listed=self._listed,
            level=self._question.get("level", LEVEL),
            clusters=self._clusters(joined),
        )

    def _clusters(self, joined: Joined) -> list[str] | None:
        path = self._question.get("clusters")
        return None if path is None else self._fields.clusters(path, joined.positions.tolist())

    def _changes(self, joined: Joined) -> tuple[Changed | Undefined, Changed | Undefined, Changed | Undefined]:
        """Regressions, fixes and what both get wrong."""
        one = joined.sides[0]
        if joined.common is not None:
            return _NEITHER, _NEITHER, _NEITHER
        found = changes(joined.first, joined.second, kind=one.kind, scale=one.scale, passes_at=one.passes_at)
        if isinstance(found, Undefined):
            return found, found, found
        regressions, fixes, both_wrong = (
            part if isinstance(part, Undefined) else joined.changed(self._store, self._versions[0], part, self._listed)
            for part in found
        )
        return regressions, fixes, both_wrong

    def _of_slices(self, joined: Joined, unscored: frozenset[int]) -> tuple[SliceComparison, ...]:
        found = {name: self._comparison(joined, positions) for name, positions in self._slices.items()}
        known = {name: one.p for name, one in found.items() if not isinstance(one.p, Undefined)}
        adjusted = dict(zip(known, benjamini_hochberg(list(known.values())), strict=True))
        return tuple(
            SliceComparison(
                name=name,
                items=len(self._slices[name]),
                unscored=len(unscored.intersection(self._slices[name])),
                comparison=one,
                p=(p := adjusted.get(name, one.p)),
                verdict=one.decided_by(p).verdict,
            )
            for name, one in found.items()
        )


_NEITHER = Undefined("two scorers judged the same traces, and neither of them is the better one")


def _sample(differences: NDArray[np.float64]) -> list[float]:
    """The differences for a picture, in order of size; of many, evenly spaced ones."""
    import numpy as np

    ordered = np.sort(differences)
    if len(ordered) > SAMPLED:
        ordered = ordered[np.linspace(0, len(ordered) - 1, SAMPLED).astype(np.intp)]
    return [float(one) for one in ordered]


def _unit(scores: ItemScores) -> str:
    if not scores.ranged:
        return f"{scores.measure.name} has no declared range"
    return f"{scores.measure.name} goes from {scores.unit}"
