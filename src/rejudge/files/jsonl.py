"""Rows of JSON Lines: one object per line, blank lines skipped, numbers exact.

Of two equal keys in one object the last counts, as with every JSON reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rejudge.domain.errors import BadRow, Place
from rejudge.files.json import parsed_again
from rejudge.files.row import Row
from rejudge.files.source import BOM, reading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def rows(path: Path) -> Iterator[Row]:
    """The rows of `path`, read as they are asked for; a line that is not one object is a BadRow."""
    name = str(path)
    decode = msgspec.json.Decoder().decode
    with reading(path) as file:
        for line, raw in enumerate(file, 1):
            try:
                fields = decode(raw)
            except (msgspec.MsgspecError, ValueError, RecursionError):
                text = raw.removeprefix(BOM) if line == 1 else raw
                if not text.strip():
                    continue
                fields = parsed_again(text, file=name, line=line)
            if type(fields) is not dict:
                fix = "write each row as an object on a line of its own"
                raise BadRow("the line is not an object", where=Place(file=name, line=line, column=1), fix=fix)
            yield Row(fields, line)
