"""What generating the outputs of a run took, added up by the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from rejudge.storage.current_scores import RUN
from rejudge.storage.records import RunUsage
from rejudge.storage.schema import cases, traces

if TYPE_CHECKING:
    from sqlalchemy import Connection

_made = traces.c.run == cases.c.run
_sums = (
    select(
        func.count().filter(~_made).label("reused"),
        func.sum(traces.c.cost).filter(_made).label("cost"),
        func.count(traces.c.cost).filter(_made).label("known_costs"),
        func.sum(traces.c.input_tokens).filter(_made).label("input_tokens"),
        func.sum(traces.c.output_tokens).filter(_made).label("output_tokens"),
        func.coalesce(func.sum(traces.c.seconds).filter(_made), 0.0).label("seconds"),
    )
    .join_from(cases, traces, traces.c.id == cases.c.trace)
    .where(cases.c.run == RUN)
)


def run_usage(connection: Connection, run: int) -> RunUsage:
    """What the traces that a run made took, and how many it has of others."""
    return RunUsage(**connection.execute(_sums, {"run": run}).one()._mapping)
