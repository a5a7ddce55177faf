"""The tables of a SQL store.

Ids are small integers, digests 32-byte binaries. Only `items_by_id` and `traces_by_key` are indexes in
random order; everything else grows at its end, so that a long run writes no more per item than a short one.
What is frozen and read whole (a run config, a run) is one encoded record beside the columns that are asked for.
"""

from __future__ import annotations

from sqlalchemy import (
    DDL,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    event,
)

REVISION = "r0007"
"""The newest migration; a store that this program makes has it from the start."""

metadata = MetaData()

# `needs` is the version of rejudge that made the store or migrated it last.
store_info = Table(
    "store_info",
    metadata,
    Column("needs", Text, nullable=False),
)

revision = Table(
    "alembic_version",
    metadata,
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)

payloads = Table(
    "payloads",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("compressed", LargeBinary, nullable=False),
    Index("payloads_by_digest", "digest", unique=True),
)

items = Table(
    "items",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("item_id", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("body", LargeBinary),
    Column("body_payload", Integer),
    Index("items_by_id", "item_id", "digest", unique=True),
)

# `number` and `version_id` are null while the version is a draft; `draft_of` is the owner that writes it.
versions = Table(
    "versions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("dataset", Text, nullable=False),
    Column("number", Integer),
    Column("version_id", Text),
    Column("size", Integer, nullable=False),
    Column("added", Integer, nullable=False),
    Column("modified", Integer, nullable=False),
    Column("deleted", Integer, nullable=False),
    Column("reference", LargeBinary, nullable=False),
    Column("fields", LargeBinary, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("draft_of", Integer),
    Index("versions_by_number", "dataset", "number", unique=True),
    Index("versions_by_version_id", "version_id"),
    sqlite_autoincrement=True,
)

members = Table(
    "members",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("item", Integer, nullable=False),
    Index("members_by_item", "version", "item", unique=True),
    sqlite_with_rowid=False,
)

run_configs = Table(
    "run_configs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Index("run_configs_by_digest", "digest", unique=True),
)

scorers = Table(
    "scorers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Index("scorers_by_digest", "digest", unique=True),
)

experiments = Table(
    "experiments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("experiment_id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Index("experiments_by_id", "experiment_id", unique=True),
    Index("experiments_by_name", "name"),
)

owners = Table(
    "owners",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("host", Text, nullable=False),
    Column("boot", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started", Text, nullable=False),
    Column("nonce", Text, nullable=False),
    Column("lease_until", Float, nullable=False),
    sqlite_autoincrement=True,
)

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", Text, nullable=False),
    Column("experiment_id", Text, nullable=False),
    Column("run_config", LargeBinary, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text),
    Column("started_at", Float),
    Column("ended_at", Float),
    Column("owner", Integer, nullable=False),
    Index("runs_by_id", "run_id", unique=True),
    Index("runs_by_experiment", "experiment_id", "run_config"),
)

claims = Table(
    "claims",
    metadata,
    Column("key", LargeBinary, primary_key=True),
    Column("owner", Integer, nullable=False),
    sqlite_with_rowid=False,
)

# A trace that was dropped is filed under its key no more.
traces = Table(
    "traces",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", LargeBinary, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("item", Integer, nullable=False),
    Column("run_config", Integer, nullable=False),
    Column("trial", Integer, nullable=False),
    Column("run", Integer, nullable=False),
    Column("body", LargeBinary),
    Column("body_payload", Integer),
    Column("calls", LargeBinary),
    Column("calls_payload", Integer),
    Column("input_tokens", Integer),
    Column("output_tokens", Integer),
    Column("cost", Float),
    Column("started_at", Float, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("evaluation_made", Integer, nullable=False),
    Column("dropped_at", Float),
    Column("spans", LargeBinary),
    Column("spans_payload", Integer),
)
Index(
    "traces_by_key",
    traces.c.key,
    unique=True,
    sqlite_where=traces.c.dropped_at.is_(None),
    postgresql_where=traces.c.dropped_at.is_(None),
)

cases = Table(
    "cases",
    metadata,
    Column("run", Integer, primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("trial", Integer, primary_key=True, autoincrement=False),
    Column("item", Integer, nullable=False),
    Column("status", Integer, nullable=False),
    Column("trace", Integer),
    Column("error_type", Integer, nullable=False),
    Column("message", Text),
    Column("attempts", LargeBinary),
    Column("started_at", Float),
    Column("completed_at", Float),
    sqlite_with_rowid=False,
)

scores = Table(
    "scores",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("trace", Integer, nullable=False),
    Column("scorer", Integer, nullable=False),
    Column("rest", LargeBinary, nullable=False),
    Column("draw", Integer, nullable=False),
    Column("seen", LargeBinary, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("run", Integer, nullable=False),
    Column("status", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("cause", Text),
    Column("detail", LargeBinary),
    Column("at", Float, nullable=False),
    Column("input_tokens", Integer),
    Column("output_tokens", Integer),
    Column("cost", Float),
    Index("scores_by_subject", "trace", "scorer", "rest", "draw", "seen", "attempt", unique=True),
    Index("scores_by_run", "run"),
)

score_values = Table(
    "score_values",
    metadata,
    Column("score", Integer, primary_key=True, autoincrement=False),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("number", Float),
    Column("label", Text),
    Column("outcome", Integer),
    sqlite_with_rowid=False,
)

score_hits = Table(
    "score_hits",
    metadata,
    Column("run", Integer, primary_key=True, autoincrement=False),
    Column("score", Integer, primary_key=True, autoincrement=False),
    Column("at", Float, nullable=False),
    sqlite_with_rowid=False,
)

# What a judgement spent that came when another one of the same was stored: `score` is that one.
late_scores = Table(
    "late_scores",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run", Integer, nullable=False),
    Column("score", Integer, nullable=False),
    Column("detail", LargeBinary),
    Column("input_tokens", Integer),
    Column("output_tokens", Integer),
    Column("cost", Float),
    Column("at", Float, nullable=False),
    Index("late_scores_by_run", "run"),
)

run_scores = Table(
    "run_scores",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run", Integer, nullable=False),
    Column("scorer", Integer, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Index("run_scores_by_run", "run"),
)

rating_sets = Table(
    "rating_sets",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Index("rating_sets_by_digest", "digest", unique=True),
)

# One row for each time that a set took its name over: the last of a name tells what it stands for.
rating_set_turns = Table(
    "rating_set_turns",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("rating_set", Integer, nullable=False),
)

ratings = Table(
    "ratings",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("rating_set", Integer, nullable=False),
    Column("trace", Integer, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Index("ratings_by_set", "rating_set"),
)

gold_versions = Table(
    "gold_versions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("rating_set", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Index("gold_versions_by_number", "rating_set", "number", unique=True),
)

calibrations = Table(
    "calibrations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Index("calibrations_by_digest", "digest", unique=True),
)

default_judges = Table(
    "default_judges",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("calibration", Integer, nullable=False),
    Column("record", LargeBinary, nullable=False),
)


def _refuse(table: Table, change: str, *, when: str = "") -> None:
    """Let the database itself refuse to change what is stored for good."""
    name = f"{table.name}_stay_on_{change.split(maxsplit=1)[0].lower()}"
    trigger: DDL = DDL(  # type: ignore[no-untyped-call]
        f"CREATE TRIGGER {name} BEFORE {change} ON {table.name} {when}"
        f"BEGIN SELECT RAISE(ABORT, '{table.name} are never changed'); END"
    )
    event.listen(table, "after_create", trigger.execute_if(dialect="sqlite"))


_COMMITTED = "WHEN (SELECT number FROM versions WHERE id = OLD.version) IS NOT NULL "
_CONTENT = ", ".join(column.name for column in traces.columns if column is not traces.c.dropped_at)

for _table in (
    payloads,
    items,
    run_configs,
    scorers,
    experiments,
    cases,
    scores,
    score_values,
    score_hits,
    late_scores,
    run_scores,
    rating_sets,
    rating_set_turns,
    ratings,
    gold_versions,
    calibrations,
    default_judges,
):
    _refuse(_table, "UPDATE")
    _refuse(_table, "DELETE")
_refuse(traces, f"UPDATE OF {_CONTENT}")
_refuse(traces, "DELETE")
_refuse(members, "UPDATE", when=_COMMITTED)
_refuse(members, "DELETE", when=_COMMITTED)
