"""What a store promises about the cases of a run: page by page, with everything that belongs to them."""

from __future__ import annotations

from typing import cast

import pytest

from rejudge.domain.case import Attempt, CaseResult, ExecutionError, ExecutionErrorType, ExecutionStatus
from rejudge.domain.errors import NotFound
from rejudge.domain.item import Item
from rejudge.domain.payload import encode
from rejudge.domain.score import ScoreStatus
from rejudge.storage.promises.datasets import STRANGE
from rejudge.storage.promises.scene import Scene, StoreTests, failed, passed
from rejudge.storage.records import Batch, CaseOrder, EvaluationMade, ScoreHit

UNITS = [(position, trial) for position in range(4) for trial in range(2)]


def units(
    scene: Scene, run_id: str, *, start: int = 0, count: int = 99, order: CaseOrder = CaseOrder.POSITION
) -> list[tuple[int, int]]:
    """Position and trial of a page of cases."""
    rows = scene.store.cases(run_id, start=start, count=count, order=order)
    return [(row.case.position, row.case.trial) for row in rows]


class CasePromises(StoreTests):
    """A case is shown with its item, its trace, and what counts of its scores."""

    def test_a_completed_case_comes_with_its_item_trace_and_scores(self, scene: Scene) -> None:
        run = scene.run("r")
        new = scene.trace(run, (1, 0), output="answer", usage=(1, 2, 0.5))
        tries = (Attempt(error="busy", seconds=0.5, waited=1.0),)
        case = scene.case(run, (1, 0), fresh=0, attempts=encode(tries), started_at=7.0, completed_at=9.0)
        (trace,) = scene.commit(Batch(traces=[new], cases=[case])).traces
        scene.commit(Batch(scores=[scene.score(run, trace, passed(name="tone"), scorer="tone")]))
        scene.commit(Batch(scores=[scene.score(run, trace, failed())]))
        (row,) = scene.store.cases("r")
        assert row.case == CaseResult(
            run_id="r",
            item_id="q1",
            position=1,
            trial=0,
            execution_status=ExecutionStatus.COMPLETED,
            trace=trace.digest,
            attempts=tries,
            started_at=7.0,
            completed_at=9.0,
        )
        assert row.item == Item(id="q1", fields={"question": 1})
        assert row.trace == scene.store.load_traces([trace.ref])[trace.ref]
        assert [score.values for score in row.scores] == [(failed(),), (passed(name="tone"),)]

    def test_a_case_that_failed_says_why_and_has_no_trace(self, scene: Scene) -> None:
        run = scene.run("r")
        tries = (Attempt(error="busy"), Attempt(error="too slow", seconds=2.0))
        scene.commit(
            Batch(
                cases=[
                    scene.case(
                        run,
                        (0, 1),
                        status=ExecutionStatus.ERROR,
                        error_type=ExecutionErrorType.TIMEOUT,
                        message=STRANGE[0],
                        attempts=encode(tries),
                    )
                ]
            )
        )
        row = scene.store.case("r", "q0", trial=1)
        assert row.case.execution_status is ExecutionStatus.ERROR
        assert row.case.execution_error == ExecutionError(type=ExecutionErrorType.TIMEOUT, message=STRANGE[0])
        assert (row.case.attempts, row.case.trace, row.case.reason) == (tries, None, None)
        assert (row.trace, row.scores) == (None, ())

    def test_a_skipped_case_says_why(self, scene: Scene) -> None:
        run = scene.run("r")
        scene.commit(Batch(cases=[scene.case(run, (0, 0), status=ExecutionStatus.SKIPPED, message="no recording")]))
        case = scene.store.case("r", "q0").case
        assert (case.execution_status, case.reason) == (ExecutionStatus.SKIPPED, "no recording")
        assert case.execution_error == ExecutionError()

    def test_a_case_whose_trace_another_run_made_is_marked_as_reused(self, scene: Scene) -> None:
        trace = scene.made("r1", (0, 0))
        again = scene.run("r2")
        scene.commit(Batch(cases=[scene.case(again, (0, 0), trace=trace)]))
        assert scene.store.case("r1", "q0").case.reused is False
        row = scene.store.case("r2", "q0")
        assert (row.case.reused, row.case.trace) == (True, trace.digest)
        assert row.trace is not None

    def test_only_scores_of_the_run_and_its_hits_are_shown(self, scene: Scene) -> None:
        trace = scene.made("r1", (0, 0))
        scene.commit(Batch(scores=[scene.score(trace.run, trace, passed())]))
        scene.commit(Batch(scores=[scene.score(trace.run, trace, passed(name="tone"), scorer="tone")]))
        again = scene.run("r2")
        scene.commit(Batch(cases=[scene.case(again, (0, 0), trace=trace)]))
        assert scene.store.case("r2", "q0").scores == ()
        (stored,) = scene.store.find_scores([trace.ref], [scene.scorer_refs["tone"]])
        scene.commit(Batch(hits=[ScoreHit(again, stored.ref, 1.0)]))
        assert [score.values for score in scene.store.case("r2", "q0").scores] == [(passed(name="tone"),)]
        assert len(scene.store.case("r1", "q0").scores) == 2

    def test_the_last_attempt_of_a_run_is_shown(self, scene: Scene) -> None:
        trace = scene.made("r1", (0, 0))
        scene.commit(Batch(scores=[scene.error(trace.run, trace)]))
        again = scene.run("r2")
        retried = scene.score(again, trace, passed(), attempt=1)
        scene.commit(Batch(cases=[scene.case(again, (0, 0), trace=trace)], scores=[retried]))
        assert [score.status for score in scene.store.case("r1", "q0").scores] == [ScoreStatus.ERROR]
        assert [score.attempt for score in scene.store.case("r2", "q0").scores] == [1]
        scene.commit(Batch(scores=[scene.score(again, trace, failed(), attempt=2)]))
        assert [score.attempt for score in scene.store.case("r2", "q0").scores] == [2]

    def test_cases_are_read_by_position_and_trial_page_by_page(self, scene: Scene) -> None:
        run = scene.run("r")
        for unit in reversed(UNITS):
            scene.generate(run, scene.trace(run, unit))
        assert units(scene, "r") == UNITS
        pages = [units(scene, "r", start=start, count=3) for start in range(0, 12, 3)]
        assert pages == [UNITS[:3], UNITS[3:6], UNITS[6:], []]

    def test_failures_come_first_when_they_are_asked_for(self, scene: Scene) -> None:
        run = scene.run("r")
        good, late, bad, errored, unjudged = scene.generate(
            run, *(scene.trace(run, unit) for unit in ((0, 0), (0, 1), (1, 1), (2, 0), (2, 1)))
        )
        scene.commit(
            Batch(
                cases=[
                    scene.case(run, (1, 0), status=ExecutionStatus.SKIPPED, message="no"),
                    scene.case(
                        run,
                        (3, 1),
                        status=ExecutionStatus.ERROR,
                        error_type=ExecutionErrorType.SYSTEM_ERROR,
                        message="x",
                    ),
                ],
                scores=[
                    scene.score(run, good, passed()),
                    scene.score(run, late, passed()),
                    scene.score(run, errored, failed()),
                    scene.error(run, errored, scorer="tone"),
                    scene.score(run, bad, failed()),
                    scene.skip(run, bad, cause="missing_trace", scorer="tone"),
                    scene.skip(run, unjudged, cause="missing_trace"),
                ],
            )
        )
        ranked = [(3, 1), (2, 0), (1, 1), (1, 0), (2, 1), (0, 0), (0, 1)]
        assert units(scene, "r", order=CaseOrder.FAILURES_FIRST) == ranked
        pages = [units(scene, "r", start=start, count=2, order=CaseOrder.FAILURES_FIRST) for start in (0, 2, 4, 6, 8)]
        assert [unit for page in pages for unit in page] == ranked

    def test_a_failure_that_was_judged_again_is_no_failure_any_more(self, scene: Scene) -> None:
        run = scene.run("r")
        mended, bad = scene.generate(run, scene.trace(run, (1, 0)), scene.trace(run, (2, 0)))
        scene.commit(Batch(scores=[scene.error(run, mended), scene.score(run, bad, failed())]))
        assert units(scene, "r", order=CaseOrder.FAILURES_FIRST) == [(1, 0), (2, 0)]
        scene.commit(Batch(scores=[scene.score(run, mended, passed(), attempt=1)]))
        assert units(scene, "r", order=CaseOrder.FAILURES_FIRST) == [(2, 0), (1, 0)]

    def test_one_case_is_found_by_its_item_and_trial(self, scene: Scene) -> None:
        run = scene.run("r")
        scene.generate(run, *(scene.trace(run, unit, output=list(unit)) for unit in UNITS))
        for position, trial in UNITS:
            trace = scene.store.case("r", f"q{position}", trial=trial).trace
            assert trace is not None
            assert trace.produced.output == [position, trial]
        assert scene.store.case("r", "q2") == scene.store.case("r", "q2", trial=0)

    def test_a_case_that_is_not_there_is_answered_with_near_item_ids(self, scene: Scene) -> None:
        run = scene.run("r")
        scene.generate(run, scene.trace(run, (1, 0)))
        with pytest.raises(NotFound, match=r"\bq1\b"):
            scene.store.case("r", "q11")
        for item_id, trial in (("q1", 1), ("q0", 0), ("", 0)):
            with pytest.raises(NotFound):
                scene.store.case("r", item_id, trial=trial)

    def test_a_run_without_cases_has_none_and_an_unknown_run_is_not_found(self, scene: Scene) -> None:
        scene.run("r")
        assert scene.store.cases("r") == []
        for ask in (scene.store.cases, scene.store.counts, scene.store.hits, scene.store.executed):
            with pytest.raises(NotFound):
                ask("unknown")
        with pytest.raises(NotFound):
            scene.store.case("unknown", "q0")

    def test_what_one_reader_changes_no_other_reader_sees(self, scene: Scene) -> None:
        run = scene.run("r")
        (trace,) = scene.generate(run, scene.trace(run, (0, 0), output={"list": [1]}))
        scene.commit(Batch(scores=[scene.score(run, trace, passed(), detail=encode({"evidence": {"list": [1]}}))]))
        before = scene.store.case("r", "q0")
        changed = scene.store.case("r", "q0")
        assert changed.trace is not None
        for mine in (changed.item.fields, changed.trace.produced.output, changed.scores[0].evidence):
            cast("dict[str, object]", mine).clear()
        assert scene.store.case("r", "q0") == before

    def test_traces_made_by_an_evaluation_are_listed_only_when_asked_for(self, scene: Scene) -> None:
        run = scene.run("r")
        traces = scene.generate(run, *(scene.trace(run, unit) for unit in UNITS))
        assert scene.store.listed_traces(evaluation_made=EvaluationMade.LEFT_OUT) == []
        listed = scene.store.listed_traces(evaluation_made=EvaluationMade.INCLUDED)
        assert sorted(listed) == sorted(f"trace-{trace.digest.hex()}" for trace in traces)
