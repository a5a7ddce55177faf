"""Anthropic's messages as JSON: a call in the shape most providers share written in theirs, and the reply read back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import Struct, field

from rejudge.domain.call import Reply
from rejudge.domain.errors import ProviderError
from rejudge.domain.usage import Usage
from rejudge.providers.completion import SCHEMA_NAME, count_of, instructed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rejudge.domain.call import ModelCall

LONGEST_OUTPUT = 4096
"""Tokens of a reply where the call does not say: the interface wants a number."""

_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}
"""Why a reply ended, in the words that all clients use."""


class _Block(Struct):
    type: str
    text: str = ""
    thinking: str = ""
    id: str = ""
    name: str = ""
    input: dict[str, Any] = field(default_factory=dict)


class _Message(Struct):
    content: list[_Block]
    model: str | None = None
    stop_reason: str | None = None
    usage: dict[str, Any] | None = None


def message_body(call: ModelCall, *, temperature: float | None) -> dict[str, object]:
    """The request for a call: system messages lifted out, tools and their results as blocks.

    A schema becomes a tool that the model has to use; beside tools of the call's own it is said in words.
    """
    messages = call.messages
    if call.response_schema is not None and call.tools:
        messages = instructed(messages, call.response_schema)
    body: dict[str, object] = {
        "model": call.model,
        "max_tokens": call.max_tokens or LONGEST_OUTPUT,
        "messages": _conversation(messages),
    }
    if system := _system(messages):
        body["system"] = system
    if temperature is not None:
        body["temperature"] = temperature
    if call.top_p is not None:
        body["top_p"] = call.top_p
    if call.stop:
        body["stop_sequences"] = call.stop
    if call.tools:
        body["tools"] = [_tool(tool) for tool in call.tools]
    elif call.response_schema is not None:
        body["tools"] = [{"name": SCHEMA_NAME, "description": "Gives the reply.", "input_schema": call.response_schema}]
        body["tool_choice"] = {"type": "tool", "name": SCHEMA_NAME}
    return {**body, **call.extra}


def message_reply(value: Mapping[str, object], *, call: ModelCall, who: str) -> Reply:
    """The reply in a message; raises ProviderError where it has another shape."""
    try:
        message = msgspec.convert(value, _Message)
    except msgspec.ValidationError as error:
        raise ProviderError(f"{who} sent no message: {error}", fix="check the address of the server") from None
    text = "".join(block.text for block in message.content if block.type == "text")
    thought = "\n".join(block.thinking for block in message.content if block.type == "thinking")
    used = [block for block in message.content if block.type == "tool_use"]
    reason = _REASONS.get(message.stop_reason or "", message.stop_reason)
    if call.response_schema is not None and not call.tools and used:
        text, used = json.dumps(used[-1].input, ensure_ascii=False), []
        reason = "stop" if reason == "tool_calls" else reason
    refused = message.stop_reason == "refusal"
    return Reply(
        text="" if refused else text,
        model=message.model,
        tool_calls=[_tool_call(block) for block in used],
        finish_reason=reason,
        usage=_usage(message.usage),
        reasoning=thought or None,
        refusal=(text or "the model declined to answer") if refused else None,
    )


def _system(messages: list[dict[str, object]]) -> str:
    return "\n\n".join(
        _plain(message.get("content")) for message in messages if message.get("role") in ("system", "developer")
    )


def _plain(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else json.dumps(content)


def _conversation(messages: list[dict[str, object]]) -> list[dict[str, object]]:
    """The messages of user and assistant in turns: what one role says twice becomes one message of two blocks."""
    turns: list[tuple[str, list[dict[str, object]]]] = []
    for message in messages:
        if message.get("role") in ("system", "developer"):
            continue
        role = "assistant" if message.get("role") == "assistant" else "user"
        blocks = _blocks(message)
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(blocks)
        elif blocks:
            turns.append((role, blocks))
    return [{"role": role, "content": _shortest(blocks)} for role, blocks in turns]


def _shortest(blocks: list[dict[str, object]]) -> object:
    return blocks[0]["text"] if len(blocks) == 1 and set(blocks[0]) == {"type", "text"} else blocks


def _blocks(message: dict[str, object]) -> list[dict[str, object]]:
    if message.get("role") == "tool":
        result = _plain(message.get("content"))
        return [{"type": "tool_result", "tool_use_id": message.get("tool_call_id"), "content": result}]
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}] if content else []
    said = [part if isinstance(part, dict) else {"type": "text", "text": str(part)} for part in parts]
    blocks = [_block(part) for part in said if part.get("type") != "text" or part.get("text")]
    for called in cast("list[dict[str, Any]]", message.get("tool_calls") or []):
        function = called.get("function") or {}
        blocks.append(
            {
                "type": "tool_use",
                "id": called.get("id"),
                "name": function.get("name"),
                "input": _arguments(function.get("arguments")),
            }
        )
    return blocks


def _block(part: dict[str, Any]) -> dict[str, object]:
    """One part of a message; an image of the common form becomes one of theirs, everything else goes as it is."""
    if part.get("type") != "image_url":
        return part
    image = part.get("image_url")
    url = str(image.get("url", "") if isinstance(image, dict) else image)
    if url.startswith("data:"):
        kind, _, data = url.removeprefix("data:").partition(";base64,")
        return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}
    return {"type": "image", "source": {"type": "url", "url": url}}


def _arguments(arguments: object) -> object:
    """What a tool was called with; text that is no JSON object is kept under a name of its own."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments) if arguments.strip() else {}
        except ValueError:
            return {"arguments": arguments}
    return arguments if isinstance(arguments, dict) else {"arguments": arguments}


def _tool(tool: dict[str, Any]) -> dict[str, object]:
    function = tool.get("function")
    if not isinstance(function, dict):
        return tool
    made = {"name": function.get("name"), "input_schema": function.get("parameters") or {"type": "object"}}
    return made | ({"description": function["description"]} if function.get("description") else {})


def _tool_call(block: _Block) -> dict[str, object]:
    arguments = json.dumps(block.input, ensure_ascii=False)
    return {"id": block.id, "type": "function", "function": {"name": block.name, "arguments": arguments}}


def _usage(told: Mapping[str, Any] | None) -> Usage | None:
    """Their input tokens leave out what was read from the cache or stored in it; ours count the whole."""
    if told is None:
        return None
    fresh = count_of(told.get("input_tokens"))
    read = count_of(told.get("cache_read_input_tokens"))
    written = count_of(told.get("cache_creation_input_tokens"))
    return Usage(
        input_tokens=None if fresh is None else fresh + (read or 0) + (written or 0),
        output_tokens=count_of(told.get("output_tokens")),
        cached_tokens=read,
        cache_write_tokens=written,
    )
