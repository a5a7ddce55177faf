"""Spans of task calls: each under its own item, kept with the trace, and shown to the scorers that ask for them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

import rejudge
from rejudge import Outcome, Reply, ScriptedProvider, track
from rejudge.domain.score import ScoreStatus
from rejudge.domain.span import SpanTree
from rejudge.providers.fake_server import FakeModelServer
from rejudge.providers.misbehaviour import Raw
from rejudge.wiring import Address
from tests.evaluate.span_tasks import (
    FEW,
    SPANS,
    async_task,
    gather_task,
    how_many,
    look,
    spans_of,
    strangers,
    sync_task,
    threads_task,
    tools,
    values,
)

ITEMS, CONCURRENCY = 200, 50


@pytest.mark.parametrize("task", SPANS, ids=lambda task: task.__name__)
def test_each_span_lands_under_its_own_item(task: Callable[..., object], store: Address) -> None:
    rows = [{"id": f"i{place}", "question": f"q{place}"} for place in range(ITEMS)]
    result = rejudge.evaluate(rows, task, [strangers, how_many], store=store, concurrency=CONCURRENCY)
    assert result.runs[0].complete
    assert values(result, "strangers") == {1.0}
    assert values(result, "how_many") == {float(SPANS[task])}


def test_two_evaluations_at_once_do_not_mix(tmp_path: Path) -> None:
    rows = [[{"id": f"i{place}", "question": f"{side}{place}"} for place in range(60)] for side in "ab"]

    def one(side: int) -> rejudge.Result:
        task = (gather_task, threads_task)[side]
        return rejudge.evaluate(
            rows[side], task, [strangers, how_many], store=tmp_path / f"{side}.db", concurrency=20, progress="silent"
        )

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(one, range(2)))
    assert [values(result, "strangers") for result in results] == [{1.0}, {1.0}]
    assert [values(result, "how_many") for result in results] == [{5.0}, {4.0}]


def test_a_span_scorer_that_is_added_later_is_told_the_same_and_nothing_is_called(store: Address) -> None:
    calls: list[str] = []

    def task(question: str) -> str:
        calls.append(question)
        return sync_task(question)

    task.version = "1"  # type: ignore[attr-defined]
    first = rejudge.evaluate(FEW, task, [], store=store, name="e")
    assert len(calls) == len(FEW)
    rescored = rejudge.evaluate_experiment("e", [how_many, strangers], store=first.store)
    again = rejudge.evaluate(FEW, task, [tools], store=first.store, name="e")
    assert len(calls) == len(FEW)
    assert values(rescored, "how_many") == {3.0}
    assert values(rescored, "strangers") == {1.0}
    assert values(again, "tools") == {2.0}


def test_span_scores_are_there_for_the_items_that_ended_though_another_failed(store: Address) -> None:
    broken = Event()
    calls: list[str] = []

    def task(item: dict[str, str]) -> str:
        calls.append(item["id"])
        if item["id"] == "i3" and not broken.is_set():
            raise ValueError("not yet")
        return look(item["question"])

    task.version = "1"  # type: ignore[attr-defined]
    first = rejudge.evaluate(FEW, task, how_many, store=store)
    assert first.runs[0].counts.cases.errors == 1
    assert first.summary("how_many").n == len(FEW) - 1
    broken.set()
    second = rejudge.evaluate(FEW, task, how_many, store=first.store)
    assert calls.count("i3") == 2
    assert len(calls) == len(FEW) + 1
    assert second.summary("how_many").n == len(FEW)


def test_the_task_span_is_the_task_itself() -> None:
    seen: list[SpanTree] = []

    def remember(task_span: SpanTree) -> bool:
        seen.append(task_span)
        return True

    remember.version = "1"  # type: ignore[attr-defined]
    rejudge.evaluate(FEW[:1], async_task, remember, store="memory:")
    (root,) = seen
    assert (root.name, root.kind, root.input, root.output) == ("async_task", "task", {"question": "q0"}, "Q0")
    assert [span.name for span in root.children] == ["block", "inner"]
    assert [span.name for span in root.children[1].children] == ["look_later", "look"]
    found = root.find("look")
    assert found is not None
    assert found.input == {"question": "q0"}
    assert root.find("nobody") is None


def test_what_one_scorer_does_to_the_spans_no_other_sees() -> None:
    def spoiling(task_span: SpanTree) -> bool:
        task_span.children.clear()
        return True

    result = rejudge.evaluate(FEW, sync_task, [spoiling, how_many], store="memory:")
    assert values(result, "how_many") == {3.0}


def test_recorded_outputs_have_no_spans_so_their_scorers_skip(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text('{"id": "i0", "output": "x"}\n{"id": "i1", "output": "y"}\n')
    expression = rejudge.exact_match(value_expression="trace.spans | length | string", expected_value="0")
    result = rejudge.evaluate(
        FEW[:2], rejudge.replay(tmp_path / "out.jsonl"), [how_many, tools, expression], store="memory:"
    )
    assert result.runs[0].complete
    for row in result.cases():
        assert {(score.status, score.cause) for score in row.scores} == {(ScoreStatus.SKIPPED, "missing_spans")}
        assert all("spans" in score.reason or "task_span" in score.reason for score in row.scores)


def test_a_task_that_records_nothing_has_no_spans_and_is_judged(store: Address) -> None:
    def silent(question: str) -> str:
        return question

    assert values(rejudge.evaluate(FEW, silent, how_many, store=store), "how_many") == {0.0}


def test_expressions_read_the_spans(store: Address) -> None:
    expression = "trace.spans | selectattr('kind', 'equalto', 'tool') | map(attribute='output') | join('+')"
    scorer = rejudge.exact_match(value_expression=expression, expected_value="Q0+Q0", name="tools")
    result = rejudge.evaluate(FEW, sync_task, scorer, store=store)
    outcomes = {row.item.id: row.scores[0].values[0].outcome for row in result.cases()}
    assert outcomes["i0"] is Outcome.PASSED
    assert outcomes["i1"] is Outcome.FAILED


def test_a_judge_reads_the_spans_and_none_of_its_own(store: Address) -> None:
    provider = ScriptedProvider(lambda call: Reply(text='{"reasoning": "fine", "careful": "pass"}'))
    judge = rejudge.llm_judge(
        name="careful",
        model="m",
        prompt_template="{% for span in trace.spans %}[{{ span.name }}: {{ span.output }}]{% endfor %} {{ output }}",
    )

    @track(name="block")  # a name that the task uses as well
    def own(output: str) -> bool:
        look("a scorer's own")
        return bool(output)

    first = rejudge.evaluate(FEW[:2], sync_task, [own, judge], store=store, provider=provider, name="e")
    rejudge.evaluate_experiment("e", [how_many, own], store=first.store)
    asked = [str(call.messages[1]["content"]) for call in provider.calls]
    assert len(asked) == 2
    assert all(text.count("look:") == 2 for text in asked)
    assert not any("own" in text or "scorer" in text for text in asked)
    assert len(spans_of(first, "i0")) == 3


def test_what_a_task_asks_of_the_world_is_told_by_its_name_and_kind(store: Address) -> None:
    pytest.importorskip("pydantic_monty")

    def using_tools(call: rejudge.ModelCall) -> Reply:
        if call.messages[-1]["role"] == "tool":
            return Reply(text="done")
        asked = [("price", '{"of": "tea"}'), ("double", '{"n": 4}'), ("broken", "{}")]
        return Reply(
            tool_calls=[{"type": "function", "function": {"name": name, "arguments": said}} for name, said in asked]
        )

    def price(of: str) -> int:
        return len(of)

    def broken() -> None:
        raise ValueError("out of order")

    offered = [
        rejudge.tool("price", simulated=price),
        rejudge.tool("double", code="def double(n):\n    return 2 * n"),
        rejudge.tool("broken", simulated=broken),
    ]
    agent = rejudge.agent("{{ question }}", model="m", tools=offered)
    result = rejudge.evaluate(FEW[:1], agent, tools, store=store, provider=ScriptedProvider(using_tools))
    told = {span.name: (span.kind, span.input, span.output) for span in spans_of(result, FEW[0]["id"])}
    assert told["price"] == ("tool", {"of": "tea"}, 3)
    assert told["double"] == ("tool", {"n": 4}, 8)
    assert [span.error for span in spans_of(result, FEW[0]["id"]) if span.name == "broken"] == [
        "ValueError: out of order"
    ]
    assert values(result, "tools") == {3.0}


def test_a_request_and_a_turn_are_told_with_what_was_sent_and_what_came_back(store: Address) -> None:
    def partner(messages: list[dict[str, str]]) -> str:
        return f"heard {messages[-1]['content']}"

    with FakeModelServer(lambda asked: Raw.of({"t": asked.body["q"], "usage": {"input_tokens": 3}})) as server:
        endpoint = rejudge.http(f"{server.root}/ask?k=1", body={"q": "{{ question }}"}, answer="$.t", usage="$.usage")
        (asked,) = spans_of(rejudge.evaluate(FEW[:1], endpoint, store=store), FEW[0]["id"])
        assert (asked.name, asked.kind) == (f"POST {server.root}/ask", "http")
    assert (asked.input, asked.output) == (
        {"q": FEW[0]["question"]},
        {"t": FEW[0]["question"], "usage": {"input_tokens": 3}},
    )
    assert asked.usage == rejudge.Usage(input_tokens=3)
    talk = rejudge.conversation(partner, user=["{{ question }}"])
    (turn,) = spans_of(rejudge.evaluate(FEW[:1], talk, store=store), FEW[0]["id"])
    assert (turn.name, turn.kind, turn.output) == ("turn", "agent", f"heard {FEW[0]['question']}")
