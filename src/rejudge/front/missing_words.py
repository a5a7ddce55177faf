"""What to say of scores that were planned and are not there: how many, why, and what they could turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.amounts import counted
from rejudge.front.lines import NAME, clipped
from rejudge.release.scores import Measure
from rejudge.stats.comparison_words import missing_could_turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rejudge.release.missing import Absent, Lacking, Unscored
    from rejudge.stats.comparison import Comparison
    from rejudge.stats.counts import Counts

CAUSES = 5
"""So many causes of skips are named, the commonest; the others are counted."""

COULD_TURN = ", which the missing scores could turn"
"""Stands behind a verdict that the scores that are missing could turn."""


def could_turn(comparison: Comparison) -> str:
    """`COULD_TURN` where it holds of a comparison's verdict, else nothing."""
    return COULD_TURN if missing_could_turn(comparison) else ""


def counts_words(counts: Counts, causes: Mapping[str, int]) -> str:
    """`30 of 60 planned have no score (2 skipped, 28 scorer errors; causes of skips: 2 missing_spans)`.

    `causes` count the scorer's skips, the commonest first. Nothing where every one has a score.
    """
    if not counts.missing:
        return ""
    parts = (
        (counts.skipped, "skipped"),
        (counts.scorer_errors, "scorer error" if counts.scorer_errors == 1 else "scorer errors"),
        (counts.task_errors, "task error" if counts.task_errors == 1 else "task errors"),
        (counts.pending, "pending"),
    )
    told = ", ".join(f"{count} {what}" for count, what in parts if count)
    named = [f"{count:,} {clipped(cause, NAME)}" for cause, count in list(causes.items())[:CAUSES]]
    if len(causes) > CAUSES:
        named.append(counted(len(causes) - CAUSES, "more cause"))
    why = f"; causes of skips: {', '.join(named)}" if named else ""
    return f"{counts.missing} of {counts.planned} planned have no score ({told}{why})"


def unscored_words(missing: Unscored) -> str:
    """In a sentence: `right: in the first run 30 of 60 planned have no score (30 scorer errors)`."""
    name = clipped(Measure(scorer=missing.scorer, value=missing.value).name, NAME)
    return f"{name}: in the {missing.which} run {counts_words(missing.counts, missing.causes)}"


def lacking_words(lacking: Lacking, *, neither: int, names: Sequence[str]) -> Iterator[str]:
    """Clauses about what two sides called `names` lack: nothing where every planned score is there."""
    if not lacking.any:
        return
    because = _of_each(zip(names, lacking.counts, lacking.causes, strict=True))
    if neither:
        yield f"no score on either side: {counted(neither, 'item')}, because {because}"
    else:
        yield because
    for name, items, trials in zip(names, lacking.partial, lacking.lost, strict=True):
        if items:
            lost = f"{name} lost {counted(trials, 'trial')} of {counted(items, 'item')}"
            yield f"{lost} that still count, each as the mean of those that it has"


def absent_words(absent: Absent) -> str:
    """What the runs of a ranking lack, in a clause: nothing where every planned score is there."""
    told = _of_each((name, counts, absent.causes.get(name, {})) for name, counts in absent.counts.items())
    nobody = f"no run has a score for {counted(absent.unscored, 'item')}; " if absent.unscored else ""
    return nobody + told


def turn_words(absent: Absent) -> str:
    """Whose order the missing scores could turn: nothing where there is no such pair."""
    pairs = "; ".join(f"{first} and {second}" for first, second in absent.could_turn)
    return pairs and f"the scores that are missing could turn the order of {pairs}"


def _of_each(sides: Iterable[tuple[str, Counts, Mapping[str, int]]]) -> str:
    """What each side lacks, in one clause."""
    return "; ".join(f"in {name} {told}" for name, counts, causes in sides if (told := counts_words(counts, causes)))
