"""Reading ratings: a file with one record for each rater and trace, matched with the traces of an experiment."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from rejudge.domain.errors import BadRow, ConfigurationError, DuplicateItem, Place, RecordError
from rejudge.domain.ids import raw_of
from rejudge.domain.path import ABSENT, value_at
from rejudge.domain.rating import Blinding, Origin, Rating
from rejudge.domain.scale import ScoreType
from rejudge.domain.view import as_text
from rejudge.files.recorded import VERDICTS, id_at, number_in, trial_at, unchanged
from rejudge.files.rows import read_rows
from rejudge.files.source import shortened
from rejudge.storage.records import NewRating

if TYPE_CHECKING:
    from pathlib import Path

    from rejudge.domain.rating import Drawing, RatingSet
    from rejudge.domain.score import ScoreValue
    from rejudge.files.row import Row
    from rejudge.review.rateable import Rateable, RateableTrace

NAMED = 5
"""So many ids are named in a message."""

_VERDICTS = {**VERDICTS, "yes": 1.0, "no": 0.0}
"""What people write for a pass_fail score besides numbers and `true` and `false`."""


class RatingFields(Struct, frozen=True, kw_only=True):
    """Where in a record its parts are, as dotted paths; a path that is None is of a part that the records lack.

    A record names its trace by `trace`, the trace's id, where that is given; else by the item's id and the trial.
    """

    id: str = "id"
    value: str = "value"
    rater: str = "rater"
    reason: str | None = None
    trial: str | None = None
    trace: str | None = None


class Circumstances(Struct, frozen=True, kw_only=True):
    """What holds for every record of a file.

    Whether raters were blind, how the traces were chosen, and who rated where no record says so.
    """

    blinding: Blinding = Blinding.UNKNOWN
    drawn: Drawing | None = None
    rater: str | None = None
    at: float = 0.0


class Stranger(Struct, frozen=True, kw_only=True):
    """A record that is about no trace of the experiment: its line, and what it names."""

    line: int | None
    named: str


class RatingFile(Struct, frozen=True, kw_only=True):
    """What a file holds: ratings of traces that exist, records about others, and how many records have no value."""

    ratings: tuple[NewRating, ...]
    strangers: tuple[Stranger, ...]
    unvalued: int


def read_ratings(
    path: Path, rating_set: RatingSet, traces: Rateable, *, fields: RatingFields, circumstances: Circumstances
) -> RatingFile:
    """Read the records of a file.

    Raises InputError with line and field for a record that cannot be read, for a value that the set's score refuses,
    for two records of one rater and trace that differ, and for a file that is written to meanwhile; ConfigurationError
    where the file has no rating of any trace.
    """
    if fields.trace is None and fields.trial is None and traces.trials > 1:
        raise ConfigurationError(
            f"the experiment tries each item up to {traces.trials} times, and no field says which trial was rated",
            where=Place(file=str(path)),
            fix="name the field of the trial with trial=, or that of the trace's id with trace=",
        )
    reader = _Reader(path, rating_set, traces, fields, circumstances)
    with unchanged(path) as reader.digest:
        for row in read_rows(path):
            reader.take(row)
    reader.check()
    return RatingFile(
        ratings=tuple(reader.ratings.values()), strangers=tuple(reader.strangers), unvalued=reader.unvalued
    )


class _Said(NamedTuple):
    """What the first record of a rater and trace says, and its line."""

    line: int | None
    value: ScoreValue
    reason: str


class _Reader:
    """Takes row after row, each checked as the store would check it."""

    def __init__(
        self,
        path: Path,
        rating_set: RatingSet,
        traces: Rateable,
        fields: RatingFields,
        circumstances: Circumstances,
    ) -> None:
        self._path = path
        self._set = rating_set
        self._traces = traces
        self._fields = fields
        self._circumstances = circumstances
        self._seen: dict[tuple[object, str], _Said] = {}
        self.digest = ""
        self.ratings: dict[tuple[bytes, str], NewRating] = {}
        self.strangers: list[Stranger] = []
        self.unvalued = 0

    def take(self, row: Row) -> None:
        place = Place(file=str(self._path), line=row.line)
        unit, named = self._unit(row, place)
        rater = self._rater(row, partial(Place, file=str(self._path), line=row.line, item=named))
        value = self._value(row, partial(Place, file=str(self._path), line=row.line, item=named))
        reason = self._reason(row)
        if value is None:
            self.unvalued += 1
            return
        earlier = self._seen.setdefault((unit, rater), _Said(row.line, value, reason))
        if earlier[1:] != (value, reason):
            raise DuplicateItem(
                f"{rater!r:.60} rates {named!r:.90} twice, and differently; first in line {earlier.line}",
                where=place,
                fix="keep the rating that counts, or import the later one from a file of its own",
            )
        found = self._found(unit)
        if found is None and earlier.line == row.line:
            self.strangers.append(Stranger(line=row.line, named=named))
        if found is None or (found.trace.digest, rater) in self.ratings:
            return
        rating = Rating(
            trace=found.trace.digest,
            rater=rater,
            value=value,
            item_id=found.item_id,
            trial=found.trial,
            reason=reason,
            blinding=self._circumstances.blinding,
            drawn=self._circumstances.drawn,
            origin=Origin(file=self._path.name, sha256=self.digest, line=row.line),
            at=self._circumstances.at,
        )
        self.ratings[found.trace.digest, rater] = NewRating(found.trace.ref, rating)

    def check(self) -> None:
        """Raise where nothing of the file is a rating of a trace."""
        where, fields = Place(file=str(self._path)), self._fields
        if self.ratings:
            return
        if self.strangers:
            named = ", ".join(repr(shortened(one.named)) for one in self.strangers[:NAMED])
            path, way = (fields.id, "id") if fields.trace is None else (fields.trace, "trace")
            known = ", ".join(repr(shortened(item_id)) for item_id, _ in sorted(self._traces.by_unit)[:NAMED])
            raise ConfigurationError(
                f"nothing at {path!r} names a trace of the experiment: {named}",
                where=where,
                fix=f"name the field with {way}= (a dotted path)" + (f"; there are traces of {known}" if known else ""),
            )
        what = f"no record has a value at {fields.value!r}" if self.unvalued else "there is no record"
        raise ConfigurationError(what, where=where, fix="name the field of the value with value= (a dotted path)")

    def _unit(self, row: Row, place: Place) -> tuple[object, str]:
        """What a record is about, so that two of the same can be told, and its name for people."""
        fields = self._fields
        if fields.trace is None:
            item_id = id_at(row.fields, fields.id, place)
            trial = 0 if fields.trial is None else trial_at(row.fields, fields.trial, place)
            return (item_id, trial), item_id
        value = value_at(row.fields, fields.trace)
        try:
            if not isinstance(value, str):
                raise ValueError(value)
            return raw_of(value.strip()), value.strip()
        except ValueError:
            shown = "missing" if value is ABSENT else shortened(repr(value))
            raise BadRow(
                f"the trace id at {fields.trace!r} is {shown}",
                where=place,
                fix="a trace id is `trace-` and 64 hexadecimal digits; rejudge show --cases --json prints them",
            ) from None

    def _found(self, unit: object) -> RateableTrace | None:
        if isinstance(unit, bytes):
            return self._traces.by_digest.get(unit)
        return self._traces.by_unit.get(unit) if isinstance(unit, tuple) else None

    def _rater(self, row: Row, place: partial[Place]) -> str:
        if self._circumstances.rater is not None:
            return self._circumstances.rater
        path = self._fields.rater
        value = value_at(row.fields, path)
        if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
            shown = "missing" if value is ABSENT else shortened(repr(value))
            raise BadRow(
                f"the rater at {path!r} is {shown}, not a name",
                where=place(field=path),
                fix="name the field of the rater with rater=, or the one person who rated everything with by=",
            )
        return str(value).strip()

    def _value(self, row: Row, place: partial[Place]) -> ScoreValue | None:
        """The value as the set's score takes it; None where the rater left it empty."""
        path, score = self._fields.value, self._set.score
        given = value_at(row.fields, path)
        if given is ABSENT or given is None or (isinstance(given, str) and not given.strip()):
            return None
        if isinstance(given, str) and score.type is not ScoreType.LABEL:
            verdict = _VERDICTS.get(given.strip().lower()) if score.type is ScoreType.PASS_FAIL else None
            number = number_in(given) if verdict is None else verdict
            given = given if number is None else number
        try:
            return self._set.value(given)
        except RecordError as error:
            raise BadRow(f"{error.what:.200}", where=place(field=path), fix=error.fix) from None

    def _reason(self, row: Row) -> str:
        found = ABSENT if self._fields.reason is None else value_at(row.fields, self._fields.reason)
        return "" if found is ABSENT or found is None else as_text(found)
