"""Which rating set a name stands for is told by when it was asked last, not by when it was asked first."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0007"
down_revision = "r0006"


def upgrade() -> None:
    """Add the table, of which nothing is ever changed; so far every set was asked once, in the order of the sets."""
    op.create_table(
        "rating_set_turns",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("rating_set", sa.Integer(), nullable=False),
    )
    op.execute("INSERT INTO rating_set_turns (rating_set) SELECT id FROM rating_sets ORDER BY id")
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER rating_set_turns_stay_on_{change.lower()} BEFORE {change} ON rating_set_turns "
            "BEGIN SELECT RAISE(ABORT, 'rating_set_turns are never changed'); END"
        )
