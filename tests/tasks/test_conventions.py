from __future__ import annotations

import pytest

from rejudge.domain.usage import Usage
from rejudge.tasks.conventions import Meaning, meaning_of


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ({"gen_ai.operation.name": "chat"}, "model"),
        ({"gen_ai.operation.name": "execute_tool"}, "tool"),
        ({"gen_ai.operation.name": "invoke_agent"}, "agent"),
        ({"gen_ai.operation.name": "embeddings"}, "embedding"),
        ({"openinference.span.kind": "RETRIEVER"}, "retrieval"),
        ({"openinference.span.kind": "LLM"}, "model"),
        ({"openinference.span.kind": "CHAIN"}, None),
        ({"llm.token_count.prompt": 4}, "model"),
        ({"http.method": "GET"}, None),
    ],
    ids=str,
)
def test_the_kind_is_read(attributes: dict[str, object], kind: str | None) -> None:
    assert meaning_of(attributes).kind == kind


def test_numbered_messages_are_read_in_their_order() -> None:
    found = meaning_of(
        {f"gen_ai.prompt.{place}.content": str(place) for place in (10, 2, 0)} | {"gen_ai.prompt.0.role": "system"}
    )
    assert found.input == [{"content": "0", "role": "system"}, {"content": "2"}, {"content": "10"}]
    assert found.rest == {}


def test_what_is_said_twice_is_taken_once_and_the_other_is_kept() -> None:
    found = meaning_of({"gen_ai.input.messages": '[{"role": "user"}]', "input.value": "hi", "x": 1})
    assert found.input == [{"role": "user"}]
    assert found.rest == {"input.value": "hi", "x": 1}


@pytest.mark.parametrize("tokens", [-1, 2**60, "7", 1.5, True])
def test_counts_that_cannot_be_are_unknown(tokens: object) -> None:
    found = meaning_of({"gen_ai.usage.input_tokens": tokens, "gen_ai.request.model": "m"})
    assert found.usage in (None, Usage())
    assert found.model == "m"


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": ', "[NaN]", "plain"])
def test_text_that_is_no_json_stays_text_or_becomes_plain(text: str) -> None:
    found = meaning_of({"output.value": text})
    assert found.output in (text, ["NaN"])


def test_nothing_means_nothing() -> None:
    assert meaning_of({}) == Meaning()
