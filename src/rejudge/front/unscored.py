"""What a comparison of scores does not rest on: the judgements of a run that gave no score, by reason."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

import msgspec

from rejudge.front.amounts import counted
from rejudge.front.lines import NAME, clipped
from rejudge.front.missing_words import counts_words
from rejudge.release.scores import Measure
from rejudge.stats.counts import Counts

if TYPE_CHECKING:
    from rejudge.front.result import RunResult

CAUSES = 5
"""So many causes of skips are named, the commonest; the others are counted."""


class Unscored(msgspec.Struct, frozen=True, kw_only=True):
    """How the judgements of one value of a run ended, and the skips of its scorer by cause."""

    which: Literal["first", "second"]
    scorer: str
    value: str
    counts: Counts
    causes: dict[str, int] = {}


def unscored(run: RunResult, scorer: str, value: str, *, which: Literal["first", "second"]) -> Unscored | None:
    """What of a value is missing in a run, the `which` one; None where it has a score of everything planned."""
    counts = run.summaries.one(scorer, value=value).counts
    if not counts.missing:
        return None
    causes: Counter[str] = Counter()
    for one in run.counts.scores:
        if run.scorers[one.scorer].name == scorer:
            causes.update(one.causes)
    return Unscored(which=which, scorer=scorer, value=value, counts=counts, causes=dict(causes.most_common()))


def told(missing: Unscored) -> str:
    """In words: `right: in the first run 30 of 60 planned have no score (30 scorer errors)`."""
    name = clipped(Measure(scorer=missing.scorer, value=missing.value).name, NAME)
    causes = [f"{count:,} {clipped(cause, NAME)}" for cause, count in list(missing.causes.items())[:CAUSES]]
    if len(missing.causes) > CAUSES:
        causes.append(counted(len(missing.causes) - CAUSES, "more cause"))
    why = f"; skipped: {', '.join(causes)}" if causes else ""
    return f"{name}: in the {missing.which} run {counts_words(missing.counts)}{why}"
