"""Judgements that came after another one of the same was stored are kept as spend."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0006"
down_revision = "r0005"


def upgrade() -> None:
    """Add the table, of which nothing is ever changed."""
    op.create_table(
        "late_scores",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("detail", sa.LargeBinary(), nullable=True),
        sa.Column("input_tokens", sa.Integer(), nullable=True),
        sa.Column("output_tokens", sa.Integer(), nullable=True),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("at", sa.Float(), nullable=False),
    )
    op.create_index("late_scores_by_run", "late_scores", ["run"])
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER late_scores_stay_on_{change.lower()} BEFORE {change} ON late_scores "
            "BEGIN SELECT RAISE(ABORT, 'late_scores are never changed'); END"
        )
