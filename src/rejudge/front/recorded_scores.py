"""Reading scores that were given elsewhere: a file with one record per item (and trial), as a scorer."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from rejudge.domain.errors import BadRow, ConfigurationError, DuplicateItem, Place, RecordError, UnknownName
from rejudge.domain.path import ABSENT, value_at
from rejudge.domain.refusal import refusal
from rejudge.domain.scale import ScoreSpec, ScoreType
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.usage import Usage, checked_usage
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import as_text
from rejudge.files.recorded import TRUTH, VERDICTS, id_at, number_in, trial_at, unchanged
from rejudge.files.rows import read_rows
from rejudge.scorers.record import Recorder
from rejudge.scorers.recorded import IMPORTED, RecordedScorer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rejudge.domain.verdict import Value
    from rejudge.files.row import Row


class Fields(Struct, frozen=True, kw_only=True):
    """Where in a record its parts are, as dotted paths; a path that is None is of a part that the records lack.

    `cost` is what the judgement cost, in US dollars. Without `trial`, the records of one id are its trials in order.
    """

    id: str = "id"
    value: str = "value"
    reason: str | None = None
    trial: str | None = None
    cost: str | None = None


class RecordedScores(Struct, frozen=True, kw_only=True):
    """What a file holds: the scorer that knows its records, the line of each by item id and trial, and its spec."""

    scorer: RecordedScorer
    lines: dict[tuple[str, int], int | None]
    spec: ScoreSpec | None
    unvalued: int


def spec_of(scorer: str | ScoreSpec | Mapping[str, object]) -> tuple[str, ScoreSpec | None]:
    """A scorer's name, and its score where more than that is said; raises ConfigurationError for what is none."""
    if isinstance(scorer, str):
        ScoreSpec(name=scorer)  # refuses what names no score
        return scorer, None
    if not isinstance(scorer, ScoreSpec):
        for key in scorer:
            if key not in ScoreSpec.__struct_fields__:
                raise UnknownName.among("setting of a score", str(key), ScoreSpec.__struct_fields__)
        try:
            scorer = msgspec.convert(dict(scorer), ScoreSpec)
        except msgspec.ValidationError as error:
            raise refusal(error, ScoreSpec, whose="the score to import") from None
    return scorer.name, scorer


def recorded_scores(
    path: Path, scorer: str | ScoreSpec | Mapping[str, object], *, fields: Fields, trials: int
) -> RecordedScores:
    """Read the records of a file, for an experiment of so many trials.

    Raises InputError with line and field for a record that cannot be read, for a value that its score refuses, and for
    two records of one item and trial that differ, and for a file that is written to meanwhile; ConfigurationError where
    no record has a value.
    """
    name, spec = spec_of(scorer)
    reader = _Reader(path, name, spec, fields, trials)
    with unchanged(path) as reader.digest:
        for row in read_rows(path):
            reader.take(row)
    reader.check()
    return RecordedScores(
        scorer=RecordedScorer(name, spec, reader.verdicts), lines=reader.lines, spec=spec, unvalued=reader.unvalued
    )


class _Reader:
    """Takes row after row, each checked as the store would check it."""

    def __init__(self, path: Path, name: str, spec: ScoreSpec | None, fields: Fields, trials: int) -> None:
        self._path = path
        self._spec = spec
        self._fields = fields
        self._trials = trials
        self._recorder = Recorder(ScorerConfig(name=name, type=IMPORTED, scores=() if spec is None else (spec,)))
        self._records: Counter[str] = Counter()
        self._texts = 0
        self._numeric = 0
        self._word: tuple[str, Place] | None = None
        self.digest = ""
        self.verdicts: dict[tuple[str, int], Verdict] = {}
        self.lines: dict[tuple[str, int], int | None] = {}
        self.unvalued = 0

    def take(self, row: Row) -> None:
        fields, place = self._fields, Place(file=str(self._path), line=row.line)
        item_id = id_at(row.fields, fields.id, place)
        trial = self._records[item_id] if self._trials > 1 else 0
        if fields.trial is not None:
            trial = trial_at(row.fields, fields.trial, place)
        self._records[item_id] += 1
        verdict = self._verdict(row, partial(Place, file=str(self._path), line=row.line, item=item_id))
        earlier = self.verdicts.get((item_id, trial))
        if earlier is None:
            self.verdicts[item_id, trial] = verdict
            self.lines[item_id, trial] = row.line
            self.unvalued += verdict.skip is not None
        elif _without_origin(earlier) != _without_origin(verdict):
            raise DuplicateItem(
                f"item {item_id!r} has two records for trial {trial}, which differ; one in line "
                f"{self.lines[item_id, trial]}",
                where=place,
                fix="keep one record of each item, or name the field that tells trials apart with trial=",
            )

    def check(self) -> None:
        """Raise where nothing has a value, and where numbers that are written as text would be taken for labels."""
        where = Place(file=str(self._path))
        if not self.verdicts:
            raise ConfigurationError("there is no record", where=where)
        if self.unvalued == len(self.verdicts):
            raise ConfigurationError(
                f"no record has a value at {self._fields.value!r}",
                where=where,
                fix="name the field that holds the value with value= (a dotted path)",
            )
        if self._spec is None and self._numeric and self._word is not None:
            word, line = self._word
            raise BadRow(
                f"{word!r:.60} is no number, and {self._numeric} other values at {self._fields.value!r} are",
                where=line,
                fix="mend or empty it, or say what the values are: {name: …, type: number}, or {name: …, type: label}",
            )
        if self._spec is None and self._numeric == self._texts > 0:
            raise ConfigurationError(
                f"every value at {self._fields.value!r} is text that reads as a number",
                where=where,
                fix="say what it is: {name: …, type: number}, or {name: …, type: label}",
            )

    def _verdict(self, row: Row, place: partial[Place]) -> Verdict:
        fields = self._fields
        origin: dict[str, object] = {"imported": {"file": self._path.name, "sha256": self.digest, "line": row.line}}
        value = value_at(row.fields, fields.value)
        if value is ABSENT or value is None:
            what = "nothing" if value is ABSENT else "null"
            told = f"there is {what} at {fields.value!r} in its record"
            return Verdict(skip=Skip.NO_RECORDING.value, reason=told, evidence=origin)
        if not isinstance(value, str | int | float):
            raise BadRow(f"{value!r:.60} is neither a number, a boolean nor a label", where=place(field=fields.value))
        verdict = Verdict(
            values={"": self._value(value, place(field=fields.value))},
            reason=self._reason(row),
            usage=self._usage(row, place),
            evidence=origin,
        )
        try:
            self._recorder.values(verdict)
        except RecordError as error:
            verdicts = isinstance(value, str) and self._spec is not None and self._spec.type is ScoreType.PASS_FAIL
            fix = "write pass or fail, true or false, or a number from 0 to 1" if verdicts else error.fix
            raise BadRow(error.what, where=place(field=fields.value), fix=fix) from None
        return verdict

    def _value(self, value: Value, place: Place) -> Value:
        """The value as its score takes it: what a table wrote as text is the number that it says."""
        if not isinstance(value, str):
            return value
        number = number_in(value)
        if number is None and self._spec is not None and self._spec.type is ScoreType.PASS_FAIL:
            number = VERDICTS.get(value.strip().lower())
        self._texts += 1
        self._numeric += number is not None
        if number is None and self._word is None:
            self._word = value, place
        if self._spec is None or self._spec.type is ScoreType.LABEL or number is None:
            return value
        return number

    def _reason(self, row: Row) -> str:
        found = ABSENT if self._fields.reason is None else value_at(row.fields, self._fields.reason)
        return "" if found is ABSENT or found is None else as_text(found)

    def _usage(self, row: Row, place: partial[Place]) -> Usage | None:
        path = self._fields.cost
        found = ABSENT if path is None else value_at(row.fields, path)
        if path is None or found is ABSENT or found is None:
            return None
        truth = isinstance(found, str) and found.strip().lower() in TRUTH
        cost = number_in(found) if isinstance(found, str) and not truth else found
        try:
            if isinstance(cost, bool) or not isinstance(cost, int | float):
                raise ValueError
            return checked_usage(Usage(cost=float(cost)))
        except (ValueError, OverflowError):
            raise BadRow(f"the cost is {found!r:.60}, not an amount of dollars", where=place(field=path)) from None


def _without_origin(verdict: Verdict) -> Verdict:
    return msgspec.structs.replace(verdict, evidence=None)
