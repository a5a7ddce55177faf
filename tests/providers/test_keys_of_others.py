"""Keys that the optional library reads itself: hidden in its vendor's replies, and all of them in errors."""

from __future__ import annotations

import asyncio

import pytest

from rejudge.domain.call import ModelCall, Reply
from rejudge.domain.errors import ProviderError
from rejudge.providers.keys import keys_of

pytest.importorskip("pydantic_ai", reason="the extra rejudge[providers] is not installed")

from tests.providers.foreign import foreign

CALL = ModelCall(model="m", messages=[{"role": "user", "content": "hi"}])


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREIGN_API_KEY", "fk-0123456789")
    monkeypatch.setenv("DATABASE_PASSWORD", "strawberry")


def test_a_reply_hides_the_keys_of_its_vendor_and_keeps_the_words_that_another_key_is_made_of() -> None:
    said = Reply(
        text="a strawberry, fk-0123456789",
        tool_calls=[{"id": "1", "function": {"name": "pick", "arguments": '{"x": "strawberry fk-0123456789"}'}}],
    )
    reply = asyncio.run(foreign(lambda _: said).answer(CALL))
    assert reply.text == "a strawberry, [key]"
    assert "strawberry [key]" in str(reply.tool_calls)


def test_a_refusal_hides_them_too() -> None:
    reply = asyncio.run(foreign(lambda _: Reply(refusal="no strawberry for fk-0123456789")).answer(CALL))
    assert reply.refusal == "no strawberry for [key]"


def test_an_error_hides_every_key_of_the_environment() -> None:
    with pytest.raises(ProviderError) as refused:
        asyncio.run(foreign(lambda _: ProviderError("not strawberry, fk-0123456789")).answer(CALL))
    assert "not [key], [key]" in str(refused.value)


@pytest.mark.parametrize(
    ("vendor", "variable"),
    [
        ("groq", "GROQ_API_KEY"),
        ("google", "GEMINI_API_KEY"),
        ("google", "GOOGLE_API_KEY"),
        ("bedrock", "AWS_BEARER_TOKEN_BEDROCK"),
        ("bedrock", "AWS_SECRET_ACCESS_KEY"),
        ("cohere", "CO_API_KEY"),
        ("huggingface", "HF_TOKEN"),
        ("github", "COPILOT_GITHUB_TOKEN"),
    ],
)
def test_a_vendor_has_the_keys_whose_variables_name_it(
    vendor: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "0123456789abc")
    assert "0123456789abc" in [key.reveal() for key in keys_of(vendor)]
    assert "0123456789abc" not in [key.reveal() for key in keys_of("foreign")]
