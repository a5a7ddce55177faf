"""Rating sets and ratings in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select

from rejudge.domain.errors import NotFound
from rejudge.domain.payload import encode
from rejudge.domain.rating import Rating, RatingSet, unknown
from rejudge.storage.bulk import Listed, Rows, next_id
from rejudge.storage.lookup import check_trace, has_its_name, set_named
from rejudge.storage.reading import record_of
from rejudge.storage.schema import rating_set_turns, rating_sets, ratings, traces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from rejudge.storage.database import Database
    from rejudge.storage.records import NewRating

_rows = Rows(ratings, "id", "rating_set", "trace", "record")
_traces = Listed(select(traces.c.id, traces.c.digest), traces.c.id)


class SqlRatings:
    """What people are asked, and what they said."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save_rating_set(self, rating_set: RatingSet) -> RatingSet:
        """Store a rating set once, and each time that it takes its name over."""
        digest = rating_set.digest()
        query = select(rating_sets.c.record).where(rating_sets.c.digest == digest)
        with self._database.write() as connection:
            stored = connection.execute(query).scalar()
            if stored is None:
                connection.execute(insert(rating_sets).values(digest=digest, record=encode(rating_set)))
            else:
                rating_set = record_of(stored, RatingSet, f"rating set {rating_set.id}")
            if not has_its_name(rating_set, _sets(connection)):
                connection.execute(insert(rating_set_turns).values(rating_set=set_ref(connection, digest)))
        return rating_set

    def rating_sets(self) -> list[RatingSet]:
        """All rating sets, the one that was asked last at the end."""
        with self._database.read() as connection:
            return _sets(connection)

    def rating_set(self, name: str) -> RatingSet:
        """The set of a name that was asked last, or the one with an id or a unique beginning of it."""
        return set_named(name, self.rating_sets())

    def save_ratings(self, rating_set: bytes, new: Sequence[NewRating]) -> int:
        """Store what is new of these ratings."""
        with self._database.write() as connection:
            ref = set_ref(connection, rating_set)
            digests = {row[0]: row[1] for row in _traces.tuples(connection, [one.trace for one in new])}
            for one in new:
                check_trace(one, digests.get(one.trace))
            refs = {one.rating.trace: one.trace for one in new}
            added = unknown((one.rating for one in new), stored=_ratings(connection, ref))
            first = next_id(connection, ratings)
            rows = [(at, ref, refs[rating.trace], encode(rating)) for at, rating in enumerate(added, first)]
            _rows.insert(connection, rows)
        return len(added)

    def ratings(self, rating_set: bytes) -> list[Rating]:
        """Every rating of a set in the order in which they were stored."""
        with self._database.read() as connection:
            return _ratings(connection, set_ref(connection, rating_set))


def set_ref(connection: Connection, rating_set: bytes) -> int:
    """The ref of a rating set; raises NotFound."""
    ref: int | None = connection.execute(select(rating_sets.c.id).where(rating_sets.c.digest == rating_set)).scalar()
    if ref is None:
        raise NotFound(f"there is no rating set {rating_set.hex()}")
    return ref


def _sets(connection: Connection) -> list[RatingSet]:
    turns = rating_set_turns.c
    last = select(turns.rating_set, func.max(turns.id).label("turn")).group_by(turns.rating_set).subquery()
    query = select(rating_sets.c.record).join(last, last.c.rating_set == rating_sets.c.id).order_by(last.c.turn)
    return [record_of(record, RatingSet, "a rating set") for record in connection.execute(query).scalars()]


def _ratings(connection: Connection, ref: int) -> list[Rating]:
    query = select(ratings.c.record).where(ratings.c.rating_set == ref).order_by(ratings.c.id)
    return [record_of(record, Rating, "a rating") for record in connection.execute(query).scalars()]
