"""The one door to tables in files: the suffix says which reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from rejudge.domain.errors import InputError, Place, UnknownName
from rejudge.files import csv, json, jsonl, parquet
from rejudge.files.row import Row
from rejudge.files.source import reading

__all__ = ["READERS", "Row", "read_rows"]


def _yaml_rows(path: Path) -> Iterator[Row]:
    from rejudge.files import yaml

    return yaml.rows(path)


READERS: dict[str, Callable[[Path], Iterator[Row]]] = {
    ".csv": partial(csv.rows, delimiter=","),
    ".json": json.rows,
    ".jsonl": jsonl.rows,
    ".ndjson": jsonl.rows,
    ".parquet": parquet.rows,
    ".tsv": partial(csv.rows, delimiter="\t"),
    ".yaml": _yaml_rows,
    ".yml": _yaml_rows,
}
"""What reads a file, by its suffix in lower case."""


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a table in a file, read as they are asked for.

    An unknown suffix and a file that cannot be opened raise here, before the first row; a bad row raises in its turn,
    after the rows before it.
    """
    suffix = path.suffix.lower()
    if suffix not in READERS:
        raise UnknownName.among("file type", suffix, READERS, where=Place(file=str(path)))
    _refuse_pipe(path)
    with reading(path):
        return READERS[suffix](path)


def _refuse_pipe(path: Path) -> None:
    """A pipe is empty once it has been read, and tables are opened more than once."""
    with suppress(OSError):  # which opening it tells better
        if path.is_fifo():
            raise InputError(
                "this is a pipe, not a file", where=Place(file=str(path)), fix="write it to a file first and name that"
            )
