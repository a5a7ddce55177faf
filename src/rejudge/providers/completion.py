"""Chat completions as JSON: a call written for a server, and what comes back read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from rejudge.domain.call import Embeddings, Reply, Token
from rejudge.domain.errors import ProviderError
from rejudge.domain.usage import Usage
from rejudge.providers.dialect import Dialect, Form

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rejudge.domain.call import ModelCall

SCHEMA_NAME = "reply"
"""What a schema is called on its way; servers want a name and ignore it."""


class _Said(Struct):
    role: str | None = None
    content: object = None
    refusal: object = None
    reasoning_content: object = None
    reasoning: object = None
    tool_calls: list[dict[str, Any]] | None = None


class _Likely(Struct):
    token: str
    logprob: float | None = None


class _Place(Struct):
    token: str
    logprob: float | None = None
    top_logprobs: list[_Likely] | None = None


class _Places(Struct):
    content: list[_Place] | None = None


class _Choice(Struct):
    message: _Said
    finish_reason: str | None = None
    logprobs: _Places | None = None


class _Completion(Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: dict[str, Any] | None = None


class _Vector(Struct):
    embedding: list[float]
    index: int | None = None


class _Vectors(Struct):
    data: list[_Vector]
    model: str | None = None
    usage: dict[str, Any] | None = None


def body_of(call: ModelCall, model: str, dialect: Dialect) -> dict[str, object]:
    """The request for a call in a server's dialect; what `extra` says is added, and stands above all else."""
    body: dict[str, object] = {"model": model, "messages": call.messages}
    if call.temperature is not None and dialect.temperature:
        body["temperature"] = call.temperature
    if call.top_p is not None and dialect.top_p:
        body["top_p"] = call.top_p
    if call.max_tokens is not None:
        body[dialect.limit] = call.max_tokens
    if call.seed is not None and dialect.seed:
        body["seed"] = call.seed
    if call.stop:
        body["stop"] = call.stop
    if call.tools:
        body["tools"] = call.tools
    if call.logprobs is not None:
        body["logprobs"] = True
        if call.logprobs > 0:
            body["top_logprobs"] = call.logprobs
    if call.response_schema is not None:
        _hold_to(call.response_schema, body, dialect.form)
    return {**body, **call.extra}


def _hold_to(schema: dict[str, object], body: dict[str, object], form: Form) -> None:
    if form in (Form.STRICT, Form.LOOSE):
        named = {"name": SCHEMA_NAME, "schema": schema, "strict": form is Form.STRICT}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
        return
    if form is Form.OBJECT:
        body["response_format"] = {"type": "json_object"}
    messages = body["messages"]
    assert isinstance(messages, list)
    body["messages"] = instructed(messages, schema)


def instructed(messages: list[dict[str, object]], schema: Mapping[str, object]) -> list[dict[str, object]]:
    """The messages with the schema in words at the end of the last one of the user."""
    words = f"Reply with one JSON object and nothing else. It has to fit this JSON Schema:\n{json.dumps(schema)}"
    last = messages[-1] if messages else {}
    if last.get("role") == "user" and isinstance(content := last.get("content"), str):
        return [*messages[:-1], {**last, "content": f"{content}\n\n{words}"}]
    return [*messages, {"role": "user", "content": words}]


def reply_of(value: Mapping[str, object], *, who: str) -> Reply:
    """The reply in a chat completion; raises ProviderError where it has another shape."""
    try:
        completion = msgspec.convert(value, _Completion)
    except msgspec.ValidationError as error:
        raise ProviderError(f"{who} sent no chat completion: {error}", fix="check the address of the server") from None
    if not completion.choices:
        raise ProviderError(f"{who} sent a chat completion without any choice")
    choice = completion.choices[0]
    said = choice.message
    reasoning = said.reasoning_content if said.reasoning_content is not None else said.reasoning
    return Reply(
        text=_text(said.content),
        model=completion.model,
        tool_calls=said.tool_calls or [],
        finish_reason=choice.finish_reason,
        usage=usage_of(completion.usage),
        reasoning=_text(reasoning) or None,
        refusal=_text(said.refusal) or None,
        tokens=_tokens(choice.logprobs),
    )


def embeddings_of(value: Mapping[str, object], *, count: int, who: str) -> Embeddings:
    """The vectors of a reply in the order of the texts; raises ProviderError where there are not `count`."""
    try:
        vectors = msgspec.convert(value, _Vectors)
    except msgspec.ValidationError as error:
        raise ProviderError(f"{who} sent no embeddings: {error}", fix="check the address and the model") from None
    by_place = {place if one.index is None else one.index: one.embedding for place, one in enumerate(vectors.data)}
    if sorted(by_place) != list(range(count)):
        raise ProviderError(f"{who} sent {len(vectors.data)} vectors for {count} texts")
    return Embeddings(
        vectors=[by_place[place] for place in range(count)], model=vectors.model, usage=usage_of(vectors.usage)
    )


def usage_of(told: Mapping[str, Any] | None) -> Usage | None:
    """What a server says was used; what it leaves out, or cannot be, is unknown."""
    if told is None:
        return None
    cost = told.get("cost")
    return Usage(
        input_tokens=count_of(told.get("prompt_tokens")),
        output_tokens=count_of(told.get("completion_tokens")),
        cost=float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) and cost >= 0 else None,
        cached_tokens=_first_count(
            _inside(told, "prompt_tokens_details", "cached_tokens"), told.get("prompt_cache_hit_tokens")
        ),
        reasoning_tokens=count_of(_inside(told, "completion_tokens_details", "reasoning_tokens")),
        cache_write_tokens=count_of(_inside(told, "prompt_tokens_details", "cache_write_tokens")),
    )


def count_of(value: object) -> int | None:
    """A number of tokens; None for what is none."""
    return value if type(value) is int and 0 <= value < 2**53 else None


def _first_count(*values: object) -> int | None:
    return next((count for value in values if (count := count_of(value)) is not None), None)


def _inside(told: Mapping[str, Any], name: str, key: str) -> object:
    inner = told.get(name)
    return inner.get(key) if isinstance(inner, dict) else None


def _text(content: object) -> str:
    """A message's content as text, where it is text or a list of parts that are."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _tokens(places: _Places | None) -> tuple[Token, ...] | None:
    if places is None or places.content is None:
        return None
    return tuple(
        Token(
            text=place.token,
            logprob=place.logprob,
            top=tuple((one.token, one.logprob) for one in place.top_logprobs or () if one.logprob is not None),
        )
        for place in places.content
        if place.logprob is not None
    )
