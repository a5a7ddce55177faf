"""Where rows come from: a file, a frame, or what a program holds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rejudge.files.row import Row


@dataclass(frozen=True, slots=True)
class Source:
    """Rows, and the file they are in, if any. `rows` begins anew at each call, unless it was given an iterator."""

    file: str
    rows: Callable[[], Iterator[Row]]


def source_of(value: object) -> Source:
    """The source that `value` means: a path, a data frame, an Arrow table, or records."""
    if isinstance(value, str | os.PathLike):
        from rejudge.files.rows import read_rows

        path = Path(value)
        return Source(str(path), partial(read_rows, path))
    from rejudge.files.frames import rows_of

    return Source("", partial(rows_of, value))
