"""A calibration: how far a scorer agreed with people, or with another scorer; and whether that still holds.

It is a record of its own type, made of one scorer, one dataset version and one set of labels, and says nothing any
more once one of these is another.
"""

from __future__ import annotations

from msgspec import Struct

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.ids import digest, id_of
from rejudge.domain.scale import Outcome


class HumanSet(Struct, frozen=True, kw_only=True, tag="people"):
    """The people's side: the rating set (its digest) with its name and rubric, and the gold version (its digest)."""

    rating_set: bytes
    name: str
    rubric: str
    gold: bytes
    gold_number: int


class OtherScorer(Struct, frozen=True, kw_only=True, tag="scorer"):
    """Another scorer in the place of people, and its value that was compared."""

    scorer: bytes
    name: str
    value: str


class Judged(Struct, frozen=True, kw_only=True):
    """The exact scorer that is calibrated: its digest, what it is, and its value that was compared."""

    scorer: bytes
    name: str
    type: str
    settings: dict[str, object]
    value: str


class Pairs(Struct, frozen=True, kw_only=True):
    """Where the labelled traces went: those with a value on both sides are pairs, the others are counted by reason.

    `deferred` are those that one of the sides left to a person. `passed` and `failed` count the pairs by the outcome of
    the second side; both None where it has no outcome.
    `elsewhere` are labelled traces that are not in the experiment, and `open` those in it that raters rated and nobody
    decided. `passed_items` and `failed_items` count the items that have a pair of that outcome.
    """

    n: int
    items: int
    skipped: int = 0
    errors: int = 0
    unjudged: int = 0
    deferred: int = 0
    elsewhere: int = 0
    passed: int | None = None
    failed: int | None = None
    open: int = 0
    passed_items: int | None = None
    failed_items: int | None = None


class CalibrationRecord(Struct, frozen=True, kw_only=True):
    """One calibration: of whom, against what, on which data, with which statistics.

    `experiment` is its id, `runs` those whose scores were read. `compared` says whether values or outcomes were.
    `blinding` counts the ratings behind the labels by whether their raters were blind. `statistics` is the encoded
    Calibration of `stats`; `at` is in seconds since 1970 (UTC).
    """

    judged: Judged
    against: HumanSet | OtherScorer
    experiment: str
    runs: tuple[str, ...]
    dataset_version: str
    compared: str
    pairs: Pairs
    blinding: dict[str, int]
    statistics: dict[str, object]
    seed: int
    level: float
    at: float = 0.0

    def digest(self) -> bytes:
        """The digest of what was compared and what came out, not of when."""
        side = self.against
        if isinstance(side, HumanSet):
            against = {"rating_set": side.rating_set.hex(), "gold": side.gold.hex()}
        else:
            against = {"scorer": side.scorer.hex(), "value": side.value}
        return digest(
            "calibration",
            {
                "scorer": self.judged.scorer.hex(),
                "value": self.judged.value,
                "against": against,
                "experiment": self.experiment,
                "runs": self.runs,
                "dataset_version": self.dataset_version,
                "compared": self.compared,
                "pairs": [self.pairs.n, self.pairs.items, *([self.pairs.open] if self.pairs.open else [])],
                "statistics": self.statistics,
                "seed": self.seed,
                "level": self.level,
            },
        )

    @property
    def id(self) -> str:
        """The id that people see."""
        return id_of("calibration", self.digest())


class Present(Struct, frozen=True, kw_only=True):
    """What stands now under the names that a calibration used; None for what is there no more.

    `scorer` is that of the same name in the newest result of the experiment's name, `dataset_version` its newest one,
    `against` what the rating set's or the other scorer's name stands for.
    """

    judged: Judged | None
    dataset_version: str | None
    against: HumanSet | OtherScorer | None


def lapses(record: CalibrationRecord, now: Present) -> list[str]:
    """Why a calibration holds no more, one reason for each thing that changed; empty while it holds."""
    reasons = []
    if now.judged is None:
        reasons.append(f"the scorer {record.judged.name!r} is not in the newest result any more")
    elif now.judged.scorer != record.judged.scorer:
        reasons.append(f"the scorer {record.judged.name!r} is another one now: {_changes(record.judged, now.judged)}")
    if now.dataset_version != record.dataset_version:
        reasons.append("the dataset has another version")
    before, after = record.against, now.against
    if isinstance(before, OtherScorer):
        if not isinstance(after, OtherScorer) or after.scorer != before.scorer:
            reasons.append(f"the scorer {before.name!r}, which it was compared with, is another one now")
    elif not isinstance(after, HumanSet):
        reasons.append(f"there is no gold version of {before.name!r} any more")
    elif after.rubric != before.rubric:
        reasons.append("the raters' rubric changed")
    elif after.rating_set != before.rating_set:
        reasons.append("the raters' scale changed")
    elif after.gold != before.gold:
        reasons.append(
            f"the human labels changed: gold version {before.gold_number} was followed by {after.gold_number}"
        )
    return reasons


def _changes(before: Judged, after: Judged) -> str:
    names = sorted(
        name
        for name in before.settings.keys() | after.settings.keys()
        if before.settings.get(name) != after.settings.get(name)
    )
    if before.type != after.type:
        return f"it was of the type {before.type} and is of {after.type}"
    return f"what changed is {', '.join(names)}" if names else "its scores changed"


class Minimum(Struct, frozen=True, kw_only=True):
    """What a calibration must rest on before its judge can become the default.

    Pairs of so many items, and of so many items with each outcome where the scale has one.
    """

    pairs: int = 50
    each_outcome: int = 10

    def __post_init__(self) -> None:
        if self.pairs < 1 or self.each_outcome < 0:
            raise ConfigurationError(
                f"a minimum of {self.pairs} pairs, {self.each_outcome} of each outcome, asks for nothing",
                fix="ask for one pair at least",
            )

    def shortfalls(self, record: CalibrationRecord) -> list[str]:
        """Why the calibration is too little to rest on; empty where it is enough."""
        if isinstance(record.against, OtherScorer):
            return [f"it was compared with the scorer {record.against.name!r}, not with people"]
        pairs = record.pairs
        short = []
        if pairs.items < self.pairs:
            of = (
                f"it has {_counted(pairs.n, 'pair')}"
                if pairs.items == pairs.n
                else f"its {pairs.n} pairs are of {_counted(pairs.items, 'item')}"
            )
            short.append(f"{of}, fewer than {self.pairs}")
        for outcome, traces, items in (
            (Outcome.PASSED, pairs.passed, pairs.passed_items),
            (Outcome.FAILED, pairs.failed, pairs.failed_items),
        ):
            # Records from before items were counted by outcome have the traces only.
            count = traces if items is None else items
            if count is not None and count < self.each_outcome:
                told = _counted(count, "item")
                short.append(f"people say {outcome.value} of {told}, fewer than {self.each_outcome}")
        return short


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


class DefaultJudge(Struct, frozen=True, kw_only=True):
    """The decision that a scorer may stand in for people on the question of a rating set; a later one replaces it.

    `calibration` is the digest of the record it rests on, `minimum` what was asked of that.
    """

    question: str
    scorer: bytes
    calibration: bytes
    minimum: Minimum
    at: float = 0.0
