"""A rating: what one person said of one trace. It is a record beside the scores, and changes none of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Struct, structs, to_builtins

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.domain.ids import digest, id_of
from rejudge.domain.scale import ScoreSpec
from rejudge.domain.score import ScoreValue


class Blinding(StrEnum):
    """Whether a rater saw what scorers had said before rating."""

    BLIND = "blind"
    SIGHTED = "sighted"
    UNKNOWN = "unknown"


Drawing: TypeAlias = Literal["at_random", "by_human_outcome", "by_judge_outcome"]
"""How the traces that people rated were chosen from all that the judge scored.

By human outcome means so many of those that people pass and so many that they fail, by judge outcome the same of the
judge.
"""


class RatingSet(Struct, frozen=True, kw_only=True):
    """What people are asked about traces: a score, and the rubric that they were given in words.

    Another score or rubric under the same name is another set. The name stands for the one that was asked last.
    """

    name: str
    score: ScoreSpec
    rubric: str = ""
    created_at: float = 0.0

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ConfigurationError("a rating set needs a name")
        structs.force_setattr(self, "score", structs.replace(self.score, required=False))

    def digest(self) -> bytes:
        """The digest of the question under its name, whenever it was asked first."""
        return digest("rating-set", {"name": self.name, "score": to_builtins(self.score), "rubric": self.rubric})

    @property
    def id(self) -> str:
        """The id that people see."""
        return id_of("ratings", self.digest())

    def value(self, given: object) -> ScoreValue:
        """What a rater gave, as it is stored; raises RecordError for what the score refuses."""
        checked = self.score.checked(given)
        return ScoreValue(
            name=self.score.key,
            number=None if isinstance(checked, str) else checked,
            label=checked if isinstance(checked, str) else None,
            outcome=self.score.outcome(checked),
        )


class Origin(Struct, frozen=True, kw_only=True):
    """Where a rating was imported from: the file's name, the SHA-256 of its bytes, and the line."""

    file: str
    sha256: str
    line: int | None = None


class Rating(Struct, frozen=True, kw_only=True):
    """One person's word on one trace (its digest); a later one of the same rater on the same trace supersedes it.

    `item_id` and `trial` say for people which unit the trace was of. `drawn` is how the traces of its import were
    chosen, where that was said. `at` is when it was stored, in seconds since 1970 (UTC).
    """

    trace: bytes
    rater: str
    value: ScoreValue
    item_id: str = ""
    trial: int = 0
    reason: str = ""
    blinding: Blinding = Blinding.UNKNOWN
    drawn: Drawing | None = None
    origin: Origin | None = None
    at: float = 0.0

    def __post_init__(self) -> None:
        if not self.rater.strip():
            raise RecordError("a rating says who gave it", fix="name the rater")

    def says_as(self, other: Rating) -> bool:
        """Whether another rating says the same of the same trace, wherever it was found."""
        return structs.replace(self, origin=None, at=0.0) == structs.replace(other, origin=None, at=0.0)

    def has_word_of(self, other: Rating) -> bool:
        """Whether another rating has the same value and reason, whatever is known about how it came about."""
        return (self.trace, self.rater, self.value, self.reason) == (
            other.trace,
            other.rater,
            other.value,
            other.reason,
        )


def current(ratings: Iterable[Rating]) -> list[Rating]:
    """The ratings that count, of those of one set from the oldest on: the last of each rater on each trace."""
    last: dict[tuple[bytes, str], Rating] = {}
    for rating in ratings:
        last[rating.trace, rating.rater] = rating
    return list(last.values())


def unknown(ratings: Iterable[Rating], *, stored: Sequence[Rating]) -> list[Rating]:
    """Of these ratings those that a set does not hold yet.

    One that says the same as what counts of its rater and trace is no news; nor is a line of a file that was read
    before, also where it was superseded meanwhile: importing a file again takes no correction back. What it newly says
    about how a rating that still counts came about is news.
    """
    last = {(rating.trace, rating.rater): rating for rating in stored}
    lines = [rating for rating in stored if rating.origin is not None]
    read, words = {structs.replace(rating, at=0.0) for rating in lines}, set(map(_word, lines))
    new = []
    for rating in ratings:
        counts = last.get((rating.trace, rating.rater))
        known = structs.replace(rating, at=0.0) in read or (counts is not None and counts.says_as(rating))
        superseded = _word(rating) in words and (counts is None or not counts.has_word_of(rating))
        if not known and not superseded:
            last[rating.trace, rating.rater] = rating
            new.append(rating)
    return new


def _word(rating: Rating) -> Rating:
    """A rating without what is said about how it came about."""
    return structs.replace(rating, at=0.0, blinding=Blinding.UNKNOWN, drawn=None)
