"""The garbage collector is as it was when the last evaluation has ended."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

import rejudge
from rejudge.domain.verdict import Verdict
from rejudge.domain.view import View
from rejudge.runner.collecting import THRESHOLDS, rare_collection


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_collection_is_rare_until_the_last_evaluation_has_ended() -> None:
    gc.set_threshold(700, 10, 10)
    first, second = rare_collection(), rare_collection()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() == THRESHOLDS
    second.__exit__(None, None, None)
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("own", [(0, 10, 10), (100_000, 10, 10)])
def test_a_program_that_collects_rarely_or_never_is_left_alone(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    with rare_collection():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_an_evaluation_collects_rarely_while_it_judges_and_as_usual_while_the_task_runs() -> None:
    gc.set_threshold(700, 10, 10)
    while_judging, while_running = set(), set()
    scorer = rejudge.contains(substring="1")

    class Watched:
        """A scorer of ours that tells how rarely garbage is collected while it judges."""

        config, way, needs, demands = scorer.config, scorer.way, scorer.needs, scorer.demands

        def judge(self, view: View) -> object:
            while_judging.add(gc.get_threshold())
            return Verdict(values={"contains": 1.0})

    async def task(question: str) -> str:
        while_running.add(gc.get_threshold())
        return question

    rejudge.evaluate([{"question": str(number)} for number in range(200)], task, Watched(), store="memory:")
    assert (while_judging, while_running) == ({THRESHOLDS}, {(700, 10, 10)})
