"""What a row of something recorded is about: the item's id and the trial, at dotted paths into the row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import BadRow, Place, RecordError
from rejudge.domain.item import stated_id
from rejudge.domain.path import ABSENT, value_at
from rejudge.files.source import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 1000
"""Characters of a number that is written as text; Python reads none of more than a few thousand."""


def id_at(fields: Mapping[str, object], path: str, place: Place) -> str:
    """The id of the item that a row is about; raises BadRow where it names none."""
    value = value_at(fields, path)
    if value is ABSENT or value is None:
        raise BadRow(
            f"the row has no id at {path!r}",
            where=place,
            fix="name the field that holds the item's id with `id` (a dotted path)",
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
