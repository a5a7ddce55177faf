"""What Anthropic's interface is sent for a call in the common shape, and how its reply is read back into that shape."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from rejudge.domain.call import ModelCall, Reply
from rejudge.domain.errors import ProviderError, Transient
from rejudge.domain.usage import Usage
from rejudge.providers import misbehaviour
from rejudge.providers.anthropic import anthropic
from rejudge.providers.contract import SCHEMA, TOOL, answered
from rejudge.providers.fake_server import Asked, FakeModelServer, Script
from rejudge.providers.misbehaviour import Raw
from tests.providers.conftest import QUICK

Serve = Callable[[Script], FakeModelServer]

CALLED = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"city": "Ulm"}'}}

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": "weather?"},
    {"role": "assistant", "content": "I look", "tool_calls": [CALLED]},
    {"role": "tool", "tool_call_id": "c1", "content": "rain"},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]},
    {"role": "developer", "content": "in German"},
]


def _call(**more: Any) -> ModelCall:  # noqa: ANN401 - any field of a call
    return ModelCall(**{"model": "claude", "messages": [{"role": "user", "content": "judge it"}], **more})


def test_a_conversation_is_written_in_their_form(serve: Serve) -> None:
    server = serve(lambda asked: "Regen")
    call = _call(messages=MESSAGES, tools=[TOOL], temperature=0.0, max_tokens=9, stop=["\n"], extra={"metadata": {}})
    assert answered(anthropic(server.root, limits=QUICK), call).text == "Regen"
    (asked,) = server.asked
    assert (asked.path, asked.headers["anthropic-version"]) == ("/v1/messages", "2023-06-01")
    assert asked.body == {
        "model": "claude",
        "max_tokens": 9,
        "system": "be brief\n\nin German",
        "messages": [
            {"role": "user", "content": "weather?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I look"},
                    {"type": "tool_use", "id": "c1", "name": "look_up", "input": {"city": "Ulm"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "rain"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
                ],
            },
        ],
        "temperature": 0.0,
        "stop_sequences": ["\n"],
        "tools": [{"name": "look_up", "input_schema": TOOL["function"]["parameters"]}],  # type: ignore[index]
        "metadata": {},
    }


def test_a_reply_is_read_whole_and_its_input_counts_what_came_from_the_cache(serve: Serve) -> None:
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 80,
        "cache_creation_input_tokens": 30,
        "output_tokens": 7,
    }
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "I look"},
        {"type": "tool_use", "id": "t1", "name": "look_up", "input": {"city": "Ulm"}},
        {"type": "something_new", "data": 1},
    ]
    body = {"content": content, "model": "claude-1", "stop_reason": "tool_use", "usage": usage}
    reply = answered(anthropic(serve(lambda asked: Raw.of(body)).root, limits=QUICK), _call(tools=[TOOL]))
    assert reply == Reply(
        text="I look",
        model="claude-1",
        tool_calls=[{"id": "t1", "type": "function", "function": {"name": "look_up", "arguments": '{"city": "Ulm"}'}}],
        finish_reason="tool_calls",
        usage=Usage(input_tokens=120, output_tokens=7, cached_tokens=80, cache_write_tokens=30),
        reasoning="hm",
    )


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("end_turn", "stop"), ("max_tokens", "length"), ("stop_sequence", "stop"), ("pause_turn", "pause_turn")],
)
def test_why_a_reply_ended_is_said_in_the_common_words(serve: Serve, reason: str, expected: str) -> None:
    body = {"content": [{"type": "text", "text": "x"}], "stop_reason": reason}
    reply = answered(anthropic(serve(lambda asked: Raw.of(body)).root, limits=QUICK), _call())
    assert (reply.finish_reason, reply.usage) == (expected, None)


def test_a_schema_is_a_tool_that_has_to_be_used(serve: Serve) -> None:
    server = serve(lambda asked: '{"verdict": "gut ✓"}')
    reply = answered(anthropic(server.root, limits=QUICK), _call(response_schema=SCHEMA))
    assert json.loads(reply.text) == {"verdict": "gut ✓"}
    assert (reply.tool_calls, reply.finish_reason) == ([], "stop")
    assert server.asked[0].body["tool_choice"] == {"type": "tool", "name": "reply"}
    assert server.asked[0].body["tools"][0]["input_schema"] == SCHEMA


def test_beside_tools_of_the_calls_own_a_schema_is_said_in_words(serve: Serve) -> None:
    server = serve(lambda asked: '{"verdict": "good"}')
    answered(anthropic(server.root, limits=QUICK), _call(response_schema=SCHEMA, tools=[TOOL]))
    assert "tool_choice" not in server.asked[0].body
    assert "JSON Schema" in server.asked[0].text


def test_log_probabilities_are_refused_before_anything_is_sent(serve: Serve) -> None:
    server = serve(lambda asked: "fine")
    provider = anthropic(server.root, limits=QUICK)
    with pytest.raises(ProviderError, match="no log-probabilities"):
        answered(provider, _call(logprobs=5))
    assert server.asked == []
    assert provider.abilities("claude").logprobs is False


def test_a_model_that_takes_no_temperature_is_asked_without_one(serve: Serve) -> None:
    def script(asked: Asked) -> str | Raw:
        return misbehaviour.status(400, "temperature is not allowed") if "temperature" in asked.body else "fine"

    server = serve(script)
    provider = anthropic(server.root, limits=QUICK)
    for _ in range(2):
        assert answered(provider, _call(temperature=0.0)).text == "fine"
    assert len(server.asked) == 3


def test_an_overloaded_interface_is_worth_another_try(serve: Serve) -> None:
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    with pytest.raises(Transient, match="529: Overloaded"):
        answered(anthropic(serve(lambda asked: Raw.of(body, status=529)).root, limits=QUICK), _call())


def test_an_empty_part_of_a_message_is_left_out() -> None:
    from rejudge.providers.anthropic_messages import _blocks

    parts = [{"type": "text", "text": ""}, {"type": "text", "text": "Hello"}]
    assert _blocks({"role": "user", "content": parts}) == [{"type": "text", "text": "Hello"}]
