"""Experiments, runs and configs, read back from SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from rejudge.domain.run_config import RunConfig
from rejudge.domain.scorer import ScorerConfig
from rejudge.storage.cells import cell
from rejudge.storage.lookup import by_beginning, missing
from rejudge.storage.reading import record_of
from rejudge.storage.run_rows import config_row, experiment_of, run_of
from rejudge.storage.schema import experiments, run_configs, runs, scorers

if TYPE_CHECKING:
    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run import Run
    from rejudge.storage.database import Database


class SqlArchive:
    """What was wished and executed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def experiments(self) -> list[Experiment]:
        """All experiments, oldest first."""
        with self._database.read() as connection:
            query = select(experiments.c.experiment_id, experiments.c.record).order_by(experiments.c.id)
            return [experiment_of(row) for row in connection.execute(query)]

    def experiment(self, name: str) -> Experiment:
        """The newest experiment of a name, or the one with an id or a unique beginning of it."""
        known = {experiment.id: experiment for experiment in self.experiments()}
        newest = {experiment.name: experiment for experiment in known.values()}
        if name in newest:
            return newest[name]
        if not any(name and one.startswith(name) for one in known):
            raise missing("experiment", name, newest)
        return known[by_beginning("experiment", name, known)]

    def runs(self, experiment: str | None = None) -> list[Run]:
        """All runs, or those of one experiment, oldest first."""
        query = select(runs).order_by(runs.c.id)
        if experiment is not None:
            query = query.where(runs.c.experiment_id == cell(experiment))
        with self._database.read() as connection:
            return [run_of(row) for row in connection.execute(query)]

    def run(self, run_id: str) -> Run:
        """One run by its id or a unique beginning of it."""
        with self._database.read() as connection:
            row = connection.execute(select(runs).where(runs.c.run_id == cell(run_id))).first()
            if row is not None:
                return run_of(row)
        known = {run.id: run for run in self.runs()}
        return known[by_beginning("run", run_id, known)]

    def run_config(self, digest: bytes) -> RunConfig:
        """A stored run config."""
        with self._database.read() as connection:
            return record_of(
                config_row(connection, run_configs, digest).record, RunConfig, f"run config {digest.hex()}"
            )

    def scorer(self, digest: bytes) -> ScorerConfig:
        """A stored scorer config."""
        with self._database.read() as connection:
            return record_of(config_row(connection, scorers, digest).record, ScorerConfig, f"scorer {digest.hex()}")
