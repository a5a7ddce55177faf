"""What a store promises about judgements without what they are about: the same that cases say, read at once."""

from __future__ import annotations

import pytest

from rejudge.domain.case import ExecutionErrorType, ExecutionStatus
from rejudge.domain.errors import NotFound
from rejudge.domain.judged_trace import JudgedTrace, Judgement
from rejudge.domain.score import ScoreStatus, ScoreValue
from rejudge.storage.promises.datasets import STRANGE
from rejudge.storage.promises.scene import Scene, StoreTests, failed, passed
from rejudge.storage.records import Batch, ScoreHit

FIRST, SECOND, THIRD = (0, 0), (0, 1), (1, 0)
OTHERWISE = b"\7" * 32


def said(scene: Scene, run_id: str, *names: str) -> list[dict[str, Judgement]]:
    """What these scorers said of each trace of a run, by name."""
    named = {scene.scorers[name].digest(): name for name in names}
    found = scene.store.judged(run_id, scorers=list(named))
    return [{named[scorer]: judgement for scorer, judgement in one.said.items()} for one in found]


class JudgedPromises(StoreTests):
    """What counts of the judgements of a run's traces is read for the whole run at once."""

    def test_every_trace_of_a_run_comes_with_what_the_named_scorers_said(self, scene: Scene) -> None:
        run = scene.run("r")
        third, second, first = scene.generate(run, *(scene.trace(run, unit) for unit in (THIRD, SECOND, FIRST)))
        broken = scene.case(
            run, (2, 0), status=ExecutionStatus.ERROR, error_type=ExecutionErrorType.TIMEOUT, message="too slow"
        )
        values = (ScoreValue(name="zulu", label=STRANGE[0]), ScoreValue(name="alpha", number=0.1 + 0.2), passed())
        scores = [
            scene.score(run, first, *values, reason=STRANGE[0]),
            scene.skip(run, second, cause="missing_reference_key"),
            scene.error(run, second, scorer="tone"),
        ]
        scene.commit(Batch(cases=[broken], scores=scores))
        match, tone = (scene.scorers[name].digest() for name in ("match", "tone"))
        assert scene.store.judged("r", scorers=[match, tone]) == [
            JudgedTrace(
                trace=first.digest,
                item_id="q0",
                trial=0,
                said={match: Judgement(ScoreStatus.SCORED, values, STRANGE[0])},
            ),
            JudgedTrace(
                trace=second.digest,
                item_id="q0",
                trial=1,
                said={
                    match: Judgement(ScoreStatus.SKIPPED, (), "no data"),
                    tone: Judgement(ScoreStatus.ERROR, (), "broken"),
                },
            ),
            JudgedTrace(trace=third.digest, item_id="q1", trial=0, said={}),
        ]
        assert said(scene, "r", "tone") == [{}, {"tone": Judgement(ScoreStatus.ERROR, (), "broken")}, {}]
        assert said(scene, "r") == [{}, {}, {}]

    def test_the_first_draw_and_the_last_attempt_count(self, scene: Scene) -> None:
        run = scene.run("r")
        (trace,) = scene.generate(run, scene.trace(run, FIRST))
        scene.commit(Batch(scores=[scene.score(run, trace, failed(), draw=1), scene.error(run, trace)]))
        assert said(scene, "r", "match")[0]["match"].status is ScoreStatus.ERROR
        scene.commit(Batch(scores=[scene.score(run, trace, passed(), attempt=1)]))
        assert said(scene, "r", "match")[0]["match"].values == (passed(),)

    def test_what_a_run_reuses_counts_and_what_another_run_said_does_not(self, scene: Scene) -> None:
        trace = scene.made("a", FIRST)
        scene.commit(Batch(scores=[scene.score(trace.run, trace, passed())]))
        again = scene.run("b")
        scene.commit(Batch(cases=[scene.case(again, FIRST, trace=trace)]))
        assert said(scene, "b", "match") == [{}]
        (ref,) = scene.store.find_scores([trace.ref], [scene.scorer_refs["match"]])
        scene.commit(Batch(hits=[ScoreHit(again, ref.ref, scene.now())]))
        scene.commit(Batch(scores=[scene.score(again, trace, failed(name="tone"), scorer="tone")]))
        assert [name for one in said(scene, "b", "match", "tone") for name in sorted(one)] == ["match", "tone"]
        assert said(scene, "a", "match", "tone") == [{"match": Judgement(ScoreStatus.SCORED, (passed(),), "")}]

    def test_what_was_said_of_several_traces_together_is_left_out(self, scene: Scene) -> None:
        run = scene.run("r")
        one, other = scene.generate(run, scene.trace(run, FIRST), scene.trace(run, SECOND))
        scene.commit(Batch(scores=[scene.score(run, one, passed(), rest=other.digest + OTHERWISE)]))
        assert said(scene, "r", "match") == [{}, {}]

    def test_a_run_that_is_not_there_is_refused(self, scene: Scene) -> None:
        with pytest.raises(NotFound):
            scene.store.judged("nowhere", scorers=[])
