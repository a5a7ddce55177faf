"""Nothing stale is reused, whatever changed and however it was said."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

import rejudge
from rejudge.wiring import Address, open_store
from tests.evaluate.conftest import QUESTIONS, Counting, length, right

ROWS = QUESTIONS[:3]


def test_a_further_try_gets_the_item_as_it_was(store: Address) -> None:
    tries: list[int] = []

    def task(item: dict[str, list[str]]) -> list[str]:
        item["history"].append("assistant")
        tries.append(1)
        if len(tries) == 1:
            raise rejudge.Transient("again")
        return item["history"]

    task.version = "1"  # type: ignore[attr-defined]
    result = rejudge.evaluate([{"id": "a", "history": ["user"]}], task, store=store)
    (row,) = result.cases()
    assert row.trace is not None
    assert row.trace.produced.output == ["user", "assistant"]


def test_another_declaration_of_reference_fields_is_judged_anew(store: Address, adder: Counting) -> None:
    def known(reference_data: dict[str, str]) -> float:
        return float(len(reference_data))

    rows = [{**row, "gold": "x"} for row in ROWS]
    first = rejudge.evaluate(rows, adder, [known], store=store, reference=["answer"])
    second = rejudge.evaluate(rows, adder, [known], store=store, reference=["answer", "gold"])
    assert (first.summary().mean, second.summary().mean) == (1.0, 2.0)


def test_a_changed_question_of_a_recorded_output_is_judged_anew(store: Address, tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    path.write_text(json.dumps({"id": "a", "output": "Paris"}) + "\n")

    def about(output: str, task_input: dict[str, str]) -> bool:
        return output in task_input["question"]

    first = rejudge.evaluate([{"id": "a", "question": "Is Paris nice?"}], rejudge.replay(path), [about], store=store)
    second = rejudge.evaluate([{"id": "a", "question": "Is Rome nice?"}], rejudge.replay(path), [about], store=store)
    assert (first.summary().mean, second.summary().mean) == (1.0, 0.0)
    assert second.runs[0].usage.reused == 1


def test_an_unpinned_scorer_serves_its_own_experiment_only(store: Address, adder: Counting) -> None:
    def scorer_with(value: float) -> Callable[[str], float]:
        lock = threading.Lock()
        box = [value]

        class Opaque:
            """Something without a canonical form."""

            __slots__ = ("lock",)

            def __init__(self) -> None:
                self.lock = lock

            def value(self) -> float:
                return box[0]

        opaque = Opaque()

        def judged(output: str) -> float:
            return opaque.value()

        return judged

    first = rejudge.evaluate(ROWS, adder, [scorer_with(1.0)], store=store, name="one")
    second = rejudge.evaluate(ROWS, adder, [scorer_with(1.0)], store=store, name="two")
    assert second.runs[0].run.scorers != first.runs[0].run.scorers
    assert len(adder.calls) == 3


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("trials", 2.5),
        ("trials", "2"),
        ("concurrency", "4"),
        ("concurrency", 1.5),
        ("timeout", "4"),
        ("outputs", None),
        ("outputs", "confidence"),
        ("reference", "answer"),
        ("fields", ["question"]),
        ("name", 5),
        ("stop", [1]),
        ("depends_on", {"a": object()}),
    ],
)
def test_an_option_of_the_wrong_type_is_refused_and_spoils_nothing(
    store: Address, adder: Counting, option: str, value: object
) -> None:
    kept = open_store(store)
    with pytest.raises(rejudge.RejudgeError):
        rejudge.evaluate(ROWS, adder, [right], store=kept, **{option: value})  # type: ignore[arg-type]
    assert adder.calls == []
    assert rejudge.evaluate(ROWS, adder, [right], store=kept).summary().n == 3


def test_equal_content_under_another_name_is_not_taken_for_the_dataset(store: Address, adder: Counting) -> None:
    kept = open_store(store)
    train = rejudge.open(kept).dataset("train")
    version = train.insert(ROWS)
    rejudge.open(kept).dataset("copy").insert(ROWS)
    result = rejudge.evaluate(version, adder, [right], store=kept)
    assert result.experiment.dataset == "train"
    assert result.name.startswith("train/")


def test_a_copied_file_of_outputs_is_the_same_task(store: Address, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": "q1", "output": "4"}) + "\n")
    kept = open_store(store)
    rejudge.evaluate(ROWS[:1], rejudge.replay(tmp_path / "one.jsonl"), store=kept, name="x")
    again = rejudge.evaluate(ROWS[:1], rejudge.replay(tmp_path / "two.jsonl"), [right], store=kept, name="x")
    assert again.runs[0].usage.reused == 1
    both = [rejudge.replay(tmp_path / "one.jsonl"), rejudge.replay(tmp_path / "two.jsonl")]
    with pytest.raises(rejudge.ConfigurationError, match="name="):
        rejudge.evaluate(ROWS[:1], both, store=kept)


def test_a_row_without_an_output_keeps_its_place_among_the_trials(store: Address, tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    path.write_text("".join(json.dumps({"id": "q1", "output": output}) + "\n" for output in (None, "second")))
    result = rejudge.evaluate(ROWS[:1], rejudge.replay(path), store=store, trials=2)
    assert [(row.case.trial, row.case.execution_status.value) for row in result.cases()] == [
        (0, "skipped"),
        (1, "completed"),
    ]


def test_tries_of_a_model_call_are_not_multiplied_by_tries_of_the_task(store: Address) -> None:
    def task(question: str) -> Generator[rejudge.ModelCall, rejudge.Reply, str]:
        reply = yield rejudge.ModelCall(model="m", messages=[])
        return reply.text

    def down(call: rejudge.ModelCall) -> Exception:
        error = rejudge.Transient("down")
        error.retry_after = 0  # type: ignore[attr-defined]
        return error

    provider = rejudge.ScriptedProvider(down)
    rejudge.evaluate(ROWS[:1], task, store=store, provider=provider, retries=3)
    assert len(provider.calls) == 4


def test_the_failed_tries_of_a_model_call_are_kept_with_it(store: Address) -> None:
    faults = [rejudge.Transient("one"), rejudge.Transient("two")]
    for fault in faults:
        fault.retry_after = 0  # type: ignore[attr-defined]

    def task(question: str) -> Generator[rejudge.ModelCall, rejudge.Reply, str]:
        reply = yield rejudge.ModelCall(model="m", messages=[])
        return reply.text

    provider = rejudge.ScriptedProvider(lambda call: faults.pop(0) if faults else "fine")
    result = rejudge.evaluate(ROWS[:1], task, store=store, provider=provider)
    (row,) = result.cases()
    assert row.trace is not None
    assert [failure.splitlines()[0] for failure in row.trace.calls[0].failures] == ["one", "two"]


def test_an_unpinned_task_is_the_same_after_a_comment_was_added(tmp_path: Path) -> None:

    script = """
import threading
import rejudge
lock = threading.Lock()

def task(question):
    with lock:
        return question

result = rejudge.evaluate([{"id": "a", "question": "x"}], task, store="s.db", name="x")
print(result.runs[0].run_config.id, result.experiment.id)
"""
    printed = []
    for text in (script, "# a comment\n" + script):
        (tmp_path / "script.py").write_text(text)
        done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
        printed.append(done.stdout)
    assert printed[0] == printed[1]


def test_partial_functions_and_callable_objects_are_tasks(store: Address) -> None:
    def add(question: str, suffix: str) -> str:
        return question + suffix

    result = rejudge.evaluate(ROWS, functools.partial(add, suffix="!"), [length], store=store)
    assert result.summary().mean == 4.0
