"""What a store promises about reuse: every reused trace and score has a record that says where it came from."""

from __future__ import annotations

from rejudge.domain.case import HitRecord
from rejudge.storage.promises.scene import Scene, StoreTests, passed
from rejudge.storage.records import Batch, ScoreHit

UNITS = [(position, trial) for position in range(4) for trial in range(2)]


class HitPromises(StoreTests):
    """A hit names the kind of thing, its full key, the run that made it, its result's hash and the time."""

    def test_what_is_reused_is_recorded_with_all_five_fields(self, scene: Scene) -> None:
        trace = scene.made("r1", (0, 0))
        scene.commit(Batch(scores=[scene.score(trace.run, trace, passed())]))
        (made,) = scene.store.case("r1", "q0").scores
        (stored,) = scene.store.find_scores([trace.ref], [scene.scorer_refs["match"]])
        again = scene.run("r2")
        case = scene.case(again, (0, 0), trace=trace, completed_at=77.0)
        scene.commit(Batch(cases=[case], hits=[ScoreHit(again, stored.ref, 78.0)]))
        assert scene.store.hits("r2") == [
            HitRecord(
                object_type="model_output",
                key=trace.key,
                source_run="r1",
                result_hash=trace.digest,
                hit_at=77.0,
            ),
            HitRecord(
                object_type="judge_score",
                key=made.digest(),
                source_run="r1",
                result_hash=made.result_hash(),
                hit_at=78.0,
            ),
        ]

    def test_what_a_run_made_itself_is_no_hit(self, scene: Scene) -> None:
        trace = scene.made("r", (0, 0))
        scene.commit(Batch(scores=[scene.score(trace.run, trace, passed())]))
        assert scene.store.hits("r") == []

    def test_a_trace_that_lost_the_race_is_a_hit_on_the_one_that_won(self, scene: Scene) -> None:
        first, second = scene.run("r1"), scene.run("r2")
        (kept,) = scene.generate(first, scene.trace(first, (0, 0), output="first"))
        scene.generate(second, scene.trace(second, (0, 0), output="late"))
        assert [(hit.source_run, hit.result_hash) for hit in scene.store.hits("r2")] == [("r1", kept.digest)]

    def test_hits_are_read_page_by_page_each_once(self, scene: Scene) -> None:
        first, again = scene.run("r1"), scene.run("r2")
        traces = scene.generate(first, *(scene.trace(first, unit) for unit in UNITS))
        scores = [
            scene.score(first, trace, passed(name=name), scorer=name) for trace in traces for name in ("match", "tone")
        ]
        scene.commit(Batch(scores=scores))
        stored = scene.store.find_scores([trace.ref for trace in traces], [*scene.scorer_refs.values()])
        cases = [scene.case(again, unit, trace=trace) for unit, trace in zip(UNITS, traces, strict=True)]
        scene.commit(Batch(cases=cases, hits=[ScoreHit(again, score.ref, 5.0) for score in stored]))
        whole = scene.store.hits("r2")
        assert len(whole) == len({(hit.object_type, hit.key) for hit in whole}) == 24
        pages = [scene.store.hits("r2", start=start, count=5) for start in range(0, 30, 5)]
        assert [hit for page in pages for hit in page] == whole
        assert [len(page) for page in pages] == [5, 5, 5, 5, 4, 0]
