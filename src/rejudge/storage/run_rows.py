"""Runs, experiments and configs as rows: the record as it was saved, and beside it what has changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlalchemy import select

from rejudge.domain.errors import NotFound
from rejudge.domain.experiment import Experiment
from rejudge.domain.run import Run, RunState
from rejudge.storage.cells import cell, text_of
from rejudge.storage.lookup import missing
from rejudge.storage.reading import record_of
from rejudge.storage.schema import run_configs, runs

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

    from rejudge.storage.bulk import AnyRow


def run_row(connection: Connection, run_id: str) -> AnyRow:
    """The row of a run; raises NotFound."""
    row = connection.execute(select(runs).where(runs.c.run_id == cell(run_id))).first()
    if row is None:
        raise missing("run", run_id, [text_of(known) for known in connection.execute(select(runs.c.run_id)).scalars()])
    return row


def run_of(row: AnyRow) -> Run:
    """The run as it is now."""
    return replace(
        record_of(row.record, Run, f"run {text_of(row.run_id)}"),
        state=RunState(row.state),
        reason=None if row.reason is None else text_of(row.reason),
        started_at=row.started_at,
        ended_at=row.ended_at,
    )


def experiment_of(row: AnyRow) -> Experiment:
    """A stored experiment."""
    return record_of(row.record, Experiment, f"experiment {row.experiment_id}")


def config_row(connection: Connection, table: Table, digest: bytes) -> AnyRow:
    """The row of a run config or scorer; raises NotFound."""
    row = connection.execute(select(table).where(table.c.digest == digest)).first()
    if row is None:
        kind = "run config" if table is run_configs else "scorer"
        raise NotFound(f"there is no {kind} {digest.hex()}")
    return row
