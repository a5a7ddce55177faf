"""Many rows in few steps.

Python's `sqlite3` gives up the interpreter's lock at every step, and takes it again: row by row, a busy
program waits more than it writes. So rows go in by statements of many rows, and are looked up by lists
of keys; each statement is made once per table and size, and stays prepared.
"""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import bindparam, func, select

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection, CursorResult, Delete, Dialect, Row, Select, Table, Update

AnyRow: TypeAlias = "Row[*tuple[Any, ...]]"
"""A row that was selected."""

AnySelect: TypeAlias = "Select[*tuple[Any, ...]]"
"""A SELECT."""

_MOST_ROWS = 256
_MOST_VARIABLES = 32_766
_LIST_SIZES = (1, 8, 32, 128, 256, 512)


class Rows:
    """Insertion into some columns of a table, skipping rows that a unique index knows already.

    The last `rare` columns are left out of a statement in which no row has them: binding a NULL costs as much as
    binding a value.
    """

    def __init__(self, table: Table, *columns: str, rare: int = 0) -> None:
        self._table = table
        self._columns = columns
        self._rare = rare
        self._absent = (None,) * rare
        most = min(_MOST_ROWS, _MOST_VARIABLES // len(columns))
        self._most = 1 << (most.bit_length() - 1)
        self._texts: dict[tuple[str, int, int], str] = {}

    def insert(self, connection: Connection, rows: Sequence[tuple[object, ...]]) -> int:
        """Insert rows, values in the order of the columns; returns how many were new."""
        new = done = 0
        width = len(self._columns)
        if self._rare and all(row[-self._rare :] == self._absent for row in rows):
            width -= self._rare
            rows = [row[:width] for row in rows]
        while done < len(rows):
            size = min(self._most, 1 << ((len(rows) - done).bit_length() - 1))
            values = tuple(chain.from_iterable(rows[done : done + size]))
            new += connection.exec_driver_sql(self._text(size, width, connection.dialect), values).rowcount
            done += size
        return new

    def _text(self, size: int, width: int, dialect: Dialect) -> str:
        text = self._texts.get((dialect.name, size, width))
        if text is None:
            mark = "?" if dialect.paramstyle == "qmark" else "%s"
            columns = self._columns[:width]
            row = f"({', '.join([mark] * width)})"
            # A statement that takes the whole transaction back need not keep what it changes for itself.
            verb = "INSERT OR ROLLBACK INTO" if dialect.name == "sqlite" else "INSERT INTO"
            text = (
                f"{verb} {self._table.name} ({', '.join(columns)}) "
                f"VALUES {', '.join([row] * size)} ON CONFLICT DO NOTHING"
            )
            self._texts[dialect.name, size, width] = text
        return text


class Listed:
    """A statement about the rows whose `column` is in a list; further parameters go by name."""

    def __init__(self, statement: AnySelect | Delete | Update, column: ColumnElement[Any]) -> None:
        self._statement = statement
        self._column = column
        self._texts: dict[tuple[str, int], tuple[str, list[str]]] = {}

    def rows(self, connection: Connection, keys: Sequence[object], **named: object) -> list[AnyRow]:
        """What a SELECT finds for these keys, in no order."""
        return [row for result in self._results(connection, keys, named) for row in result.fetchall()]

    def change(self, connection: Connection, keys: Sequence[object], **named: object) -> int:
        """Run an UPDATE or DELETE for these keys; returns how many rows it changed."""
        return sum(result.rowcount for result in self._results(connection, keys, named))

    def _results(
        self, connection: Connection, keys: Sequence[object], named: dict[str, object]
    ) -> Iterator[CursorResult[*tuple[Any, ...]]]:
        """Each part of the list is filled up to one of a few sizes by repeating its last key."""
        for start in range(0, len(keys), _LIST_SIZES[-1]):
            part = keys[start : start + _LIST_SIZES[-1]]
            text, names = self._text(next(size for size in _LIST_SIZES if size >= len(part)), connection.dialect)
            listed = chain(part, repeat(part[-1]))
            values = tuple([named[name] if name in named else next(listed) for name in names])
            yield connection.exec_driver_sql(text, values)

    def _text(self, size: int, dialect: Dialect) -> tuple[str, list[str]]:
        made = self._texts.get((dialect.name, size))
        if made is None:
            keys = [bindparam(f"key {place}", type_=self._column.type) for place in range(size)]
            compiled = self._statement.where(self._column.in_(keys)).compile(dialect=dialect)
            made = self._texts[dialect.name, size] = (str(compiled), list(getattr(compiled, "positiontup", None) or ()))
        return made


def next_id(connection: Connection, table: Table) -> int:
    """The first free id; the caller holds the write lock, so it stays free."""
    return (connection.execute(select(func.max(table.c.id))).scalar() or 0) + 1
