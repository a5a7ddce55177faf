"""Gold versions, calibrations and default judges in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlalchemy import insert, select

from rejudge.domain.calibration import CalibrationRecord, DefaultJudge, HumanSet
from rejudge.domain.errors import NotFound
from rejudge.domain.gold import GoldVersion
from rejudge.domain.payload import encode
from rejudge.storage.reading import record_of
from rejudge.storage.run_rows import config_row
from rejudge.storage.schema import calibrations, default_judges, gold_versions, scorers
from rejudge.storage.sql_ratings import set_ref

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rejudge.storage.database import Database


class SqlCalibrations:
    """What ratings come to, and how far scorers agree with it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save_gold(self, gold: GoldVersion) -> GoldVersion:
        """Store the next version of a rating set's gold labels, or return the newest if that is equal."""
        with self._database.write() as connection:
            ref = set_ref(connection, gold.rating_set)
            before = _golds(connection, ref)
            if before and before[-1].equals(gold):
                return before[-1]
            gold = replace(gold, number=len(before) + 1)
            values = {"rating_set": ref, "number": gold.number, "digest": gold.digest(), "record": encode(gold)}
            connection.execute(insert(gold_versions).values(values))
        return gold

    def gold_versions(self, rating_set: bytes) -> list[GoldVersion]:
        """The gold versions of a rating set, oldest first."""
        with self._database.read() as connection:
            return _golds(connection, set_ref(connection, rating_set))

    def save_calibration(self, record: CalibrationRecord) -> CalibrationRecord:
        """Store a calibration once."""
        digest = record.digest()
        query = select(calibrations.c.record).where(calibrations.c.digest == digest)
        with self._database.write() as connection:
            config_row(connection, scorers, record.judged.scorer)
            if isinstance(record.against, HumanSet):
                _check_gold(connection, record.against)
            else:
                config_row(connection, scorers, record.against.scorer)
            stored = connection.execute(query).scalar()
            if stored is not None:
                return record_of(stored, CalibrationRecord, record.id)
            connection.execute(insert(calibrations).values(digest=digest, record=encode(record)))
        return record

    def calibrations(self) -> list[CalibrationRecord]:
        """All calibrations, oldest first."""
        query = select(calibrations.c.record).order_by(calibrations.c.id)
        with self._database.read() as connection:
            found = connection.execute(query).scalars()
            return [record_of(record, CalibrationRecord, "a calibration") for record in found]

    def save_default_judge(self, judge: DefaultJudge) -> None:
        """Store the decision for a judge."""
        query = select(calibrations.c.id).where(calibrations.c.digest == judge.calibration)
        with self._database.write() as connection:
            config_row(connection, scorers, judge.scorer)
            ref = connection.execute(query).scalar()
            if ref is None:
                raise NotFound(f"there is no calibration {judge.calibration.hex()}")
            connection.execute(insert(default_judges).values(calibration=ref, record=encode(judge)))

    def default_judges(self) -> list[DefaultJudge]:
        """Every decision, oldest first."""
        query = select(default_judges.c.record).order_by(default_judges.c.id)
        with self._database.read() as connection:
            return [
                record_of(record, DefaultJudge, "a default judge") for record in connection.execute(query).scalars()
            ]


def _golds(connection: Connection, ref: int) -> list[GoldVersion]:
    query = select(gold_versions.c.record).where(gold_versions.c.rating_set == ref).order_by(gold_versions.c.number)
    return [record_of(record, GoldVersion, "a gold version") for record in connection.execute(query).scalars()]


def _check_gold(connection: Connection, people: HumanSet) -> None:
    version = (gold_versions.c.rating_set == set_ref(connection, people.rating_set)) & (
        gold_versions.c.number == people.gold_number
    )
    if connection.execute(select(gold_versions.c.digest).where(version)).scalar() != people.gold:
        raise NotFound(f"rating set {people.name!r} has no gold version {people.gold_number} of these labels")
