"""Scores of whole runs have a table of their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0003"
down_revision = "r0002"


def upgrade() -> None:
    """Add the table, of which nothing is ever changed."""
    op.create_table(
        "run_scores",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("scorer", sa.Integer(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
    )
    op.create_index("run_scores_by_run", "run_scores", ["run"])
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER run_scores_stay_on_{change.lower()} BEFORE {change} ON run_scores "
            "BEGIN SELECT RAISE(ABORT, 'run_scores are never changed'); END"
        )
