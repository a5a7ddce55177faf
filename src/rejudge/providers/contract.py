"""What every provider promises, as tests that a provider's own suite inherits.

    class TestMyProvider(ProviderContract):
        @pytest.fixture
        def provided(self):
            return lambda script: my_provider_that_answers_by(script)

`script` is a function from the text of the last message to what is to be said: text, a Reply, a Transient for a fault
that passes, or a ProviderError for one that does not. They need pytest, which the package does not install.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import msgspec
import pytest

from rejudge.domain.call import ModelCall, Reply
from rejudge.domain.errors import ProviderError, Transient
from rejudge.domain.usage import Usage, checked_usage
from rejudge.providers.provider import Abilities, Limits

if TYPE_CHECKING:
    from rejudge.providers.provider import Provider

Script: TypeAlias = "Callable[[str], str | Reply | Exception]"
Provided: TypeAlias = "Callable[[Script], Provider]"

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string"}},
    "required": ["verdict"],
    "additionalProperties": False,
}
TOOL = {
    "type": "function",
    "function": {"name": "look_up", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}


def answered(provider: Provider, call: ModelCall) -> Reply:
    """The reply, in a loop of its own, which leaves no connection open."""

    async def once() -> Reply:
        try:
            return await provider.answer(call)
        finally:
            release = getattr(provider, "release", None)
            if release is not None:
                await release()

    return asyncio.run(once())


class ProviderContract:
    """Every promise of `rejudge.providers.provider`, each a test; a subclass says how its provider is made."""

    model: ClassVar[str] = "m"
    """What the model is called that the tests ask."""

    def asking(self, text: str, **more: object) -> ModelCall:
        """A call with one message of the user."""
        said = {"model": self.model, "messages": [{"role": "user", "content": text}], **more}
        return msgspec.convert(said, ModelCall)

    def test_it_says_what_the_model_said(self, provided: Provided) -> None:
        reply = answered(provided(lambda text: f"you said {text}"), self.asking("hello, wörld ✓"))
        assert reply.text == "you said hello, wörld ✓"
        assert reply.refusal is None
        assert reply.tool_calls == []

    def test_a_reply_can_be_stored_and_read_back(self, provided: Provided) -> None:
        reply = answered(provided(lambda text: text), self.asking("hello"))
        assert msgspec.json.decode(msgspec.json.encode(reply), type=Reply) == reply
        assert reply.usage is None or checked_usage(reply.usage) == reply.usage

    def test_many_calls_at_once_get_each_its_own_reply(self, provided: Provided) -> None:
        provider = provided(lambda text: text)

        async def many() -> list[Reply]:
            replies = await asyncio.gather(*(provider.answer(self.asking(f"number {place}")) for place in range(20)))
            await _release(provider)
            return replies

        assert [reply.text for reply in asyncio.run(many())] == [f"number {place}" for place in range(20)]

    def test_it_answers_in_one_loop_after_another(self, provided: Provided) -> None:
        provider = provided(lambda text: text)
        assert [answered(provider, self.asking(text)).text for text in ("one", "two")] == ["one", "two"]

    def test_a_call_that_is_given_up_does_no_harm_to_the_next(self, provided: Provided) -> None:
        provider = provided(lambda text: text)

        async def two() -> Reply:
            first = asyncio.ensure_future(provider.answer(self.asking("given up")))
            await asyncio.sleep(0)
            first.cancel()
            await asyncio.wait({first})
            try:
                return await provider.answer(self.asking("kept"))
            finally:
                await _release(provider)

        assert asyncio.run(two()).text == "kept"

    def test_a_fault_that_passes_is_told_as_one(self, provided: Provided) -> None:
        with pytest.raises(Transient):
            answered(provided(lambda text: Transient("busy")), self.asking("hello"))

    def test_a_fault_that_stays_is_told_as_one(self, provided: Provided) -> None:
        with pytest.raises(ProviderError) as refused:
            answered(provided(lambda text: ProviderError("no")), self.asking("hello"))
        assert not isinstance(refused.value, Transient)

    def test_usage_counts_the_whole_and_the_parts(self, provided: Provided) -> None:
        usage = Usage(input_tokens=120, output_tokens=30, cached_tokens=100)
        reply = answered(provided(lambda text: Reply(text="x", usage=usage)), self.asking("hello"))
        assert reply.usage is not None
        assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cached_tokens) == (120, 30, 100)

    def test_a_refusal_is_no_text(self, provided: Provided) -> None:
        reply = answered(provided(lambda text: Reply(refusal="I will not")), self.asking("hello"))
        assert (reply.text, reply.refusal) == ("", "I will not")

    def test_tools_are_called_in_the_common_form(self, provided: Provided) -> None:
        called: dict[str, object] = {
            "id": "c1",
            "type": "function",
            "function": {"name": "look_up", "arguments": '{"city": "Ulm"}'},
        }
        reply = answered(provided(lambda text: Reply(tool_calls=[called])), self.asking("weather?", tools=[TOOL]))
        (found,) = reply.tool_calls
        function = found["function"]
        assert isinstance(function, dict)
        assert (found["id"], function["name"], json.loads(function["arguments"])) == ("c1", "look_up", {"city": "Ulm"})

    def test_a_reply_that_is_held_to_a_schema_is_json_text(self, provided: Provided) -> None:
        said = '{"verdict": "good"}'
        reply = answered(provided(lambda text: said), self.asking("judge", response_schema=SCHEMA))
        assert json.loads(reply.text) == {"verdict": "good"}

    def test_a_call_is_not_changed_by_being_answered(self, provided: Provided) -> None:
        call = self.asking("judge", response_schema=SCHEMA, temperature=0.0)
        before = msgspec.json.encode(call)
        answered(provided(lambda text: '{"verdict": "good"}'), call)
        assert msgspec.json.encode(call) == before

    def test_what_it_declares_is_of_the_right_kind(self, provided: Provided) -> None:
        provider = provided(lambda text: text)
        assert isinstance(getattr(provider, "account", ""), str)
        assert isinstance(getattr(provider, "limits", Limits()), Limits)
        abilities = getattr(provider, "abilities", None)
        assert abilities is None or isinstance(abilities(self.model), Abilities)


async def _release(provider: Provider) -> None:
    release = getattr(provider, "release", None)
    if release is not None:
        await release()
