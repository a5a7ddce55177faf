"""Gold labels: what the ratings of several people come to, by a stated rule. What the rule leaves open stays open."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.ids import digest, id_of
from rejudge.domain.score import ScoreValue


class GoldRule(StrEnum):
    """How ratings become a gold label."""

    MAJORITY = "majority"
    UNANIMOUS = "unanimous"
    MEAN = "mean"
    MEDIAN = "median"
    ADJUDICATOR = "adjudicator"


class GoldLabel(Struct, frozen=True, kw_only=True):
    """The gold label of one trace, and how many raters it comes from; `adjudicator` where one decided."""

    trace: bytes
    value: ScoreValue
    raters: int
    adjudicator: str | None = None


class OpenTrace(Struct, frozen=True, kw_only=True):
    """A rated trace that has no gold label: why, and who said what."""

    trace: bytes
    why: str
    said: tuple[tuple[str, ScoreValue], ...]


class GoldVersion(Struct, frozen=True, kw_only=True):
    """The gold labels of a rating set (its digest) at one time; `number` counts the versions of the set from 1.

    `labels` and `open` together are all traces that were rated. `at` is in seconds since 1970 (UTC).
    """

    rating_set: bytes
    rule: GoldRule
    adjudicator: str | None = None
    labels: tuple[GoldLabel, ...]
    open: tuple[OpenTrace, ...] = ()
    number: int = 0
    at: float = 0.0

    def __post_init__(self) -> None:
        if (self.rule is GoldRule.ADJUDICATOR) != (self.adjudicator is not None):
            raise ConfigurationError(
                "the rule adjudicator needs the name of a rater, and no other rule does",
                fix="name whose word counts over the others' with the rule adjudicator only",
            )

    def digest(self) -> bytes:
        """The digest of the labels, in whichever order and by whichever rule they came about."""
        labels = sorted((label.trace.hex(), label.value.number, label.value.label) for label in self.labels)
        return digest("gold", {"rating_set": self.rating_set.hex(), "labels": labels})

    @property
    def id(self) -> str:
        """The id that people see."""
        return id_of("gold", self.digest())

    def equals(self, other: GoldVersion) -> bool:
        """Whether another version says the same of every trace, by the same rule."""
        return (self.rule, self.adjudicator, self.labels, self.open) == (
            other.rule,
            other.adjudicator,
            other.labels,
            other.open,
        )
