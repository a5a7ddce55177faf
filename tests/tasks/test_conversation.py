"""A conversation as one trial: who speaks when, how it ends, and what is kept of it."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rejudge
from rejudge.domain.case import ExecutionStatus
from rejudge.domain.errors import ConfigurationError, MissingField
from rejudge.providers.fake_server import FakeModelServer
from rejudge.providers.misbehaviour import Raw
from rejudge.storage.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from rejudge.domain.trace import Trace
    from rejudge.front.result import Result
    from rejudge.tasks.user import SimulatedUser

ROWS = [{"id": "a", "city": "Oslo", "turns": ["hello", "and tomorrow?"], "reply": "sun"}]
USAGE = rejudge.Usage(input_tokens=10, output_tokens=5, cost=0.25)
GUIDE = [{"role": "system", "content": "You know the weather of {{ city }}."}]


def echo(messages: list[dict[str, str]]) -> str:
    return f"heard: {messages[-1]['content']}"


def weather(call: rejudge.ModelCall) -> rejudge.Reply:
    """Says how many messages it was sent."""
    return rejudge.Reply(text=f"answer to {len(call.messages)}", usage=USAGE)


def held(task: object, script: Callable[[rejudge.ModelCall], rejudge.Reply] = weather, **options: object) -> Result:
    provider = rejudge.ScriptedProvider(script)
    store = options.pop("store", None) or MemoryStore()
    return rejudge.evaluate(ROWS, task, provider=provider, store=store, **options)  # type: ignore[arg-type]


def trace_of(result: Result) -> Trace:
    row = next(result.cases())
    assert row.trace is not None, row.case.execution_error.message or row.case.reason
    return row.trace


def said(trace: Trace) -> list[tuple[object, object]]:
    messages = trace.produced.messages or []
    return [(one["role"], one["content"]) for one in messages if isinstance(one, dict)]


def test_a_function_answers_the_turns_of_a_script() -> None:
    trace = trace_of(held(rejudge.conversation(echo, user=["hi from {{ city }}", "bye"])))
    assert said(trace) == [
        ("user", "hi from Oslo"),
        ("assistant", "heard: hi from Oslo"),
        ("user", "bye"),
        ("assistant", "heard: bye"),
    ]
    assert trace.produced.output == "heard: bye"
    assert trace.produced.metadata == {"ended": "user", "turns": 2, "steps": 0, "tool_calls": 0}


def test_an_async_function_and_a_generator_may_take_part_and_ask_for_fields() -> None:
    async def slow(messages: list[dict[str, str]], city: str) -> dict[str, object]:
        await asyncio.sleep(0)
        return {"content": f"{city} {len(messages)}", "confidence": 0.5}

    def asking(messages: list[dict[str, object]]) -> Generator[object, rejudge.Reply, str]:
        reply = yield rejudge.ModelCall(model="m", messages=messages)
        return reply.text

    assert trace_of(held(rejudge.conversation(slow, user=["a", "b"]))).produced.output == "Oslo 3"
    trace = trace_of(held(rejudge.conversation(asking, user=["a", "b"])))
    assert trace.produced.output == "answer to 3"
    assert trace.usage == USAGE + USAGE


def test_a_function_needs_no_provider() -> None:
    result = rejudge.evaluate(ROWS, rejudge.conversation(echo, user=["a"]), store=MemoryStore())
    assert trace_of(result).produced.output == "heard: a"


def test_a_function_cannot_change_what_was_said() -> None:
    def rude(messages: list[dict[str, str]]) -> str:
        messages[0]["content"] = "changed"
        messages.append({"role": "user", "content": "more"})
        return "ok"

    trace = trace_of(held(rejudge.conversation(rude, user=["one", "two"], max_repeats=None)))
    assert [content for role, content in said(trace) if role == "user"] == ["one", "two"]


def test_a_prompt_is_sent_the_whole_conversation() -> None:
    provider = rejudge.ScriptedProvider(weather)
    task = rejudge.conversation(rejudge.prompt(GUIDE, model="m"), user="{{ turns }}")
    trace = trace_of(rejudge.evaluate(ROWS, task, provider=provider, store=MemoryStore()))
    assert [len(call.messages) for call in provider.calls] == [2, 4]
    assert said(trace) == [
        ("system", "You know the weather of Oslo."),
        ("user", "hello"),
        ("assistant", "answer to 2"),
        ("user", "and tomorrow?"),
        ("assistant", "answer to 4"),
    ]
    assert (trace.usage, (trace.produced.metadata or {})["steps"]) == (USAGE + USAGE, 2)


def test_a_prompt_that_ends_with_the_user_is_the_first_turn() -> None:
    task = rejudge.conversation(rejudge.prompt("first", model="m"), user=["second"])
    roles = [role for role, _ in said(trace_of(held(task)))]
    assert roles == ["user", "assistant", "user", "assistant"]


def test_an_agent_uses_its_tools_in_every_turn() -> None:
    def script(call: rejudge.ModelCall) -> rejudge.Reply:
        if call.messages[-1]["role"] == "tool":
            return rejudge.Reply(text=f"it is {call.messages[-1]['content']}")
        named = {"name": "look", "arguments": json.dumps({"day": call.messages[-1]["content"]})}
        return rejudge.Reply(tool_calls=[{"id": f"c{len(call.messages)}", "type": "function", "function": named}])

    look = rejudge.tool("look", simulated=lambda day: f"sunny {day}")
    agent = rejudge.agent(model="m", system="Help.", tools=[look], max_turns=2)
    trace = trace_of(held(rejudge.conversation(agent, user=["today", "tomorrow"]), script))
    assert trace.produced.output == "it is sunny tomorrow"
    assert trace.produced.metadata == {"ended": "user", "turns": 2, "steps": 4, "tool_calls": 2}
    assert [role for role, _ in said(trace)] == ["system", *["user", "assistant", "tool", "assistant"] * 2]


def test_a_real_tool_is_refused_in_a_conversation_too() -> None:
    agent = rejudge.agent(model="m", tools=[echo])
    with pytest.raises(ConfigurationError, match="neither simulated"):
        held(rejudge.conversation(agent, user=["x"]))


def test_an_endpoint_is_sent_the_messages() -> None:
    with FakeModelServer(lambda asked: Raw.of({"text": f"{asked.body['city']} {len(asked.body['log'])}"})) as server:
        endpoint = rejudge.http(server.root, body={"log": "{{ messages }}", "city": "{{ city }}"}, answer="$.text")
        trace = trace_of(held(rejudge.conversation(endpoint, user=["a", "b"])))
        assert server.asked[1].body["log"][1] == {"role": "assistant", "content": "Oslo 1"}
    assert trace.produced.output == "Oslo 3"


def playing(call: rejudge.ModelCall) -> rejudge.Reply:
    """Plays the user where it is told its part, and the system elsewhere."""
    if "You play the user" not in str(call.messages[0]["content"]):
        return weather(call)
    turns = sum(message["role"] == "assistant" for message in call.messages)
    return rejudge.Reply(text="[[END]]" if turns == 2 else f"question {turns + 1}", usage=USAGE)


def user(**changed: object) -> SimulatedUser:
    said = {"model": "u", "persona": "A tourist in {{ city }}.", "goal": "To hear of the weather."} | changed
    return rejudge.simulated_user(**said)  # type: ignore[arg-type]


def test_a_simulated_user_talks_until_its_stop_rule_holds() -> None:
    provider = rejudge.ScriptedProvider(playing)
    task = rejudge.conversation(rejudge.prompt(GUIDE, model="m"), user=user(stop="You heard of two days."))
    trace = trace_of(rejudge.evaluate(ROWS, task, provider=provider, store=MemoryStore()))
    assert said(trace)[1:] == [
        ("user", "question 1"),
        ("assistant", "answer to 2"),
        ("user", "question 2"),
        ("assistant", "answer to 4"),
    ]
    assert (trace.produced.metadata or {})["ended"] == "user"
    part = str(provider.calls[0].messages[0]["content"])
    assert "A tourist in Oslo." in part
    assert "Stop rule: You heard of two days." in part
    assert [message["role"] for message in provider.calls[2].messages] == ["system", "user", "assistant", "user"]
    assert trace.usage == USAGE + USAGE + USAGE + USAGE + USAGE


def test_a_simulated_user_may_begin_with_words_of_ours() -> None:
    task = rejudge.conversation(echo, user=user(opening="Hello from {{ city }}"), max_turns=1)
    assert said(trace_of(held(task, playing)))[0] == ("user", "Hello from Oslo")


@pytest.mark.parametrize("reply", [rejudge.Reply(text=" "), rejudge.Reply(refusal="I will not play.")])
def test_a_user_that_says_nothing_is_an_error_and_no_answer(reply: rejudge.Reply) -> None:
    row = next(held(rejudge.conversation(echo, user=user()), lambda call: reply, retries=0).cases())
    assert row.case.execution_status is ExecutionStatus.ERROR
    assert "the simulated user said nothing" in row.case.execution_error.message


@pytest.mark.parametrize(
    ("caps", "limit"),
    [
        ({"max_turns": 2}, {"reached": "turns", "of": 2}),
        ({"max_tokens": 40}, {"reached": "tokens", "of": 40}),
        ({"max_cost": 0.6}, {"reached": "cost", "of": 0.6}),
        ({"max_seconds": 0.05}, {"reached": "seconds", "of": 0.05}),
    ],
)
def test_a_cap_ends_a_conversation_as_completed_with_the_limit(
    caps: dict[str, object], limit: dict[str, object]
) -> None:
    def slow(call: rejudge.ModelCall) -> rejudge.Reply:
        time.sleep(0.03)
        return weather(call)

    task = rejudge.conversation(
        rejudge.prompt(GUIDE, model="m"),
        user=[f"q{number}" for number in range(9)],
        **caps,  # type: ignore[arg-type]
    )
    row = next(held(task, slow).cases())
    assert row.case.execution_status is ExecutionStatus.COMPLETED
    assert row.trace is not None
    metadata = row.trace.produced.metadata or {}
    assert (metadata["ended"], metadata["limit"]) == ("limit", limit)
    assert said(row.trace)[-1][0] == "assistant"


def test_a_script_as_long_as_the_cap_ends_by_itself() -> None:
    trace = trace_of(held(rejudge.conversation(echo, user=["a", "b"], max_turns=2)))
    assert trace.produced.metadata == {"ended": "user", "turns": 2, "steps": 0, "tool_calls": 0}


def test_the_same_exchange_again_and_again_is_a_loop() -> None:
    trace = trace_of(held(rejudge.conversation(lambda messages: "What?", user=["hi"] * 9)))
    assert (trace.produced.metadata or {})["limit"] == {"reached": "loop", "of": 3}
    assert len(said(trace)) == 6
    different = trace_of(held(rejudge.conversation(lambda messages: f"What? {len(messages)}", user=["hi"] * 9)))
    assert "limit" not in (different.produced.metadata or {})


def test_a_deadline_of_the_harness_is_an_error() -> None:
    def hanging(messages: object) -> str:
        time.sleep(3)
        return "late"

    row = next(held(rejudge.conversation(hanging, user=["a"]), timeout=0.1, retries=0).cases())
    assert (row.case.execution_status, row.case.execution_error.type.value) == (ExecutionStatus.ERROR, "timeout")


def test_a_partner_that_raises_fails_its_trial() -> None:
    def broken(messages: object) -> str:
        raise ValueError("no idea")

    row = next(held(rejudge.conversation(broken, user=["a"]), retries=0).cases())
    assert "no idea" in row.case.execution_error.message


@pytest.mark.parametrize("given", [None, 3, [], {"a": 1}, "one text", [["nested"]], [{"role": "user", "content": "x"}]])
def test_an_item_whose_turns_cannot_be_said_is_skipped(given: object) -> None:
    calls = []

    def noting(messages: object) -> str:
        calls.append(messages)
        return "ok"

    noting.version = "1"  # type: ignore[attr-defined]
    task = rejudge.conversation(noting, user="{{ turns }}")
    result = rejudge.evaluate([{"id": "a", "turns": given}], task, store=MemoryStore())
    (row,) = result.cases()
    assert row.case.execution_status is ExecutionStatus.SKIPPED
    assert (row.case.reason or "").startswith("incompatible_input_shape")
    assert (calls, row.trace) == ([], None)


def test_an_unknown_placeholder_is_refused_before_any_turn() -> None:
    with pytest.raises(MissingField, match="did you mean 'city'"):
        held(rejudge.conversation(echo, user=["{{ cty }}"]))
    with pytest.raises(MissingField, match="did you mean 'city'"):
        held(rejudge.conversation(echo, user=user(persona="{{ cty }}")))


@pytest.mark.parametrize(
    "make",
    [
        lambda: rejudge.conversation(echo, user=[]),
        lambda: rejudge.conversation(echo, user="hello"),
        lambda: rejudge.conversation(lambda item: item, user=["a"]),
        lambda: rejudge.conversation(lambda messages, item: item, user=["a"]),
        lambda: rejudge.conversation(3, user=["a"]),  # type: ignore[arg-type]
        lambda: rejudge.conversation(echo, user=["a"], max_turns=0),
        lambda: rejudge.simulated_user(model="", persona="p", goal="g"),
        lambda: rejudge.simulated_user(model="m", persona="", goal="g"),
        lambda: rejudge.simulated_user(model="m", persona="p", goal=" "),
    ],
)
def test_what_is_no_conversation(make: Callable[[], object]) -> None:
    with pytest.raises(ConfigurationError):
        make()


def test_every_drive_setting_is_a_miss() -> None:
    prompt = rejudge.prompt(GUIDE, model="m")
    tasks = [
        rejudge.conversation(prompt, user=["a"]),
        rejudge.conversation(prompt, user=["a", "b"]),
        rejudge.conversation(prompt, user=["a"], max_turns=3),
        rejudge.conversation(prompt, user=["a"], max_cost=3),
        rejudge.conversation(prompt, user=["a"], max_repeats=5),
        rejudge.conversation(rejudge.prompt(GUIDE, model="n"), user=["a"]),
        *(
            rejudge.conversation(prompt, user=user(**changed))
            for changed in (
                {},
                {"model": "v"},
                {"persona": "p"},
                {"goal": "g"},
                {"stop": "s"},
                {"opening": "o"},
                {"parameters": {"temperature": 1}},
            )
        ),
    ]
    assert len({task.config.digest() for task in tasks}) == len(tasks)
    assert rejudge.conversation(prompt, user=["a"], name="x").config.digest() == tasks[0].config.digest()


KILLED = """
import sys, time, rejudge
from pathlib import Path

def partner(messages):
    turn = len(messages) // 2 + 1
    with open("turns.txt", "a") as file:
        file.write(f"{turn}\\n")
    if turn == 2 and sys.argv[1] == "hang":
        time.sleep(60)
    return f"turn {turn}"

partner.version = "1"
task = rejudge.conversation(partner, user=["a", "b", "c"])
result = rejudge.evaluate([{"id": "x"}], task, store="store.db", progress="silent")
rows = list(result.cases())
print(len(rows), rows[0].trace.produced.metadata["turns"], len(rows[0].trace.produced.messages))
"""


def test_a_conversation_that_was_killed_is_held_again_as_one_trial(tmp_path: Path) -> None:
    (tmp_path / "held.py").write_text(KILLED, encoding="utf-8")
    turns = tmp_path / "turns.txt"
    first = subprocess.Popen([sys.executable, "held.py", "hang"], cwd=tmp_path)
    end = time.monotonic() + 60
    while not turns.exists() or turns.read_text().count("\n") < 2:
        assert time.monotonic() < end, "it never came to its second turn"
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    first.wait(10)
    again = subprocess.run(
        [sys.executable, "held.py", "go"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True
    )
    assert again.stdout.split() == ["1", "3", "6"]
    assert turns.read_text().split() == ["1", "2", "1", "2", "3"]


@pytest.mark.parametrize("cap", [{"max_tokens": 5}, {"max_cost": 0.1}])
def test_a_cap_that_a_system_never_tells_of_is_refused(cap: dict[str, Any]) -> None:
    endpoint = rejudge.http("http://localhost:1/chat", body={"q": "{{ message }}"})
    for system in (echo, endpoint):
        with pytest.raises(ConfigurationError, match=r"cannot be kept: .* does not say what it uses"):
            rejudge.conversation(system, user=["a"], **cap)


def test_what_an_endpoint_says_it_used_counts_for_the_cap() -> None:
    answer = Raw.of({"t": "hi", "usage": {"input_tokens": 8, "output_tokens": 4}})
    with FakeModelServer(lambda asked: answer) as server:
        endpoint = rejudge.http(server.root, body={"q": "{{ message }}"}, answer="$.t", usage="$.usage")
        trace = trace_of(held(rejudge.conversation(endpoint, user=["a", "b", "c"], max_tokens=20)))
    assert trace.produced.metadata is not None
    assert trace.produced.metadata["limit"] == {"reached": "tokens", "of": 20}
    assert trace.usage == rejudge.Usage(input_tokens=16, output_tokens=8)
