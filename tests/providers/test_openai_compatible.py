"""What an OpenAI-compatible server is sent for a call, and what is read from its reply."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from rejudge.domain.call import EmbedCall, Embeddings, ModelCall, Reply, Token
from rejudge.domain.errors import ProviderError, Transient
from rejudge.domain.usage import Usage
from rejudge.providers import misbehaviour
from rejudge.providers.contract import SCHEMA, answered
from rejudge.providers.fake_server import Asked, FakeModelServer, Script
from rejudge.providers.misbehaviour import Raw
from rejudge.providers.openai_compatible import OpenAICompatible, openai_compatible
from rejudge.providers.provider import Abilities
from tests.providers.conftest import QUICK

Serve = Callable[[Script], FakeModelServer]


def _call(**more: Any) -> ModelCall:  # noqa: ANN401 - any field of a call
    return ModelCall(**{"model": "small", "messages": [{"role": "user", "content": "judge it"}], **more})


def _provider(server: FakeModelServer, **more: Any) -> OpenAICompatible:  # noqa: ANN401 - any option
    return openai_compatible(server.url, limits=QUICK, **more)


def test_everything_that_a_call_says_is_sent_and_nothing_else(serve: Serve) -> None:
    server = serve(lambda asked: "fine")
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    call = _call(
        temperature=0.0, top_p=0.9, max_tokens=7, seed=3, stop=["\n"], tools=[tool], logprobs=5, extra={"user": "me"}
    )
    answered(_provider(server), call)
    answered(_provider(server), _call())
    assert server.asked[0].body == {
        "model": "small",
        "messages": [{"role": "user", "content": "judge it"}],
        "temperature": 0.0,
        "top_p": 0.9,
        "max_tokens": 7,
        "seed": 3,
        "stop": ["\n"],
        "tools": [tool],
        "logprobs": True,
        "top_logprobs": 5,
        "user": "me",
    }
    assert server.asked[1].body.keys() == {"model", "messages"}


def test_a_reply_is_read_whole(serve: Serve) -> None:
    usage = Usage(input_tokens=100, output_tokens=20, cached_tokens=64, reasoning_tokens=12)
    tokens = (Token(text="yes", logprob=-0.1, top=(("yes", -0.1), ("no", -2.4))),)
    said = Reply(text="yes", model="small-2026-01-01", reasoning="let me see", usage=usage, tokens=tokens)
    reply = answered(_provider(serve(lambda asked: said)), _call(logprobs=2))
    assert (reply.text, reply.model, reply.reasoning, reply.usage) == ("yes", said.model, "let me see", usage)
    assert reply.finish_reason == "stop"
    assert reply.tokens == tokens


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, None),
        ({}, Usage()),
        ({"prompt_tokens": 5, "completion_tokens": None}, Usage(input_tokens=5)),
        ({"prompt_tokens": -1, "completion_tokens": "many"}, Usage()),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 4},
         Usage(input_tokens=9, output_tokens=1, cached_tokens=4)),
        ({"prompt_tokens": 9, "completion_tokens": 1, "cost": 0.25}, Usage(input_tokens=9, output_tokens=1, cost=0.25)),
    ],
)  # fmt: skip
def test_what_a_server_does_not_say_about_usage_is_unknown_and_never_zero(
    serve: Serve, usage: object, expected: Usage | None
) -> None:
    body = {"choices": [{"message": {"content": "x"}}], "usage": usage}
    assert answered(_provider(serve(lambda asked: Raw.of(body))), _call()).usage == expected


def test_content_may_come_in_parts_and_a_minus_infinity_of_a_server_does_not_harm(serve: Serve) -> None:
    places = {"content": [{"token": "a", "logprob": None}, {"token": "b", "logprob": -1, "top_logprobs": None}]}
    message = {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    body = {"choices": [{"message": message, "logprobs": places}]}
    reply = answered(_provider(serve(lambda asked: Raw.of(body))), _call(logprobs=0))
    assert reply.text == "ab"
    assert reply.tokens == (Token(text="b", logprob=-1.0),)


def _accepting(*forms: str | None) -> Script:
    """A server that takes a schema in these forms only."""

    def script(asked: Asked) -> str | Raw:
        wanted = asked.body.get("response_format", {})
        strict = wanted.get("json_schema", {}).get("strict")
        form = f"{wanted['type']} strict" if strict else wanted.get("type")
        return '{"verdict": "good"}' if form in forms else misbehaviour.status(400, f"response_format {form} unknown")

    return script


@pytest.mark.parametrize(
    ("forms", "requests", "in_words"),
    [
        (("json_schema strict",), 1, False),
        (("json_schema",), 2, False),
        (("json_object",), 3, True),
        ((None,), 4, True),
    ],
)
def test_a_server_that_takes_no_schema_is_asked_in_a_form_that_it_takes_and_only_once_for_that(
    serve: Serve, forms: tuple[str | None, ...], requests: int, in_words: bool
) -> None:
    server = serve(_accepting(*forms))
    provider = _provider(server)
    assert answered(provider, _call(response_schema=SCHEMA)).text == '{"verdict": "good"}'
    assert len(server.asked) == requests
    answered(provider, _call(response_schema=SCHEMA))
    assert len(server.asked) == requests + 1
    assert ("JSON Schema" in server.asked[-1].text) is in_words
    assert server.asked[-1].text.startswith("judge it")
    assert provider.abilities("small").schema is (False if in_words else None)


def test_a_server_that_is_known_to_take_no_schema_is_not_asked_with_one(serve: Serve) -> None:
    server = serve(_accepting(None))
    answered(_provider(server, abilities=Abilities(schema=False)), _call(response_schema=SCHEMA))
    assert len(server.asked) == 1


@pytest.mark.parametrize("field", ["temperature", "top_p", "seed"])
def test_what_a_model_does_not_allow_is_left_out(serve: Serve, field: str) -> None:
    def script(asked: Asked) -> str | Raw:
        return misbehaviour.status(400, f"'{field}' is not supported", param=field) if field in asked.body else "fine"

    server = serve(script)
    provider = _provider(server)
    for _ in range(2):
        assert answered(provider, _call(**{field: 1})).text == "fine"
    assert len(server.asked) == 3


def test_a_model_that_thinks_is_asked_without_a_temperature_and_with_its_own_limit(serve: Serve) -> None:
    server = serve(lambda asked: "fine")
    provider = _provider(server)
    answered(provider, _call(model="o3-mini", temperature=0.0, max_tokens=9))
    assert server.asked[0].body.keys() == {"model", "messages", "max_completion_tokens"}
    assert provider.abilities("o3-mini") == Abilities(temperature=False, logprobs=False)


def test_a_limit_that_a_server_knows_under_another_name_is_sent_under_that(serve: Serve) -> None:
    def script(asked: Asked) -> str | Raw:
        if "max_tokens" in asked.body:
            return misbehaviour.status(400, "use max_completion_tokens instead of max_tokens", param="max_tokens")
        return "fine"

    server = serve(script)
    assert answered(_provider(server), _call(max_tokens=9)).text == "fine"
    assert server.asked[1].body["max_completion_tokens"] == 9


def test_a_model_without_log_probabilities_says_so_and_is_remembered(serve: Serve) -> None:
    server = serve(lambda asked: misbehaviour.status(400, "logprobs are not supported", param="logprobs"))
    provider = _provider(server)
    with pytest.raises(ProviderError, match="log-probabilities"):
        answered(provider, _call(logprobs=5))
    assert len(server.asked) == 1
    assert provider.abilities("small").logprobs is False


def test_another_mistake_in_a_call_is_not_taken_for_a_matter_of_form(serve: Serve) -> None:
    server = serve(lambda asked: misbehaviour.status(400, "the messages are too long"))
    with pytest.raises(ProviderError, match="too long"):
        answered(_provider(server), _call(response_schema=SCHEMA, temperature=0.0, seed=1, max_tokens=5))
    assert len(server.asked) == 1


def _embedded(provider: OpenAICompatible, texts: list[str]) -> Embeddings:
    async def once() -> Embeddings:
        try:
            return await provider.embed(EmbedCall(model="embedder", texts=texts))
        finally:
            await provider.release()

    return asyncio.run(once())


def test_vectors_come_in_the_order_of_the_texts(serve: Serve) -> None:
    server = serve(lambda asked: "")
    both = _embedded(_provider(server), ["one", "two"])
    assert both.vectors[0] == _embedded(_provider(server), ["one"]).vectors[0]
    assert both.vectors[1] == _embedded(_provider(server), ["two"]).vectors[0]
    assert (both.model, both.usage) == ("embedder-fake", Usage(input_tokens=2))
    assert _embedded(_provider(server), []).vectors == []
    assert len(server.asked) == 3


@pytest.mark.parametrize("body", [{"data": []}, {"data": [{"embedding": [1.0], "index": 1}]}, {"data": "none"}])
def test_vectors_that_are_missing_are_an_error(serve: Serve, body: dict[str, object]) -> None:
    with pytest.raises(ProviderError):
        _embedded(_provider(serve(lambda asked: Raw.of(body))), ["one"])


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:10 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 10.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_a_retry_after_is_read_in_all_its_forms(serve: Serve, headers: dict[str, str], expected: float | None) -> None:
    server = serve(lambda asked: Raw(status=429, body=b"{}", headers=headers))
    with pytest.raises(Transient) as busy:
        answered(_provider(server), _call())
    assert getattr(busy.value, "retry_after", None) == expected
