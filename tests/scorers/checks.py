"""Takes a check to its verdict on an output, and says whether it passed."""

from __future__ import annotations

from rejudge.domain.scale import Outcome
from rejudge.domain.verdict import Verdict
from rejudge.domain.view import View
from rejudge.scorers import Scorer, as_verdict, scored_values


def judged(scorer: Scorer, output: object, **parts: object) -> Verdict:
    """The verdict on a view with this output and these other parts."""
    view = View(output=output, **parts)  # type: ignore[arg-type]
    return as_verdict(scorer.judge(view), scorer.config)


def passes(scorer: Scorer, output: object, **parts: object) -> bool:
    """Whether the output passes; a reason is given where it does not, and only there."""
    verdict = judged(scorer, output, **parts)
    assert verdict.skip is None, verdict
    (found,) = scored_values(verdict, scorer.config)
    passed = found.outcome is Outcome.PASSED
    assert bool(verdict.reason) is not passed
    return passed
