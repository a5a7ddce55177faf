"""The spans that were recorded inside a task call stand beside its trace."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0004"
down_revision = "r0003"

_REFUSED = "traces_stay_on_update"
_CONTENT = (
    "id, key, digest, item, run_config, trial, run, body, body_payload, calls, calls_payload, "
    "input_tokens, output_tokens, cost, started_at, seconds, evaluation_made, spans, spans_payload"
)


def upgrade() -> None:
    """Add the columns; nothing was recorded with the traces that are there."""
    op.add_column("traces", sa.Column("spans", sa.LargeBinary(), nullable=True))
    op.add_column("traces", sa.Column("spans_payload", sa.Integer(), nullable=True))
    op.execute(f"DROP TRIGGER {_REFUSED}")
    op.execute(
        f"CREATE TRIGGER {_REFUSED} BEFORE UPDATE OF {_CONTENT} ON traces "
        "BEGIN SELECT RAISE(ABORT, 'traces are never changed'); END"
    )
