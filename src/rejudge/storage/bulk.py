"""Many rows in few steps.

Python's `sqlite3` gives up the interpreter's lock at every step, and takes it again: row by row, a busy
program waits more than it writes. So rows go in by statements of many rows, and are looked up by lists
of keys; each statement is made once per table and size, and stays prepared.
"""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from sqlalchemy import func, literal_column, select

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection, CursorResult, Delete, Dialect, Row, Select, Table, Update

AnyRow: TypeAlias = "Row[*tuple[Any, ...]]"
"""A row that was selected."""

AnyTuple: TypeAlias = "tuple[Any, ...]"
"""A row as the driver gives it."""

AnySelect: TypeAlias = "Select[*tuple[Any, ...]]"
"""A SELECT."""

_MOST_ROWS = 256
_MOST_VARIABLES = 32_766
_BLOCK = 512
"""So many rows are fetched at once: fewer than the allocations after which the collector looks through everything."""
_LIST_SIZES = (1, 8, 32, 128, 256, 512)
_KEYS = "/* keys */"
"""Where the list of keys goes."""


class Rows:
    """Insertion into some columns of a table, skipping rows that a unique index knows already.

    The last `rare` columns are left out of a statement in which no row has them: binding a NULL costs as much as
    binding a value.
    """

    def __init__(self, table: Table, *columns: str, rare: int = 0) -> None:
        self._table = table
        self._columns = columns
        self._rare = rare
        most = min(_MOST_ROWS, _MOST_VARIABLES // len(columns))
        self._most = 1 << (most.bit_length() - 1)
        self._texts: dict[tuple[object, ...], str] = {}

    def insert(self, connection: Connection, rows: Sequence[tuple[object, ...]]) -> int:
        """Insert rows, values in the order of the columns; returns how many were new."""
        return self.insert_columns(connection, list(zip(*rows, strict=True)))

    def insert_columns(self, connection: Connection, columns: Sequence[Sequence[object]]) -> int:
        """Insert rows that are given column by column, which is quicker where there are many."""
        new = done = 0
        count = len(columns[0]) if columns else 0
        if self._rare and all(column.count(None) == count for column in columns[-self._rare :]):
            columns = columns[: -self._rare]
        numbered = connection.dialect.paramstyle == "qmark"
        while done < count:
            size = min(self._most, 1 << ((count - done).bit_length() - 1))
            part = [column[done : done + size] for column in columns]
            if size == self._most and numbered:
                text, values = self._shared(part, connection.dialect)
            else:
                text = self._text(size, len(columns), connection.dialect)
                values = tuple(chain.from_iterable(zip(*part, strict=True)))
            new += connection.exec_driver_sql(text, values).rowcount
            done += size
        return new

    def _shared(self, columns: Sequence[Sequence[object]], dialect: Dialect) -> tuple[str, tuple[object, ...]]:
        """The statement for rows in which a column has one value is given that value once."""
        shared = tuple([_is_one(column) for column in columns])
        text = self._texts.get(shared)
        if text is None:
            text = self._texts[shared] = self._with_shared(shared, len(columns[0]), dialect)
        once = [column[0] for column, one in zip(columns, shared, strict=True) if one]
        each = zip(*[column for column, one in zip(columns, shared, strict=True) if not one], strict=True)
        return text, (*once, *chain.from_iterable(each))

    def _with_shared(self, shared: tuple[bool, ...], size: int, dialect: Dialect) -> str:
        # What is shared stands first, under numbers; a bare mark takes the next number, and SQLite reads it faster.
        named = list(zip(self._columns, shared, strict=False))
        once = [name for name, one in named if one]
        each = [name for name, one in named if not one]
        marks = [f"?{place}" for place in range(1, len(once) + 1)] + ["?"] * len(each)
        return self._insertion([*once, *each], dialect, [", ".join(marks)] * size)

    def _text(self, size: int, width: int, dialect: Dialect) -> str:
        text = self._texts.get((dialect.name, size, width))
        if text is None:
            mark = "?" if dialect.paramstyle == "qmark" else "%s"
            text = self._insertion(self._columns[:width], dialect, [", ".join([mark] * width)] * size)
            self._texts[dialect.name, size, width] = text
        return text

    def _insertion(self, columns: Sequence[str], dialect: Dialect, rows: Sequence[str]) -> str:
        # A statement that takes the whole transaction back need not keep what it changes for itself.
        verb = "INSERT OR ROLLBACK INTO" if dialect.name == "sqlite" else "INSERT INTO"
        return f"{verb} {self._table.name} ({', '.join(columns)}) VALUES ({'), ('.join(rows)}) ON CONFLICT DO NOTHING"


def _is_one(column: Sequence[object]) -> bool:
    """Whether all values are one and the same; 0.0 and -0.0, which are equal, are not."""
    first = column[0]
    return column[-1] == first and column.count(first) == len(column) and not (type(first) is float and not first)


class Listed:
    """A statement about the rows whose `column` is in a list; further parameters go by name."""

    def __init__(self, statement: AnySelect | Delete | Update, column: ColumnElement[Any]) -> None:
        self._statement = statement
        self._column = column
        self._texts: dict[str, tuple[_Side, _Side]] = {}

    def rows(self, connection: Connection, keys: Sequence[object], **named: object) -> list[AnyRow]:
        """What a SELECT finds for these keys, in no order."""
        return [row for result in self._results(connection, keys, named) for row in result.fetchall()]

    def tuples(self, connection: Connection, keys: Sequence[object], **named: object) -> list[AnyTuple]:
        """The same rows as the driver gives them."""
        return [row for result in self._results(connection, keys, named) for row in tuples(result)]

    def change(self, connection: Connection, keys: Sequence[object], **named: object) -> int:
        """Run an UPDATE or DELETE for these keys; returns how many rows it changed."""
        return sum(result.rowcount for result in self._results(connection, keys, named))

    def _results(
        self, connection: Connection, keys: Sequence[object], named: dict[str, object]
    ) -> Iterator[CursorResult[*tuple[Any, ...]]]:
        """Each part of the list is filled up to one of a few sizes by repeating its last key."""
        before, after = self._split(connection.dialect)
        named_before, named_after = [[named[name] for name in side.names] for side in (before, after)]
        for start in range(0, len(keys), _LIST_SIZES[-1]):
            part = keys[start : start + _LIST_SIZES[-1]]
            size = next(size for size in _LIST_SIZES if size >= len(part))
            text = f"{before.text}{', '.join(['?'] * size)}{after.text}"
            filled = chain(part, repeat(part[-1], size - len(part)))
            yield connection.exec_driver_sql(text, (*named_before, *filled, *named_after))

    def _split(self, dialect: Dialect) -> tuple[_Side, _Side]:
        """The statement before and after its list of keys."""
        made = self._texts.get(dialect.name)
        if made is None:
            compiled = self._statement.where(self._column.in_([literal_column(_KEYS)])).compile(dialect=dialect)
            before, after = str(compiled).split(_KEYS)
            names = list(getattr(compiled, "positiontup", None) or ())
            first = before.count("?")
            made = self._texts[dialect.name] = _Side(before, names[:first]), _Side(after, names[first:])
        return made


class _Side(NamedTuple):
    """Part of a statement, with the names of the parameters in it, in their order."""

    text: str
    names: list[str]


def tuples(result: CursorResult[*tuple[Any, ...]]) -> list[AnyTuple]:
    """The rows of a SELECT as the driver gives them: over whole pages, names for their columns cost as much again."""
    rows = result.cursor.fetchall()
    result.close()
    return cast("list[AnyTuple]", rows)


def blocks(result: CursorResult[*tuple[Any, ...]]) -> Iterator[list[AnyTuple]]:
    """The rows of a SELECT as the driver gives them, so many at a time that neither memory nor the collector minds."""
    while rows := result.cursor.fetchmany(_BLOCK):
        yield cast("list[AnyTuple]", rows)
    result.close()


def next_id(connection: Connection, table: Table) -> int:
    """The first free id; the caller holds the write lock, so it stays free."""
    return (connection.execute(select(func.max(table.c.id))).scalar() or 0) + 1
