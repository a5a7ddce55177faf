"""Recorded outputs are scored without generating them again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rejudge
from rejudge.wiring import Address
from tests.evaluate.conftest import length, right

ITEMS = [{"id": "a", "question": "2+2", "answer": "4"}, {"id": "b", "question": "3+3", "answer": "6"}]


def _write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_file_of_outputs_is_a_task(store: Address, tmp_path: Path) -> None:
    path = _write(tmp_path / "outputs.jsonl", [{"id": "a", "output": "4"}, {"id": "b", "output": "7"}])
    result = rejudge.evaluate(ITEMS, rejudge.replay(path), [right], store=store)
    assert result.summary("right").mean == 0.5
    assert result.runs[0].task == "outputs"


def test_an_item_without_a_recorded_output_is_skipped_said_and_counted(store: Address, tmp_path: Path) -> None:
    path = _write(tmp_path / "outputs.jsonl", [{"id": "a", "output": "4"}, {"id": "c", "output": "1"}])
    result = rejudge.evaluate(ITEMS, rejudge.replay(path), [right], store=store)
    summary = result.summary("right")
    assert (summary.n, summary.skipped, summary.planned) == (1, 1, 2)
    assert "no_recording" in str(result.runs[0].case("b").case.reason)
    assert result.exit_code() == 0


def test_several_rows_of_an_id_are_trials(store: Address, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"id": i, "output": f"{i}{n}"} for n in range(3) for i in ("a", "b")]
    path = _write(tmp_path / "outputs.jsonl", rows)
    result = rejudge.evaluate(ITEMS, rejudge.replay(path), store=store, trials=3)
    outputs = [row.trace.produced.output for row in result.cases() if row.trace]
    assert outputs == ["a0", "a1", "a2", "b0", "b1", "b2"]


def test_a_named_trial_field_says_which_is_which(store: Address, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"id": "a", "try": 1, "output": "second"},
        {"id": "a", "try": 0, "output": "first"},
    ]
    task = rejudge.replay(_write(tmp_path / "o.jsonl", rows), trial="try")
    result = rejudge.evaluate(ITEMS[:1], task, store=store, trials=2)
    assert [row.trace.produced.output for row in result.cases() if row.trace] == ["first", "second"]


def test_two_outputs_for_one_trial_are_refused_with_both_lines(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"id": "a", "try": 0, "output": "x"}, {"id": "a", "try": 0, "output": "y"}]
    with pytest.raises(rejudge.InputError, match=r"(?s)o\.jsonl:2.*line 1"):
        rejudge.replay(_write(tmp_path / "o.jsonl", rows), trial="try")


def test_a_trace_depends_on_the_recorded_row_and_not_on_the_file(store: Address, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"id": "a", "output": "4"}, {"id": "b", "output": "7"}]
    first = rejudge.evaluate(ITEMS, rejudge.replay(_write(tmp_path / "o.jsonl", rows), name="m"), store=store)
    rows[1]["output"] = "6"
    rows.append({"id": "zzz", "output": "another"})
    moved = _write(tmp_path / "elsewhere.jsonl", rows)
    second = rejudge.evaluate(ITEMS, rejudge.replay(moved, name="m"), [right], store=store)
    assert second.runs[0].run_config.id == first.runs[0].run_config.id
    assert second.runs[0].case("a").case.reused
    assert not second.runs[0].case("b").case.reused
    assert second.summary("right").mean == 1.0
    rows[1]["output"] = "7"
    third = rejudge.evaluate(ITEMS, rejudge.replay(_write(moved, rows), name="m"), [right], store=store)
    assert third.summary("right").mean == 0.5


def test_an_output_is_found_by_a_dotted_path(store: Address, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"question": "2+2", "model": {"solution": "4"}},
        {"question": "3+3", "model": {"solution": "5"}},
    ]
    path = _write(tmp_path / "o.jsonl", rows)
    items = [{"question": "2+2", "answer": "4"}, {"question": "3+3", "answer": "6"}]
    task = rejudge.replay(path, id="question", output="model.solution", name="model")
    result = rejudge.evaluate(items, task, [right], store=store, id="question")
    assert result.summary("right").mean == 0.5


def test_a_recorded_message_list_is_the_trace(store: Address, tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "2+2"}, {"role": "assistant", "content": "4"}]
    task = rejudge.replay(_write(tmp_path / "o.jsonl", [{"id": "a", "output": messages}]))

    def turns(trace: list[object]) -> float:
        return float(len(trace))

    result = rejudge.evaluate(ITEMS[:1], task, [right, turns], store=store)
    assert result.summary("right").mean == 1.0
    assert result.summary("turns").mean == 2.0


def test_a_wrong_output_path_is_a_clear_error(tmp_path: Path) -> None:
    path = _write(tmp_path / "o.jsonl", [{"id": "a", "answer": "4"}])
    with pytest.raises(rejudge.ConfigurationError, match="'output'"):
        rejudge.replay(path)


def test_several_recordings_are_compared_on_the_same_items(store: Address, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"id": "a", "one": "4", "two": "5"}, {"id": "b", "one": "6", "two": "6"}]
    path = _write(tmp_path / "o.jsonl", rows)
    tasks = [rejudge.replay(path, output=name, name=name) for name in ("one", "two")]
    result = rejudge.evaluate(ITEMS, tasks, [right, length], store=store)
    assert result.summary("right", task="one").mean == 1.0
    assert result.summary("right", task="two").mean == 0.5
