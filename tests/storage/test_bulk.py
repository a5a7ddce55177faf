"""Rows in statements of many rows, and look-ups by lists of keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import (
    Column,
    Connection,
    Float,
    Integer,
    MetaData,
    Table,
    Text,
    bindparam,
    create_engine,
    delete,
    func,
    select,
)

from rejudge.storage.bulk import Listed, Rows, next_id

table = Table("numbers", MetaData(), Column("id", Integer, primary_key=True), Column("square", Integer))
rows = Rows(table, "id", "square")
wide = Table(
    "wide",
    table.metadata,
    Column("id", Integer, primary_key=True),
    Column("owner", Integer),
    Column("place", Integer),
    Column("weight", Float),
    Column("note", Text),
)
wide_rows = Rows(wide, "owner", "id", "weight", "place", "note", rare=1)
SIZES = (0, 1, 2, 7, 8, 9, 64, 511, 512, 513, 1_500)


@pytest.fixture
def connection() -> Iterator[Connection]:
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        table.metadata.create_all(connection)
        yield connection
    engine.dispose()


def squares(count: int) -> list[tuple[object, ...]]:
    return [(number, number * number) for number in range(count)]


@pytest.mark.parametrize("count", SIZES)
def test_any_number_of_rows_is_written(connection: Connection, count: int) -> None:
    assert rows.insert(connection, squares(count)) == count
    assert [tuple(row) for row in connection.execute(select(table).order_by(table.c.id))] == squares(count)


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("note", [None, "the same"])
def test_every_value_lands_in_its_own_column_whatever_rows_have_in_common(
    connection: Connection, count: int, note: str | None
) -> None:
    ids = range(count)
    columns = [[7] * count, ids, [0.5] * count, [number // 300 for number in ids], [note] * count]
    assert wide_rows.insert_columns(connection, columns) == count
    stored = connection.execute(select(wide).order_by(wide.c.id))
    assert [tuple(row) for row in stored] == [(number, 7, number // 300, 0.5, note) for number in ids]


def test_rows_that_are_there_already_are_not_counted(connection: Connection) -> None:
    rows.insert(connection, squares(100))
    assert rows.insert(connection, squares(130)) == 30


@pytest.mark.parametrize("count", SIZES)
def test_any_number_of_keys_is_looked_up(connection: Connection, count: int) -> None:
    rows.insert(connection, squares(1_000))
    lookup = Listed(select(table.c.square).where(table.c.square > bindparam("least")), table.c.id)
    found = lookup.rows(connection, [*range(count)], least=100)
    assert sorted(square for (square,) in found) == [n * n for n in range(11, min(count, 1_000))]


def test_listed_rows_are_deleted(connection: Connection) -> None:
    rows.insert(connection, squares(1_000))
    assert Listed(delete(table), table.c.id).change(connection, [*range(5, 705)]) == 700
    assert connection.execute(select(func.count()).select_from(table)).scalar() == 300


def test_the_next_id_follows_the_highest(connection: Connection) -> None:
    assert next_id(connection, table) == 1
    rows.insert(connection, squares(5))
    assert next_id(connection, table) == 5
