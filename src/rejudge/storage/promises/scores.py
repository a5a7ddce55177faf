"""What a store promises about scores: append-only, each judgement once, read back to the last bit."""

from __future__ import annotations

from rejudge.domain.call import CallRecord, ModelCall, Reply
from rejudge.domain.payload import encode
from rejudge.domain.scale import Outcome
from rejudge.domain.score import ScoreStatus, ScoreValue
from rejudge.domain.usage import Usage
from rejudge.storage.promises.datasets import STRANGE
from rejudge.storage.promises.scene import SEEN, Scene, StoreTests, failed, passed
from rejudge.storage.records import Batch, ScoreHit, ScoreRef, TraceRef

UNIT, OTHER, LAST = (0, 0), (1, 0), (2, 1)
OTHERWISE = b"\7" * 32


def found(scene: Scene, *traces: TraceRef, scorers: tuple[str, ...] = ("match", "tone")) -> list[ScoreRef]:
    """The stored scores of these traces, in the order of their refs."""
    refs = [scene.scorer_refs[name] for name in scorers]
    return sorted(scene.store.find_scores([trace.ref for trace in traces], refs), key=lambda score: score.ref)


class ScorePromises(StoreTests):
    """A score is found by its trace and scorer, and is never written twice."""

    def test_scores_are_found_by_trace_and_scorer(self, scene: Scene) -> None:
        run = scene.run("r")
        one, other = scene.generate(run, scene.trace(run, UNIT), scene.trace(run, OTHER))
        scores = [
            scene.score(run, one, passed()),
            scene.error(run, one, scorer="tone"),
            scene.skip(run, other, cause="missing_reference_key"),
        ]
        scene.commit(Batch(scores=scores))
        stored = found(scene, one, other)
        assert [(score.trace, score.scorer, score.status, score.run, score.seen) for score in stored] == [
            (new.trace, new.scorer, new.status, run, SEEN) for new in scores
        ]
        assert [score.trace for score in found(scene, one, other, scorers=("match",))] == [one.ref, other.ref]
        assert [score.scorer for score in found(scene, one)] == [score.scorer for score in scores[:2]]
        assert scene.store.find_scores([], [1]) == scene.store.find_scores([one.ref], []) == []

    def test_every_attempt_is_found(self, scene: Scene) -> None:
        trace = scene.made("r", UNIT)
        scene.commit(Batch(scores=[scene.error(trace.run, trace)]))
        scene.commit(Batch(scores=[scene.score(trace.run, trace, passed(), attempt=1)]))
        assert [(score.attempt, score.status) for score in found(scene, trace)] == [
            (0, ScoreStatus.ERROR),
            (1, ScoreStatus.SCORED),
        ]

    def test_another_draw_attempt_reference_or_partner_is_another_score(self, scene: Scene) -> None:
        trace = scene.made("r", UNIT)
        scores = [
            scene.score(trace.run, trace, passed()),
            scene.score(trace.run, trace, passed(), draw=1),
            scene.score(trace.run, trace, passed(), attempt=1),
            scene.score(trace.run, trace, passed(), seen=OTHERWISE),
            scene.score(trace.run, trace, passed(), rest=OTHERWISE),
            scene.score(trace.run, trace, passed(), scorer="tone"),
        ]
        scene.commit(Batch(scores=scores + scores))
        assert len(found(scene, trace)) == 6

    def test_a_score_that_is_stored_already_becomes_a_hit_of_the_run(self, scene: Scene) -> None:
        trace = scene.made("r1", UNIT)
        scene.commit(Batch(scores=[scene.score(trace.run, trace, passed())]))
        again = scene.run("r2")
        late = scene.score(again, trace, failed(), reason="another opinion")
        scene.commit(Batch(cases=[scene.case(again, UNIT, trace=trace)], scores=[late]))
        (stored,) = found(scene, trace)
        assert stored.run == trace.run
        (score,) = scene.store.case("r2", "q0").scores
        assert (score.values, score.reason) == ((passed(),), "")
        hits = [hit for hit in scene.store.hits("r2") if hit.object_type == "judge_score"]
        assert [(hit.source_run, hit.key, hit.hit_at) for hit in hits] == [("r1", score.digest(), late.at)]

    def test_what_a_judgement_spent_that_came_too_late_counts_in_the_run_that_paid_for_it(self, scene: Scene) -> None:
        trace = scene.made("r1", UNIT)
        scene.commit(Batch(scores=[scene.score(trace.run, trace, passed(), usage=(7, 1, 0.25))]))
        again = scene.run("r2")
        call = encode({"calls": [CallRecord(call=ModelCall(model="m", messages=[]), reply=Reply(text=""), seconds=1)]})
        seen = encode({"evidence": {"quote": "seen"}})
        scene.commit(
            Batch(
                scores=[
                    scene.score(again, trace, failed(), usage=(5, None, 0.5)),
                    scene.score(again, trace, failed(), detail=call),
                    scene.score(again, trace, failed(), detail=seen),
                ]
            )
        )
        for run, made, *spent in (("r1", 1, 0.25, 1, 7, 1), ("r2", 2, 0.5, 1, 5, None)):
            counts = scene.store.counts(run).scores[0]
            assert (counts.made, counts.scored) == (made, 1)
            assert [counts.cost, counts.known_costs, counts.input_tokens, counts.output_tokens] == spent
        (score,) = scene.store.case("r1", "q0").scores
        assert score.values == (passed(),)

    def test_a_score_that_its_own_run_writes_again_counts_once(self, scene: Scene) -> None:
        trace = scene.made("r", UNIT)
        scene.commit(Batch(scores=[scene.score(trace.run, trace, passed())]))
        scene.commit(Batch(scores=[scene.score(trace.run, trace, failed())]))
        (score,) = scene.store.case("r", "q0").scores
        assert score.values == (passed(),)
        assert scene.store.counts("r").scores[0].scored == 1
        assert scene.store.hits("r") == []

    def test_a_hit_is_recorded_once_with_its_first_time(self, scene: Scene) -> None:
        trace = scene.made("r1", UNIT)
        scene.commit(Batch(scores=[scene.score(trace.run, trace, passed())]))
        (score,) = found(scene, trace)
        again = scene.run("r2")
        scene.commit(Batch(hits=[ScoreHit(again, score.ref, 5.0)]))
        scene.commit(Batch(hits=[ScoreHit(again, score.ref, 6.0)]))
        assert [hit.hit_at for hit in scene.store.hits("r2")] == [5.0]

    def test_values_are_read_back_in_their_order_and_to_the_last_bit(self, scene: Scene) -> None:
        trace = scene.made("r", UNIT)
        values = (
            ScoreValue(name="zulu", number=0.1 + 0.2),
            ScoreValue(name="alpha", number=5e-324, outcome=Outcome.NEEDS_HUMAN_REVIEW),
            ScoreValue(name="mike", label="warm", outcome=Outcome.FAILED),
            ScoreValue(name="größe", number=-1e308),
            ScoreValue(name="echo", label=""),
        )
        scene.commit(Batch(scores=[scene.score(trace.run, trace, *values, reason="because")]))
        (score,) = scene.store.case("r", "q0").scores
        assert score.values == values
        assert (score.status, score.reason, score.cause) == (ScoreStatus.SCORED, "because", None)

    def test_a_score_of_several_traces_names_them_all_in_order(self, scene: Scene) -> None:
        run = scene.run("r")
        one, other = scene.generate(run, scene.trace(run, UNIT), scene.trace(run, OTHER))
        scene.commit(Batch(scores=[scene.score(run, one, passed(), rest=other.digest + OTHERWISE)]))
        (score,) = scene.store.case("r", "q0").scores
        assert score.subject == (one.digest, other.digest, OTHERWISE)

    def test_skips_and_errors_are_records_with_their_cause_and_words(self, scene: Scene) -> None:
        trace = scene.made("r", UNIT)
        skip = scene.skip(trace.run, trace, cause="missing_reference_key")
        scene.commit(Batch(scores=[skip, scene.error(trace.run, trace, scorer="tone")]))
        skipped, error = scene.store.case("r", "q0").scores
        assert (skipped.status, skipped.cause, skipped.reason) == (
            ScoreStatus.SKIPPED,
            "missing_reference_key",
            "no data",
        )
        assert (error.status, error.cause, error.reason) == (ScoreStatus.ERROR, "ValueError", "broken")
        assert skipped.values == error.values == ()

    def test_the_detail_of_a_score_holds_its_usage_evidence_calls_and_author(self, scene: Scene) -> None:
        trace = scene.made("r", UNIT)
        evidence = {"quote": STRANGE, "weights": [0.5, 1.0, 1]}
        call = CallRecord(call=ModelCall(model="m", messages=[]), reply=Reply(text=STRANGE[0]), seconds=0.5)
        detail = encode(
            {"usage": Usage(input_tokens=3, cost=0.25), "evidence": evidence, "author": "ada", "calls": [call]}
        )
        scene.commit(Batch(scores=[scene.score(trace.run, trace, passed(), detail=detail)]))
        (score,) = scene.store.case("r", "q0").scores
        assert score.usage == Usage(input_tokens=3, cost=0.25)
        assert (score.evidence, score.author, score.calls) == (evidence, "ada", (call,))

    def test_a_score_knows_its_key(self, scene: Scene) -> None:
        trace = scene.made("r", UNIT)
        new = scene.score(trace.run, trace, passed(), seen=OTHERWISE, draw=2, attempt=3)
        scene.commit(Batch(scores=[new]))
        (score,) = scene.store.case("r", "q0").scores
        assert (score.scorer, score.seen, score.draw) == (scene.scorers["match"].digest(), OTHERWISE, 2)
        assert (score.attempt, score.at) == (3, new.at)

    def test_any_text_can_be_a_name_a_label_a_reason_or_a_cause(self, scene: Scene) -> None:
        trace = scene.made("r", UNIT)
        values = tuple(ScoreValue(name=f"v{text}", label=text) for text in STRANGE)
        scores = [
            scene.score(trace.run, trace, *values, reason=STRANGE[0]),
            scene.score(trace.run, trace, scorer="tone", status=ScoreStatus.SKIPPED, cause="\ud801", reason="a\x00b"),
        ]
        scene.commit(Batch(scores=scores))
        scored, skipped = scene.store.case("r", "q0").scores
        assert (scored.values, scored.reason) == (values, STRANGE[0])
        assert (skipped.cause, skipped.reason) == ("\ud801", "a\x00b")
        counts = scene.store.counts("r")
        assert {(row.name, row.label, row.count) for row in counts.labels} == {(f"v{t}", t, 1) for t in STRANGE}
        assert counts.scores[1].causes == {"\ud801": 1}
