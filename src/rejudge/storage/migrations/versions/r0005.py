"""What people said of traces, what it comes to, and how far scorers agree with it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0005"
down_revision = "r0004"


def upgrade() -> None:
    """Add the tables, of which nothing is ever changed."""
    _create("rating_sets", _digest(), _record())
    op.create_index("rating_sets_by_digest", "rating_sets", ["digest"], unique=True)
    _create("ratings", _number("rating_set"), _number("trace"), _record())
    op.create_index("ratings_by_set", "ratings", ["rating_set"])
    _create("gold_versions", _number("rating_set"), _number("number"), _digest(), _record())
    op.create_index("gold_versions_by_number", "gold_versions", ["rating_set", "number"], unique=True)
    _create("calibrations", _digest(), _record())
    op.create_index("calibrations_by_digest", "calibrations", ["digest"], unique=True)
    _create("default_judges", _number("calibration"), _record())


def _create(table: str, *columns: sa.Column[int] | sa.Column[bytes]) -> None:
    op.create_table(table, sa.Column("id", sa.Integer(), primary_key=True), *columns)
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_stay_on_{change.lower()} BEFORE {change} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} are never changed'); END"
        )


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _digest() -> sa.Column[bytes]:
    return sa.Column("digest", sa.LargeBinary(), nullable=False)


def _record() -> sa.Column[bytes]:
    return sa.Column("record", sa.LargeBinary(), nullable=False)
