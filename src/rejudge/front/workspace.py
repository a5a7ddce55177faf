"""A store, opened to look at what it holds and to edit its datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.protocol import optimization_of, type_of
from rejudge.domain.run import RunState
from rejudge.front.dataset import DatasetHandle
from rejudge.front.result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run import Run
    from rejudge.front.rating_report import RatingReport
    from rejudge.storage.store import Store


class Workspace:
    """What a store holds: datasets, experiments, runs and their results."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def dataset(self, name: str, *, reference: Sequence[str] = ()) -> DatasetHandle:
        """A dataset by name, which need not exist yet; `reference` declares fields that only scorers see."""
        return DatasetHandle(self.store, name, reference=tuple(reference))

    def experiments(
        self, *, optimization_id: str | None = None, experiment_type: str | None = None
    ) -> list[Experiment]:
        """All experiments, oldest first, or those of one optimisation and of one type ("trial", "mini-batch")."""
        return [
            one
            for one in self.store.experiments()
            if (optimization_id is None or optimization_of(one) == optimization_id)
            and (experiment_type is None or type_of(one) == experiment_type)
        ]

    def runs(self, experiment: str | None = None) -> list[Run]:
        """All runs, or those of one experiment by name or id, oldest first."""
        return self.store.runs(None if experiment is None else self.store.experiment(experiment).id)

    def result(self, experiment: str) -> Result:
        """The newest result of an experiment (by name or id): for each run config its last run."""
        found = self.store.experiment(experiment)
        newest: dict[bytes, str] = {}
        for run in self.store.runs(found.id):
            if run.state is not RunState.CREATED:
                newest[run.run_config] = run.id
        return Result(self.store, found, tuple(newest.values()))

    def run(self, run_id: str) -> Result:
        """One run as a result, by its id or a unique beginning of it."""
        run = self.store.run(run_id)
        return Result(self.store, self.store.experiment(run.experiment), (run.id,))

    def ratings(self, rating_set: str) -> RatingReport:
        """What people said under the name (or id) of a rating set: raters, agreement, gold labels, what is open."""
        from rejudge.front.rating_report import rating_report

        return rating_report(rating_set, store=self.store)

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()
