"""The main job: evaluate, keep every trace, judge again without generating again."""

from __future__ import annotations

import asyncio
import functools

import pytest

import rejudge
from rejudge.stats.interval import Interval
from rejudge.wiring import Address
from tests.evaluate.conftest import QUESTIONS, Counting, length, right


def test_a_list_a_function_and_a_scorer_are_an_evaluation(store: Address, adder: Counting) -> None:
    result = rejudge.evaluate(QUESTIONS, adder, [right], store=store)
    summary = result.summary("right")
    assert summary.n == 6
    assert summary.mean == pytest.approx(5 / 6)
    assert isinstance(summary.interval, Interval)
    assert summary.interval.method == "wilson"
    assert (summary.planned, summary.scored, summary.skipped) == (6, 6, 0)
    assert (summary.scorer_errors, summary.task_errors, summary.pending) == (0, 0, 0)
    assert result.exit_code() == 0


def test_a_second_scorer_generates_nothing_and_leaves_the_first_scores_alone(store: Address, adder: Counting) -> None:
    first = rejudge.evaluate(QUESTIONS, adder, [right], store=store)
    before = {row.case.item_id: row.scores[0].id for row in first.cases()}
    adder.calls.clear()
    second = rejudge.evaluate(QUESTIONS, adder, [right, length], store=store)
    assert adder.calls == []
    assert second.experiment.id == first.experiment.id
    assert second.summary("length").n == 6
    for row in second.cases():
        by_name = {score.values[0].name: score for score in row.scores}
        assert by_name["right"].id == before[row.case.item_id]
        assert row.case.reused


def test_a_second_experiment_over_the_same_version_generates_nothing(store: Address, adder: Counting) -> None:
    rejudge.evaluate(QUESTIONS, adder, [right], store=store, name="first")
    adder.calls.clear()
    result = rejudge.evaluate(QUESTIONS, adder, [length], store=store, name="second")
    assert adder.calls == []
    assert result.name == "second"
    assert result.summary("length").n == 6


def test_asking_for_the_same_thing_again_returns_the_same_run(store: Address, adder: Counting) -> None:
    first = rejudge.evaluate(QUESTIONS, adder, [right], store=store)
    second = rejudge.evaluate(QUESTIONS, adder, [right], store=store)
    assert [run.id for run in second.runs] == [run.id for run in first.runs]
    assert len(rejudge.open(store).runs()) == 1
    assert len(adder.calls) == 6


def test_scores_can_be_added_to_what_is_stored_without_the_task(store: Address, adder: Counting) -> None:
    first = rejudge.evaluate(QUESTIONS, adder, [right], store=store, name="sums")
    adder.calls.clear()
    result = rejudge.evaluate_experiment("sums", [length], store=store)
    assert adder.calls == []
    assert result.summary("length").n == 6
    assert result.summary("right").mean == first.summary("right").mean
    assert result.runs[0].id != first.runs[0].id
    assert result.runs[0].run.added_later == result.runs[0].run.scorers[1:]


def test_adding_the_same_scorer_again_changes_nothing(store: Address, adder: Counting) -> None:
    rejudge.evaluate(QUESTIONS, adder, [right], store=store, name="sums")
    first = rejudge.evaluate_experiment("sums", [length], store=store)
    again = rejudge.evaluate_experiment("sums", [length], store=store)
    assert [run.id for run in again.runs] == [run.id for run in first.runs]


def test_adding_a_scorer_keeps_skipped_and_failed_cases_in_the_denominator(store: Address) -> None:
    def task(question: str) -> str:
        if question == "bad":
            raise ValueError("bad")
        return question

    rows = [{"id": "a", "question": "2+2"}, {"id": "b", "question": "bad"}, {"id": "c", "answer": "none"}]
    rejudge.evaluate(rows, task, store=store, name="x")
    summary = rejudge.evaluate_experiment("x", [length], store=store).summary("length")
    assert (summary.planned, summary.scored, summary.skipped, summary.task_errors) == (3, 1, 1, 1)
    assert summary.pending == 0


def test_every_reuse_leaves_a_hit_record_with_its_five_fields(store: Address, adder: Counting) -> None:
    first = rejudge.evaluate(QUESTIONS, adder, [right], store=store)
    second = rejudge.evaluate(QUESTIONS, adder, [right, length], store=store)
    hits = second.store.hits(second.runs[0].id)
    assert sorted(hit.object_type for hit in hits) == ["judge_score"] * 6 + ["model_output"] * 6
    for hit in hits:
        assert hit.source_run == first.runs[0].id
        assert len(hit.key) == 32
        assert len(hit.result_hash) == 32
        assert hit.hit_at > 0


def test_correcting_a_declared_reference_field_rescores_and_never_regenerates(store: Address, adder: Counting) -> None:
    rejudge.evaluate(QUESTIONS, adder, [right], store=store, reference=["answer"])
    adder.calls.clear()
    corrected = [*QUESTIONS[:5], {**QUESTIONS[5], "answer": "14"}]
    result = rejudge.evaluate(corrected, adder, [right], store=store, reference=["answer"])
    assert adder.calls == []
    assert result.summary("right").mean == 1.0


def test_without_the_declaration_only_the_corrected_item_is_generated_again(store: Address, adder: Counting) -> None:
    rejudge.evaluate(QUESTIONS, adder, [right], store=store)
    adder.calls.clear()
    corrected = [*QUESTIONS[:5], {**QUESTIONS[5], "answer": "14"}]
    rejudge.evaluate(corrected, adder, [right], store=store)
    assert adder.calls == ["q6"]


def test_trials_are_generations_of_their_own(store: Address, adder: Counting) -> None:
    result = rejudge.evaluate(QUESTIONS, adder, [right], store=store, trials=3)
    assert len(adder.calls) == 18
    summary = result.summary("right")
    assert summary.planned == 18
    assert summary.n == 6
    assert sorted((row.case.item_id, row.case.trial) for row in result.cases())[:4] == [
        ("q1", 0),
        ("q1", 1),
        ("q1", 2),
        ("q2", 0),
    ]


def test_an_empty_dataset_is_a_result_with_nothing_in_it(store: Address, adder: Counting) -> None:
    result = rejudge.evaluate([], adder, [right], store=store)
    assert result.summary("right").planned == 0
    assert result.summary("right").mean is None
    assert result.exit_code() == 0


def test_no_scorer_only_generates(store: Address, adder: Counting) -> None:
    result = rejudge.evaluate(QUESTIONS, adder, store=store)
    assert len(adder.calls) == 6
    assert [row.trace.produced.output for row in result.cases() if row.trace] == ["4", "6", "8", "10", "12", "14"]


def test_it_works_inside_a_running_event_loop(store: Address, adder: Counting) -> None:
    async def notebook() -> float | None:
        return rejudge.evaluate(QUESTIONS, adder, [right], store=store).summary("right").mean

    assert asyncio.run(notebook()) == pytest.approx(5 / 6)


def test_an_evaluation_can_be_awaited_and_iterated_for_its_events(store: Address, adder: Counting) -> None:
    async def waiting() -> tuple[int, int]:
        result = await rejudge.evaluation(QUESTIONS, adder, [right], store=store, name="awaited")
        events = [event async for event in rejudge.evaluation(QUESTIONS, adder, [length], store=store, name="seen")]
        return result.summary("right").n, events[-1].completed

    assert asyncio.run(waiting()) == (6, 6)


def test_the_task_cannot_change_what_scorers_see(store: Address) -> None:
    def spoiling(item: dict[str, object]) -> str:
        item["answer"] = "spoiled"
        nested = item["nested"]
        assert isinstance(nested, list)
        nested.append("spoiled")
        return f"{len(nested)}"

    def seen(answer: str, nested: list[str]) -> str:
        return f"{answer}/{len(nested)}"

    rows = [{"id": "a", "answer": "kept", "nested": ["one"]}]
    result = rejudge.evaluate(rows, spoiling, [seen], store=store, trials=2)
    assert [row.scores[0].values[0].label for row in result.cases()] == ["kept/1", "kept/1"]
    assert [row.trace.produced.output for row in result.cases() if row.trace] == ["2", "2"]


def test_a_returned_dict_with_output_is_taken_apart(store: Address) -> None:
    def task(question: str) -> dict[str, object]:
        return {"output": question.upper(), "confidence": 0.5, "metadata": {"steps": 2}}

    def sure(output: str, confidence: float, metadata: dict[str, int]) -> float:
        return confidence * metadata["steps"] if output.isupper() else 0.0

    rows = [{"question": "why"}, {"question": "how"}]
    result = rejudge.evaluate(rows, task, [sure], store=store)
    assert result.summary("sure").mean == 1.0


def test_keys_that_the_source_does_not_show_are_seen_in_the_first_result_or_declared(store: Address) -> None:
    def task(question: str) -> dict[str, object]:
        return dict(output=question, confidence=0.5)  # noqa: C408 - a dict whose keys the source hides

    def sure(confidence: float) -> float:
        return confidence

    for outputs in ([], ["confidence"]):
        result = rejudge.evaluate([{"question": "why"}], task, [sure], store=store, outputs=outputs)
        assert result.summary("sure").mean == 0.5
    with pytest.raises(rejudge.ConfigurationError, match="outputs="):
        rejudge.evaluate([{"question": "why"}], task, [sure], store=store, outputs=["other"])


def test_generated_traces_stay_out_of_listings_unless_asked_for(store: Address, adder: Counting) -> None:
    from rejudge.storage.records import EvaluationMade

    result = rejudge.evaluate(QUESTIONS, adder, [right], store=store)
    assert result.store.listed_traces(evaluation_made=EvaluationMade.LEFT_OUT) == []
    assert len(result.store.listed_traces(evaluation_made=EvaluationMade.INCLUDED)) == 6


def test_evaluating_again_after_a_scorer_was_added_keeps_what_was_added(store: Address, adder: Counting) -> None:
    rejudge.evaluate(QUESTIONS, adder, [right], store=store, name="sums")
    added = rejudge.evaluate_experiment("sums", [length], store=store)
    again = rejudge.evaluate(QUESTIONS, adder, [right], store=store, name="sums")
    assert again.summary().n == 6
    newest = rejudge.open(store).result("sums")
    assert [run.id for run in newest.runs] == [run.id for run in added.runs]


def test_tasks_of_one_name_are_told_apart(store: Address) -> None:
    def task(question: str, suffix: str = "") -> str:
        return question + suffix

    other = functools.partial(task, suffix="!")
    result = rejudge.evaluate(QUESTIONS, [task, other], [length], store=store)
    assert [run.task for run in result.runs] == ["task", "task 2"]
    assert result.summary("length", task="task 2").mean == result.summary("length", task="task").mean + 1  # type: ignore[operator]


def test_a_plan_says_in_words_what_would_happen(store: Address, adder: Counting) -> None:
    before = rejudge.plan(QUESTIONS, adder, [right], store=store, name="sums")
    assert (before.tasks[0].run, before.tasks[0].scorers[0].after_generation) == (6, 6)
    rejudge.evaluate(QUESTIONS, adder, [right], store=store, name="sums")
    adder.calls.clear()
    text = str(rejudge.plan(QUESTIONS, adder, [right, length], store=store, name="sums"))
    assert "reuse 6 (of 6)" in text
    assert "scorer length: reuse 0, score 6" in text
    assert adder.calls == []


def test_progress_can_be_shown_or_silent(store: Address, adder: Counting, capsys: pytest.CaptureFixture[str]) -> None:
    rejudge.evaluate(QUESTIONS, adder, [right], store=store)
    assert capsys.readouterr().err == ""
    rejudge.evaluate(QUESTIONS, adder, [length], store=store, progress="plain")
    assert "6/6" in capsys.readouterr().err


def test_help_works_for_every_public_name() -> None:
    import pydoc

    for name in rejudge.__all__:
        assert pydoc.render_doc(getattr(rejudge, name))
