"""The scores of a run as a column: one number for each item, of several trials their mean."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.scale import ScoreSpec, ScoreType, normalised
from rejudge.stats.differences import TIE, tie_unit
from rejudge.stats.scale import Scale

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rejudge.domain.run import Run
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.stats.scale import Kind
    from rejudge.storage.records import ValueColumns
    from rejudge.storage.store import Store

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

LABELS = 12
"""Up to so many undeclared labels of one score are told apart: those that are commonest on all sides together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What is measured: a value of a scorer, or how often it is one of its labels."""

    scorer: str
    value: str
    label: str | None = None

    @property
    def name(self) -> str:
        """As people read it."""
        named = self.scorer if normalised(self.scorer) == self.value else f"{self.scorer}.{self.value}"
        return named if self.label is None else f"{named} = {self.label}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemScores:
    """One measure over one run: at each of `positions` (ascending, each once) the mean of the item's scored trials.

    `values` are these trials, item after item, and `starts` the place in them where each item's begin.
    """

    measure: Measure
    kind: Kind
    scale: Scale
    passes_at: float | None
    scorers: tuple[bytes, ...]
    positions: Places
    means: Floats
    values: Floats
    starts: Places

    @property
    def n(self) -> int:
        """Items with a score."""
        return len(self.positions)

    @property
    def unit(self) -> str:
        """The unit in words: where its values lie, and which of them are better."""
        low, high, direction = self.scale.low, self.scale.high, self.scale.direction
        between = f"{'−∞' if low is None else f'{low:g}'} to {'∞' if high is None else f'{high:g}'}"
        way = "neither end is better" if direction == "informational" else f"{direction} is better"
        return f"{between}, {way}"

    @property
    def ranged(self) -> bool:
        """Whether both ends of the range are declared, which say what unit is meant."""
        return self.scale.width is not None

    @property
    def passes_below(self) -> bool:
        """Whether what passes is at `passes_at` or below it."""
        return self.scale.direction == "lower"

    def passed(self, values: Floats) -> NDArray[np.bool_] | None:
        """Which of some values pass; None where nothing says from which value on."""
        import numpy as np

        if self.passes_at is None:
            return None
        room = TIE * max(tie_unit(self.values), abs(self.passes_at))
        if self.passes_below:
            return np.less_equal(values, self.passes_at + room)
        return np.greater_equal(values, self.passes_at - room)

    @property
    def repeated(self) -> bool:
        """Whether some item has two scored trials or more."""
        return len(self.values) > len(self.positions)

    @property
    def counts(self) -> Places:
        """How many scored trials each item has."""
        import numpy as np

        return np.diff(self.starts, append=len(self.values))

    def only(self, kept: NDArray[np.bool_]) -> ItemScores:
        """The same measure of some of its scored trials."""
        import numpy as np

        return _of_trials(self, np.repeat(self.positions, self.counts)[kept], self.values[kept])

    def by_item(self) -> list[list[float]]:
        """The scored trials of each item."""
        ends = [*self.starts[1:].tolist(), len(self.values)]
        return [self.values[start:end].tolist() for start, end in zip(self.starts.tolist(), ends, strict=True)]


class ScoresOf:
    """The scores of one run; a column is read from the store when it is first asked for."""

    def __init__(self, store: Store, run: Run) -> None:
        self._store = store
        self._named: dict[str, list[ScorerConfig]] = {}
        self._read: dict[tuple[str, str], ValueColumns] = {}
        self.run = run
        for digest in run.scorers:
            config = store.scorer(digest)
            self._named.setdefault(config.name, []).append(config)

    @property
    def scorers(self) -> tuple[str, ...]:
        """The names of the run's scorers."""
        return tuple(self._named)

    def digests(self, scorer: str) -> tuple[bytes, ...]:
        """The scorers of that name: several judge different items."""
        return tuple(dict.fromkeys(config.digest() for config in self._configs(scorer)))

    def values(self, scorer: str) -> tuple[str, ...]:
        """The names of the values that a scorer declared, or gave where it declared none."""
        configs = self._configs(scorer)
        declared = tuple(dict.fromkeys(spec.key for config in configs for spec in config.scores))
        if declared:
            return declared
        digests = self.digests(scorer)
        return tuple(dict.fromkeys(name for digest, name in self._given if digest in digests)) or (normalised(scorer),)

    @cached_property
    def _given(self) -> list[tuple[bytes, str]]:
        """Which scorer gave which values, numbers first."""
        counts = self._store.counts(self.run.id)
        numbers = [(one.scorer, one.name) for one in counts.moments]
        return numbers + [(one.scorer, one.name) for one in counts.labels]

    def named(self, scorer: str, value: str | None) -> tuple[str, ...]:
        """The names of a scorer's values, or the one that is asked for; raises UnknownName."""
        names = self.values(scorer)
        if value is None:
            return names
        if normalised(value) not in names:
            raise UnknownName.among("value", value, names)
        return (normalised(value),)

    def measured(
        self, scorer: str, value: str | None = None, *, labels: Mapping[str, Sequence[str]] | None = None
    ) -> list[ItemScores]:
        """What a scorer's value measures: one column, or one for each label; without `value`, of all its values.

        `labels` says for the name of a value which of its labels are told apart where it declared none: the commonest
        ones of this run, where nobody says.
        """
        return [one for name in self.named(scorer, value) for one in self._measured(scorer, name, labels or {})]

    def undeclared_labels(self, scorer: str, name: str) -> Counter[str]:
        """How often each label was given under a name; nothing where the labels are declared, or numbers."""
        columns = self._columns(scorer, name)
        spec = self._spec(scorer, name, columns)
        if spec.type is not ScoreType.LABEL or spec.labels:
            return Counter()
        return Counter(label for label in columns.labels if label is not None)

    def share(self, measure: Measure) -> ItemScores | None:
        """How often the items got a label, also one that none of them got; None where the value is no label."""
        columns = self._columns(measure.scorer, measure.value)
        spec = self._spec(measure.scorer, measure.value, columns)
        if spec.type is not ScoreType.LABEL or measure.label is None:
            return None
        return _share(measure, measure.label, spec, columns, self.digests(measure.scorer))

    def traces(self, measure: Measure) -> Places:
        """The trace that each scored trial of a column is of, by the ref that it is stored under.

        Raises ConfigurationError where scores arrived since the column was read.
        """
        read = self._columns(measure.scorer, measure.value)
        columns = self._store.trace_values(self.run.id, scorers=self.digests(measure.scorer), name=measure.value)
        if len(columns.traces) != len(read.positions):
            raise ConfigurationError(
                f"run {self.run.id} got scores while it was compared", fix="ask again when it is completed"
            )
        return _positions(columns.traces, columns.numbers if measure.label is None else columns.labels)

    def labels_by_item(self, scorer: str, name: str) -> tuple[list[int], list[list[str]]]:
        """The positions of the items that a label was given to, and the labels of their trials."""
        columns = self._columns(scorer, name)
        found: dict[int, list[str]] = {}
        for position, label in zip(columns.positions, columns.labels, strict=True):
            if label is not None:
                found.setdefault(position, []).append(label)
        return list(found), list(found.values())

    def _spec(self, scorer: str, name: str, columns: ValueColumns) -> ScoreSpec:
        declared = (one for config in self._configs(scorer) for one in config.scores if one.key == name)
        return next(declared, None) or _inferred(name, columns)

    def _measured(self, scorer: str, name: str, labels: Mapping[str, Sequence[str]]) -> list[ItemScores]:
        digests = self.digests(scorer)
        columns = self._columns(scorer, name)
        spec = self._spec(scorer, name, columns)
        if spec.type is ScoreType.LABEL:
            told_apart = spec.labels or labels.get(name) or commonest(self.undeclared_labels(scorer, name), name)[0]
            named = [(label, Measure(scorer=scorer, value=spec.key, label=label)) for label in told_apart]
            return [_share(measure, label, spec, columns, digests) for label, measure in named]
        low, high = spec.range
        return [
            _column(
                Measure(scorer=scorer, value=name),
                _positions(columns.positions, columns.numbers),
                _known(columns.numbers),
                kind=cast("Kind", spec.type.value),
                scale=Scale(low=low, high=high, direction=spec.direction.value),
                passes_at=_passes_at(spec),
                scorers=digests,
            )
        ]

    def _columns(self, scorer: str, name: str) -> ValueColumns:
        key = scorer, name
        if key not in self._read:
            self._read[key] = self._store.values(self.run.id, scorers=self.digests(scorer), name=name)
        return self._read[key]

    def _configs(self, scorer: str) -> list[ScorerConfig]:
        if scorer not in self._named:
            raise UnknownName.among("scorer", scorer, self._named)
        return self._named[scorer]


def commonest(given: Counter[str], name: str) -> tuple[list[str], list[str]]:
    """The labels of a score `name` that are told apart, of those `given` so often; and in words, which are not."""
    ordered = sorted(given, key=lambda label: (-given[label], label))
    shown, rarer = ordered[:LABELS], ordered[LABELS:]
    if not rarer:
        return shown, []
    often = f"{sum(given[label] for label in rarer)} of {given.total()} values"
    told = f"{name}: the {LABELS} commonest of {len(given)} labels are told apart"
    return shown, [f"{told}; the {len(rarer)} others, {often}, are not"]


def _share(
    measure: Measure, label: str, spec: ScoreSpec, columns: ValueColumns, scorers: tuple[bytes, ...]
) -> ItemScores:
    """1 where an item got the label, 0 where it got another."""
    passing = spec.passing_labels
    good = None if passing is None else label in passing
    return _column(
        measure,
        _positions(columns.positions, columns.labels),
        [float(one == label) for one in columns.labels if one is not None],
        kind="pass_fail",
        scale=Scale(low=0, high=1, direction="informational" if good is None else "higher" if good else "lower"),
        passes_at=None if good is None else float(good),
        scorers=scorers,
    )


def _column(
    measure: Measure,
    positions: Places,
    numbers: Sequence[float],
    *,
    kind: Kind,
    scale: Scale,
    passes_at: float | None,
    scorers: tuple[bytes, ...],
) -> ItemScores:
    import numpy as np

    none = positions[:0]
    empty = ItemScores(
        measure=measure,
        kind=kind,
        scale=scale,
        passes_at=passes_at,
        scorers=scorers,
        positions=none,
        means=none.astype(np.float64),
        values=none.astype(np.float64),
        starts=none,
    )
    return _of_trials(empty, positions, np.asarray(numbers, dtype=np.float64))


def _of_trials(some: ItemScores, positions: Places, values: Floats) -> ItemScores:
    """The same measure of these trials, each with the position of its item, in their order."""
    import numpy as np

    means = values
    starts = np.flatnonzero(np.diff(positions, prepend=-1))
    if len(starts) < len(positions):
        means = np.add.reduceat(values, starts) / np.diff(starts, append=len(positions))
    return replace(some, positions=positions[starts], means=means, values=values, starts=starts)


def _positions(positions: Sequence[int], values: Sequence[object]) -> Places:
    """The positions of the values; a None has none: the verdict gave a label instead of a number, or a number."""
    import numpy as np

    places = np.asarray(positions, dtype=np.int64)
    return places[[value is not None for value in values]] if None in values else places


def _known(numbers: Sequence[float | None]) -> Sequence[float]:
    known = numbers if None not in numbers else [number for number in numbers if number is not None]
    return cast("Sequence[float]", known)


def _inferred(name: str, columns: ValueColumns) -> ScoreSpec:
    """Undeclared numbers that all have an outcome were booleans; any other number is a plain number."""
    if len(columns.labels) > columns.labels.count(None):
        return ScoreSpec(name=name, type=ScoreType.LABEL)
    judged = bool(columns.outcomes) and None not in columns.outcomes
    return ScoreSpec(name=name, type=ScoreType.PASS_FAIL if judged else ScoreType.NUMBER)


def _passes_at(spec: ScoreSpec) -> float | None:
    if spec.passes_at is not None or not spec.has_outcome:
        return spec.passes_at
    return 1.0
