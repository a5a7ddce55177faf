"""An agent with tools: what it may do, what is recorded of it, and where it is stopped."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import rejudge
from rejudge.domain.call import ToolCall
from rejudge.domain.case import ExecutionStatus
from rejudge.domain.errors import ConfigurationError, NameClash, TaskError, UnknownName
from rejudge.providers.provider import Abilities
from rejudge.storage.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from rejudge.domain.span import SpanTree
    from rejudge.domain.trace import Trace
    from rejudge.tasks.agent import AgentTask

ROWS = [{"id": "a", "request": "refund order 7", "answer": "done: refunded"}]
USAGE = rejudge.Usage(input_tokens=100, output_tokens=10, cost=0.5)
TABLE = [
    {"arguments": {"order": 7}, "result": "refunded"},
    {"arguments": {"order": 8}, "error": "too late"},
]


def wants(tool: str, call_id: str | None = "c1", **arguments: object) -> dict[str, object]:
    called: dict[str, object] = {"type": "function"}
    called["function"] = {"name": tool, "arguments": json.dumps(arguments)}
    return called if call_id is None else called | {"id": call_id}


def calling(*calls: dict[str, object]) -> Callable[[rejudge.ModelCall], rejudge.Reply]:
    """Makes these calls first, then says what the last tool told."""

    def script(call: rejudge.ModelCall) -> rejudge.Reply:
        last = call.messages[-1]
        if last["role"] == "tool":
            return rejudge.Reply(text=f"done: {last['content']}", usage=USAGE)
        return rejudge.Reply(tool_calls=list(calls), usage=USAGE)

    return script


def for_ever(call: rejudge.ModelCall) -> rejudge.Reply:
    """Asks for another order each time."""
    return rejudge.Reply(tool_calls=[wants("refund", f"c{len(call.messages)}", order=len(call.messages))], usage=USAGE)


def refunder(**options: object) -> AgentTask:
    tools = options.pop("tools", [rejudge.tool("refund", simulated=TABLE)])
    return rejudge.agent("{{ request }}", model="m", system="Be kind.", tools=tools, **options)  # type: ignore[arg-type]


def traced(task: AgentTask, script: Callable[[rejudge.ModelCall], rejudge.Reply], **options: object) -> Trace:
    provider = rejudge.ScriptedProvider(script)
    result = rejudge.evaluate(ROWS, task, provider=provider, store=MemoryStore(), **options)  # type: ignore[arg-type]
    row = next(result.cases())
    assert row.trace is not None, row.case.execution_error.message
    return row.trace


def failure(task: AgentTask, script: Callable[[rejudge.ModelCall], rejudge.Reply]) -> str:
    provider = rejudge.ScriptedProvider(script)
    result = rejudge.evaluate(ROWS, task, provider=provider, store=MemoryStore(), retries=0)
    row = next(result.cases())
    assert row.case.execution_status is ExecutionStatus.ERROR
    return row.case.execution_error.message


def told(trace: Trace) -> list[object]:
    """What the tools told the agent."""
    messages = trace.produced.messages or []
    return [one["content"] for one in messages if isinstance(one, dict) and one["role"] == "tool"]


def test_the_whole_conversation_with_calls_and_results_is_the_trace() -> None:
    trace = traced(refunder(), calling(wants("refund", order=7)))
    assert trace.produced.output == "done: refunded"
    assert trace.produced.messages == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "refund order 7"},
        {"role": "assistant", "content": "", "tool_calls": [wants("refund", order=7)]},
        {"role": "tool", "tool_call_id": "c1", "content": "refunded"},
        {"role": "assistant", "content": "done: refunded"},
    ]
    assert trace.produced.metadata == {"turns": 1, "steps": 2, "tool_calls": 1}
    assert trace.usage == USAGE + USAGE
    used = [record.call for record in trace.calls if isinstance(record.call, ToolCall)]
    assert used == [ToolCall(tool="refund", arguments={"order": 7}, simulated=True)]


def test_scorers_of_tools_read_the_trace() -> None:
    check = rejudge.tool_call_check(expected_tools=["refund"])
    result = rejudge.evaluate(
        ROWS,
        refunder(),
        check,
        provider=rejudge.ScriptedProvider(calling(wants("refund", order=7))),
        store=MemoryStore(),
    )
    assert result.summary(check.config.name).mean == 1.0


def really_refund(order: int, note: str = "") -> str:
    """Refund an order for real."""
    raise AssertionError(f"order {order} was really refunded {note}")


def test_a_tool_that_would_really_act_is_refused_before_any_call() -> None:
    provider = rejudge.ScriptedProvider(calling(wants("really_refund", order=7)))
    with pytest.raises(ConfigurationError, match="'really_refund' of 'm' is neither simulated nor in a sandbox"):
        rejudge.evaluate(ROWS, refunder(tools=[really_refund]), provider=provider, store=MemoryStore())
    with pytest.raises(ConfigurationError, match="neither simulated"):
        rejudge.evaluate(
            ROWS,
            refunder(tools=[really_refund, rejudge.tool("x", simulated=TABLE)]),
            provider=provider,
            store=MemoryStore(),
            allow_tools=["really_refunds"],
        )
    assert provider.calls == []


def test_a_simulation_stands_for_the_tool_under_its_name_and_parameters() -> None:
    tool = rejudge.tool(really_refund, simulated=lambda order, note="": f"pretended {order}")
    task = refunder(tools=[tool])
    assert tool.schema == {
        "name": "really_refund",
        "description": "Refund an order for real.",
        "parameters": {
            "type": "object",
            "properties": {"order": {"type": "integer"}, "note": {"type": "string"}},
            "required": ["order"],
        },
    }
    assert told(traced(task, calling(wants("really_refund", order=7)))) == ["pretended 7"]


def test_a_tool_that_the_run_allows_by_name_acts() -> None:
    def look_up(order: int) -> dict[str, int]:
        return {"order": order}

    trace = traced(refunder(tools=[look_up]), calling(wants("look_up", order=7)), allow_tools=["look_up"])
    assert told(trace) == ['{"order":7}']
    assert [record.call.simulated for record in trace.calls if isinstance(record.call, ToolCall)] == [False]


def test_what_was_allowed_to_act_is_kept_with_the_experiment_and_told() -> None:
    def look_up(order: int) -> dict[str, int]:
        return {"order": order}

    store, script = MemoryStore(), calling(wants("look_up", order=7))
    provider = rejudge.ScriptedProvider(script)
    task = refunder(tools=[look_up])
    rejudge.evaluate(ROWS, task, provider=provider, store=store, name="refunds", allow_tools=["look_up"])
    stored = rejudge.open(store).result("refunds")
    assert stored.experiment.protocol == {"allow_tools": ["look_up"]}
    assert "tools that were allowed to act for real: look_up" in str(stored)
    with pytest.raises(ConfigurationError, match="neither simulated nor in a sandbox"):
        rejudge.evaluate_resume("refunds", task, provider=provider, store=store)
    again = rejudge.evaluate_resume("refunds", task, provider=provider, store=store, allow_tools=["look_up"])
    assert again.experiment.id == stored.experiment.id


def test_a_name_that_allows_nothing_is_refused() -> None:
    with pytest.raises(UnknownName, match="refnd"):
        traced(refunder(), calling(), allow_tools=["refnd"])


def test_an_async_tool_is_awaited_and_what_it_raises_is_told_to_the_agent() -> None:
    async def refund(order: int) -> str:
        raise ValueError(f"no order {order}")

    trace = traced(refunder(tools=[rejudge.tool("refund", simulated=refund)]), calling(wants("refund", order=7)))
    assert told(trace) == ['{"error":"ValueError: no order 7"}']


def test_an_error_in_a_table_is_told_and_a_missing_row_fails_the_trial() -> None:
    assert "too late" in str(told(traced(refunder(), calling(wants("refund", order=8))))[0])
    assert told(traced(refunder(), calling(wants("refund", order=7.0)))) == ["refunded"]
    for order in (9, True, "7"):
        assert "has no row for" in failure(refunder(), calling(wants("refund", order=order)))


def test_an_error_of_ours_fails_the_trial() -> None:
    def refund(order: int) -> str:
        raise TaskError("the simulation is broken")

    task = refunder(tools=[rejudge.tool("refund", simulated=refund)])
    assert "the simulation is broken" in failure(task, calling(wants("refund", order=7)))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (wants("refnd", order=7), "there is no tool 'refnd'; the tools are refund"),
        ({"id": "c1", "function": {"name": "refund", "arguments": "[7]"}}, "no JSON object"),
        ({"id": "c1", "function": {"name": "refund", "arguments": "{order"}}, "no JSON object"),
        ({"id": "c1"}, "there is no tool None"),
    ],
)
def test_a_call_of_nothing_is_told_to_the_agent(call: dict[str, object], words: str) -> None:
    assert words in str(told(traced(refunder(), calling(call)))[0])


def test_calls_at_once_are_answered_each_under_its_own_id() -> None:
    calls = [wants("refund", "x", order=8), wants("nosuch", "y"), wants("refund", None, order=7)]
    messages = traced(refunder(), calling(*calls)).produced.messages or []
    answers = [(one["tool_call_id"], one["content"]) for one in messages if one["role"] == "tool"]  # type: ignore[index]
    assert [call_id for call_id, _ in answers] == ["x", "y", "call_1_2"]
    assert answers[2][1] == "refunded"
    assert messages[2]["tool_calls"][2]["id"] == "call_1_2"  # type: ignore[index]


def test_code_runs_in_a_sandbox() -> None:
    pytest.importorskip("pydantic_monty")
    code = "def refund(order):\n    return {'refunded': order + 1}\n"
    task = refunder(tools=[rejudge.tool("refund", code=code)])
    assert told(traced(task, calling(wants("refund", order=7)))) == ['{"refunded":8}']
    broken = refunder(tools=[rejudge.tool("refund", code="def refund(order):\n    return 1 / 0\n")])
    assert "ZeroDivisionError" in str(told(traced(broken, calling(wants("refund", order=7))))[0])


def test_code_that_cannot_run_is_refused_before_any_call() -> None:
    pytest.importorskip("pydantic_monty")
    provider = rejudge.ScriptedProvider(calling())
    with pytest.raises(ConfigurationError, match="refund"):
        rejudge.evaluate(
            ROWS,
            refunder(tools=[rejudge.tool("refund", code="def refund(:")]),
            provider=provider,
            store=MemoryStore(),
        )
    assert provider.calls == []


@pytest.mark.parametrize(
    ("caps", "limit", "calls"),
    [
        ({"max_turns": 4}, {"reached": "steps", "of": 4}, 4),
        ({"max_tool_calls": 2}, {"reached": "tool_calls", "of": 2}, 3),
        ({"max_tokens": 250}, {"reached": "tokens", "of": 250}, 3),
        ({"max_cost": 1.5}, {"reached": "cost", "of": 1.5}, 3),
    ],
)
def test_a_cap_ends_the_trial_as_completed_with_the_limit(
    caps: dict[str, object], limit: dict[str, object], calls: int
) -> None:
    task = refunder(tools=[rejudge.tool("refund", simulated=lambda order: f"{order}?")], **caps)
    provider = rejudge.ScriptedProvider(for_ever)
    result = rejudge.evaluate(ROWS, task, provider=provider, store=MemoryStore())
    row = next(result.cases())
    assert row.case.execution_status is ExecutionStatus.COMPLETED
    assert row.trace is not None
    assert (row.trace.produced.metadata or {})["limit"] == limit
    assert len(provider.calls) == calls


def test_an_agent_that_repeats_itself_is_stopped_as_a_loop() -> None:
    def script(call: rejudge.ModelCall) -> rejudge.Reply:
        return rejudge.Reply(tool_calls=[wants("refund", f"c{len(call.messages)}", order=7)])

    provider = rejudge.ScriptedProvider(script)
    result = rejudge.evaluate(ROWS, refunder(max_repeats=3), provider=provider, store=MemoryStore())
    row = next(result.cases())
    assert row.trace is not None
    assert (row.trace.produced.metadata or {})["limit"] == {"reached": "loop", "of": 3}
    assert len(provider.calls) == 3


def test_a_cap_that_cannot_be_kept_is_an_error_and_not_ignored() -> None:
    said = failure(refunder(max_cost=1.0), lambda call: rejudge.Reply(text="hi"))
    assert "the cap on cost cannot be kept" in said


def test_a_tool_that_hangs_is_an_error_of_the_harness() -> None:
    task = refunder(tools=[rejudge.tool("refund", simulated=lambda order: time.sleep(5))])
    provider = rejudge.ScriptedProvider(calling(wants("refund", order=7)))
    result = rejudge.evaluate(ROWS, task, provider=provider, store=MemoryStore(), timeout=0.2, retries=0)
    row = next(result.cases())
    assert row.case.execution_status is ExecutionStatus.ERROR
    assert row.case.execution_error.type.value == "timeout"


def test_a_model_that_calls_no_tools_is_refused_before_any_call() -> None:
    class Plain(rejudge.ScriptedProvider):
        def abilities(self, model: str) -> Abilities:
            return Abilities(tools=False)

    provider = Plain(calling())
    with pytest.raises(ConfigurationError, match="offers tools, which 'm' does not call"):
        rejudge.evaluate(ROWS, refunder(), provider=provider, store=MemoryStore())
    assert provider.calls == []


def test_an_agent_without_a_prompt_is_for_conversations() -> None:
    with pytest.raises(ConfigurationError, match="only a conversation can use"):
        rejudge.evaluate(
            ROWS, rejudge.agent(model="m"), provider=rejudge.ScriptedProvider(calling()), store=MemoryStore()
        )


@pytest.mark.parametrize(
    "make",
    [
        lambda: rejudge.tool("two words", simulated=TABLE),
        lambda: rejudge.tool("x"),
        lambda: rejudge.tool("x", simulated=TABLE, code="def x(): ..."),
        lambda: rejudge.tool("x", simulated=[]),
        lambda: rejudge.tool("x", simulated=[{"arguments": {}}]),
        lambda: rejudge.tool("x", simulated=[{"result": 1, "error": "2"}]),
        lambda: rejudge.agent("x", model="m", tools=["refund"]),  # type: ignore[list-item]
        lambda: rejudge.agent("x", model="m", max_turns=0),
        lambda: rejudge.agent("x", model="m", max_repeats=1),
        lambda: rejudge.agent("x", model=""),
    ],
)
def test_what_is_no_tool_and_no_agent(make: Callable[[], object]) -> None:
    with pytest.raises(ConfigurationError):
        make()


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(NameClash):
        refunder(tools=[rejudge.tool("x", simulated=TABLE), rejudge.tool("x", simulated=TABLE)])


def test_everything_about_an_agent_is_in_its_run_config() -> None:
    fee = 1

    def refund(order: int) -> int:
        return order + fee

    tasks = [refunder(), refunder(max_turns=3), refunder(parameters={"temperature": 0})]
    tasks.append(refunder(tools=[rejudge.tool("refund", simulated=TABLE[:1])]))
    tasks.append(refunder(tools=[rejudge.tool("refund", simulated=TABLE, description="Refund.")]))
    tasks.append(refunder(tools=[rejudge.tool("refund", simulated=refund)]))
    tasks.append(refunder(tools=[rejudge.tool(refund)]))
    digests = {task.config.digest() for task in tasks}
    fee = 2
    changed = refunder(tools=[rejudge.tool("refund", simulated=refund)])
    assert len(digests) == len(tasks)
    assert changed.config.digest() not in digests
    assert refunder(scenario="agent").config.scenario == "agent"


def test_a_stored_trial_is_not_run_again(tmp_path: Path) -> None:
    provider = rejudge.ScriptedProvider(calling(wants("refund", order=7)))
    for _ in range(2):
        rejudge.evaluate(ROWS, refunder(), provider=provider, store=tmp_path / "s.db")
    assert len(provider.calls) == 2


def test_a_tool_that_an_agent_uses_is_a_span_of_its_own_name_that_scorers_find(tmp_path: Path) -> None:
    def used(task_span: SpanTree) -> str:
        return ", ".join(
            f"{one.name} {one.input} -> {one.error or one.output}" for one in task_span.find_all(kind="tool")
        )

    result = rejudge.evaluate(
        ROWS,
        refunder(),
        used,
        provider=rejudge.ScriptedProvider(calling(wants("refund", order=7), wants("refund", "c2", order=8))),
        store=str(tmp_path / "tools.db"),
    )
    (score,) = next(result.cases()).scores
    assert score.values[0].label == "refund {'order': 7} -> refunded, refund {'order': 8} -> too late"


def test_a_tool_that_would_end_the_process_is_told_to_the_agent_like_any_error() -> None:
    def refund(order: int) -> str:
        raise SystemExit(f"no order {order}")

    task = refunder(tools=[rejudge.tool("refund", simulated=refund)])
    trace = traced(task, calling(wants("refund", order=7)))
    assert trace.produced.output == 'done: {"error":"SystemExit: no order 7"}'
