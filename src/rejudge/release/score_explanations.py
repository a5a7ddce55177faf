"""Scores of two runs, each with its difference in parts and the items that carry them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

from msgspec.structs import replace

from rejudge.domain.score import ScoreStatus
from rejudge.release.cells import Crossings, Elsewhere, JudgedRun, labels_given, measure_of
from rejudge.release.common_measures import unsure
from rejudge.release.config_differences import LISTED
from rejudge.release.explanation import Carried, Carrier, ScoreExplanation
from rejudge.release.scores import ItemScores, commonest
from rejudge.stats.decompose import PARTS, Cells, Decomposition, PartName, Scores, Split, adjusted, decompose
from rejudge.stats.differences import tie_unit
from rejudge.stats.interval import LEVEL, Undefined
from rejudge.stats.scale import PASS_FAIL, Scale
from rejudge.storage.records import CaseOrder, CaseRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.domain.run import Run
    from rejudge.release.both_versions import BothVersions
    from rejudge.runner.crossing import Made
    from rejudge.scorers.scorer import Scorer
    from rejudge.storage.store import Store

Which = Literal["first", "second"]
"""Whose judges: the first run's, which judge the second run's traces, or the other way round."""


class ExplainQuestion(TypedDict, total=False):
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


class Pair(NamedTuple):
    """One value of a scorer on either side."""

    first: JudgedRun
    second: JudgedRun
    about: ItemScores
    other: ItemScores


@dataclass(eq=False)
class Direction:
    """One run's judges on the other run's traces: the judges that can be asked, and why others cannot."""

    which: Which
    judged: Run
    judging: Run
    live: dict[bytes, Scorer]
    gone: dict[bytes, str]

    def crossings(self, items: BothVersions, pair: Pair) -> Crossings:
        """What its judges say of the other run's traces under one name."""
        judging, judged = (pair.first, pair.second) if self.which == "first" else (pair.second, pair.first)
        return Crossings(items, judged=judged, judging=judging)


class ScoreExplanations:
    """Explains scores from everything that is stored."""

    def __init__(
        self,
        items: BothVersions,
        directions: tuple[Direction, Direction],
        question: ExplainQuestion,
        *,
        elsewhere: Elsewhere,
        clusters: Sequence[str] | None,
        failed: FirstFailure,
    ) -> None:
        self._items = items
        self._directions = directions
        self._question = question
        self._clusters = clusters
        self._elsewhere = elsewhere
        self._failed = failed

    def of(self, pair: Pair) -> Iterator[ScoreExplanation]:
        """The explanation of a score, or one for each of its labels."""
        given = labels_given([pair.first, pair.second])
        labels: list[str | None] = [*commonest(given, measure_of(pair.first, None).name)[0]]
        crossed = [direction.crossings(self._items, pair) for direction in self._directions]
        said = [one.said(self._elsewhere) for one in crossed]
        for label in labels or [None]:
            cells = [
                self._cell(direction, one, one.scores(known, label))
                for direction, one, known in zip(self._directions, crossed, said, strict=True)
            ]
            yield self._explained(pair, label, crossed, cells)

    def _cell(self, direction: Direction, crossed: Crossings, scores: Scores) -> tuple[Scores | Undefined, str]:
        """What a run's judges say of the other's traces, and in words how far that is known."""
        if not crossed.judges:
            return scores, ""
        wanted = {place for place, one, judge in crossed.common if judge != one.judge}
        known = sum(bool(scores.known[place]) for place in wanted)
        whose = f"the {direction.which} run's judge {crossed.judging.scorer!r}"
        whose_traces = f"the {'second' if direction.which == 'first' else 'first'} run's traces"
        gone = next((direction.gone[judge] for judge in crossed.judges if judge in direction.gone), None)
        failed = "" if gone is not None else self._failed.of(direction.judged, crossed.judges)
        why = f"{whose} {gone}" if gone is not None else f"{whose} gave no score{failed}"
        if not known:
            return Undefined(why), why
        told = f"{whose} has a score of {whose_traces} for {known} of {len(wanted)} common items"
        return scores, told if known == len(wanted) else f"{told}; of the rest {why}"

    def _explained(
        self,
        pair: Pair,
        label: str | None,
        crossed: Sequence[Crossings],
        cells: Sequence[tuple[Scores | Undefined, str]],
    ) -> ScoreExplanation:
        names = [measure_of(side, label).name for side in (pair.first, pair.second)]
        labelled = label is not None
        about = pair.about if pair.about.n else pair.other
        split: Split | Undefined
        carried: dict[str, Carried] = {}
        if (why := mismatch(pair.about, pair.other)) is not None:
            split = Undefined(why)
        else:
            all_cells = Cells(
                first=pair.first.scores(len(self._items), label),
                second=pair.second.scores(len(self._items), label),
                first_on_second=cells[0][0],
                second_on_first=cells[1][0],
                same=self._items.same,
            )
            found = self._decomposed(all_cells, PASS_FAIL if labelled else about.scale)
            split = found.split
            carried = {name: self._carried(all_cells, found, name) for name in PARTS}
        return ScoreExplanation(
            measure=names[0] if names[0] == names[1] else f"{names[0]} → {names[1]}",
            kind="pass_fail" if labelled else about.kind,
            direction="informational" if labelled else about.scale.direction,
            same_judge=_same_judge(pair, crossed),
            first_judge=cells[0][1],
            second_judge=cells[1][1],
            split=split,
            carried=carried,
        )

    def _decomposed(self, cells: Cells, scale: Scale) -> Decomposition:
        return decompose(
            cells,
            scale=scale,
            clusters=self._clusters,
            seed=self._question.get("seed", 0),
            level=self._question.get("level", LEVEL),
        )

    def _carried(self, cells: Cells, found: Decomposition, name: PartName) -> Carried:
        import numpy as np

        shifts = found.shifts[name]
        moved = np.flatnonzero(shifts)
        order = moved[np.lexsort((moved, -np.round(np.abs(shifts[moved]) / tie_unit(shifts), 9)))]
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


def beside_each_other(scores: Sequence[ScoreExplanation], *, level: float) -> tuple[ScoreExplanation, ...]:
    """The explanations with what their parts show beside those of all other scores."""
    splits = iter(adjusted([one.split for one in scores if isinstance(one.split, Split)], level=level))
    return tuple(replace(one, split=next(splits)) if isinstance(one.split, Split) else one for one in scores)


def _same_judge(pair: Pair, crossed: Sequence[Crossings]) -> bool:
    """Whether one judge judged what both runs scored; where that is nothing, whether they have the same judges."""
    if any(one.common for one in crossed):
        return not any(one.judges for one in crossed)
    return set(pair.first.scorers) == set(pair.second.scorers)


def mismatch(first: ItemScores, second: ItemScores) -> str | None:
    """Why a difference of means would mean nothing; None where both score in one unit."""
    if not first.n or not second.n:
        return None  # Nothing shows the unit of what was never scored; that there is no score is said anyway.
    labelled = [one.measure.label is not None for one in (first, second)]
    if any(labelled):
        return None if all(labelled) else "one judge gives labels and the other numbers"
    units = [one.unit for one in (first, second)]
    return None if units[0] == units[1] else f"the judges score in different units: {units[0]}, and {units[1]}"


def caution(pair: Pair) -> str | None:
    """What to know of two judges of which nothing says that they score in one unit, in words."""
    known = pair.about.n and pair.other.n and mismatch(pair.about, pair.other) is None
    if not known or pair.about.ranged or set(pair.first.scorers) == set(pair.second.scorers):
        return None
    names = [measure_of(side, None).name for side in (pair.first, pair.second)]
    return unsure(f"{names[0]} of the first run", f"{names[1]} of the second")


def _at(scores: Scores | Undefined, place: int) -> float | None:
    if isinstance(scores, Undefined) or not scores.known[place]:
        return None
    return float(scores.values[place])


class FirstFailure:
    """Why judges gave no score where they were asked for an explanation; `made` is what was judged for it."""

    def __init__(self, store: Store, made: Sequence[Made]) -> None:
        self._store = store
        self._made = made

    def of(self, judged: Run, judges: Sequence[bytes]) -> str:
        """In the words of the first of them, after a colon; nothing where none of these judges failed."""
        for one in self._made:
            if one.run.run_config == judged.run_config and self._failed(one.run, judges):
                for row in self._rows(one.run):
                    for score in row.scores:
                        if score.scorer in judges and score.status is not ScoreStatus.SCORED:
                            return f": {score.reason}"
        return ""

    def _failed(self, run: Run, judges: Sequence[bytes]) -> bool:
        return any(one.scorer in judges and one.skipped + one.errors for one in self._store.counts(run.id).scores)

    def _rows(self, run: Run) -> Iterator[CaseRow]:
        start = 0
        while page := self._store.cases(run.id, start=start, order=CaseOrder.FAILURES_FIRST):
            yield from page
            start += len(page)
