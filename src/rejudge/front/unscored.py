"""What a comparison of scores does not rest on: the judgements of a run that gave no score, by reason."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

import msgspec

from rejudge.front.amounts import counted
from rejudge.front.lines import NAME, clipped
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
    """In words: `right: 30 of 60 judgements of the first run have no score: 30 errors of the scorer`."""
    counts = missing.counts
    reasons = {
        _skipped(missing): counts.skipped,
        counted(counts.scorer_errors, "error") + " of the scorer": counts.scorer_errors,
        counted(counts.task_errors, "error") + " of the task": counts.task_errors,
        f"{counts.pending:,} pending": counts.pending,
    }
    name = Measure(scorer=missing.scorer, value=missing.value).name
    verb = "has" if counts.missing == 1 else "have"
    return (
        f"{clipped(name, NAME)}: {counts.missing:,} of {counted(counts.planned, 'judgement')} of the {missing.which} "
        f"run {verb} no score: {', '.join(reason for reason, count in reasons.items() if count)}"
    )


def _skipped(missing: Unscored) -> str:
    named = [f"{count:,} {clipped(cause, NAME)}" for cause, count in list(missing.causes.items())[:CAUSES]]
    if len(missing.causes) > CAUSES:
        named.append(counted(len(missing.causes) - CAUSES, "more cause"))
    causes = f" ({', '.join(named)})" if named else ""
    return f"{missing.counts.skipped:,} skipped{causes}"
