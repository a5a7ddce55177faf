"""Labels that are missing or old: traces that raters differ on and nobody decided, and ratings later than the labels.

What is open is what was hard to judge, so leaving it out flatters a judge; it is counted and told, wherever labels are
used.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rejudge.domain.gold import GoldRule
from rejudge.domain.scale import Outcome
from rejudge.review.judgements import value_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.rating import Drawing
    from rejudge.review.judgements import Case
    from rejudge.review.sides import OtherSide
    from rejudge.stats.confusion import Outcomes


def old_labels(side: OtherSide, name: str) -> list[str]:
    """What to say, and to do, about ratings that came after the labels; nothing where they change none."""
    if not side.since or side.gold is None:
        return []
    rule = f"--rule {side.gold.rule.value}"
    if side.gold.rule is GoldRule.ADJUDICATOR and side.gold.adjudicator is not None:
        rule += f" --adjudicator {shlex.quote(side.gold.adjudicator)}"
    traces = _traces(side.since)
    return [
        f"ratings that came after gold version {side.gold.number} change the labels of {traces}, and are not in these "
        f"numbers; take them in: rejudge ratings adjudicate {shlex.quote(name)} {rule}"
    ]


def open_labels(count: int, *, labelled: int, drawn: Drawing | None = None) -> str:
    """Why labels say too little where so many of the rated traces are open, and what to do first."""
    sample = "no random sample" if drawn in (None, "at_random") else "not those that were chosen"
    verb = "is" if count == 1 else "are"
    return (
        f"{count} of {count + labelled} rated traces {verb} open, because their raters differ, and left out: the hard "
        f"ones, so the other {labelled} are {sample}; adjudicate the open ones first"
    )


def decide_open(name: str) -> str:
    """The command that decides open traces."""
    return f"rejudge ratings adjudicate {shlex.quote(name)} --rule adjudicator --adjudicator NAME"


def rates_with_open(outcomes: Outcomes, judged: Sequence[bool]) -> str:
    """What accuracy, TPR and TNR may be, where the judge said this of the open traces: wrong on all, or right."""
    passed, failed = sum(judged), len(judged) - sum(judged)
    right = outcomes.true_positives + outcomes.true_negatives
    shares = {
        "accuracy": (right, right + len(judged), outcomes.n + len(judged), outcomes.n + len(judged)),
        "TPR": (
            outcomes.true_positives,
            outcomes.true_positives + passed,
            outcomes.positives + failed,
            outcomes.positives + passed,
        ),
        "TNR": (
            outcomes.true_negatives,
            outcomes.true_negatives + failed,
            outcomes.negatives + passed,
            outcomes.negatives + failed,
        ),
    }
    told = [
        f"{name} from {100 * least / of_least:.0f} to {100 * most / of_most:.0f} %"
        for name, (least, most, of_least, of_most) in shares.items()
        if of_least and of_most
    ]
    return f"with the judge wrong on all the open ones or right on all of them: {', '.join(told)}"


def outcomes_of(cases: Sequence[Case], traces: frozenset[bytes], judge: tuple[bytes, str]) -> list[bool]:
    """Whether a judge (its digest and the value's name) passed each of these traces of which it says so."""
    scorer, name = judge
    values = [value_in(case.said.get(scorer), name) for case in cases if case.trace in traces]
    said = [value.outcome for value in values if value is not None]
    return [outcome is Outcome.PASSED for outcome in said if outcome in (Outcome.PASSED, Outcome.FAILED)]


def _traces(count: int) -> str:
    return "1 trace" if count == 1 else f"{count} traces"
