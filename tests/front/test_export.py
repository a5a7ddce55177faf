from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from pathlib import Path
from textwrap import dedent

import pandas as pd
import polars as pl
import pytest

import rejudge
from rejudge.domain.run import RunState
from rejudge.domain.scale import ScoreSpec, ScoreType
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.usage import Usage
from rejudge.domain.verdict import Skip, Verdict
from rejudge.front.case_document import case_dict
from rejudge.front.columns import FIXED
from rejudge.front.export import pandas_frame, polars_frame, result_dict, rows
from rejudge.front.result import Result
from rejudge.front.verbs import evaluate
from rejudge.storage.memory import MemoryStore
from tests.front.recorded import Case, Fault, Made, label, pass_fail, recorded

ITEMS: list[dict[str, object]] = [
    {"id": "fr", "question": "Capital of France?", "answer": "Paris", "size": 2},
    {"id": "jp", "question": "Capital of Japan?", "answer": "Tokyo", "size": 14},
    {"id": "pe", "question": "Capital of Peru?"},
    {"id": "ml", "question": "Capital of Mali?", "answer": "Bamako", "hints": ["west", 1]},
]

NOTHING_KNOWN = {"judgements": 3, "cost": None, "known_costs": 0, "input_tokens": None, "output_tokens": None}
"""What a scorer that asks no model says of its spending."""

FUNCTION = {"type": "function", "added_later": False, "skipped": {}, "usage": NOTHING_KNOWN}

RUN: dict[str, object] = {
    "id": "01977420-0000-7000-8000-000000000001",
    "task": "answer",
    "unpinned": None,
    "state": "failed",
    "reason": "stopped after 1 error",
    "resumed_from": None,
    "created_at": "2025-06-15T15:06:40.000Z",
    "started_at": "2025-06-15T15:06:40.000Z",
    "ended_at": "2025-06-15T15:06:41.500Z",
    "collisions": [],
    "counts": {"planned": 4, "completed": 3, "skipped": 0, "task_errors": 1, "pending": 0, "reused": 0},
    "usage": {"cost": 0.0, "known_costs": 1, "input_tokens": 7, "output_tokens": None, "seconds": 1.5},
    "scorers": [
        FUNCTION | {"name": "correct", "skipped": {"missing_reference_key": 1}},
        FUNCTION | {"name": "topic", "usage": NOTHING_KNOWN | {"judgements": 2}},
    ],
    "run_scores": [],
    "summaries": [
        {
            "scorer": "correct",
            "value": "correct",
            "kind": "pass_fail",
            "direction": "higher",
            "items": 4,
            "trials": 1,
            "n": 2,
            "mean": 0.5,
            "std": pytest.approx(0.7071, abs=1e-4),
            "standard_error": pytest.approx(0.5, abs=1e-4),
            "min": 0.0,
            "max": 1.0,
            "interval": {
                "low": pytest.approx(0.0945, abs=1e-4),
                "high": pytest.approx(0.9055, abs=1e-4),
                "level": 0.95,
                "method": "wilson",
            },
            "best": 0.75,
            "worst": 0.25,
            "counts": {"planned": 4, "scored": 2, "skipped": 1, "scorer_errors": 0, "task_errors": 1, "pending": 0},
            "labels": {},
        },
        {
            "scorer": "topic",
            "value": "topic",
            "kind": "label",
            "direction": "informational",
            "items": 4,
            "trials": 1,
            "n": 1,
            "mean": None,
            "std": None,
            "standard_error": None,
            "min": None,
            "max": None,
            "interval": {"undefined": "a label has no mean"},
            "best": {"undefined": "a label has no mean"},
            "worst": {"undefined": "a label has no mean"},
            "counts": {"planned": 4, "scored": 1, "skipped": 0, "scorer_errors": 1, "task_errors": 1, "pending": 1},
            "labels": {
                "europe": {
                    "count": 1,
                    "share": 1.0,
                    "interval": {
                        "low": pytest.approx(0.2065, abs=1e-4),
                        "high": 1.0,
                        "level": 0.95,
                        "method": "wilson",
                    },
                }
            },
        },
    ],
}


def capitals() -> Result:
    cases = [
        Case(output="Paris", scores={"correct": 1.0, "topic": "europe"}, usage=Usage(cost=0.0, input_tokens=7)),
        Case(output={"city": "Kyoto"}, scores={"correct": Verdict.of(0.0, "wrong"), "topic": Fault(reason="down")}),
        Case(output="Lima", scores={"correct": Verdict.skipped(Skip.MISSING_REFERENCE_KEY, "no answer")}),
        Case(error="boom"),
    ]
    made = Made(
        cases=cases, scorers=(pass_fail(), label()), state=RunState.FAILED, reason="stopped after 1 error", seconds=1.5
    )
    return recorded(ITEMS, made, reference=("answer",))


def test_the_document_says_everything_that_a_report_says() -> None:
    document = json.loads(capitals().to_json())
    experiment, (run,) = document["experiment"], document["runs"]
    assert document["schema_version"] == 1
    assert experiment.pop("id").startswith("experiment-")
    assert experiment.pop("dataset_version").startswith("dataset-")
    assert experiment == {
        "name": "capitals/answer",
        "dataset": "capitals",
        "items": 4,
        "trials": 1,
        "protocol": {},
        "source": None,
        "successor_of": None,
        "created_at": "2025-06-15T15:06:40.000Z",
    }
    assert run.pop("run_config").startswith("runconfig-")
    assert [scorer.pop("id").split("-")[0] for scorer in run["scorers"]] == ["scorer", "scorer"]
    assert run == RUN


def test_the_same_result_gives_the_same_json() -> None:
    assert capitals().to_json() == capitals().to_json()
    assert json.loads(capitals().to_json()) == result_dict(capitals())


def test_the_time_of_recorded_outputs_is_unknown_and_not_how_long_it_took_to_read_them(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    path.write_text('{"id": "fr", "output": "Paris"}', "utf-8")
    items, store = [{"id": "fr", "question": "?"}], MemoryStore()
    result = rejudge.evaluate(items, rejudge.replay(path), [], store=store, progress="silent")
    (run,) = result.runs
    assert [row["latency"] for row in rows(result)] == [None]
    assert json.loads(result.to_json())["runs"][0]["usage"]["seconds"] is None
    trace = case_dict(run.case("fr"), run, {})["trace"]
    assert isinstance(trace, dict)
    assert (trace["output"], trace["seconds"]) == ("Paris", None)
    timed = rejudge.evaluate(items, lambda question: "Paris", [], store=store, progress="silent")
    assert all(isinstance(row["latency"], float) for row in rows(timed))


def test_every_case_is_one_flat_row() -> None:
    first, second, third, fourth = rows(capitals())
    assert first.pop("trace_id").startswith("trace-")  # type: ignore[attr-defined]
    assert first == {
        "run": "01977420-0000-7000-8000-000000000001",
        "task": "answer",
        "item_id": "fr",
        "position": 0,
        "trial": 0,
        "execution_status": "completed",
        "error_type": None,
        "error": None,
        "skip_reason": None,
        "reused": False,
        "output": "Paris",
        "latency": 0.5,
        "cost": 0.0,
        "input.id": "fr",
        "input.question": "Capital of France?",
        "input.answer": "Paris",
        "input.size": 2,
        "input.hints": None,
        "correct": 1.0,
        "correct.outcome": "passed",
        "correct.status": "scored",
        "correct.reason": None,
        "topic": "europe",
        "topic.outcome": None,
        "topic.status": "scored",
        "topic.reason": None,
    }
    assert second["output"] == '{"city":"Kyoto"}'
    assert (second["correct"], second["correct.outcome"], second["correct.reason"]) == (0.0, "failed", "wrong")
    assert (second["topic"], second["topic.status"], second["topic.reason"]) == (None, "error", "down")
    assert (third["correct"], third["correct.status"], third["correct.reason"]) == (None, "skipped", "no answer")
    assert (third["topic.status"], third["cost"], third["input.answer"]) == (None, None, None)
    assert (fourth["error_type"], fourth["error"], fourth["output"]) == ("system_error", "boom", None)
    assert fourth["input.hints"] == '["west",1]'
    assert list(second) == list(third) == list(fourth)


def test_a_skipped_case_says_why() -> None:
    (row,) = rows(recorded(ITEMS[:1], Made(cases=[Case(skip="no_recording: none was made")])))
    assert (row["execution_status"], row["skip_reason"]) == ("skipped", "no_recording: none was made")
    assert row["error"] is None


def two_valued(name: str, *values: str) -> ScorerConfig:
    scores = tuple(ScoreSpec(name=value, type=ScoreType.NUMBER) for value in values)
    return ScorerConfig(name=name, type="function", scores=scores)


def test_no_column_hides_another() -> None:
    items: list[dict[str, object]] = [{"id": "1", "x": 1, "output": "gold", "correct.reason": "field"}]
    scorers = (
        two_valued("first", "output", "input.x", "quality", "quality.reason"),
        two_valued("second", "quality", "first.output", "correct"),
        two_valued("second.first", "output"),
    )
    case = Case(
        output="said",
        scores={
            scorer.name: Verdict(values={spec.name: 10.0 * place + spot for spot, spec in enumerate(scorer.scores)})
            for place, scorer in enumerate(scorers, start=1)
        },
    )
    (row,) = rows(recorded(items, Made(cases=[case], scorers=scorers)))
    numbers = {name: value for name, value in row.items() if isinstance(value, float) and value >= 10}
    assert numbers == {
        "first.output": 10.0,
        "first.input.x": 11.0,
        "quality": 12.0,
        "first.quality.reason": 13.0,
        "second.quality": 20.0,
        "second.first.output": 21.0,
        "correct": 22.0,
        "second.first.output.2": 30.0,
    }
    assert (row["output"], row["input.output"], row["input.x"]) == ("said", "gold", 1)
    assert (row["input.correct.reason"], row["correct.reason"]) == ("field", None)


def test_values_that_nobody_declared_have_columns_too() -> None:
    open_scorer = ScorerConfig(name="judge", type="function")
    cases = [
        Case(output="a", scores={"judge": Verdict(values={"tone": "warm", "depth": 3})}),
        Case(output="b", scores={"judge": Verdict(values={"depth": 4})}),
        Case(output="c", scores={"judge": Fault(reason="down")}),
        None,
    ]
    table = list(rows(recorded(ITEMS, Made(cases=cases, scorers=(open_scorer,)))))
    assert [row["tone"] for row in table] == ["warm", None, None]
    assert [row["depth"] for row in table] == [3.0, 4.0, None]
    assert [row["tone.status"] for row in table] == ["scored", None, "error"]
    assert [row["depth.status"] for row in table] == ["scored", "scored", "error"]


def test_a_scorer_that_never_gave_a_value_still_shows_its_errors() -> None:
    cases = [Case(output="a", scores={"judge": Fault(reason="down")}), None, None, None]
    (row,) = rows(recorded(ITEMS, Made(cases=cases, scorers=(ScorerConfig(name="judge", type="function"),))))
    assert (row["judge"], row["judge.status"], row["judge.reason"]) == (None, "error", "down")


def test_several_tasks_share_their_columns() -> None:
    cases = [Case(output="x", scores={"correct": 1.0})] * 4
    result = recorded(
        ITEMS, Made(cases=cases, scorers=(pass_fail(),)), Made(cases=cases, task="guess", scorers=(pass_fail(),))
    )
    table = list(rows(result))
    assert [row["task"] for row in table] == ["answer"] * 4 + ["guess"] * 4
    assert [name for name in table[0] if "correct" in name] == [
        "correct",
        "correct.outcome",
        "correct.status",
        "correct.reason",
    ]


def test_pandas_keeps_what_is_missing_missing() -> None:
    frame = pandas_frame(capitals())
    assert list(frame["item_id"]) == ["fr", "jp", "pe", "ml"]
    assert str(frame["correct"].dtype) == "float64"
    assert frame["correct"].isna().tolist() == [False, False, True, True]
    assert frame["correct"].mean() == 0.5
    assert frame["cost"].isna().tolist() == [False, True, True, True]
    assert str(frame["input.size"].dtype) == "Int64"
    assert frame["input.size"].isna().tolist() == [False, False, True, True]
    assert str(frame["position"].dtype) == "int64"
    assert str(frame["reused"].dtype) == "bool"
    assert frame["output"].isna().tolist() == [False, False, False, True]
    assert isinstance(capitals().to_pandas(), pd.DataFrame)


def test_polars_keeps_what_is_missing_missing() -> None:
    frame = polars_frame(capitals())
    assert frame["item_id"].to_list() == ["fr", "jp", "pe", "ml"]
    assert frame["correct"].to_list() == [1.0, 0.0, None, None]
    assert frame["cost"].to_list() == [0.0, None, None, None]
    assert frame["input.size"].to_list() == [2, 14, None, None]
    assert frame["output"].to_list() == ["Paris", '{"city":"Kyoto"}', "Lima", None]
    kinds = {name: frame.schema[name] for name in ("position", "reused", "latency", "topic", "input.size")}
    assert kinds == {
        "position": pl.Int64(),
        "reused": pl.Boolean(),
        "latency": pl.Float64(),
        "topic": pl.String(),
        "input.size": pl.Int64(),
    }
    assert isinstance(capitals().to_polars(), pl.DataFrame)


def test_awkward_values_become_columns_of_one_kind() -> None:
    items: list[dict[str, object]] = [
        {"id": "a", "mixed": 1, "big": 2**70, "flag": True, "real": 1, "half": "\ud83d", "none": None},
        {"id": "b", "mixed": "1", "big": 1, "flag": None, "real": 0.5, "half": "whole", "none": None},
    ]
    result = recorded(items, Made(cases=[Case(output="\udc00"), Case(output="ok")]))
    expected = {
        "mixed": ["1", "1"],
        "big": [str(2**70), "1"],
        "flag": [True, None],
        "real": [1.0, 0.5],
        "half": ["\\ud83d", "whole"],
        "none": [None, None],
    }
    frame = polars_frame(result)
    assert {name: frame[f"input.{name}"].to_list() for name in expected} == expected
    assert frame["output"].to_list() == ["\\udc00", "ok"]
    table = pandas_frame(result)
    assert {name: str(table[f"input.{name}"].dtype) for name in ("mixed", "flag", "real")} == {
        "mixed": "string",
        "flag": "boolean",
        "real": "float64",
    }


def test_an_empty_result_gives_empty_frames_with_the_fixed_columns() -> None:
    result = recorded([], Made(cases=[]))
    assert list(rows(result)) == []
    assert list(pandas_frame(result).columns) == list(FIXED)
    assert polars_frame(result).shape == (0, len(FIXED))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_missing_library_is_told_with_the_command_that_installs_it(library: str) -> None:
    program = dedent(
        f"""
        import sys
        sys.modules[{library!r}] = None
        from tests.front.recorded import Case, Made, recorded
        from rejudge.domain.errors import ConfigurationError
        try:
            recorded([{{"id": "1"}}], Made(cases=[Case(output="x")])).to_{library}()
        except ConfigurationError as error:
            print(error)
        """
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == (
        f"{library} is not installed, which this data frame needs\n  next: pip install 'rejudge[data]'\n"
    )


@pytest.mark.slow
def test_the_rows_of_a_large_run_take_no_more_memory_than_those_of_a_small_one(tmp_path: Path) -> None:
    def echo(question: str) -> str:
        return question

    def length(output: str) -> float:
        return len(output) / 2

    def peak(count: int) -> int:
        items = [{"id": str(place), "question": f"{place} " + "q" * 200} for place in range(count)]
        result = evaluate(items, echo, length, store=tmp_path / f"{count}.db")
        assert result.summary("length").n == count
        tracemalloc.start()
        try:
            assert sum(1 for _ in rows(result)) == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(20_000) < peak(2_000) + 1_000_000
