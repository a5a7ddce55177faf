"""Ratings, gold labels and calibrations in memory, each as encoded bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rejudge.domain.calibration import CalibrationRecord, DefaultJudge, HumanSet
from rejudge.domain.errors import NotFound
from rejudge.domain.gold import GoldVersion
from rejudge.domain.payload import decode_as, encode
from rejudge.domain.rating import Rating, RatingSet, unknown
from rejudge.storage.lookup import check_trace, has_its_name, set_named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from rejudge.storage.memory_runs import MemoryRuns
    from rejudge.storage.memory_work import MemoryWork
    from rejudge.storage.records import NewRating


class MemoryRatings:
    """What people said of the traces of one store, and what rests on it; `turn` makes a call a transaction."""

    def __init__(self, turn: Callable[[], AbstractContextManager[None]], *, runs: MemoryRuns, work: MemoryWork) -> None:
        self._turn = turn
        self._runs = runs
        self._work = work
        self._sets: dict[bytes, bytes] = {}
        self._ratings: dict[bytes, list[bytes]] = {}
        self._golds: dict[bytes, list[bytes]] = {}
        self._calibrations: dict[bytes, bytes] = {}
        self._defaults: list[bytes] = []

    def save_rating_set(self, rating_set: RatingSet) -> RatingSet:
        """Store a rating set once, and put it at the end each time that it takes its name over."""
        digest = rating_set.digest()
        with self._turn():
            if not has_its_name(rating_set, self._all_sets()):
                self._sets[digest] = self._sets.pop(digest, encode(rating_set))
            return decode_as(self._sets[digest], RatingSet)

    def rating_sets(self) -> list[RatingSet]:
        """All rating sets, the one that was asked last at the end."""
        with self._turn():
            return self._all_sets()

    def rating_set(self, name: str) -> RatingSet:
        """The set of a name that was asked last, or the one with an id or a unique beginning of it."""
        return set_named(name, self.rating_sets())

    def save_ratings(self, rating_set: bytes, ratings: Sequence[NewRating]) -> int:
        """Store what is new of these ratings."""
        with self._turn():
            self._check_set(rating_set)
            for one in ratings:
                check_trace(one, self._work.digest(one.trace))
            added = unknown((one.rating for one in ratings), stored=self._of(rating_set))
            self._ratings.setdefault(rating_set, []).extend(map(encode, added))
            return len(added)

    def ratings(self, rating_set: bytes) -> list[Rating]:
        """Every rating of a set in the order in which they were stored."""
        with self._turn():
            self._check_set(rating_set)
            return self._of(rating_set)

    def save_gold(self, gold: GoldVersion) -> GoldVersion:
        """Store the next version of a rating set's gold labels, or return the newest if that is equal."""
        with self._turn():
            self._check_set(gold.rating_set)
            before = self._golds.setdefault(gold.rating_set, [])
            if before and (newest := decode_as(before[-1], GoldVersion)).equals(gold):
                return newest
            before.append(encode(replace(gold, number=len(before) + 1)))
            return decode_as(before[-1], GoldVersion)

    def gold_versions(self, rating_set: bytes) -> list[GoldVersion]:
        """The gold versions of a rating set, oldest first."""
        with self._turn():
            self._check_set(rating_set)
            return [decode_as(stored, GoldVersion) for stored in self._golds.get(rating_set, ())]

    def save_calibration(self, record: CalibrationRecord) -> CalibrationRecord:
        """Store a calibration once."""
        with self._turn():
            self._runs.scorers.body(record.judged.scorer)
            if isinstance(record.against, HumanSet):
                self._check_gold(record.against)
            else:
                self._runs.scorers.body(record.against.scorer)
            stored = self._calibrations.setdefault(record.digest(), encode(record))
            return decode_as(stored, CalibrationRecord)

    def calibrations(self) -> list[CalibrationRecord]:
        """All calibrations, oldest first."""
        with self._turn():
            return [decode_as(stored, CalibrationRecord) for stored in self._calibrations.values()]

    def save_default_judge(self, judge: DefaultJudge) -> None:
        """Store the decision for a judge."""
        with self._turn():
            self._runs.scorers.body(judge.scorer)
            if judge.calibration not in self._calibrations:
                raise NotFound(f"there is no calibration {judge.calibration.hex()}")
            self._defaults.append(encode(judge))

    def default_judges(self) -> list[DefaultJudge]:
        """Every decision, oldest first."""
        with self._turn():
            return [decode_as(stored, DefaultJudge) for stored in self._defaults]

    def _all_sets(self) -> list[RatingSet]:
        return [decode_as(stored, RatingSet) for stored in self._sets.values()]

    def _of(self, rating_set: bytes) -> list[Rating]:
        return [decode_as(stored, Rating) for stored in self._ratings.get(rating_set, ())]

    def _check_set(self, rating_set: bytes) -> None:
        if rating_set not in self._sets:
            raise NotFound(f"there is no rating set {rating_set.hex()}")

    def _check_gold(self, people: HumanSet) -> None:
        self._check_set(people.rating_set)
        versions = self._golds.get(people.rating_set, [])
        place = people.gold_number - 1
        if not 0 <= place < len(versions) or decode_as(versions[place], GoldVersion).digest() != people.gold:
            raise NotFound(f"rating set {people.name!r} has no gold version {people.gold_number} of these labels")
