"""What a store promises about traces that are gone and about the newest trace of a unit."""

from __future__ import annotations

import msgspec

from rejudge.domain.case import ExecutionStatus
from rejudge.domain.run_config import RunConfig
from rejudge.domain.trace import TraceKey
from rejudge.storage.promises.scene import Scene, StoreTests, passed
from rejudge.storage.records import Batch, UnitTrace

UNIT, OTHER, LAST = (0, 0), (1, 0), (2, 1)

CHANGING = ("change", "clear", "delete", "edit", "overwrite", "remove", "replace", "truncate", "update")


class DroppedPromises(StoreTests):
    """A dropped trace frees its key and stays on record; a stored trace or score is never changed."""

    def test_a_dropped_trace_is_filed_under_no_key_and_keeps_its_record(self, scene: Scene) -> None:
        trace = scene.made("r", UNIT)
        scene.commit(Batch(dropped=[trace.ref]))
        assert scene.store.find_traces([trace.key]) == {}
        assert scene.store.load_traces([trace.ref])[trace.ref].digest() == trace.digest

    def test_the_unit_of_a_dropped_trace_can_be_generated_again(self, scene: Scene) -> None:
        old = scene.made("r1", UNIT)
        scene.commit(Batch(dropped=[old.ref]))
        again = scene.run("r2")
        (new,) = scene.generate(again, scene.trace(again, UNIT, output="again"))
        assert new.ref != old.ref
        assert scene.store.find_traces([old.key]) == {old.key: new}
        assert set(scene.store.load_traces([old.ref, new.ref])) == {old.ref, new.ref}

    def test_the_same_output_can_be_generated_again(self, scene: Scene) -> None:
        old = scene.made("r1", UNIT)
        scene.commit(Batch(dropped=[old.ref]))
        new = scene.made("r2", UNIT)
        assert (new.digest, new.key) == (old.digest, old.key)
        assert new.ref != old.ref
        assert scene.store.case("r2", "q0").case.reused is False

    def test_dropping_a_trace_twice_does_not_drop_its_successor(self, scene: Scene) -> None:
        old = scene.made("r1", UNIT)
        scene.commit(Batch(dropped=[old.ref]))
        new = scene.made("r2", UNIT)
        scene.commit(Batch(dropped=[old.ref]))
        assert scene.store.find_traces([old.key]) == {old.key: new}

    def test_scores_of_a_dropped_trace_stay_readable_and_count_in_their_run(self, scene: Scene) -> None:
        old = scene.made("r1", UNIT)
        scene.commit(Batch(scores=[scene.score(old.run, old, passed())]))
        before = scene.store.counts("r1"), scene.store.usage("r1")
        scene.commit(Batch(dropped=[old.ref]))
        assert (scene.store.counts("r1"), scene.store.usage("r1")) == before
        (score,) = scene.store.case("r1", "q0").scores
        assert score.subject == (old.digest,)

    def test_the_score_of_the_current_trace_counts_once_a_unit_was_generated_again(self, scene: Scene) -> None:
        old = scene.made("r1", UNIT)
        scene.commit(Batch(scores=[scene.score(old.run, old, passed())]))
        scene.commit(Batch(dropped=[old.ref]))
        again = scene.run("r2")
        (new,) = scene.generate(again, scene.trace(again, UNIT, output="again"))
        scene.commit(Batch(scores=[scene.score(again, new, passed())]))
        row = scene.store.case("r2", "q0")
        assert (row.case.trace, [score.subject for score in row.scores]) == (new.digest, [(new.digest,)])
        assert scene.store.counts("r2").scores[0].scored == 1

    def test_the_newest_trace_of_each_unit_is_found_over_all_runs_of_an_experiment(self, scene: Scene) -> None:
        first = scene.run("r1")
        kept, dropped = scene.generate(first, scene.trace(first, UNIT), scene.trace(first, OTHER))
        scene.commit(Batch(dropped=[dropped.ref]))
        second = scene.run("r2")
        again, late = scene.generate(
            second, scene.trace(second, OTHER, output="again"), scene.trace(second, LAST, output="late")
        )
        scene.commit(Batch(cases=[scene.case(second, UNIT, trace=kept)]))
        latest = self._latest(scene, start=0, count=4)
        assert latest == [UnitTrace(0, 0, kept), UnitTrace(1, 0, again), UnitTrace(2, 1, late)]
        assert self._latest(scene, start=1, count=1) == [UnitTrace(1, 0, again)]
        assert self._latest(scene, start=3, count=9) == []

    def test_an_older_trace_that_a_newer_run_took_up_again_is_the_one_that_counts(self, scene: Scene) -> None:
        first, second, third = scene.run("r1"), scene.run("r2"), scene.run("r3")
        (old,) = scene.generate(first, scene.trace(first, UNIT))
        key = TraceKey(item_id="q0", given=b"\1" * 32, run_config=scene.config.digest(), trial=0).digest()
        scene.generate(second, msgspec.structs.replace(scene.trace(second, UNIT, output="between"), key=key))
        scene.commit(Batch(cases=[scene.case(third, UNIT, trace=old)]))
        assert self._latest(scene, start=0, count=4) == [UnitTrace(0, 0, old)]

    def test_the_newest_traces_are_those_of_one_experiment_and_run_config(self, scene: Scene) -> None:
        config = RunConfig(name="other task", kind="function", settings={"digest": "u"})
        config_ref = scene.store.save_run_config(config)
        successor = scene.store.save_experiment(scene.wish("experiment", trials=3))
        elsewhere = scene.run("elsewhere", experiment=successor.id)
        other = scene.run("other", run_config=config.digest())
        key = TraceKey(item_id="q0", given=b"\0" * 32, run_config=config.digest(), trial=0).digest()
        trace = msgspec.structs.replace(scene.trace(other, UNIT), key=key, run_config=config_ref)
        scene.generate(other, trace)
        scene.generate(elsewhere, scene.trace(elsewhere, OTHER))
        run = scene.run("r")
        (mine,) = scene.generate(run, scene.trace(run, LAST))
        assert self._latest(scene, start=0, count=4) == [UnitTrace(2, 1, mine)]

    def test_a_case_without_a_trace_has_no_newest_trace(self, scene: Scene) -> None:
        run = scene.run("r")
        scene.commit(Batch(cases=[scene.case(run, UNIT, status=ExecutionStatus.SKIPPED, message="no")]))
        assert self._latest(scene, start=0, count=4) == []

    def test_no_method_changes_a_stored_trace_or_score(self, scene: Scene) -> None:
        public = [name for name in dir(scene.store) if not name.startswith("_")]
        assert public
        assert not [name for name in public if name.split("_")[0] in CHANGING]

    def _latest(self, scene: Scene, *, start: int, count: int) -> list[UnitTrace]:
        return scene.store.latest_traces(scene.experiment.id, scene.config.digest(), start=start, count=count)
