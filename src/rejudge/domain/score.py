"""A score: an append-only record of one judgement. A correction is a new record, never a change."""

from __future__ import annotations

from enum import StrEnum
from hashlib import sha256

from msgspec import Struct, field

from rejudge.domain.call import CallRecord
from rejudge.domain.ids import digest, id_of
from rejudge.domain.scale import Outcome
from rejudge.domain.usage import Usage


class ScoreStatus(StrEnum):
    """How a judgement ended: with values, with a skip (our data's fault), or with an error (the scorer's)."""

    SCORED = "scored"
    SKIPPED = "skipped"
    ERROR = "error"


class ScoreValue(Struct, frozen=True, kw_only=True, gc=False):
    """One named value of a score: a number or a label, with an outcome where the score has one."""

    name: str
    number: float | None = None
    label: str | None = None
    outcome: Outcome | None = None


class Score(Struct, frozen=True, kw_only=True):
    """One judgement of one subject by one scorer.

    `subject` holds the digests of the traces that were judged (one for most scorers), `seen` the digest
    of the reference data and other item fields that the scorer read, `draw` the repeat of a random
    judge. `attempt` counts tries after an error or a skip; the highest one counts. `calls` are those that the scorer
    made on the way, with what was answered.
    """

    subject: tuple[bytes, ...]
    scorer: bytes
    seen: bytes
    draw: int = 0
    attempt: int = 0
    status: ScoreStatus
    values: tuple[ScoreValue, ...] = ()
    reason: str = ""
    cause: str | None = None
    usage: Usage | None = None
    evidence: dict[str, object] | None = None
    calls: tuple[CallRecord, ...] = ()
    author: str | None = None
    at: float = 0.0

    def digest(self) -> bytes:
        """The score key: what the judgement is a function of."""
        return score_key(self.subject, self.scorer, self.seen, self.draw)

    @property
    def id(self) -> str:
        """The score id that people see; a further attempt is a further record with its number behind."""
        name = id_of("score", self.digest())
        return name if self.attempt == 0 else f"{name}.{self.attempt}"

    def result_hash(self) -> bytes:
        """The digest of how the judgement ended: its status, values and words, not when or for how much."""
        return digest(
            "score-result",
            {
                "status": self.status,
                "values": [
                    [value.name, None if value.number is None else float(value.number), value.label, value.outcome]
                    for value in self.values
                ],
                "reason": self.reason,
                "cause": self.cause,
                "evidence": self.evidence,
            },
        )


def score_key(subject: tuple[bytes, ...], scorer: bytes, seen: bytes, draw: int) -> bytes:
    """The digest of (subject, scorer, what it saw, draw)."""
    return sha256(b"rejudge/score-key\n%d:%b%b%b%d" % (len(subject), b"".join(subject), scorer, seen, draw)).digest()


class Tally(Struct, frozen=True, kw_only=True):
    """How many judgements of one scorer ended in which way; `planned` is their sum."""

    planned: int
    scored: int = 0
    skipped: int = 0
    scorer_errors: int = 0
    task_errors: int = 0
    pending: int = 0
    causes: dict[str, int] = field(default_factory=dict)
