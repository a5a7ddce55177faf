"""Rows of what a program already holds: lists of records, pandas and polars frames, Arrow tables.

Frames are known by their methods, so none of these libraries is imported. A frame has no other way to leave a field
out, so its null, None, NaN, NaT and NA cells are missing; a record that says None means null. A pandas index is no
field. A whole number stays whole where the frame still knows it: pandas turns `int64` with gaps into floats before
anybody can ask, its `Int64` and Arrow types do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol, TypeGuard, cast

from rejudge.domain.errors import BadRow, InputError, Place
from rejudge.domain.path import ABSENT
from rejudge.files import arrow
from rejudge.files.cells import checked, column_names, fields_of
from rejudge.files.row import Row

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class _Record(Protocol):
    """What can be read like a dict, as database rows can."""

    def keys(self) -> Iterable[object]: ...

    def __getitem__(self, key: object, /) -> object: ...


def rows_of(value: object) -> Iterator[Row]:
    """The rows of a frame, a table or an iterable of records, numbered from 1."""
    if _is_pandas(value):
        return _pandas_rows(value)
    if _is_polars(value):
        return _polars_rows(value)
    if _is_arrow(value):
        return arrow.rows(value.to_batches(max_chunksize=arrow.BATCH))
    if hasattr(value, "collect_schema"):
        raise InputError("a lazy frame has no rows yet", fix="hand in frame.collect()")
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        what = f"a value of type {type(value).__name__} is not a table"
        raise InputError(what, fix="hand in a list of dicts, a data frame or an Arrow table; read_rows reads a file")
    return _record_rows(value)


def _is_pandas(value: object) -> TypeGuard[pandas.DataFrame]:
    return hasattr(value, "iloc") and hasattr(value, "columns")


def _is_polars(value: object) -> TypeGuard[polars.DataFrame]:
    return hasattr(value, "iter_rows") and hasattr(value, "columns")


def _is_arrow(value: object) -> TypeGuard[pyarrow.Table]:
    return hasattr(value, "to_batches") and hasattr(value, "schema")


def _pandas_rows(frame: pandas.DataFrame) -> Iterator[Row]:
    names = column_names(frame.columns)
    for start in range(0, len(frame), arrow.BATCH):
        part = frame.iloc[start : start + arrow.BATCH]
        columns = [_pandas_values(part.iloc[:, index]) for index in range(len(names))]
        for number, cells in enumerate(zip(*columns, strict=True), start + 1):
            yield Row(fields_of(names, cells, number=number), number)


def _pandas_values(column: pandas.Series) -> list[object]:
    missing = column.isna().tolist()
    return [None if gone else value for gone, value in zip(missing, column.tolist(), strict=True)]


def _polars_rows(frame: polars.DataFrame) -> Iterator[Row]:
    names = column_names(frame.columns)
    for number, cells in enumerate(frame.iter_rows(), 1):
        yield Row(fields_of(names, cells, number=number), number)


def _record_rows(records: Iterable[object]) -> Iterator[Row]:
    for number, record in enumerate(records, 1):
        if not hasattr(record, "keys"):
            what = f"a value of type {type(record).__name__} is not a record"
            raise BadRow(what, where=Place(line=number), fix="make each row a dict")
        yield Row(_record_fields(cast("_Record", record), number=number), number)


def _record_fields(record: _Record, *, number: int) -> dict[str, object]:
    fields: dict[str, object] = {}
    for key in record.keys():  # noqa: SIM118  iterating over a database row gives its values
        if not isinstance(key, str):
            fix = "make the keys of a record text"
            raise BadRow(f"the key {key!r} is not text", where=Place(line=number), fix=fix)
        value = checked(record[key], number=number, field=key)
        if value is not ABSENT:
            fields[key] = value
    return fields
