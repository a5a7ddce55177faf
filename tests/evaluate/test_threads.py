"""Conversations over many traces, judged as wholes."""

from __future__ import annotations

from pathlib import Path

import pytest

import rejudge
from rejudge.domain.case import ExecutionStatus

ROWS = [
    {"id": "a2", "thread_id": "a", "turn": 2, "text": "and on Sunday?"},
    {"id": "b1", "thread_id": "b", "turn": 1, "text": "hello"},
    {"id": "a1", "thread_id": "a", "turn": 1, "text": "open on Monday?"},
    {"id": "x", "turn": 1, "text": "belongs to nobody"},
]


def answer(item: dict[str, object]) -> str:
    text = str(item["text"])
    if text == "fail":
        raise ValueError("no idea")
    return text.upper()


def turns(trace: list[dict[str, object]]) -> float:
    return float(len(trace))


def read(trace: list[dict[str, object]]) -> str:
    return " | ".join(f"{one['role'][0]}: {one['content']}" for one in trace)  # type: ignore[index]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    rejudge.evaluate(ROWS, answer, store=tmp_path / "s.db", name="chat")
    return tmp_path / "s.db"


def labels(result: rejudge.Result) -> dict[str, str | None]:
    return {row.item.id: row.scores[0].values[0].label for row in result.cases()}


def test_the_traces_of_a_thread_are_one_conversation_in_its_order(store: Path) -> None:
    result = rejudge.evaluate_threads("chat", [read, turns], order="turn", store=store)
    assert labels(result) == {
        "a": "u: open on Monday? | a: OPEN ON MONDAY? | u: and on Sunday? | a: AND ON SUNDAY?",
        "b": "u: hello | a: HELLO",
    }
    assert result.summary("turns").mean == 3.0
    first = next(iter(result.cases())).item.fields["turns"]
    traces = {f"trace-{row.trace.digest().hex()}" for row in rejudge.open(store).result("chat").cases() if row.trace}
    assert isinstance(first, list)
    assert {turn["trace"] for turn in first} < traces


def test_a_conversation_judge_reads_every_message(store: Path) -> None:
    def model(call: rejudge.ModelCall) -> str:
        asked = str(call.messages[-1]["content"])
        assert "hello" in asked or ("MONDAY" in asked and "SUNDAY" in asked)
        return '{"reasoning": "it holds together", "conversation_coherence": 5}'

    judge = rejudge.scorers.create("conversation_coherence", {"model": "m"})
    asked = {"store": store, "provider": rejudge.ScriptedProvider(model)}
    result = rejudge.evaluate_threads("chat", judge, order="turn", **asked)  # type: ignore[arg-type]
    assert (result.summary().mean, result.summary().n) == (5.0, 2)


def test_judging_again_costs_nothing_and_a_new_turn_is_a_new_conversation(store: Path) -> None:
    first = rejudge.evaluate_threads("chat", turns, order="turn", store=store)
    again = rejudge.evaluate_threads("chat", turns, order="turn", store=store)
    assert again.run().id == first.run().id
    longer = [*ROWS, {"id": "b2", "thread_id": "b", "turn": 2, "text": "bye"}]
    rejudge.evaluate(longer, answer, store=store, name="chat")
    result = rejudge.evaluate_threads("chat", turns, order="turn", store=store)
    assert [row.scores[0].values[0].number for row in result.cases()] == [4.0, 4.0]


def test_transforms_choose_what_the_messages_say(store: Path) -> None:
    result = rejudge.evaluate_threads(
        "chat",
        read,
        order="turn",
        store=store,
        trace_input_transform=lambda given: None,
        trace_output_transform=lambda output: f"<{output}>",
        trace_context_transform=lambda given: given["text"],  # type: ignore[index]
    )
    assert labels(result)["b"] == "a: <HELLO>"
    row = result.run().case("b")
    assert row.trace is not None
    assert row.trace.produced.messages == [{"role": "assistant", "content": "<HELLO>", "context": "hello"}]


def test_a_turn_without_output_and_a_transform_that_raises_fail_their_thread_alone(tmp_path: Path) -> None:
    rows = [*ROWS, {"id": "c1", "thread_id": "c", "turn": 1, "text": "fail"}]
    rejudge.evaluate(rows, answer, store=tmp_path / "s.db", name="chat")

    def picky(output: object) -> object:
        if output == "HELLO":
            raise ValueError("not this one")
        return output

    result = rejudge.evaluate_threads("chat", read, store=tmp_path / "s.db", trace_output_transform=picky)
    ended = {row.item.id: row.case for row in result.cases()}
    assert [ended[name].execution_status for name in "abc"] == [
        ExecutionStatus.COMPLETED,
        ExecutionStatus.ERROR,
        ExecutionStatus.ERROR,
    ]
    assert "not this one" in ended["b"].execution_error.message
    assert "turn 1 (item 'c1') has no output" in ended["c"].execution_error.message


def test_recorded_messages_are_judged_as_they_are() -> None:
    talk = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hey"},
        {"role": "user", "content": "?"},
    ]
    broken = {"id": "broken", "messages": "hi"}
    result = rejudge.evaluate_threads([{"id": "t", "messages": talk}, broken], read, store="memory:")
    first, second = result.cases()
    assert first.scores[0].values[0].label == "u: hi | a: hey | u: ?"
    assert second.case.execution_status is ExecutionStatus.ERROR
    assert "no list of messages" in second.case.execution_error.message


def test_each_trial_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    rejudge.evaluate(ROWS, answer, store=tmp_path / "s.db", name="chat", trials=2)
    result = rejudge.evaluate_threads("chat", turns, order="turn", store=tmp_path / "s.db")
    assert {row.item.id for row in result.cases()} == {"a, trial 0", "a, trial 1", "b, trial 0", "b, trial 1"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"by": "conversation"}, "no item of 'chat' has a field 'conversation'"),
        ({"order": "when"}, "has no field 'when'"),
        ({"max_traces_per_thread": 1}, "has 2 turns, more than 1"),
    ],
)
def test_threads_that_cannot_be_made_are_refused(store: Path, options: dict[str, object], told: str) -> None:
    with pytest.raises(rejudge.ConfigurationError, match=told):
        rejudge.evaluate_threads("chat", turns, store=store, **options)  # type: ignore[arg-type]


def test_names_of_experiments_and_datasets_may_have_a_dot(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    rejudge.evaluate(ROWS, answer, store=store, name="chat v1.2")
    assert labels(rejudge.evaluate_threads("chat v1.2", read, store=store, order="turn")).keys() == {"a", "b"}
    rejudge.open(store).dataset("rows v1.2").insert(ROWS)
    assert rejudge.evaluate("rows v1.2", answer, store=store).run().counts.cases.completed == 4
    with pytest.raises(rejudge.ConfigurationError, match="neither a file nor a dataset"):
        rejudge.evaluate("rows v1.3", answer, store=store)
