"""What a judgement spent stands in columns, so that it can be summed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0002"
down_revision = "r0001"

_REFUSED = "scores_stay_on_update"
_scores = sa.table("scores", *map(sa.column, ("detail", "input_tokens", "output_tokens", "cost")))


def upgrade() -> None:
    """Add the columns, and fill them from the details that are stored."""
    op.add_column("scores", sa.Column("input_tokens", sa.Integer(), nullable=True))
    op.add_column("scores", sa.Column("output_tokens", sa.Integer(), nullable=True))
    op.add_column("scores", sa.Column("cost", sa.Float(), nullable=True))
    op.execute(f"DROP TRIGGER {_REFUSED}")
    detail = sa.cast(_scores.c.detail, sa.Text)
    spent = {
        name: sa.func.json_extract(detail, f"$.usage.{name}") for name in ("input_tokens", "output_tokens", "cost")
    }
    op.execute(sa.update(_scores).where(_scores.c.detail.is_not(None)).values(spent))
    op.execute(
        f"CREATE TRIGGER {_REFUSED} BEFORE UPDATE ON scores BEGIN SELECT RAISE(ABORT, 'scores are never changed'); END"
    )
