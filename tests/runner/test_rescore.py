"""Garbage is collected rarely while stored traces are judged, but only where no code of the user's is at work."""

from __future__ import annotations

import gc

import rejudge
from rejudge.front.inputs import ScorerLike
from rejudge.front.verbs import rescoring
from rejudge.runner.collecting import THRESHOLDS
from rejudge.storage.memory import MemoryStore

ROWS = [{"id": f"i{number}", "question": str(number)} for number in range(3000)]


def answer(question: str) -> str:
    """The task."""
    return question


def own(output: str) -> bool:
    """A scorer of the user's."""
    return bool(output)


def also_own(output: str) -> bool:
    """Another one."""
    return not output


def thresholds_while_judging(*scorers: ScorerLike) -> set[tuple[int, int, int]]:
    """How rarely garbage was collected while an experiment that `own` has judged was judged by these scorers."""
    store = MemoryStore()
    rejudge.evaluate(ROWS, answer, own, store=store, name="e")
    seen: set[tuple[int, int, int]] = set()
    rescoring("e", scorers, store=store).listen(lambda progress: seen.add(gc.get_threshold())).run()
    return seen


def test_garbage_is_collected_rarely_while_scorers_of_ours_judge() -> None:
    assert THRESHOLDS in thresholds_while_judging(rejudge.contains(substring="1"))


def test_garbage_is_collected_as_usual_while_a_function_of_the_user_judges() -> None:
    assert thresholds_while_judging(rejudge.contains(substring="1"), also_own) == {gc.get_threshold()}
