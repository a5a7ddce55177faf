"""What to say of scores that were planned and are not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.release.missing import Absent, Lacking
    from rejudge.stats.counts import Counts


def counts_words(counts: Counts) -> str:
    """`30 of 60 planned have no score (28 scorer errors, 2 pending)`; nothing where every one has."""
    if not counts.missing:
        return ""
    parts = (
        (counts.skipped, "skipped"),
        (counts.scorer_errors, "scorer error" if counts.scorer_errors == 1 else "scorer errors"),
        (counts.task_errors, "task error" if counts.task_errors == 1 else "task errors"),
        (counts.pending, "pending"),
    )
    told = ", ".join(f"{count} {what}" for count, what in parts if count)
    return f"{counts.missing} of {counts.planned} planned have no score ({told})"


def lacking_words(lacking: Lacking, *, neither: int, names: Sequence[str]) -> Iterator[str]:
    """Clauses about what two sides called `names` lack: nothing where every planned score is there."""
    if not lacking.any:
        return
    sides = dict(zip(names, lacking.counts, strict=True))
    because = "; ".join(f"in {name} {told}" for name, counts in sides.items() if (told := counts_words(counts)))
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
    told = [f"in {name} {words}" for name, counts in absent.counts.items() if (words := counts_words(counts))]
    nobody = f"no run has a score for {counted(absent.unscored, 'item')}; " if absent.unscored else ""
    return nobody + "; ".join(told)


def turn_words(absent: Absent) -> str:
    """Whose order the missing scores could turn: nothing where there is no such pair."""
    pairs = "; ".join(f"{first} and {second}" for first, second in absent.could_turn)
    return pairs and f"the scores that are missing could turn the order of {pairs}"
