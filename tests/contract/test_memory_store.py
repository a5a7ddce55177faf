"""The in-memory store keeps the contract of every store, and is quick."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from time import perf_counter

import pytest

from rejudge.storage.contract import StoreContract
from rejudge.storage.memory import MemoryStore
from rejudge.storage.promises.scene import Scene, passed
from rejudge.storage.records import Batch
from rejudge.storage.store import Store


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> Iterator[Store]:
        with closing(MemoryStore()) as store:
            yield store


@pytest.mark.scale
def test_a_group_of_256_traces_with_512_scores_is_committed_in_milliseconds() -> None:
    with closing(MemoryStore()) as store:
        scene = Scene(store)
        run = scene.run("r")
        seconds = [seconds_of_a_group(scene, run, first_trial=64 * group) for group in range(20)]
    assert sorted(seconds)[10] < 0.005


def seconds_of_a_group(scene: Scene, run: int, *, first_trial: int) -> float:
    """How long the commits of a group take, without making its records."""
    units = [(place, trial) for place in range(4) for trial in range(first_trial, first_trial + 64)]
    batch = Batch(
        traces=[scene.trace(run, unit) for unit in units],
        cases=[scene.case(run, unit, fresh=index) for index, unit in enumerate(units)],
    )
    begun = perf_counter()
    committed = scene.commit(batch)
    spent = perf_counter() - begun
    scores = [scene.score(run, trace, passed(), scorer=name) for trace in committed.traces for name in scene.scorers]
    begun = perf_counter()
    scene.commit(Batch(scores=scores))
    return spent + perf_counter() - begun
