"""Takes a scorer to its verdict; one that asks models gets replies from a list."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from rejudge.domain.call import Answered, Call, ModelCall, Reply
from rejudge.domain.verdict import Verdict
from rejudge.domain.view import View
from rejudge.scorers import Scorer, as_verdict
from rejudge.scorers.pairwise import PairwiseScorer


def judged(
    scorer: Scorer, view: View, replies: Sequence[str | Answered] = (), *, other: View | None = None
) -> tuple[Verdict, list[ModelCall]]:
    """The verdict of a scorer and the calls that it made; each call takes the next of the replies."""
    answer = scorer.compare(view, other) if isinstance(scorer, PairwiseScorer) else scorer.judge(view)
    if not isinstance(answer, Generator):
        return as_verdict(answer, scorer.config), []
    waiting = list(replies)
    calls: list[ModelCall] = []
    sent: object = None
    while True:
        try:
            asked = answer.send(sent)
        except StopIteration as end:
            assert not waiting, "not all replies were asked for"
            return as_verdict(end.value, scorer.config), calls
        several = asked if isinstance(asked, list) else [asked]
        calls += several
        given = [_reply(waiting.pop(0), call) for call in several]
        sent = given if isinstance(asked, list) else given[0]


def _reply(said: str | Answered, call: Call) -> Answered:
    if not isinstance(said, str):
        return said
    assert isinstance(call, ModelCall)
    return Reply(text=said, model=f"{call.model}-2024")
