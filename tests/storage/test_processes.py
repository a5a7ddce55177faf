"""Several processes on one file, some of them killed."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from rejudge.storage.records import EvaluationMade
from rejudge.storage.sqlite import open_sqlite
from tests.storage.children import (
    BATCH,
    RUN,
    child,
    commit_until_killed,
    file_and_claim,
    new_store,
    open_at_once,
    open_in_step,
)


def _sent(pipe: Connection) -> Iterator[int]:
    """What a killed child had sent before."""
    with suppress(EOFError):
        while True:
            yield pipe.recv()


@pytest.mark.crash
def test_whatever_was_acknowledged_before_a_kill_is_there_and_nothing_is_half(tmp_path: Path) -> None:
    path, chance, acknowledged = tmp_path / "store.db", random.Random(7), 0
    new_store(path)
    for _ in range(20):
        with child(commit_until_killed, path) as (process, pipe):
            for _ in range(chance.randint(1, 6)):
                acknowledged = pipe.recv()
            process.kill()
            process.join()
            acknowledged = max([acknowledged, *_sent(pipe)])
        with closing(open_sqlite(path)) as store:
            cases = store.executed(RUN)
            assert cases == {(position, 0) for position in range(len(cases))}
            assert len(cases) in {acknowledged, acknowledged + BATCH}
            assert len(store.listed_traces(evaluation_made=EvaluationMade.INCLUDED)) == len(cases)
            counts = store.counts(RUN)
            assert counts.scores[0].scored % BATCH == 0
            assert sum(moments.values for moments in counts.moments) == counts.scores[0].scored


def test_two_processes_share_keys_and_claims_without_taking_one_twice(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    new_store(path)
    filed, claimed = ([os.urandom(32) for _ in range(40)] for _ in range(2))
    with ExitStack() as stack:
        pipes = [stack.enter_context(child(file_and_claim, path))[1] for _ in range(2)]
        assert [pipe.recv() for pipe in pipes] == ["ready", "ready"]
        pipes[0].send((filed, claimed))
        pipes[1].send((filed[::-1], claimed[::-1]))
        (lost, granted), (also_lost, also_granted) = (pipe.recv() for pipe in pipes)
        assert lost + also_lost == len(filed)
        assert granted | also_granted == set(claimed)
        assert not granted & also_granted
        with closing(open_sqlite(path)) as store:
            assert store.find_traces(filed).keys() == set(filed)


@pytest.mark.slow
def test_many_new_stores_that_processes_open_at_once_are_all_found(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.db" for number in range(60)]
    with ExitStack() as stack:
        pipes = [stack.enter_context(child(open_in_step, tmp_path))[1] for _ in range(6)]
        for path in paths:
            for pipe in pipes:
                pipe.send(path)
            assert [pipe.recv() for pipe in pipes] == [""] * 6


def test_processes_that_open_a_new_store_at_once_all_find_it(tmp_path: Path) -> None:
    with ExitStack() as stack:
        pipes = [stack.enter_context(child(open_at_once, tmp_path / "store.db"))[1] for _ in range(4)]
        assert [pipe.recv() for pipe in pipes] == ["ready"] * 4
        for pipe in pipes:
            pipe.send("go")
        assert [pipe.recv() for pipe in pipes] == [[]] * 4
