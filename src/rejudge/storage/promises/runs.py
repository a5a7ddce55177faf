"""What a store promises about runs: five moves, each written only if the old state still holds."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from rejudge.domain.errors import MoveRefused, NotFound, StoreError
from rejudge.domain.run import MOVES, RunState
from rejudge.storage.liveness import this_process
from rejudge.storage.promises.claims import another_process, enter
from rejudge.storage.promises.datasets import STRANGE
from rejudge.storage.promises.scene import Scene, StoreTests

CREATED, QUEUED, RUNNING = RunState.CREATED, RunState.QUEUED, RunState.RUNNING
ENDS = (RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED)
WAYS = [
    (CREATED,),
    (CREATED, QUEUED),
    (CREATED, QUEUED, RUNNING),
    *((CREATED, QUEUED, RUNNING, end) for end in ENDS),
]
"""To each state its way."""


class RunPromises(StoreTests):
    """A run is stored once, moves forward only, and changes hands only when its owner is dead."""

    def test_a_new_run_is_created_and_read_back_whole(self, scene: Scene) -> None:
        first = scene.new_run("r1")
        run = scene.new_run(
            "r2",
            scorers=tuple(scorer.digest() for scorer in reversed(scene.scorers.values())),
            added_later=(scene.scorers["tone"].digest(),),
            planned=17,
            resumed_from_run_id="r1",
        )
        assert scene.store.save_run(first, owner=scene.owner) != scene.store.save_run(run, owner=scene.owner)
        assert (scene.store.run("r1"), scene.store.run("r2")) == (first, run)
        assert run.state is CREATED

    def test_a_run_is_stored_once(self, scene: Scene) -> None:
        scene.run("r")
        with pytest.raises(StoreError):
            scene.run("r", planned=1)
        assert scene.store.run("r").planned == 8

    @pytest.mark.parametrize("way", WAYS[3:])
    def test_a_run_goes_its_way_with_the_times_and_the_reason(self, scene: Scene, way: tuple[RunState, ...]) -> None:
        scene.run("r")
        for at, (old, new) in enumerate(pairwise(way)):
            assert scene.store.run("r").state is old
            scene.store.move_run("r", old=old, new=new, at=float(at), reason="done" if new.terminal else None)
            assert (scene.store.run("r").ended_at is not None) == new.terminal
        run = scene.store.run("r")
        assert (run.state, run.started_at, run.ended_at, run.reason) == (way[-1], 1.0, 2.0, "done")

    @pytest.mark.parametrize("way", WAYS)
    def test_every_other_move_is_refused_and_changes_nothing(self, scene: Scene, way: tuple[RunState, ...]) -> None:
        scene.run("r")
        scene.move("r", *way)
        before = scene.store.run("r")
        assert before.state is way[-1]
        for old, new in product(RunState, RunState):
            if (old, new) not in MOVES or old is not before.state:
                with pytest.raises(MoveRefused):
                    scene.store.move_run("r", old=old, new=new, at=99.0, reason="no")
        assert scene.store.run("r") == before

    def test_of_two_who_move_a_run_only_one_succeeds(self, scene: Scene) -> None:
        scene.run("r")
        scene.move("r", CREATED, QUEUED, RUNNING, RunState.CANCELLED)
        with pytest.raises(MoveRefused, match="cancelled"):
            scene.move("r", RUNNING, RunState.COMPLETED)
        assert scene.store.run("r").state is RunState.CANCELLED

    def test_a_run_that_is_not_there_cannot_be_moved_or_adopted(self, scene: Scene) -> None:
        with pytest.raises(NotFound):
            scene.move("r", CREATED, QUEUED)
        with pytest.raises(NotFound):
            scene.store.adopt_run("r", owner=scene.owner)

    def test_a_run_whose_owner_died_is_taken_over_once(self, scene: Scene) -> None:
        with another_process() as owner:
            theirs = enter(scene.store, owner)
            ref = scene.store.save_run(scene.new_run("r"), owner=theirs)
            scene.move("r", CREATED, QUEUED, RUNNING)
            assert scene.store.adopt_run("r", owner=scene.owner) is None
        assert scene.store.adopt_run("r", owner=scene.owner) == ref
        assert scene.store.run("r").state is RUNNING
        assert scene.store.adopt_run("r", owner=enter(scene.store, this_process())) is None

    def test_a_run_whose_owner_left_is_taken_over(self, scene: Scene) -> None:
        ref = scene.run("r")
        scene.move("r", CREATED, QUEUED, RUNNING)
        other = enter(scene.store, this_process())
        assert scene.store.adopt_run("r", owner=other) is None
        scene.store.leave(scene.owner)
        assert scene.store.adopt_run("r", owner=other) == ref

    @pytest.mark.parametrize("way", WAYS[:2])
    def test_a_run_that_had_not_begun_is_taken_over_too(self, scene: Scene, way: tuple[RunState, ...]) -> None:
        ref = scene.run("r")
        scene.move("r", *way)
        scene.store.leave(scene.owner)
        other = enter(scene.store, this_process())
        assert scene.store.adopt_run("r", owner=other) == ref
        assert scene.store.run("r").state is way[-1]

    @pytest.mark.parametrize("way", WAYS[3:])
    def test_a_run_that_has_ended_is_not_taken_over(self, scene: Scene, way: tuple[RunState, ...]) -> None:
        scene.run("r")
        scene.move("r", *way)
        scene.store.leave(scene.owner)
        other = enter(scene.store, this_process())
        assert scene.store.adopt_run("r", owner=other) is None

    def test_any_text_can_be_a_reason(self, scene: Scene) -> None:
        for place, text in enumerate(STRANGE):
            scene.run(f"r{place}")
            scene.move(f"r{place}", CREATED, QUEUED, RUNNING)
            scene.store.move_run(f"r{place}", old=RUNNING, new=RunState.FAILED, at=2.0, reason=text)
        assert [run.reason for run in scene.store.runs()] == STRANGE
