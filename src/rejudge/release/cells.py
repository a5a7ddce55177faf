"""What either judge said of either run's traces: the four columns that a difference is split by."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rejudge.release.alignment import dataset_of
from rejudge.release.scores import Measure, ScoresOf
from rejudge.stats.decompose import Scores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rejudge.domain.run import Run
    from rejudge.release.both_versions import BothVersions
    from rejudge.stats.column import Floats, Places
    from rejudge.storage.records import TraceValueColumns
    from rejudge.storage.store import Store

    Mask = NDArray[np.bool_]

Said: TypeAlias = "float | str | None"
"""What a judge said of a trace: a number or a label."""


class Judgement(NamedTuple):
    """What one of a run's own judges said of one of its traces."""

    position: int
    trial: int
    trace: int
    judge: bytes
    said: Said


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedRun:
    """One run with its own judgements under one name, ordered by position and trial.

    `scorers` are the digests of its scorers of that name, `places` those of the items by position.
    """

    run: Run
    scorer: str
    scorers: tuple[bytes, ...]
    value: str
    judgements: Sequence[Judgement]
    places: Places

    @cached_property
    def judges(self) -> dict[int, bytes]:
        """Which scorer judged the item at each place: one of a name has several where items have their own."""
        return {int(self.places[one.position]): one.judge for one in self.judgements}

    def scores(self, size: int, label: str | None) -> Scores:
        """The mean of what was said, at each of `size` places."""
        return _means(size, [(int(self.places[one.position]), one.said) for one in self.judgements], label)


def judged_run(store: Store, scores: ScoresOf, scorer: str, value: str, places: Places) -> JudgedRun:
    """A run's own judgements under a name."""
    digests = scores.digests(scorer)
    found: list[Judgement] = []
    for digest in digests:
        columns = store.trace_values(scores.run.id, scorers=(digest,), name=value)
        found += [Judgement(position, trial, trace, digest, said) for position, trial, trace, said in _rows(columns)]
    found.sort(key=lambda one: (one.position, one.trial))
    return JudgedRun(run=scores.run, scorer=scorer, scorers=digests, value=value, judgements=found, places=places)


class Elsewhere:
    """What judges are known to have said of traces in any run that is stored by now, each read once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._said: dict[tuple[str, bytes, str, str], dict[int, Said]] = {}

    def said(self, side: JudgedRun, judge: bytes, value: str, *, besides: Run) -> dict[int, Said]:
        """What a judge said of the traces of a run, there and in runs of its run config over its dataset version.

        `besides` is the run that the judge belongs to: it counts where it declares the same reference fields, because a
        trace that both runs share was then shown to the judge as it is here. What it says is what its own number is
        made of, so it comes first; of the others the newest does, which has the newest attempt of each judgement.
        """
        key = side.run.id, judge, value, besides.id
        if key not in self._said:
            said: dict[int, Said] = {}
            for run in self._runs(side.run, judge, besides=besides):
                columns = self._store.trace_values(run.id, scorers=(judge,), name=value)
                said.update((trace, one) for _, _, trace, one in _rows(columns))
            self._said[key] = said
        return self._said[key]

    @cached_property
    def _by_judge(self) -> dict[bytes, list[Run]]:
        found: dict[bytes, list[Run]] = {}
        for run in self._store.runs():
            for judge in run.scorers:
                found.setdefault(judge, []).append(run)
        return found

    def _runs(self, judged: Run, judge: bytes, *, besides: Run) -> Iterator[Run]:
        """The runs in which the judge was shown the traces as they are in the judged run; what the last says counts."""
        version = dataset_of(self._store, judged)
        for run in self._by_judge.get(judge, ()):
            of_config = run.run_config == judged.run_config and run.id != besides.id
            if of_config and dataset_of(self._store, run).id == version.id:
                yield run
        own = dataset_of(self._store, besides)
        as_here = besides.run_config == judged.run_config and own.id == version.id
        if as_here or set(own.reference) == set(version.reference):
            yield besides


class Crossings:
    """What the judges of one run say of the traces of another, over items of equal content that both runs scored."""

    def __init__(self, items: BothVersions, *, judged: JudgedRun, judging: JudgedRun) -> None:
        self.judged = judged
        self.judging = judging
        self._items = items

    @cached_property
    def common(self) -> list[tuple[int, Judgement, bytes]]:
        """Each judgement of a common item's trace, with the item's place and the judge that is to judge it as well."""
        judges, places = self.judging.judges, self.judged.places
        same = self._items.same
        found = ((int(places[one.position]), one) for one in self.judged.judgements)
        return [(place, one, judges[place]) for place, one in found if same[place] and place in judges]

    @property
    def judges(self) -> tuple[bytes, ...]:
        """The judges that are to judge what another judged, each once."""
        return tuple(dict.fromkeys(judge for _, one, judge in self.common if judge != one.judge))

    def wanted(self) -> Iterator[tuple[Judgement, bytes]]:
        """What is to be judged by another judge than its own, and by which."""
        return ((one, judge) for _, one, judge in self.common if judge != one.judge)

    def said(self, elsewhere: Elsewhere) -> dict[bytes, dict[int, Said]]:
        """What each of these judges is known to have said of traces, by their refs."""
        return {
            judge: elsewhere.said(self.judged, judge, self.judging.value, besides=self.judging.run)
            for judge in self.judges
        }

    def scores(self, said: dict[bytes, dict[int, Said]], label: str | None) -> Scores:
        """The means of items of which every trace was judged; `said` has what each judge says of traces."""
        size = len(self._items)
        rows: list[tuple[int, Said]] = []
        lacking: set[int] = set()
        for place, one, judge in self.common:
            found = one.said if judge == one.judge else said.get(judge, {}).get(one.trace)
            if found is None:
                lacking.add(place)
            rows.append((place, found))
        return _means(size, [row for row in rows if row[0] not in lacking], label)


def labels_given(sides: Sequence[JudgedRun]) -> Counter[str]:
    """How often either run gave each label."""
    return Counter(one.said for side in sides for one in side.judgements if isinstance(one.said, str))


def measure_of(side: JudgedRun, label: str | None) -> Measure:
    """What is measured, as people read it."""
    return Measure(scorer=side.scorer, value=side.value, label=label)


def _rows(columns: TraceValueColumns) -> Iterator[tuple[int, int, int, Said]]:
    rows = zip(columns.positions, columns.trials, columns.traces, columns.numbers, columns.labels, strict=True)
    for position, trial, trace, number, label in rows:
        yield int(position), int(trial), int(trace), number if label is None else label


def _means(size: int, rows: Sequence[tuple[int, Said]], label: str | None) -> Scores:
    """Of rows of places and what was said the mean by place: of numbers, or among labels of being this one."""
    import numpy as np

    if label is None:
        rows = [row for row in rows if not isinstance(row[1], str) and row[1] is not None]
        values = np.array([said for _, said in rows], dtype=np.float64)
    else:
        rows = [row for row in rows if isinstance(row[1], str)]
        values = np.array([said == label for _, said in rows], dtype=np.float64)
    places = np.array([place for place, _ in rows], dtype=np.int64)
    counts = np.bincount(places, minlength=size)
    means: Floats = np.bincount(places, weights=values, minlength=size) / np.maximum(1, counts)
    return Scores(values=means, known=counts > 0)
