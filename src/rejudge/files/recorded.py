"""Files of something recorded: what a row is about, numbers that tables write as text, and what the file was."""

from __future__ import annotations

import re
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING

from rejudge.domain.errors import BadRow, InputError, Place, RecordError
from rejudge.domain.item import stated_id
from rejudge.domain.path import ABSENT, value_at
from rejudge.files.source import reading, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

TRUTH = {"true": 1.0, "false": 0.0}
"""Words that a table may write for truth."""

VERDICTS = {"pass": 1.0, "passed": 1.0, "fail": 0.0, "failed": 0.0}
"""What a pass_fail may be written as beside numbers and truths."""

_PLAIN_NUMBER = re.compile(
    r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?(?:inf(?:inity)?|nan)", re.IGNORECASE | re.ASCII
)
"""How a number is written; that one is infinite or none is told by the score that refuses it."""

LONGEST = 1000
"""Characters of a number that is written as text; Python reads none of more than a few thousand."""


def id_at(fields: Mapping[str, object], path: str, place: Place) -> str:
    """The id of the item that a row is about; raises BadRow where it names none."""
    value = value_at(fields, path)
    if value is ABSENT or value is None:
        raise BadRow(
            f"the row has no id at {path!r}",
            where=place,
            fix="name the field that holds the item's id with id= (a dotted path)",
        )
    try:
        return stated_id(value)
    except RecordError as error:
        raise BadRow(error.what, where=place, fix=error.fix) from None


def trial_at(fields: Mapping[str, object], path: str, place: Place) -> int:
    """The trial that a row is about, also where a table holds it as text; raises BadRow where it names none."""
    value = value_at(fields, path)
    if isinstance(value, str) and value.strip().isdecimal() and len(value) <= LONGEST:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        shown = "missing" if value is ABSENT else shortened(repr(value))
        raise BadRow(f"the trial at {path!r} is {shown}, not a whole number from 0", where=place)
    return value


def number_in(text: str) -> float | None:
    """The number that a text says, or the truth of `true` and `false`; None where it says neither."""
    stripped = text.strip()
    if stripped.lower() in TRUTH:
        return TRUTH[stripped.lower()]
    return float(stripped) if _PLAIN_NUMBER.fullmatch(stripped) else None


@contextmanager
def unchanged(path: Path) -> Iterator[str]:
    """The SHA-256 of a file that is read meanwhile, whatever is found in it; raises InputError where it was changed."""
    digest = _digest(path)
    try:
        yield digest
    finally:
        if _digest(path) != digest:
            raise InputError(
                "the file was changed while it was read",
                where=Place(file=str(path)),
                fix="import it again once nothing writes to it",
            )


def _digest(path: Path) -> str:
    digest = sha256()
    with reading(path) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
