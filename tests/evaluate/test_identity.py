"""Nothing stale is reused: what can change an output changes an id, and what cannot does not."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rejudge
from rejudge.wiring import Address
from tests.evaluate.conftest import QUESTIONS, Counting, right

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from rejudge.front.result import Result

ROWS = QUESTIONS[:2]


def _reused(result: Result) -> int:
    return result.runs[0].usage.reused


def _prompting(prompt: str, temperature: float) -> Callable[[str], Generator[rejudge.ModelCall, rejudge.Reply, str]]:
    def task(question: str) -> Generator[rejudge.ModelCall, rejudge.Reply, str]:
        reply = yield rejudge.ModelCall(
            model="m", messages=[{"role": "user", "content": f"{prompt} {question}"}], temperature=temperature
        )
        return reply.text

    return task


@pytest.mark.parametrize(("prompt", "temperature"), [("add exactly", 0.0), ("add", 0.7)])
def test_a_changed_prompt_or_sampling_parameter_is_a_miss(store: Address, prompt: str, temperature: float) -> None:
    provider = rejudge.ScriptedProvider(lambda call: "4")
    first = rejudge.evaluate(ROWS, _prompting("add", 0.0), store=store, provider=provider, name="p")
    again = rejudge.evaluate(ROWS, _prompting("add", 0.0), store=store, provider=provider, name="p")
    assert len(provider.calls) == 2
    assert again.runs[0].id == first.runs[0].id
    changed = rejudge.evaluate(ROWS, _prompting(prompt, temperature), store=store, provider=provider, name="p")
    assert len(provider.calls) == 4
    assert _reused(changed) == 0
    assert changed.runs[0].run_config.id != first.runs[0].run_config.id


SCRIPT = """
import rejudge
ROWS = [{"id": "a", "question": "1"}, {"id": "b", "question": "2"}]
CONSTANT = "constant"

def helper(text):
    return text + "!"

def outer(value):
    def task(question, suffix="default"):
        return helper(question) + suffix + CONSTANT + value
    return task

result = rejudge.evaluate(ROWS, outer("closure"), store="store.db", name="x")
print(result.runs[0].usage.reused, result.runs[0].run_config.id)
"""


def _run(folder: Path, script: str) -> tuple[int, str]:
    (folder / "script.py").write_text(script)
    done = subprocess.run([sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, check=True)
    reused, config = done.stdout.split()
    return int(reused), config


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("helper(question) +", "helper(question) + '' +"),
        ('suffix="default"', 'suffix="other"'),
        ('outer("closure")', 'outer("other")'),
        ('text + "!"', 'text + "?"'),
        ('CONSTANT = "constant"', 'CONSTANT = "other"'),
    ],
    ids=["source", "default argument", "closure value", "helper", "global"],
)
def test_a_changed_part_of_the_function_is_a_miss(tmp_path: Path, old: str, new: str) -> None:
    script = textwrap.dedent(SCRIPT)
    before = _run(tmp_path, script)
    assert _run(tmp_path, script + "\n# a comment\n") == before
    after = _run(tmp_path, script.replace(old, new))
    assert after[0] == 0
    assert after[1] != before[1]


def test_a_changed_given_field_regenerates_that_item_alone(store: Address, adder: Counting) -> None:
    rejudge.evaluate(ROWS, adder, store=store)
    adder.calls.clear()
    rejudge.evaluate([ROWS[0], {**ROWS[1], "question": "3+4"}], adder, store=store)
    assert adder.calls == ["q2"]


def test_a_changed_scorer_setting_is_a_new_scorer_and_no_new_trace(store: Address, adder: Counting) -> None:
    first = rejudge.evaluate(ROWS, adder, [rejudge.exact_match(name="right", reference_key="answer")], store=store)
    adder.calls.clear()
    second = rejudge.evaluate(
        ROWS, adder, [rejudge.exact_match(name="right", reference_key="answer", case_sensitive=False)], store=store
    )
    assert adder.calls == []
    assert second.runs[0].run.scorers != first.runs[0].run.scorers
    assert second.runs[0].counts.scores[0].scored == 2


def test_functions_made_in_a_loop_are_run_configs_of_their_own(store: Address) -> None:
    tasks = []
    for model in ("a", "b", "c", "d"):

        def task(question: str, model: str = model) -> str:
            return f"{model}: {question}"

        tasks.append(task)
    result = rejudge.evaluate(ROWS, tasks, store=store)
    assert len({run.run_config.id for run in result.runs}) == 4


def test_a_version_stands_for_the_source(store: Address) -> None:
    def make(text: str) -> Callable[[str], str]:
        def task(question: str) -> str:
            return text + question

        task.version = "1"  # type: ignore[attr-defined]
        return task

    rejudge.evaluate(ROWS, make("one "), store=store)
    result = rejudge.evaluate(ROWS, make("another "), store=store)
    outputs = [row.trace.produced.output for row in result.cases() if row.trace]
    assert outputs == ["one 2+2", "one 3+3"]


def test_an_unpinned_task_says_why_and_is_reused_in_its_own_experiment_only(store: Address, tmp_path: Path) -> None:
    with (tmp_path / "client").open("w") as client:

        def task(question: str) -> str:
            return f"{question}{client.name[:0]}"

        first = rejudge.evaluate(ROWS, task, store=store, name="one")
        assert "uses `client`" in str(first.runs[0].run_config.unpinned)
        assert "version=" in str(first.runs[0].run_config.unpinned)
        again = rejudge.evaluate(ROWS, task, [right], store=store, name="one", reference=["answer"])
        other = rejudge.evaluate(ROWS, task, store=store, name="two")
    assert _reused(other) == 0
    assert again.runs[0].id != first.runs[0].id


def test_what_a_task_depends_on_is_part_of_it(store: Address, adder: Counting) -> None:
    rejudge.evaluate(ROWS, adder, store=store, depends_on={"knowledge_index_version": "2026-07-01"})
    adder.calls.clear()
    rejudge.evaluate(ROWS, adder, store=store, depends_on={"knowledge_index_version": "2026-07-02"})
    assert adder.calls == ["q1", "q2"]


def test_a_declared_scenario_must_state_what_it_depends_on(store: Address, adder: Counting) -> None:
    with pytest.raises(rejudge.ConfigurationError, match="knowledge_index_version"):
        rejudge.evaluate(ROWS, adder, store=store, scenario="rag")
    assert adder.calls == []


@pytest.mark.parametrize(
    "options", [{"depends_on": {"knowledge_index_version": "2"}}, {"version": "2"}, {"scenario": "rag"}]
)
def test_what_a_task_that_is_no_function_would_not_hear_is_refused(options: dict[str, Any]) -> None:
    model = rejudge.ScriptedProvider(lambda call: rejudge.Reply(text="4"))
    task = rejudge.prompt("{{ question }}", model="m")
    (name,) = options
    with pytest.raises(rejudge.ConfigurationError, match=f"{name}= is said of functions"):
        rejudge.evaluate(QUESTIONS, task, store="memory:", provider=model, **options)
    assert model.calls == []
