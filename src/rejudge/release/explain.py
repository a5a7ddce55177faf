"""Why the numbers of two runs differ: what else differs between them, and what judge, task and data each did."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict, Unpack

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.score import ScoreStatus
from rejudge.release.alignment import dataset_of
from rejudge.release.both_versions import BothVersions
from rejudge.release.cells import Crossings, Side, labels_of, measure_of, side_of, stored_elsewhere
from rejudge.release.config_differences import LISTED, config_differences
from rejudge.release.explanation import Carried, Carrier, Explained, ScoreExplanation, Spent
from rejudge.release.judges import Gone, judge_again
from rejudge.release.scores import ScoresOf
from rejudge.runner.crossing import Crossed, Crossing, Made, unjudged
from rejudge.stats.decompose import PARTS, Cells, Decomposition, PartName, Scores, Split, decompose
from rejudge.stats.interval import LEVEL, Undefined
from rejudge.storage.records import CaseOrder

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from rejudge.domain.run import Run
    from rejudge.release.scores import ItemScores
    from rejudge.scorers.scorer import Scorer
    from rejudge.stats.scale import Scale
    from rejudge.storage.store import Store

Which = Literal["first", "second"]
"""Whose judges: the first run's, which judge the second run's traces, or the other way round."""

_TIE = 1e-12


class Question(TypedDict, total=False):
    """What an explanation is asked; each may be left out.

    `scorer` and `value`: which score; all that both runs have where none is named. Two names are the scorer of the
    first run and that of the second. `clusters`: a field of the items whose equal values make them resemble each
    other. `level`: of confidence. `seed`: of the bootstrap. `listed`: how many items are named that carry a part.
    """

    scorer: str | tuple[str, str] | None
    value: str | None
    clusters: str | None
    level: float
    seed: int
    listed: int


class _Pair(NamedTuple):
    """One value of a scorer on either side."""

    first: Side
    second: Side
    about: ItemScores
    other: ItemScores


@dataclass(eq=False)
class _Direction:
    """One run's judges on the other run's traces: the judges that can be asked, and why others cannot."""

    which: Which
    judged: Run
    judging: Run
    live: dict[bytes, Scorer]
    gone: dict[bytes, str]


class Explaining:
    """An explanation under way: what has to be judged for it, and what follows once that is judged.

    `crossings` are what can be judged. Raises ConfigurationError or UnknownName for what cannot be asked.
    """

    def __init__(
        self, store: Store, first: Run, second: Run, *, handed_in: Sequence[Scorer] = (), **question: Unpack[Question]
    ) -> None:
        self.store = store
        self.runs = first, second
        self._question = question
        sides = ScoresOf(store, first), ScoresOf(store, second)
        self._names = _paired_names(sides, question.get("scorer"))
        self._items = BothVersions(store, dataset_of(store, first), dataset_of(store, second))
        self._pairs = [pair for names in self._names for pair in self._pairs_of(sides, names)]
        self._directions = (
            _Direction("first", judged=second, judging=first, live={}, gone={}),
            _Direction("second", judged=first, judging=second, live={}, gone={}),
        )
        for direction in self._directions:
            for pair in self._comparable():
                for digest in self._crossed(direction, pair).judges:
                    found = judge_again(store.scorer(digest), handed_in)
                    if isinstance(found, Gone):
                        direction.gone[digest] = found.reason
                    else:
                        direction.live[digest] = found

    @property
    def _wanted(self) -> int:
        return sum(len(one.scorers) for _, crossing in self.crossings for one in crossing.wanted)

    @property
    def has_scores(self) -> bool:
        """Whether the runs have a score in common."""
        return bool(self._pairs)

    @property
    def crossings(self) -> list[tuple[Which, Crossing]]:
        """What is to be judged by judges that can be asked, either way."""
        return [(one.which, crossing) for one in self._directions if (crossing := self._crossing(one)).wanted]

    def judgements(self) -> dict[Which, Counter[str]]:
        """How many judgements would have to be made, by whose judge it is and its name."""
        return {which: unjudged(self.store, crossing) for which, crossing in self.crossings}

    def refuse(self, which: Which, reasons: dict[bytes, str]) -> None:
        """Take note that judges cannot be asked here."""
        for direction in self._directions:
            if direction.which == which:
                direction.gone.update((digest, f"cannot be asked here: {why}") for digest, why in reasons.items())

    def leave_unjudged(self) -> None:
        """Take note that nobody is to be asked."""
        for direction in self._directions:
            why = "was not asked, because nothing was to be judged"
            direction.gone.update(dict.fromkeys(direction.live, why))

    def explained(self, made: Sequence[Made] = ()) -> Explained:
        """What follows from everything that is stored by now; `made` is what was judged for it."""
        listed = self._question.get("listed", LISTED)
        return Explained(
            differences=config_differences(self.store, *self.runs, judges=self._names, listed=listed),
            scores=tuple(one for pair in self._pairs for one in self._scores(pair, made)),
            spent=_spent(self.store, made, wanted=self._wanted),
        )

    def _pairs_of(self, sides: tuple[ScoresOf, ScoresOf], names: tuple[str, str]) -> Iterator[_Pair]:
        value = self._question.get("value")
        measured = [
            {one.measure.value: one for one in side.measured(name, value)}
            for side, name in zip(sides, names, strict=True)
        ]
        first, second = measured
        if len(first) == len(second) == 1:
            matched = [(*first, *second)]
        else:
            matched = [(key, key) for key in first if key in second]
        for here, there in matched:
            yield _Pair(
                first=side_of(self.store, sides[0], names[0], here, self._items.places[0]),
                second=side_of(self.store, sides[1], names[1], there, self._items.places[1]),
                about=first[here],
                other=second[there],
            )

    def _crossed(self, direction: _Direction, pair: _Pair) -> Crossings:
        """The first run's judges judge the second run's traces, or the other way round."""
        judging, judged = (pair.first, pair.second) if direction.which == "first" else (pair.second, pair.first)
        return Crossings(self._items, judged=judged, judging=judging)

    def _comparable(self) -> list[_Pair]:
        return [pair for pair in self._pairs if _mismatch(pair.about, pair.other) is None]

    def _crossing(self, direction: _Direction) -> Crossing:
        traces: dict[tuple[int, int], int] = {}
        judges: dict[int, dict[bytes, Scorer]] = {}
        for pair in self._comparable():
            for one, judge in self._crossed(direction, pair).wanted():
                if judge in direction.live and judge not in direction.gone:
                    traces[one.position, one.trial] = one.trace
                    judges.setdefault(one.position, {})[judge] = direction.live[judge]
        return Crossing(
            direction.judged,
            judged_as=direction.judging.id,
            wanted=[
                Crossed(position, trial, trace, tuple(judges[position].values()))
                for (position, trial), trace in sorted(traces.items())
            ],
        )

    def _scores(self, pair: _Pair, made: Sequence[Made]) -> Iterator[ScoreExplanation]:
        labels: list[str | None] = [*labels_of([pair.first, pair.second])]
        crossed = [self._crossed(direction, pair) for direction in self._directions]
        said = [
            {
                judge: stored_elsewhere(self.store, one.judged, judge, one.judging.value, besides=one.judging.run)
                for judge in one.judges
            }
            for one in crossed
        ]
        for label in labels or [None]:
            cells = [
                self._cell(direction, one, one.scores(known, label), made)
                for direction, one, known in zip(self._directions, crossed, said, strict=True)
            ]
            yield self._explained(pair, label, crossed, cells)

    def _cell(
        self, direction: _Direction, crossed: Crossings, scores: Scores, made: Sequence[Made]
    ) -> tuple[Scores | Undefined, str]:
        """What a run's judges say of the other's traces, and in words how far that is known."""
        if not crossed.judges:
            return scores, ""
        wanted = {place for place, one, judge in crossed.common if judge != one.judge}
        known = sum(bool(scores.known[place]) for place in wanted)
        whose = f"the {direction.which} run's judge {crossed.judging.scorer!r}"
        whose_traces = f"the {'second' if direction.which == 'first' else 'first'} run's traces"
        gone = next((direction.gone[judge] for judge in crossed.judges if judge in direction.gone), None)
        failed = "" if gone is not None else _first_error(self.store, direction, crossed.judges, made)
        why = f"{whose} {gone}" if gone is not None else f"{whose} gave no score{failed}"
        if not known:
            return Undefined(why), why
        told = f"{whose} has a score of {whose_traces} for {known} of {len(wanted)} common items"
        return scores, told if known == len(wanted) else f"{told}; of the rest {why}"

    def _explained(
        self,
        pair: _Pair,
        label: str | None,
        crossed: Sequence[Crossings],
        cells: Sequence[tuple[Scores | Undefined, str]],
    ) -> ScoreExplanation:
        names = [measure_of(side, label).name for side in (pair.first, pair.second)]
        labelled = label is not None
        split: Split | Undefined
        carried: dict[str, Carried] = {}
        if (mismatch := _mismatch(pair.about, pair.other)) is not None:
            split = Undefined(mismatch)
        else:
            all_cells = Cells(
                first=pair.first.scores(len(self._items), label),
                second=pair.second.scores(len(self._items), label),
                first_on_second=cells[0][0],
                second_on_first=cells[1][0],
                same=self._items.same,
            )
            found = self._decomposed(all_cells)
            split = found.split
            carried = {name: self._carried(all_cells, found, name) for name in PARTS}
        return ScoreExplanation(
            measure=names[0] if names[0] == names[1] else f"{names[0]} → {names[1]}",
            kind="pass_fail" if labelled else pair.about.kind,
            direction="informational" if labelled else pair.about.scale.direction,
            same_judge=not any(one.judges for one in crossed),
            first_judge=cells[0][1],
            second_judge=cells[1][1],
            split=split,
            carried=carried,
        )

    def _decomposed(self, cells: Cells) -> Decomposition:
        question = self._question
        path = question.get("clusters")
        return decompose(
            cells,
            clusters=None if path is None else self._items.clusters(path),
            seed=question.get("seed", 0),
            level=question.get("level", LEVEL),
        )

    def _carried(self, cells: Cells, found: Decomposition, name: PartName) -> Carried:
        import numpy as np

        shifts = found.shifts[name]
        moved = np.flatnonzero(np.abs(shifts) > _TIE)
        order = moved[np.lexsort((moved, -np.round(np.abs(shifts[moved]), 12)))]
        shown = [int(place) for place in order[: self._question.get("listed", LISTED)]]
        columns = cells.first, cells.second, cells.first_on_second, cells.second_on_first
        return Carried(
            count=len(moved),
            items=tuple(
                Carrier(
                    item_id=item_id,
                    shift=float(shifts[place]),
                    first=_at(columns[0], place),
                    second=_at(columns[1], place),
                    first_on_second=_at(columns[2], place),
                    second_on_first=_at(columns[3], place),
                )
                for item_id, place in zip(self._items.ids(shown), shown, strict=True)
            ),
        )


def _paired_names(sides: tuple[ScoresOf, ScoresOf], scorer: str | tuple[str, str] | None) -> list[tuple[str, str]]:
    """Which scorers stand for each other: those named, those of one name, or the only one of either run."""
    if isinstance(scorer, str):
        scorer = scorer, scorer
    if scorer is not None:
        if len(scorer) != 2:
            raise ConfigurationError(
                f"{len(scorer)} scorers are named", fix="name one, or that of the first run and that of the second"
            )
        for side, name in zip(sides, scorer, strict=True):
            side.digests(name)
        return [(scorer[0], scorer[1])]
    common = [(name, name) for name in sides[0].scorers if name in sides[1].scorers]
    if not common and len(sides[0].scorers) == len(sides[1].scorers) == 1:
        return [(sides[0].scorers[0], sides[1].scorers[0])]
    return common


def _mismatch(first: ItemScores, second: ItemScores) -> str | None:
    """Why a difference of means would mean nothing; None where both score in one unit."""
    labelled = [one.measure.label is not None for one in (first, second)]
    if any(labelled):
        return None if all(labelled) else "one judge gives labels and the other numbers"
    units = [_unit(one.scale) for one in (first, second)]
    return None if units[0] == units[1] else f"the judges score in different units: {units[0]}, and {units[1]}"


def _unit(scale: Scale) -> str:
    if scale.low is None or scale.high is None:
        return f"no declared range, {scale.direction} is better"
    return f"from {scale.low:g} to {scale.high:g}, {scale.direction} is better"


def _at(scores: Scores | Undefined, place: int) -> float | None:
    if isinstance(scores, Undefined) or not scores.known[place]:
        return None
    return float(scores.values[place])


def _first_error(store: Store, direction: _Direction, judges: Sequence[bytes], made: Sequence[Made]) -> str:
    """What went wrong where judges were asked for this explanation, in the words of the first error."""
    for one in made:
        if one.run.run_config != direction.judged.run_config:
            continue
        for row in store.cases(one.run.id, count=1, order=CaseOrder.FAILURES_FIRST):
            for score in row.scores:
                if score.scorer in judges and score.status is not ScoreStatus.SCORED:
                    return f": {score.reason}"
    return ""


def _spent(store: Store, made: Sequence[Made], *, wanted: int) -> Spent:
    """What was judged since `made` tells; of what is not known nothing is summed."""
    after = [one for run in made for one in store.counts(run.run.id).scores]
    before = [one for run in made for one in run.before]

    def known(name: str) -> list[float]:
        signed = [(1, one) for one in after] + [(-1, one) for one in before]
        return [sign * value for sign, one in signed if (value := getattr(one, name)) is not None]

    costs, tokens_in, tokens_out = (known(name) for name in ("cost", "input_tokens", "output_tokens"))
    return Spent(
        wanted=wanted,
        made=round(sum(known("made"))),
        errors=sum(one.errors for one in after),
        cost=math.fsum(costs) if costs else None,
        known_costs=round(sum(known("known_costs"))),
        input_tokens=round(sum(tokens_in)) if tokens_in else None,
        output_tokens=round(sum(tokens_out)) if tokens_out else None,
    )
