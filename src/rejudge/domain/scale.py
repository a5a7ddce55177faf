"""Score types: which values a named score may take, which way is better, and what passes."""

from __future__ import annotations

import math
import unicodedata
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import force_setattr

from rejudge.domain.errors import ConfigurationError, NameClash, RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME_LENGTH = 64


class ScoreType(StrEnum):
    """The five kinds of score."""

    PASS_FAIL = "pass_fail"
    PASS_FAIL_CRITICAL = "pass_fail_critical"
    FIVE_STAR = "five_star"
    NUMBER = "number"
    LABEL = "label"


class Direction(StrEnum):
    """Which way a number is better."""

    HIGHER = "higher"
    LOWER = "lower"
    INFORMATIONAL = "informational"


class Outcome(StrEnum):
    """Whether what was judged is good, for scores that can say so."""

    PASSED = "passed"
    FAILED = "failed"
    NEEDS_HUMAN_REVIEW = "needs_human_review"


_RANGES: dict[ScoreType, tuple[float | None, float | None]] = {
    ScoreType.PASS_FAIL: (0.0, 1.0),
    ScoreType.PASS_FAIL_CRITICAL: (-1.0, 1.0),
    ScoreType.FIVE_STAR: (1.0, 5.0),
    ScoreType.NUMBER: (None, None),
    ScoreType.LABEL: (None, None),
}


LARGEST = 1e150
"""The largest number of a score: the squares of a million such still have a sum."""


class ScoreSpec(Struct, frozen=True, kw_only=True):
    """One declared score: its name, type, range, direction, and from which value on it passes.

    `low` and `high` may narrow or (for numbers) declare the range. `passing_labels` gives a label an
    outcome; `labels` closes the set of labels.
    """

    name: str
    type: ScoreType = ScoreType.PASS_FAIL
    low: float | None = None
    high: float | None = None
    direction: Direction = Direction.HIGHER
    passes_at: float | None = None
    labels: tuple[str, ...] | None = None
    passing_labels: tuple[str, ...] | None = None
    required: bool = False

    def __post_init__(self) -> None:
        for bound in ("low", "high", "passes_at"):
            if (value := getattr(self, bound)) is not None:
                force_setattr(self, bound, _as_float(value))  # 0 and 0.0 are one bound, and one scorer id
        key = normalised(self.name)
        if not any(map(_speaks, key)):
            raise ConfigurationError(f"the score name {self.name!r} has no letter or digit")
        if len(key) > NAME_LENGTH:
            raise ConfigurationError(f"the score name {self.name!r} is longer than {NAME_LENGTH} characters")
        if self.type is ScoreType.LABEL:
            self._check_labels()
        else:
            self._check_range()
        if self.required and not self.has_outcome:
            raise ConfigurationError(
                f"score {self.name!r} is required but nothing says when it passes",
                fix="give passes_at, or passing_labels for a label",
            )

    def _check_labels(self) -> None:
        for what, labels in (("labels", self.labels), ("passing_labels", self.passing_labels)):
            if labels is not None and (not labels or not all(map(str.strip, labels)) or len({*labels}) < len(labels)):
                raise ConfigurationError(
                    f"score {self.name!r}: {what} is empty, or has an empty or repeated label",
                    fix="name each label once, or leave the set open",
                )
        if self.low is not None or self.high is not None or self.passes_at is not None:
            raise ConfigurationError(f"score {self.name!r} is a label; labels have no range and no passes_at")
        strangers = set(self.passing_labels or ()) - set(self.labels or self.passing_labels or ())
        if strangers:
            raise ConfigurationError(f"score {self.name!r}: passing label {min(strangers)!r} is not one of its labels")

    def _check_range(self) -> None:
        if self.labels is not None or self.passing_labels is not None:
            raise ConfigurationError(f"score {self.name!r} is not a label and has no labels")
        for bound in (self.low, self.high, self.passes_at):
            if bound is not None and not math.isfinite(bound):
                raise ConfigurationError(f"score {self.name!r}: {bound} is not a finite number")
        if self.direction is Direction.LOWER and self.has_outcome and self.passes_at is None:
            raise ConfigurationError(
                f"score {self.name!r}: a {self.type.value} passes at 1, yet lower is declared better",
                fix="give passes_at=0, or leave the direction out",
            )
        least, most = _RANGES[self.type]
        if self.low == least:
            force_setattr(self, "low", None)  # the type's own bound, written out or left out, is one scorer id
        if self.high == most:
            force_setattr(self, "high", None)
        low, high = self.range
        if (least is not None and low is not None and low < least) or (
            most is not None and high is not None and high > most
        ):
            raise ConfigurationError(f"score {self.name!r}: a {self.type.value} lies between {least:g} and {most:g}")
        if self.type is ScoreType.FIVE_STAR and not any(_inside(star, low, high) for star in (1, 2, 3, 4, 5)):
            raise ConfigurationError(f"score {self.name!r}: no whole star lies between {low:g} and {high:g}")
        if low is not None and high is not None and low >= high:
            raise ConfigurationError(f"score {self.name!r}: the range {low:g} to {high:g} is empty")
        if self.passes_at is not None and not _inside(self.passes_at, low, high):
            raise ConfigurationError(f"score {self.name!r}: passes_at {self.passes_at:g} lies outside its range")

    @property
    def key(self) -> str:
        """The name under which values are stored."""
        return normalised(self.name)

    @property
    def range(self) -> tuple[float | None, float | None]:
        """The lowest and highest legal value; None where there is no bound."""
        least, most = _RANGES[self.type]
        return (least if self.low is None else self.low, most if self.high is None else self.high)

    @property
    def has_outcome(self) -> bool:
        """Whether a value of this score says that something passed or failed."""
        if self.type in (ScoreType.PASS_FAIL, ScoreType.PASS_FAIL_CRITICAL):
            return True
        return self.passes_at is not None or self.passing_labels is not None

    def checked(self, value: object) -> float | str:
        """`value` as this score stores it; raises RecordError, naming the score, for what it may not be."""
        if self.type is ScoreType.LABEL:
            return self._checked_label(value)
        if isinstance(value, bool) and self.type is not ScoreType.PASS_FAIL:
            raise RecordError(f"score {self.name!r}: {value} is not a number")
        if not isinstance(value, int | float):
            raise RecordError(f"score {self.name!r}: {value!r} is not a number")
        number = _as_float(value)
        if not math.isfinite(number):
            raise RecordError(f"score {self.name!r}: {number} is not a number that can be stored")
        if abs(number) > LARGEST:
            raise RecordError(
                f"score {self.name!r}: {number:g} is too large to be averaged with others", fix="use a larger unit"
            )
        low, high = self.range
        if not _inside(number, low, high):
            raise RecordError(f"score {self.name!r}: {number:g} lies outside {_bound(low)} to {_bound(high)}")
        return number

    def _checked_label(self, value: object) -> str:
        if not isinstance(value, str):
            raise RecordError(f"score {self.name!r}: {value!r} is not a label")
        if self.labels is not None and value not in self.labels:
            raise RecordError(f"score {self.name!r}: {value!r} is not one of {', '.join(self.labels)}")
        return value

    def outcome(self, value: float | str) -> Outcome | None:
        """Passed or failed, or None where the score has no such meaning."""
        if isinstance(value, str):
            if self.passing_labels is None:
                return None
            return Outcome.PASSED if value in self.passing_labels else Outcome.FAILED
        threshold = self.passes_at
        if threshold is None:
            if not self.has_outcome:
                return None
            threshold = 1.0
        good = value <= threshold if self.direction is Direction.LOWER else value >= threshold
        return Outcome.PASSED if good else Outcome.FAILED

    def normalise(self, value: float) -> float | None:
        """`value` mapped to 0..1 by its range; None where the range is not declared."""
        low, high = self.range
        return None if low is None or high is None else (value - low) / (high - low)


def normalised(name: str) -> str:
    """The key of a score name: lower case, blanks as `_`, letters and digits of every script kept."""
    text = unicodedata.normalize("NFKC", name).strip().lower()
    kept = ("_" if mark.isspace() else mark for mark in text if mark.isspace() or _belongs(mark))
    return unicodedata.normalize("NFKC", "".join(kept))


def check_names(specs: Iterable[ScoreSpec]) -> None:
    """Refuse two scores whose names are the same once normalised."""
    seen: dict[str, str] = {}
    for spec in specs:
        if (other := seen.get(spec.key)) is not None:
            raise NameClash(f"the scores {other!r} and {spec.name!r} are one name, {spec.key!r}", fix="rename one")
        seen[spec.key] = spec.name


def inferred(name: str, value: object) -> ScoreSpec:
    """The spec of an undeclared score: a boolean is pass_fail, text a label, any other number a plain number."""
    if isinstance(value, bool):
        return ScoreSpec(name=name, type=ScoreType.PASS_FAIL)
    if isinstance(value, str):
        return ScoreSpec(name=name, type=ScoreType.LABEL)
    if isinstance(value, int | float):
        return ScoreSpec(name=name, type=ScoreType.NUMBER)
    raise RecordError(f"score {name!r}: a {type(value).__name__} is neither a number, a boolean nor a label")


def _belongs(mark: str) -> bool:
    return mark in "_-." or unicodedata.category(mark)[0] in "LMN"


def _speaks(mark: str) -> bool:
    return unicodedata.category(mark)[0] in "LN"


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _inside(value: float, low: float | None, high: float | None) -> bool:
    return (low is None or value >= low) and (high is None or value <= high)


def _bound(value: float | None) -> str:
    return "∞" if value is None else f"{value:g}"
