"""Experiments, run configs, scorers and runs, written to SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlalchemy import insert, select, update

from rejudge.domain.errors import MoveRefused, StoreConflict
from rejudge.domain.payload import encode
from rejudge.domain.run import RunState, check_move
from rejudge.domain.run_score import RunScore
from rejudge.storage.bulk import Listed, Rows
from rejudge.storage.cells import cell
from rejudge.storage.lookup import missing
from rejudge.storage.reading import record_of
from rejudge.storage.run_rows import config_row, experiment_of, run_row
from rejudge.storage.schema import experiments, run_configs, run_scores, runs, scorers
from rejudge.storage.sql_owners import dead_among

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Table

    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run import Run
    from rejudge.domain.run_config import RunConfig
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.storage.database import Database


class SqlRuns:
    """What is wished, and what is executed for it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save_experiment(self, experiment: Experiment) -> Experiment:
        """Store an experiment once, as the successor of the newest of its name."""
        query = select(experiments.c.experiment_id, experiments.c.record)
        with self._database.note() as connection:
            stored = connection.execute(query.where(experiments.c.experiment_id == experiment.id)).first()
            if stored is not None:
                return experiment_of(stored)
            named = query.where(experiments.c.name == cell(experiment.name)).order_by(experiments.c.id.desc())
            newest = connection.execute(named.limit(1)).first()
            if newest is not None:
                experiment = replace(experiment, successor_of=experiment_of(newest).id)
            values = {"experiment_id": experiment.id, "name": cell(experiment.name), "record": encode(experiment)}
            connection.execute(insert(experiments).values(values))
        return experiment

    def save_run_config(self, config: RunConfig) -> int:
        """Store a run config once; the first label stays."""
        (ref,) = _saved(self._database, _run_configs, [config])
        return ref

    def save_scorers(self, configs: Sequence[ScorerConfig]) -> list[int]:
        """Store scorer configs, each once."""
        return _saved(self._database, _scorers, configs)

    def save_run(self, run: Run, *, owner: int) -> int:
        """Store a new run."""
        if run.state is not RunState.CREATED:
            raise MoveRefused(f"a new run is created, not {run.state.value}")
        values = {
            "run_id": cell(run.id),
            "experiment_id": cell(run.experiment),
            "run_config": run.run_config,
            "record": encode(run),
            "state": run.state.value,
            "owner": owner,
        }
        with self._database.note() as connection:
            if connection.execute(select(runs.c.id).where(runs.c.run_id == cell(run.id))).first():
                raise StoreConflict(f"run {run.id!r} is stored already")
            wish = experiments.c.experiment_id == cell(run.experiment)
            if connection.execute(select(experiments.c.id).where(wish)).first() is None:
                known = connection.execute(select(experiments.c.experiment_id)).scalars()
                raise missing("experiment", run.experiment, list(known))
            config_row(connection, run_configs, run.run_config)
            for scorer in run.scorers:
                config_row(connection, scorers, scorer)
            ref: int = connection.execute(insert(runs).values(values).returning(runs.c.id)).scalar_one()
        return ref

    def move_run(self, run_id: str, *, old: RunState, new: RunState, at: float, reason: str | None = None) -> None:
        """Write a move if the run is still where the caller believes it."""
        values: dict[str, object] = {"state": new.value, "reason": None if reason is None else cell(reason)}
        if new is RunState.RUNNING:
            values["started_at"] = at
        if new.terminal:
            values["ended_at"] = at
        with self._database.write() if new.terminal else self._database.note() as connection:
            row = run_row(connection, run_id)
            check_move(old, new)
            still = runs.c.id == row.id, runs.c.state == old.value
            if not connection.execute(update(runs).where(*still).values(values)).rowcount:
                raise MoveRefused(f"run {run_id!r} is {row.state} by now, not {old.value}", fix="read the run again")

    def adopt_run(self, run_id: str, *, owner: int) -> int | None:
        """Hand an unfinished run over, unless another owner is at work on it."""
        with self._database.write() as connection:
            row = run_row(connection, run_id)
            if RunState(row.state).terminal or (row.owner != owner and not dead_among(connection, [row.owner])):
                return None
            connection.execute(update(runs).where(runs.c.id == row.id).values(owner=owner))
            return int(row.id)

    def save_run_scores(self, run_id: str, scores: Sequence[RunScore]) -> None:
        """Store scores of a run."""
        if not scores:
            return
        with self._database.write() as connection:
            run = run_row(connection, run_id).id
            rows = [
                {
                    "run": run,
                    "scorer": config_row(connection, scorers, score.scorer).id,
                    "record": encode(score),
                }
                for score in scores
            ]
            connection.execute(insert(run_scores), rows)

    def run_scores(self, run_id: str) -> list[RunScore]:
        """The newest score of the run by each scorer."""
        with self._database.read() as connection:
            run = run_row(connection, run_id).id
            query = select(run_scores.c.record).where(run_scores.c.run == run).order_by(run_scores.c.id)
            found = [record_of(row.record, RunScore, f"a score of run {run_id}") for row in connection.execute(query)]
        return list({score.scorer: score for score in found}.values())


class _Configs:
    """A table of configs, written and found by their digests."""

    def __init__(self, table: Table) -> None:
        self.rows = Rows(table, "digest", "record")
        self._refs = Listed(select(table.c.digest, table.c.id), table.c.digest)

    def refs(self, connection: Connection, digests: Sequence[bytes]) -> dict[bytes, int]:
        """The refs of those that are stored."""
        return {bytes(row.digest): row.id for row in self._refs.rows(connection, digests)}


_run_configs, _scorers = _Configs(run_configs), _Configs(scorers)


def _saved(database: Database, table: _Configs, configs: Sequence[RunConfig | ScorerConfig]) -> list[int]:
    """The refs of configs, once each is stored; nothing is locked where all of them are already."""
    digests = [config.digest() for config in configs]
    with database.read() as connection:
        refs = table.refs(connection, digests)
    new = {digest: config for digest, config in zip(digests, configs, strict=True) if digest not in refs}
    if new:
        with database.note() as connection:
            table.rows.insert(connection, [(digest, encode(config)) for digest, config in new.items()])
            refs |= table.refs(connection, list(new))
    return [refs[digest] for digest in digests]
