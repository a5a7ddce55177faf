"""Rows of Parquet files, one batch in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rejudge.domain.errors import ConfigurationError, InputError, Place
from rejudge.files import arrow
from rejudge.files.row import Row
from rejudge.files.source import reading


def rows(path: Path) -> Iterator[Row]:
    """The rows of `path`, numbered from 1; ConfigurationError, at once, where pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401  asked for before the first row
    except ImportError:
        fix = "pip install 'rejudge[data]'"
        raise ConfigurationError("reading Parquet needs pyarrow", where=Place(file=str(path)), fix=fix) from None
    return _rows(path)


def _rows(path: Path) -> Iterator[Row]:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with reading(path) as source, ParquetFile(source) as file:
            yield from arrow.rows(file.iter_batches(batch_size=arrow.BATCH), file=str(path))
    except ArrowException as error:
        where = Place(file=str(path))
        raise InputError(f"this is not a Parquet file that can be read: {error}", where=where) from None
