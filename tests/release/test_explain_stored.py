"""What is stored of judges is found once, of the right run, and looking for it writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from msgspec.structs import replace

import rejudge
from rejudge.front.explaining import Ahead
from rejudge.release.cells import Elsewhere, judged_run
from rejudge.release.explain import Explaining
from rejudge.release.scores import ScoresOf
from rejudge.scorers.function import function_scorer
from rejudge.scorers.scorer import Scorer
from rejudge.storage.records import TraceValueColumns
from rejudge.storage.store import Store
from rejudge.wiring import open_store
from tests.release.planted import BETTER, World, numbered

ROWS = [{"id": f"i{n}", "text": f"{n}"} for n in range(12)]


@pytest.fixture
def store() -> Store:
    return open_store("memory:")


def plain(text: str) -> str:
    return text


def loud(text: str) -> str:
    return f"{text}!"


class Counting:
    """A store that counts what it is asked."""

    def __init__(self, store: Store) -> None:
        self.asked: Counter[str] = Counter()
        self._store = store

    def __getattr__(self, name: str) -> object:
        self.asked[name] += 1
        return getattr(self._store, name)


def test_however_many_runs_there_are_they_are_listed_once_and_read_once_each(store: Store) -> None:
    world = World()
    first, second = world.run(store, "before"), world.run(store, "after", prompt=BETTER, judge="lenient")
    rejudge.explain(first, second, provider=world.provider, progress="silent")

    def asked() -> Counter[str]:
        counting = Counting(store)
        Explaining(cast("Store", counting), first.runs[0].run, second.runs[0].run).explained()
        return counting.asked

    alone = asked()
    for n in range(5):
        world.run(store, f"other {n}", items=numbered(range(3)))
    among_others = asked()
    assert alone["runs"] == among_others["runs"] == 1
    # Each run's own scores, and those of either judge of the other's traces.
    assert alone["trace_values"] == among_others["trace_values"] == 6


class Disagreeing(Counting):
    """A store in which each run says something else of every trace: when it was made."""

    def trace_values(self, run_id: str, *, scorers: Collection[bytes], name: str) -> TraceValueColumns:
        said = [run.id for run in self._store.runs()].index(run_id)
        found = self._store.trace_values(run_id, scorers=scorers, name=name)
        return replace(found, numbers=[float(said)] * len(found.positions))


def test_what_a_run_says_itself_counts_first_and_of_others_what_the_newest_says(store: Store) -> None:
    def grade(output: str) -> float:
        return len(output)

    def other(output: str) -> float:
        return len(output)

    judged = rejudge.evaluate(ROWS, plain, [other], store=store, name="judged").runs[0].run
    runs = [rejudge.evaluate(ROWS, plain, [grade], store=store, name=name).runs[0].run for name in "abc"]
    elsewhere = rejudge.evaluate(ROWS, loud, [grade], store=store, name="elsewhere").runs[0].run
    side = judged_run(store, ScoresOf(store, judged), "other", "other", np.arange(len(ROWS)))
    (judge,) = runs[0].scorers
    for besides, newest in ((runs[0], 1), (runs[1], 2), (elsewhere, 3)):
        found = Elsewhere(cast("Store", Disagreeing(store))).said(side, judge, "grade", besides=besides)
        assert {found[one.trace] for one in side.judgements} == {newest}


def test_the_reason_is_that_of_the_judge_that_failed_and_not_of_another(store: Store) -> None:
    def judge(name: str, breaks_at: str, more: int) -> Scorer:
        def judging(output: str) -> float:
            if output == breaks_at:
                raise ValueError(f"{name} is at a loss")
            return len(output) + more

        judging.__name__ = name
        judging.version = f"{breaks_at} {more}"  # type: ignore[attr-defined]
        return function_scorer(judging)

    old = [judge("early", "0!", 0), judge("late", "7!", 0)]
    new = [judge("early", "none", 1), judge("late", "none", 1)]
    first = rejudge.evaluate(ROWS, plain, old, store=store, name="before")
    second = rejudge.evaluate(ROWS, loud, new, store=store, name="after")
    found = rejudge.explain(first, second, scorers=[*old, *new], progress="silent")
    assert "early is at a loss" in found.score("early").first_judge
    assert "late is at a loss" in found.score("late").first_judge


def test_saying_what_would_be_judged_writes_nothing(tmp_path: Path) -> None:
    path, world = tmp_path / "store.db", World()
    store = open_store(path)
    first, second = world.run(store, "before"), world.run(store, "after", prompt=BETTER, judge="lenient")
    names = [first.runs[0].id, second.runs[0].id]
    store.close()
    before = written(tmp_path)
    reading = open_store(path)
    ahead = Ahead(*names, store=reading)
    assert sum(count for counts in ahead.judgements.values() for count in counts.values()) == 160
    assert len(ahead.words()) == 2
    reading.close()
    assert written(tmp_path) == before


def written(folder: Path) -> str:
    return sha256((folder / "store.db").read_bytes()).hexdigest()
