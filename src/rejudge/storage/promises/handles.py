"""What a store promises about threads, about a second handle on its data, and about closing."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

import pytest

from rejudge.domain.errors import StoreError
from rejudge.domain.run import RunState
from rejudge.storage.liveness import this_process
from rejudge.storage.promises.scene import LEASE, Reopen, Scene, StoreTests, new_item, passed, write
from rejudge.storage.records import Batch
from rejudge.storage.store import Store

THREADS = 8
KEYS = 400


def at_once(work: Callable[[int], list[bytes]]) -> list[list[bytes]]:
    """What `work` returns in each of several threads that begin together."""
    start = Barrier(THREADS)

    def begin(number: int) -> list[bytes]:
        start.wait()
        return work(number)

    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that what can go wrong does
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            return list(pool.map(begin, range(THREADS)))
    finally:
        sys.setswitchinterval(usual)


class HandlePromises(StoreTests):
    """A store is used by many threads; where its data outlives the handle, others see it and nothing is lost."""

    @pytest.mark.parametrize("owners", [1, THREADS])
    def test_of_many_threads_that_want_the_same_keys_each_key_goes_to_one(self, scene: Scene, owners: int) -> None:
        keys = [number.to_bytes(32, "big") for number in range(KEYS)]
        refs = [scene.store.enter(this_process(), lease_seconds=LEASE) for _ in range(owners)]

        def claim(number: int) -> list[bytes]:
            turned = keys[number * 50 :] + keys[: number * 50]
            granted: list[bytes] = []
            for start in range(0, KEYS, 40):
                batch = Batch(claims=turned[start : start + 60])
                granted += scene.store.commit(batch, owner=refs[number % owners]).granted
            return granted

        counted = Counter(key for granted in at_once(claim) for key in granted)
        assert counted == dict.fromkeys(keys, 1)

    def test_of_many_threads_that_store_the_same_traces_one_wins_and_all_learn_which(self, scene: Scene) -> None:
        units = [(place, trial) for place in range(4) for trial in range(40)]
        runs = [scene.run(f"r{number}") for number in range(THREADS)]
        traces = [[scene.trace(run, unit, output=run) for unit in units] for run in runs]

        def commit(number: int) -> list[bytes]:
            won: list[bytes] = []
            for start in range(0, len(units), 8):
                committed = scene.commit(Batch(traces=traces[number][start : start + 8]))
                found = scene.store.find_traces([trace.key for trace in committed.traces])
                assert [found[trace.key] for trace in committed.traces] == list(committed.traces)
                won += [ref.key for place, ref in enumerate(committed.traces) if place not in committed.lost]
            return won

        won = Counter(key for keys in at_once(commit) for key in keys)
        assert won == dict.fromkeys([scene.key(unit) for unit in units], 1)

    def test_a_reader_never_sees_half_a_batch(self, scene: Scene) -> None:
        runs = [scene.run(f"r{number}") for number in range(THREADS)]
        batches: list[Iterator[Batch]] = [
            iter(
                [
                    Batch(
                        traces=[scene.trace(run, (place, trial)) for place in range(4)],
                        cases=[scene.case(run, (place, trial), fresh=place) for place in range(4)],
                    )
                    for trial in range(number * 5, number * 5 + 5)
                ]
            )
            for number, run in enumerate(runs)
        ]

        def work(number: int) -> list[bytes]:
            for batch in batches[number]:
                scene.commit(batch)
                seen = scene.store.executed(f"r{(number + 1) % THREADS}")
                assert len(seen) % 4 == 0
            return []

        at_once(work)
        assert [len(scene.store.executed(f"r{number}")) for number in range(THREADS)] == [20] * THREADS

    def test_a_closed_store_refuses_everything(self, scene: Scene) -> None:
        scene.run("r")
        store, draft = scene.store, scene.store.draft("d")
        store.close()
        store.close()
        refused: list[Callable[[], object]] = [
            store.experiments,
            store.versions,
            lambda: store.draft("d"),
            lambda: draft.commit(fields=[]),
            lambda: store.run("r"),
            lambda: store.counts("r"),
            lambda: store.usage("r"),
            lambda: store.find_traces([b"\0" * 32]),
            lambda: store.commit(Batch(claims=[b"\0" * 32]), owner=scene.owner),
            lambda: store.enter(this_process(), lease_seconds=LEASE),
            lambda: store.move_run("r", old=RunState.CREATED, new=RunState.QUEUED, at=1.0),
        ]
        for call in refused:
            with pytest.raises(StoreError, match="closed"):
                call()

    def test_everything_committed_is_there_when_the_store_is_opened_again(self, scene: Scene, reopen: Reopen) -> None:
        run = scene.run("r")
        scene.move("r", RunState.CREATED, RunState.QUEUED, RunState.RUNNING)
        (trace,) = scene.generate(run, scene.trace(run, (0, 0), usage=(1, 2, 0.5)))
        scene.commit(Batch(scores=[scene.score(run, trace, passed())], claims=[scene.key((1, 0))]))
        before = self._everything(scene.store)
        row, loaded = scene.store.case("r", "q0"), scene.store.load_traces([trace.ref])
        scene.store.close()
        with closing(reopen()) as again:
            assert self._everything(again) == before
            assert again.case("r", "q0") == row
            assert again.load_traces([trace.ref]) == loaded
            assert again.find_traces([trace.key]) == {trace.key: trace}
            other = again.enter(this_process(), lease_seconds=LEASE)
            assert again.commit(Batch(claims=[scene.key((1, 0))]), owner=other).granted == frozenset()

    def test_two_handles_see_each_others_commits(self, scene: Scene, reopen: Reopen) -> None:
        with closing(reopen()) as other:
            trace = scene.made("r", (0, 0))
            assert other.find_traces([trace.key]) == {trace.key: trace}
            assert other.executed("r") == {(0, 0)}
            write(other, "other", [new_item("a", n=1)])
            assert scene.store.version("other").count == 1
            other.move_run("r", old=RunState.CREATED, new=RunState.QUEUED, at=1.0)
            assert scene.store.run("r").state is RunState.QUEUED

    def test_two_handles_never_hold_the_same_claim(self, scene: Scene, reopen: Reopen) -> None:
        with closing(reopen()) as other:
            theirs = other.enter(this_process(), lease_seconds=LEASE)
            scene.claim((0, 0))
            wanted = Batch(claims=[scene.key((0, 0)), scene.key((1, 0))])
            assert other.commit(wanted, owner=theirs).granted == {scene.key((1, 0))}
            assert scene.claim((1, 0)) == frozenset()
            other.leave(theirs)
            assert scene.claim((1, 0)) == {scene.key((1, 0))}

    def test_of_two_handles_the_first_trace_stays(self, scene: Scene, reopen: Reopen) -> None:
        with closing(reopen()) as other:
            run = scene.run("r")
            trace = scene.made("r1", (0, 0))
            late = other.commit(Batch(traces=[scene.trace(run, (0, 0), output="late")]), owner=scene.owner)
            assert late.lost == {0}
            assert late.traces == (trace,)

    def test_of_drafts_on_two_handles_the_second_conflicts(self, scene: Scene, reopen: Reopen) -> None:
        with closing(reopen()) as other:
            mine, theirs = (store.draft("d", parent=0) for store in (scene.store, other))
            mine.add([new_item("a", n=1)])
            theirs.add([new_item("b", n=2)])
            version = theirs.commit(fields=["n"])
            with pytest.raises(StoreError):
                mine.commit(fields=["n"])
            assert scene.store.versions("d") == other.versions("d") == [version]

    def _everything(self, store: Store) -> list[object]:
        runs = store.runs()
        return [
            store.experiments(),
            runs,
            store.versions(),
            [store.items(version.id, start=0, count=99) for version in store.versions()],
            [(store.counts(run.id), store.usage(run.id)) for run in runs],
            [store.run_config(run.run_config) for run in runs],
            [store.scorer(scorer) for run in runs for scorer in run.scorers],
        ]
