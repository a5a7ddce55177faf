"""Replies of the fake server in the forms of OpenAI and Anthropic; as deterministic as the script behind them."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any

from rejudge.domain.call import Reply

MODEL_SUFFIX = "-fake"
"""What the reported version of a model adds to the name that was asked for."""

DIMENSIONS = 8


def chat_completion(said: str | Reply, body: dict[str, Any]) -> dict[str, Any]:
    """A chat completion."""
    reply = _as_reply(said)
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.refusal is not None:
        message |= {"content": None, "refusal": reply.refusal}
    if reply.tool_calls:
        message |= {"content": reply.text or None, "tool_calls": reply.tool_calls}
    if reply.reasoning is not None:
        message["reasoning_content"] = reply.reasoning
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": reply.finish_reason or "stop"}
    if body.get("logprobs"):
        choice["logprobs"] = {"content": _places(reply, body.get("top_logprobs", 0))}
    asked, answered = _counts(reply, body)
    usage: dict[str, Any] = {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}
    if reply.usage is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": reply.usage.cached_tokens or 0}
        usage["completion_tokens_details"] = {"reasoning_tokens": reply.usage.reasoning_tokens or 0}
    model = reply.model or f"{body.get('model')}{MODEL_SUFFIX}"
    return {"id": "chatcmpl-1", "object": "chat.completion", "model": model, "choices": [choice], "usage": usage}


def as_message(said: str | Reply, body: dict[str, Any]) -> dict[str, Any]:
    """A message of Anthropic's; where a tool has to be used, its input is the text read as JSON."""
    reply = _as_reply(said)
    blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": reply.reasoning}] if reply.reasoning else []
    reason = {None: "end_turn", "stop": "end_turn", "length": "max_tokens"}.get(reply.finish_reason, "end_turn")
    if forced := body.get("tool_choice", {}).get("name"):
        blocks.append({"type": "tool_use", "id": "toolu_1", "name": forced, "input": json.loads(reply.text)})
        reason = "tool_use"
    else:
        blocks += [{"type": "text", "text": reply.refusal or reply.text}] if reply.refusal or reply.text else []
        for called in reply.tool_calls:
            function: Any = called["function"]
            arguments = json.loads(function["arguments"])
            blocks.append({"type": "tool_use", "id": called["id"], "name": function["name"], "input": arguments})
            reason = "tool_use"
    asked, answered = _counts(reply, body)
    cached = (reply.usage.cached_tokens or 0) if reply.usage is not None else 0
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": reply.model or f"{body.get('model')}{MODEL_SUFFIX}",
        "content": blocks,
        "stop_reason": "refusal" if reply.refusal is not None else reason,
        "usage": {
            "input_tokens": asked - cached,
            "output_tokens": answered,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": 0,
        },
    }


def as_embeddings(body: dict[str, Any]) -> dict[str, Any]:
    """A vector for each text, made from its digest; the last one first, because an order is promised by the index."""
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    data = [
        {"object": "embedding", "index": place, "embedding": [byte / 255 for byte in digest[:DIMENSIONS]]}
        for place, digest in enumerate(sha256(text.encode()).digest() for text in texts)
    ]
    counted = sum(len(_tokens(text)) for text in texts)
    usage = {"prompt_tokens": counted, "total_tokens": counted}
    return {"object": "list", "model": f"{body.get('model')}{MODEL_SUFFIX}", "data": data[::-1], "usage": usage}


def _as_reply(said: str | Reply) -> Reply:
    return Reply(text=said) if isinstance(said, str) else said


def _tokens(text: str) -> list[str]:
    """Words with the space before them: tokens enough for a fake."""
    return re.findall(r"\s*\S+", text)


def _counts(reply: Reply, body: dict[str, Any]) -> tuple[int, int]:
    usage = reply.usage
    asked = sum(len(_tokens(str(message.get("content") or ""))) for message in body.get("messages", []))
    answered = len(_tokens(reply.text))
    if usage is None:
        return asked, answered
    return (
        asked if usage.input_tokens is None else usage.input_tokens,
        answered if usage.output_tokens is None else usage.output_tokens,
    )


def _places(reply: Reply, top: int) -> list[dict[str, Any]]:
    if reply.tokens is not None:
        return [
            {
                "token": token.text,
                "logprob": token.logprob,
                "top_logprobs": [{"token": text, "logprob": logprob} for text, logprob in token.top[:top]],
            }
            for token in reply.tokens
        ]
    return [
        {"token": text, "logprob": -0.1, "top_logprobs": [{"token": text, "logprob": -0.1}][:top]}
        for text in _tokens(reply.text)
    ]
