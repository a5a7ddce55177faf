"""What people hand in that is of another kind than meant: refused in words, before anything is called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

import pytest

import rejudge
from rejudge.storage.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from rejudge.datasets.rows import Entry

ROWS = [{"id": "a", "question": "hello"}, {"id": "b", "question": "bye"}]


def echo(question: str) -> str:
    return question


def judge(output: str) -> bool:
    return bool(output)


def never(question: str) -> str:
    raise AssertionError("the task was called")


anything: Any = 3
words: Any = "x"

REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: rejudge.agent("x", model="m", tools=anything), "tools= is a int"),
    (lambda: rejudge.agent("x", model="m", tools=echo), "tools= is a function"),  # type: ignore[arg-type]
    (lambda: rejudge.agent("x", model="m", parameters=anything), "parameters= is a int"),
    (lambda: rejudge.agent("x", model="m", depends_on=anything), "depends_on= is a int"),
    (lambda: rejudge.agent("x", model="m", name=anything), "name= is a int"),
    (lambda: rejudge.agent("x", model="m", scenario=anything), "scenario= is a int"),
    (lambda: rejudge.agent("x", model="m", max_turns=words), "steps is 'x', which is no whole number"),
    (lambda: rejudge.agent("x", model="m", max_turns=True), "steps is True, which is no whole number"),
    (lambda: rejudge.agent("x", model="m", max_seconds=float("nan")), "seconds is nan"),
    (lambda: rejudge.agent("x", model="m", max_cost=words), "cost is 'x'"),
    (lambda: rejudge.conversation(echo, user=["hi"], max_turns=words), "turns is 'x'"),
    (lambda: rejudge.tool(anything, simulated=[{"result": 1}]), "= is a int"),
    (lambda: rejudge.tool("t", code=anything), "code= is a int"),
    (lambda: rejudge.tool(echo, parameters=anything), "parameters= is a int"),
    (lambda: rejudge.http(anything), "url= is a int"),
    (lambda: rejudge.http("http://h/", method=anything), "method= is a int"),
    (lambda: rejudge.http("http://h/", headers=anything), "headers= is a int"),
    (lambda: rejudge.http("http://h/", headers={"a": anything}), "the header a= is a int"),
    (lambda: rejudge.http("http://h/", headers={"Content-Length": "5"}), "is set by whoever sends the request"),
    (lambda: rejudge.http("http://h/", answer=anything), "answer= is a int"),
    (lambda: rejudge.replay([]), "path= is a list"),  # type: ignore[arg-type]
    (lambda: rejudge.evaluate_prompt(ROWS, "x", "m", parameters=anything), "parameters= is a int"),
    (lambda: rejudge.evaluate_resume(anything, never), "experiment= is a int"),
    (lambda: rejudge.evaluate_resume("e", never, accept_changes=anything), "accept_changes= is a int"),
    (lambda: rejudge.evaluate_experiment(anything, judge), "experiment= is a int"),
    (lambda: rejudge.evaluate_experiment("e", judge, outputs="abc"), "outputs= is a str"),
    (lambda: rejudge.evaluate_experiment("e", judge, concurrency=words), "concurrency is 'x'"),
    (lambda: rejudge.evaluate_threads("e", judge, max_traces_per_thread=words), "max_traces_per_thread is 'x'"),
    (
        lambda: rejudge.evaluate_optimization_trial(ROWS, never, optimization_id=None),  # type: ignore[arg-type]
        "optimization_id=None names no optimisation",
    ),
    (
        lambda: rejudge.evaluate_optimization_trial(ROWS, never, optimization_id="o", experiment_type=anything),
        "unknown experiment type 3",
    ),
    (lambda: rejudge.evaluate(ROWS, never, concurrency=10**9), "concurrency is 1000000000"),
    (lambda: rejudge.evaluate(ROWS, never, dataset_item_ids=anything), "dataset_item_ids= is a int"),
    (lambda: rejudge.stratified_sampler(2, by=anything), "needs a field"),
]


@pytest.mark.parametrize(("wrong", "told"), REFUSED, ids=[told for _, told in REFUSED])
def test_an_argument_of_another_kind_is_refused_in_words(
    wrong: Callable[[], object], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rejudge.open().close()
    with pytest.raises(rejudge.ConfigurationError, match=re.escape(told)):
        wrong()


class Choosing:
    """A sampler of the user's own."""

    def __init__(self, choose: Callable[[Iterable[Entry]], object]) -> None:
        self._choose = choose

    def described(self) -> dict[str, object]:
        return {"sampler": "own"}

    def sample(self, entries: Iterable[Entry]) -> Sequence[Entry]:
        return cast("Sequence[Entry]", self._choose(entries))


def broken(entries: Iterable[Entry]) -> object:
    raise ValueError("no luck")


@pytest.mark.parametrize(
    ("choose", "told"),
    [
        (broken, "the sampler raised ValueError: no luck"),
        (lambda entries: None, "the sampler raised TypeError"),
        (lambda entries: [{"id": "a"}], "the sampler chose a dict, which is no item"),
    ],
)
def test_a_sampler_that_fails_is_named_before_the_first_task_call(
    choose: Callable[[Iterable[Entry]], object], told: str
) -> None:
    with pytest.raises(rejudge.ConfigurationError, match=told):
        rejudge.evaluate(ROWS, never, store=MemoryStore(), dataset_sampler=Choosing(choose))


def test_an_empty_turn_of_a_script_is_said_once() -> None:
    def partner(messages: list[dict[str, object]]) -> str:
        return f"heard {messages[-1]['content']!r}"

    task = rejudge.conversation(partner, user=["", "bye"])
    row = next(rejudge.evaluate(ROWS[:1], task, store=MemoryStore()).cases())
    assert row.trace is not None
    said = [cast("dict[str, object]", message)["content"] for message in row.trace.produced.messages or []]
    assert said == ["", "heard ''", "bye", "heard 'bye'"]


def test_a_partner_that_speaks_as_the_user_has_given_no_answer() -> None:
    def partner(messages: list[dict[str, object]]) -> dict[str, object]:
        return {"role": "user", "content": "what I want is"}

    task = rejudge.conversation(partner, user=["hi"])
    row = next(rejudge.evaluate(ROWS[:1], task, store=MemoryStore()).cases())
    assert "gave dict in place of what it says" in row.case.execution_error.message
