"""Rows of Arrow record batches, which Parquet files and Arrow tables are read as."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rejudge.domain.errors import BadRow, Place
from rejudge.files.cells import column_names, fields_of
from rejudge.files.row import Row

if TYPE_CHECKING:
    import pyarrow

BATCH = 1024
"""Rows that are in memory at a time."""


def rows(batches: Iterable[pyarrow.RecordBatch], *, file: str = "") -> Iterator[Row]:
    """The rows of all batches, numbered from 1; null and NaN cells are missing."""
    number = 0
    for batch in batches:
        names = column_names(batch.schema.names, file=file)
        columns = [_values(batch, index, number=number + 1, file=file) for index in range(len(names))]
        for cells in zip(*columns, strict=True):
            number += 1
            yield Row(fields_of(names, cells, number=number, file=file), number)


def _values(batch: pyarrow.RecordBatch, index: int, *, number: int, file: str) -> list[object]:
    try:
        return batch.column(index).to_pylist(maps_as_pydicts="strict")
    except (ValueError, KeyError) as error:  # nanoseconds without pandas, a map with equal keys
        where = Place(file=file, line=number, field=batch.schema.names[index])
        raise BadRow(f"the column cannot be read from here on: {error}", where=where) from None
