"""One run in depth: slices, clusters, repeats, resampling, and what its traces took."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict, Unpack

import msgspec

from rejudge.release.alignment import Fields, dataset_of, item_ids
from rejudge.release.common_measures import common_scorers, paired
from rejudge.release.scores import ScoresOf
from rejudge.stats.attempts import AttemptSummary, Tried, all_of, any_of
from rejudge.stats.bootstrap import Bootstrap, bootstrap_mean
from rejudge.stats.clusters import ClusterEffect, Units, cluster_effect
from rejudge.stats.interval import LEVEL, Interval, Undefined
from rejudge.stats.percentiles import Percentiles, percentiles
from rejudge.stats.repeats import RepeatSummary, flips, label_flips, summarise_repeats
from rejudge.stats.scale import Scale
from rejudge.stats.slices import Slice, summarise_slices
from rejudge.stats.summary import on_scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.run import Run
    from rejudge.release.scores import ItemScores
    from rejudge.stats.scale import Kind
    from rejudge.storage.store import Store

LISTED = 20

NOT_MEASURED = Undefined("not measured: recorded outputs")
"""The time of outputs that were recorded elsewhere; that of reading them back would be taken for the system's."""

AMOUNTS = ("seconds", "input_tokens", "output_tokens", "cost")
"""What traces took, by the names of the columns."""


class DescribeQuestion(TypedDict, total=False):
    """What a run is asked in depth; each may be left out.

    `scorer` and `value`: which score; all where none is named. `clusters`: a field of the items whose equal values
    make them resemble each other. `by`: a field whose values are slices (of a list, as of tags, each value). `level`,
    `seed`: of the bootstrap. `listed`: how many items with unequal trials are named.
    """

    scorer: str | None
    value: str | None
    clusters: str | None
    by: str | None
    level: float
    seed: int
    listed: int


class ItemFlip(msgspec.Struct, frozen=True, kw_only=True):
    """An item whose trials are not all equal; `agreement` is how likely two of them are."""

    item_id: str
    trials: int
    mean: float
    minimum: float
    maximum: float
    agreement: float


class Flips(msgspec.Struct, frozen=True, kw_only=True):
    """How many items have unequal trials, and those that agree least."""

    count: int
    items: tuple[ItemFlip, ...]


class ItemLabels(msgspec.Struct, frozen=True, kw_only=True):
    """An item whose trials got different labels, with how often each; `agreement`: how likely two are equal."""

    item_id: str
    trials: int
    agreement: float
    labels: dict[str, int]


class LabelFlips(msgspec.Struct, frozen=True, kw_only=True):
    """How many items got different labels under a name, and those that agree least."""

    measure: str
    count: int
    items: tuple[ItemLabels, ...]


class Attempts(msgspec.Struct, frozen=True, kw_only=True):
    """With what chance one of k trials of an item passes (`any_of`, pass@k), and all of them (`all_of`, pass^k)."""

    k: int
    any_of: AttemptSummary
    all_of: AttemptSummary


class Clustered(msgspec.Struct, frozen=True, kw_only=True):
    """The interval of the mean where items come in clusters, and what the clusters cost."""

    field: str
    interval: Interval | Undefined
    effect: ClusterEffect


class DescribedScore(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of a run. `n` items have a score of it.

    `clustered` is None where no clusters were named, `repeats` and `flips` where every item has one trial. `attempts`
    are for k = 2, 4, 8 and so on, and for the most trials that an item has; none where nothing says what passes.
    """

    measure: str
    scorer: str
    value: str
    label: str | None
    kind: Kind
    scale: Scale
    n: int
    mean: float | Undefined
    bootstrap: Bootstrap | Undefined
    clustered: Clustered | None
    slices: tuple[Slice, ...]
    repeats: RepeatSummary | None
    attempts: tuple[Attempts, ...]
    flips: Flips | None


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """A run in depth: its measures, items with unequal labels, and by `AMOUNTS` what its traces took.

    `left_out` says in words which labels are not told apart, and `sliceless` items have no value of the field that
    slices are by.
    """

    scores: tuple[DescribedScore, ...]
    label_flips: tuple[LabelFlips, ...]
    amounts: dict[str, Percentiles | Undefined]
    left_out: tuple[str, ...] = ()
    sliceless: int = 0


def describe_run(store: Store, run: Run, **question: Unpack[DescribeQuestion]) -> Described:
    """A run in depth; raises ConfigurationError or UnknownName for a score or field that it does not have."""
    scores = ScoresOf(store, run)
    names: Sequence[str] = ()
    if scores.scorers or question.get("scorer") is not None:
        names = common_scorers([scores], question.get("scorer"), question.get("value"))
    measured: list[ItemScores] = []
    apart: list[str] = []
    for name in names:
        columns, left_out = paired([scores], name, question.get("value"))
        measured += [one for (one,) in columns]
        apart += left_out
    depth = _Depth(store, run, question)
    return Described(
        scores=tuple(depth.described(one) for one in measured),
        label_flips=tuple(depth.label_flips(scores, *named) for named in _repeated_labels(measured)),
        amounts=_amounts(store, run, _level(question)),
        left_out=tuple(apart),
        sliceless=depth.sliceless,
    )


class _Depth:
    """What is asked of each measure, with the slices read once."""

    def __init__(self, store: Store, run: Run, question: DescribeQuestion) -> None:
        self._store = store
        self._question = question
        self._listed = question.get("listed", LISTED)
        self._version = dataset_of(store, run)
        by = question.get("by")
        self._fields = Fields(store, self._version)
        self._members = {} if by is None else self._fields.members(by)
        self.sliceless = 0 if by is None else self._version.count - len(set().union(*self._members.values()))

    def described(self, scores: ItemScores) -> DescribedScore:
        """One measure in depth."""
        question, level = self._question, _level(self._question)
        clusters = None
        if (path := question.get("clusters")) is not None:
            clusters = self._fields.clusters(path, scores.positions.tolist())
        seed = question.get("seed", 0)
        drawn: Bootstrap | Undefined = Undefined("nothing was scored")
        if scores.n:
            drawn = bootstrap_mean(scores.means, clusters=clusters, seed=seed, level=level)
        return DescribedScore(
            measure=scores.measure.name,
            scorer=scores.measure.scorer,
            value=scores.measure.value,
            label=scores.measure.label,
            kind=scores.kind,
            scale=scores.scale,
            n=scores.n,
            mean=float(scores.means.mean()) if scores.n else Undefined("nothing was scored"),
            bootstrap=drawn,
            clustered=None if path is None or clusters is None else _clustered(scores, path, clusters, level=level),
            slices=self._slices(scores, clusters),
            repeats=summarise_repeats(scores.by_item(), scale=scores.scale, level=level) if scores.repeated else None,
            attempts=self._attempts(scores, clusters) if scores.repeated else (),
            flips=self._flips(scores) if scores.repeated and scores.measure.label is None else None,
        )

    def label_flips(self, scores: ScoresOf, scorer: str, value: str, measure: str) -> LabelFlips:
        """The items whose trials got different labels under a name."""
        positions, labels = scores.labels_by_item(scorer, value)
        found = label_flips(labels)
        shown = found[: self._listed]
        ids = item_ids(self._store, self._version, [positions[flip.item] for flip in shown])
        return LabelFlips(
            measure=measure,
            count=len(found),
            items=tuple(
                ItemLabels(item_id=item_id, trials=flip.trials, agreement=flip.agreement, labels=flip.labels)
                for item_id, flip in zip(ids, shown, strict=True)
            ),
        )

    def _attempts(self, scores: ItemScores, clusters: Sequence[str] | None) -> tuple[Attempts, ...]:
        passed = scores.passed(scores.values)
        if passed is None:
            return ()
        import numpy as np

        good = np.add.reduceat(passed.astype(int), scores.starts)
        each = list(zip(scores.counts.tolist(), good.tolist(), strict=True))
        if clusters is None:
            tried = [Tried(of, passing, items) for (of, passing), items in sorted(Counter(each).items())]
        else:
            tried = [Tried(of, passing) for of, passing in each]
        most = int(scores.counts.max())
        powers = [2**exponent for exponent in range(1, most.bit_length()) if 2**exponent < most]
        items, level = self._version.count, _level(self._question)
        return tuple(
            Attempts(
                k=k,
                any_of=any_of(tried, k, items=items, clusters=clusters, level=level),
                all_of=all_of(tried, k, items=items, clusters=clusters, level=level),
            )
            for k in [*powers, most]
        )

    def _slices(self, scores: ItemScores, clusters: Sequence[str] | None) -> tuple[Slice, ...]:
        if not self._members:
            return ()
        values: list[float | None] = [None] * self._version.count
        named: list[str] | None = None if clusters is None else [""] * self._version.count
        for place, (position, mean) in enumerate(zip(scores.positions.tolist(), scores.means.tolist(), strict=True)):
            values[position] = mean
            if named is not None and clusters is not None:
                named[position] = clusters[place]
        return tuple(
            summarise_slices(values, self._members, scale=scores.scale, clusters=named, level=_level(self._question))
        )

    def _flips(self, scores: ItemScores) -> Flips:
        found = flips(scores.by_item())
        shown = found[: self._listed]
        ids = item_ids(self._store, self._version, [int(scores.positions[flip.item]) for flip in shown])
        return Flips(
            count=len(found),
            items=tuple(
                ItemFlip(
                    item_id=item_id,
                    trials=flip.trials,
                    mean=flip.mean,
                    minimum=flip.minimum,
                    maximum=flip.maximum,
                    agreement=flip.agreement,
                )
                for item_id, flip in zip(ids, shown, strict=True)
            ),
        )


def _repeated_labels(measured: Sequence[ItemScores]) -> list[tuple[str, str, str]]:
    """The scorer, value and name of every label of which some item has two or more."""
    return list(
        dict.fromkeys(
            (one.measure.scorer, one.measure.value, replace(one.measure, label=None).name)
            for one in measured
            if one.measure.label is not None and one.repeated
        )
    )


def _clustered(scores: ItemScores, path: str, clusters: Sequence[str], *, level: float) -> Clustered:
    return Clustered(
        field=path,
        interval=on_scale(Units.of(scores.means, clusters).interval(level=level), scores.scale),
        effect=cluster_effect(scores.means, clusters, level=level),
    )


def _amounts(store: Store, run: Run, level: float) -> dict[str, Percentiles | Undefined]:
    """Percentiles of what the traces took; trials of one item are a cluster."""
    columns = store.spending(run.id)
    repeated = len(set(columns.positions)) < len(columns.positions)
    found: dict[str, Percentiles | Undefined] = {}
    for name in AMOUNTS:
        if name == "seconds" and store.run_config(run.run_config).recorded:
            found[name] = NOT_MEASURED
            continue
        given: Sequence[float | None] = getattr(columns, name)
        values = [float(one) for one in given if one is not None]
        items = [place for place, one in zip(columns.positions, given, strict=True) if one is not None]
        found[name] = percentiles(
            values, missing=len(given) - len(values), clusters=items if repeated else None, level=level
        )
    return found


def _level(question: DescribeQuestion) -> float:
    return question.get("level", LEVEL)
