"""One row of a table."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """The fields of one row and where it begins; a missing cell has no key in `fields`.

    `line` counts from 1: the line of the file in CSV, TSV, JSONL and YAML, the number of the record in JSON arrays,
    Parquet and data frames, which have no lines of their own.
    """

    fields: dict[str, object]
    line: int | None
