"""Which cases of a run a scorer is for: all of them, or those of the items that name it themselves."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.case import ExecutionStatus
from rejudge.domain.suite import rules_in
from rejudge.runner.assignment import assignment_in
from rejudge.runner.rescore import version_of
from rejudge.stats.counts import Counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run import Run
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.runner.assignment import Assignment
    from rejudge.storage.records import RunCounts, ScoreCounts
    from rejudge.storage.store import Store

PAGE = 500


class Reach(Struct, frozen=True, kw_only=True):
    """The cases that a scorer is for: as planned, and how many of them have no output to judge."""

    items: int
    trials: int
    planned: int
    skipped: int
    task_errors: int

    def counts(self, ended: Sequence[ScoreCounts], *, scored: int) -> Counts:
        """How these cases ended for a value that was given `scored` times, where the scorers' judgements `ended` so."""
        skipped = self.skipped + sum(one.skipped for one in ended)
        errors = sum(one.errors for one in ended)
        # A value that some verdicts left out (an undeclared name) is missing there, not scored.
        left_out = sum(one.scored for one in ended) - scored
        known = scored + left_out + skipped + errors + self.task_errors
        return Counts(
            planned=self.planned,
            scored=scored,
            skipped=skipped + left_out,
            scorer_errors=errors,
            task_errors=self.task_errors,
            pending=self.planned - known,
        )


class Reaches:
    """The reach of each scorer of a run, by its name; the items are read only where some have their own."""

    def __init__(
        self,
        store: Store,
        run: Run,
        counts: RunCounts,
        experiment: Experiment,
        *,
        scorers: Mapping[bytes, ScorerConfig],
    ) -> None:
        self._scorers = scorers
        self._store = store
        self._run = run
        self._counts = counts
        self._experiment = experiment

    @cached_property
    def version(self) -> DatasetVersion:
        """The dataset version of the experiment."""
        return version_of(self._store, self._experiment)

    @cached_property
    def assignment(self) -> Assignment:
        """What each item gets, as far as its items and the protocol say it."""
        return assignment_in(self._store, self.version, self._experiment)

    @cached_property
    def everywhere(self) -> frozenset[str]:
        """The names of the scorers that judge every item of a suite."""
        rules = rules_in(self._experiment.protocol)
        ids = frozenset(() if rules is None else rules.scorers)
        return frozenset(config.name for config in self._scorers.values() if config.unbound().id in ids)

    @cached_property
    def own(self) -> dict[str, list[int]]:
        """The positions of the items that alone name a scorer, by its name."""
        found: dict[str, list[int]] = {}
        for position, scorers in self.assignment.own.items():
            for scorer in scorers:
                found.setdefault(scorer.config.name, []).append(position)
        return {name: positions for name, positions in found.items() if name not in self.everywhere}

    def of(self, scorer: str) -> Reach:
        """The reach of the scorer of that name."""
        cases = self._counts.cases
        positions = self.own.get(scorer)
        if positions is None:
            return Reach(
                items=self.version.count,
                trials=self.assignment.most_trials,
                planned=self._run.planned,
                skipped=cases.skipped,
                task_errors=cases.errors,
            )
        trials = [self.assignment.trials(position) for position in positions]
        ended = self._ended if cases.skipped or cases.errors else Counter[tuple[int, ExecutionStatus]]()
        return Reach(
            items=len(positions),
            trials=max(trials),
            planned=sum(trials),
            skipped=sum(ended[position, ExecutionStatus.SKIPPED] for position in positions),
            task_errors=sum(ended[position, ExecutionStatus.ERROR] for position in positions),
        )

    def trials(self, scorer: str) -> tuple[Sequence[int], list[int]]:
        """The positions of the items that the scorer of that name is for, and the trials that are planned of each."""
        positions: Sequence[int] = self.own.get(scorer) or range(self.version.count)
        return positions, [self.assignment.trials(position) for position in positions]

    @cached_property
    def _ended(self) -> Counter[tuple[int, ExecutionStatus]]:
        ended: Counter[tuple[int, ExecutionStatus]] = Counter()
        start = 0
        while page := self._store.cases(self._run.id, start=start, count=PAGE):
            start += len(page)
            ended.update((row.case.position, row.case.execution_status) for row in page)
        return ended
