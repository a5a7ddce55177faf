"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0001"
down_revision = None

_NEVER_CHANGED = (
    "payloads",
    "items",
    "run_configs",
    "scorers",
    "experiments",
    "cases",
    "scores",
    "score_values",
    "score_hits",
)
_TRACE_CONTENT = (
    "id, key, digest, item, run_config, trial, run, body, body_payload, calls, calls_payload, "
    "input_tokens, output_tokens, cost, started_at, seconds, evaluation_made"
)
_COMMITTED = "WHEN (SELECT number FROM versions WHERE id = OLD.version) IS NOT NULL "


def upgrade() -> None:
    """Make all tables."""
    op.create_table("store_info", sa.Column("needs", sa.Text(), nullable=False))
    _datasets()
    _wishes()
    _traces()
    _scores()
    for table in _NEVER_CHANGED:
        _refuse(table, "UPDATE")
        _refuse(table, "DELETE")
    _refuse("traces", f"UPDATE OF {_TRACE_CONTENT}")
    _refuse("traces", "DELETE")
    _refuse("members", "UPDATE", when=_COMMITTED)
    _refuse("members", "DELETE", when=_COMMITTED)


def _datasets() -> None:
    op.create_table(
        "payloads",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("compressed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("payloads_by_digest", "payloads", ["digest"], unique=True)
    op.create_table(
        "items",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("body_payload", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("items_by_id", "items", ["item_id", "digest"], unique=True)
    op.create_table(
        "versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("version_id", sa.Text(), nullable=True),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("added", sa.Integer(), nullable=False),
        sa.Column("modified", sa.Integer(), nullable=False),
        sa.Column("deleted", sa.Integer(), nullable=False),
        sa.Column("reference", sa.LargeBinary(), nullable=False),
        sa.Column("fields", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("draft_of", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("versions_by_number", "versions", ["dataset", "number"], unique=True)
    op.create_index("versions_by_version_id", "versions", ["version_id"], unique=False)
    op.create_table(
        "members",
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("version", "position"),
        sqlite_with_rowid=False,
    )
    op.create_index("members_by_item", "members", ["version", "item"], unique=True)


def _wishes() -> None:
    op.create_table(
        "run_configs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("run_configs_by_digest", "run_configs", ["digest"], unique=True)
    op.create_table(
        "scorers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("scorers_by_digest", "scorers", ["digest"], unique=True)
    op.create_table(
        "experiments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("experiment_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("experiments_by_id", "experiments", ["experiment_id"], unique=True)
    op.create_index("experiments_by_name", "experiments", ["name"], unique=False)
    op.create_table(
        "owners",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("boot", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("started", sa.Text(), nullable=False),
        sa.Column("nonce", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("experiment_id", sa.Text(), nullable=False),
        sa.Column("run_config", sa.LargeBinary(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("started_at", sa.Float(), nullable=True),
        sa.Column("ended_at", sa.Float(), nullable=True),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("runs_by_experiment", "runs", ["experiment_id", "run_config"], unique=False)
    op.create_index("runs_by_id", "runs", ["run_id"], unique=True)


def _traces() -> None:
    op.create_table(
        "claims",
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "traces",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("run_config", sa.Integer(), nullable=False),
        sa.Column("trial", sa.Integer(), nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("body_payload", sa.Integer(), nullable=True),
        sa.Column("calls", sa.LargeBinary(), nullable=True),
        sa.Column("calls_payload", sa.Integer(), nullable=True),
        sa.Column("input_tokens", sa.Integer(), nullable=True),
        sa.Column("output_tokens", sa.Integer(), nullable=True),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("started_at", sa.Float(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("evaluation_made", sa.Integer(), nullable=False),
        sa.Column("dropped_at", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "traces_by_key",
        "traces",
        ["key"],
        unique=True,
        sqlite_where=sa.text("dropped_at IS NULL"),
        postgresql_where=sa.text("dropped_at IS NULL"),
    )
    op.create_table(
        "cases",
        sa.Column("run", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("trial", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("trace", sa.Integer(), nullable=True),
        sa.Column("error_type", sa.Integer(), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("attempts", sa.LargeBinary(), nullable=True),
        sa.Column("started_at", sa.Float(), nullable=True),
        sa.Column("completed_at", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("run", "position", "trial"),
        sqlite_with_rowid=False,
    )


def _scores() -> None:
    op.create_table(
        "scores",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("trace", sa.Integer(), nullable=False),
        sa.Column("scorer", sa.Integer(), nullable=False),
        sa.Column("rest", sa.LargeBinary(), nullable=False),
        sa.Column("draw", sa.Integer(), nullable=False),
        sa.Column("seen", sa.LargeBinary(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=True),
        sa.Column("detail", sa.LargeBinary(), nullable=True),
        sa.Column("at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("scores_by_run", "scores", ["run"], unique=False)
    op.create_index("scores_by_subject", "scores", ["trace", "scorer", "rest", "draw", "seen", "attempt"], unique=True)
    op.create_table(
        "score_values",
        sa.Column("score", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("number", sa.Float(), nullable=True),
        sa.Column("label", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("score", "place"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "score_hits",
        sa.Column("run", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("score", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("run", "score"),
        sqlite_with_rowid=False,
    )


def _refuse(table: str, change: str, *, when: str = "") -> None:
    name = f"{table}_stay_on_{change.split(maxsplit=1)[0].lower()}"
    op.execute(
        f"CREATE TRIGGER {name} BEFORE {change} ON {table} {when}"
        f"BEGIN SELECT RAISE(ABORT, '{table} are never changed'); END"
    )
