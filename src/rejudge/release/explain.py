"""Why the numbers of two runs differ: what else differs between them, and what judge, task and data each did."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Unpack

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.run import RunState
from rejudge.release.alignment import dataset_of
from rejudge.release.both_versions import BothVersions
from rejudge.release.cells import Elsewhere, judged_run, labels_given, measure_of
from rejudge.release.config_differences import LISTED, config_differences
from rejudge.release.explanation import Explained, Spent
from rejudge.release.judges import Gone, judge_again
from rejudge.release.missing import Plan, Unscored
from rejudge.release.score_explanations import (
    Direction,
    ExplainQuestion,
    FirstFailure,
    Pair,
    ScoreExplanations,
    Which,
    beside_each_other,
    caution,
    mismatch,
)
from rejudge.release.scores import ScoresOf, commonest
from rejudge.runner.crossing import Crossed, Crossing, Made, unjudged
from rejudge.stats.bootstrap import RESAMPLES, check_drawing
from rejudge.stats.interval import LEVEL, check_level

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from rejudge.domain.run import Run
    from rejudge.scorers.scorer import Scorer
    from rejudge.storage.store import Store


class Explaining:
    """An explanation under way: what has to be judged for it, and what follows once that is judged.

    `crossings` are what can be judged, `unscored` says what has no score in either run. Raises ConfigurationError or
    UnknownName for what cannot be asked.
    """

    def __init__(
        self,
        store: Store,
        first: Run,
        second: Run,
        *,
        handed_in: Sequence[Scorer] = (),
        **question: Unpack[ExplainQuestion],
    ) -> None:
        self.store = store
        self.runs = first, second
        self._question = question
        sides = ScoresOf(store, first), ScoresOf(store, second)
        self._names = _paired_names(sides, question.get("scorer"))
        self._items = BothVersions(store, dataset_of(store, first), dataset_of(store, second))
        check_level(question.get("level", LEVEL))
        check_drawing(question.get("seed", 0), RESAMPLES)
        path = question.get("clusters")
        self._clusters = None if path is None else self._items.clusters(path)
        self._left_out = [] if question.get("scorer") is not None else list(_alone(sides, self._names))
        self._pairs = [pair for names in self._names for pair in self._pairs_of(sides, names)]
        self.unscored = tuple(_unscored(store, (first, second), self._pairs))
        self._directions = (
            Direction("first", judged=second, judging=first, live={}, gone={}),
            Direction("second", judged=first, judging=second, live={}, gone={}),
        )
        for direction in self._directions:
            for pair in self._comparable():
                for digest in direction.crossings(self._items, pair).judges:
                    found = judge_again(store.scorer(digest), handed_in)
                    if isinstance(found, Gone):
                        direction.gone[digest] = found.reason
                    else:
                        direction.live[digest] = found
        self._stored = 0
        self._elsewhere = Elsewhere(store)
        self._crossings = {one.which: self._crossing(one) for one in self._directions}

    @property
    def has_scores(self) -> bool:
        """Whether the runs have a score in common."""
        return bool(self._pairs)

    @property
    def crossings(self) -> list[tuple[Which, Crossing]]:
        """What is to be judged by judges that can be asked, either way."""
        return [(which, crossing) for which, crossing in self._crossings.items() if crossing.wanted]

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
        self._crossings = {}

    def explained(self, made: Sequence[Made] = ()) -> Explained:
        """What follows from everything that is stored by now; `made` is what was judged for it."""
        listed = self._question.get("listed", LISTED)
        explanations = ScoreExplanations(
            self._items,
            self._directions,
            self._question,
            elsewhere=Elsewhere(self.store) if made else self._elsewhere,
            clusters=self._clusters,
            failed=FirstFailure(self.store, made),
        )
        scores = [one for pair in self._pairs for one in explanations.of(pair)]
        return Explained(
            differences=config_differences(self.store, *self.runs, judges=self._names, listed=listed),
            scores=beside_each_other(scores, level=self._question.get("level", LEVEL)),
            left_out=(*filter(None, map(caution, self._pairs)), *self._left_out, *_rarer(self._pairs)),
            spent=_spent(self.store, made, stored=self._stored),
        )

    def _pairs_of(self, sides: tuple[ScoresOf, ScoresOf], names: tuple[str, str]) -> Iterator[Pair]:
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
            for which, known, other in (("first", first, second), ("second", second, first)):
                alone = [one.measure.name for key, one in known.items() if key not in other]
                self._left_out += [f"{name} is a value of the {which} run alone" for name in alone]
        for here, there in matched:
            yield Pair(
                first=judged_run(self.store, sides[0], names[0], here, self._items.places[0]),
                second=judged_run(self.store, sides[1], names[1], there, self._items.places[1]),
                about=first[here],
                other=second[there],
            )

    def _comparable(self) -> list[Pair]:
        return [pair for pair in self._pairs if mismatch(pair.about, pair.other) is None]

    def _crossing(self, direction: Direction) -> Crossing:
        """What has to be judged one way: what is not stored, by judges that can be asked. Counts what is stored."""
        traces: dict[tuple[int, int], int] = {}
        judges: dict[int, dict[bytes, Scorer]] = {}
        stored: set[tuple[int, bytes]] = set()
        for pair in self._comparable():
            crossed = direction.crossings(self._items, pair)
            said = crossed.said(self._elsewhere)
            for one, judge in crossed.wanted():
                if one.trace in said[judge]:
                    stored.add((one.trace, judge))
                elif judge in direction.live:
                    traces[one.position, one.trial] = one.trace
                    judges.setdefault(one.position, {})[judge] = direction.live[judge]
        self._stored += len(stored)
        return Crossing(
            direction.judged,
            judged_as=direction.judging.id,
            wanted=[
                Crossed(position, trial, trace, tuple(judges[position].values()))
                for (position, trial), trace in sorted(traces.items())
            ],
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


def _alone(sides: tuple[ScoresOf, ScoresOf], names: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The scorers that stand for no scorer of the other run, in words."""
    for place, (which, side) in enumerate(zip(("first", "second"), sides, strict=True)):
        for name in side.scorers:
            if all(pair[place] != name for pair in names):
                yield f"{name} is a scorer of the {which} run alone"


def _unscored(store: Store, runs: tuple[Run, Run], pairs: Sequence[Pair]) -> Iterator[Unscored]:
    """The values that either run has no score of everything planned for."""
    first, second = (Plan(store, run) for run in runs)
    sides: tuple[tuple[Which, Plan], ...] = (("first", first), ("second", second))
    for pair in pairs:
        for (which, plan), scores in zip(sides, (pair.about, pair.other), strict=True):
            counts, measure = plan.counts(scores), scores.measure
            if counts.missing:
                causes = plan.causes(scores)
                yield Unscored(which=which, scorer=measure.scorer, value=measure.value, counts=counts, causes=causes)


def _rarer(pairs: Sequence[Pair]) -> Iterator[str]:
    """Which labels are too many to be explained, in words."""
    for pair in pairs:
        yield from commonest(labels_given([pair.first, pair.second]), measure_of(pair.first, None).name)[1]


def _spent(store: Store, made: Sequence[Made], *, stored: int) -> Spent:
    """What was judged since `made` tells; of what is not known nothing is summed."""
    after = [one for run in made for one in store.counts(run.run.id).scores]
    before = [one for run in made for one in run.before]

    def known(name: str) -> list[float]:
        signed = [(1, one) for one in after] + [(-1, one) for one in before]
        return [sign * value for sign, one in signed if (value := getattr(one, name)) is not None]

    costs, tokens_in, tokens_out = (known(name) for name in ("cost", "input_tokens", "output_tokens"))
    return Spent(
        stored=stored,
        stopped=next((one.run.reason for one in made if one.run.state is not RunState.COMPLETED), None),
        made=round(sum(known("made"))),
        errors=sum(one.errors for one in after),
        cost=math.fsum(costs) if costs else None,
        known_costs=round(sum(known("known_costs"))),
        input_tokens=round(sum(tokens_in)) if tokens_in else None,
        output_tokens=round(sum(tokens_out)) if tokens_out else None,
    )
