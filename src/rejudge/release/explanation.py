"""What is found about why two runs differ, as records."""

from __future__ import annotations

import msgspec

from rejudge.release.config_differences import ConfigDifferences
from rejudge.stats.decompose import Split
from rejudge.stats.interval import Undefined
from rejudge.stats.scale import Kind


class Carrier(msgspec.Struct, frozen=True, kw_only=True):
    """An item and how far it moved the mean within a part; what the judges said of it, None where nothing.

    `first` and `second` are what the runs' own judges said of their own traces.
    """

    item_id: str
    shift: float
    first: float | None
    second: float | None
    first_on_second: float | None
    second_on_first: float | None


class Carried(msgspec.Struct, frozen=True, kw_only=True):
    """How many items carry a part, and those that moved the mean the furthest."""

    count: int
    items: tuple[Carrier, ...]


class ScoreExplanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why one score moved.

    `first_judge` and `second_judge` say in words how far either judge's opinion of the other run's traces is known;
    both are empty where one judge judged both runs, which `same_judge` says.
    """

    measure: str
    kind: Kind
    direction: str
    same_judge: bool
    first_judge: str
    second_judge: str
    split: Split | Undefined
    carried: dict[str, Carried]


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What was judged for this explanation: the judgements `made` now beside the `stored` ones, and how many failed.

    `stopped` says why judging ended before everything was judged. `cost` is in US dollars, the sum of the `known_costs`
    judgements whose cost is known.
    """

    stopped: str | None = None
    made: int = 0
    stored: int = 0
    errors: int = 0
    cost: float | None = None
    known_costs: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is known about why two runs differ; `left_out` says in words which scores are not
    explained, and which differences may mean nothing.
    """

    differences: ConfigDifferences
    scores: tuple[ScoreExplanation, ...]
    left_out: tuple[str, ...] = ()
    spent: Spent
