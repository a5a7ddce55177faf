"""What the attributes of a span mean, by the names that instrumentations of model libraries give them.

`gen_ai.*` are the semantic conventions of OpenTelemetry for generative AI; `llm.*`, `input.value`, `output.value` and
`openinference.span.kind` are OpenInference's.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from rejudge.domain.span import AGENT, EMBEDDING, MODEL, RETRIEVAL, TOOL
from rejudge.domain.usage import Usage, checked_usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OPERATION, OPENINFERENCE_KIND = "gen_ai.operation.name", "openinference.span.kind"

_KINDS: Final = {
    OPERATION: {
        **dict.fromkeys(("chat", "text_completion", "generate_content"), MODEL),
        **dict.fromkeys(("invoke_agent", "create_agent", "invoke_workflow"), AGENT),
        "embeddings": EMBEDDING,
        "execute_tool": TOOL,
        "retrieval": RETRIEVAL,
    },
    OPENINFERENCE_KIND: {
        "llm": MODEL,
        "agent": AGENT,
        "embedding": EMBEDDING,
        "tool": TOOL,
        "retriever": RETRIEVAL,
        "reranker": RETRIEVAL,
    },
    "traceloop.span.kind": {"tool": TOOL, "agent": AGENT},
}
_MODELS: Final = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "embedding.model_name")
_INPUT_TOKENS: Final = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt")
_OUTPUT_TOKENS: Final = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion")
_INPUTS: Final = (
    "gen_ai.input.messages",
    "gen_ai.tool.call.arguments",
    "gen_ai.prompt",
    "input.value",
    "traceloop.entity.input",
)
_OUTPUTS: Final = (
    "gen_ai.output.messages",
    "gen_ai.tool.call.result",
    "gen_ai.completion",
    "output.value",
    "traceloop.entity.output",
)
_INPUT_LISTS: Final = ("gen_ai.prompt.", "llm.input_messages.")
_OUTPUT_LISTS: Final = ("gen_ai.completion.", "llm.output_messages.")


class Meaning(Struct, frozen=True, kw_only=True):
    """What attributes say of a span; None where they do not. `rest` are those that are kept as they are."""

    kind: str | None = None
    model: str | None = None
    usage: Usage | None = None
    input: object = None
    output: object = None
    rest: dict[str, object] = field(default_factory=dict)


def meaning_of(attributes: Mapping[str, object]) -> Meaning:
    """What the attributes of a span mean; what says its input and output is not kept twice."""
    said_in, asked, listed_in = _content(attributes, _INPUTS, _INPUT_LISTS)
    said_out, answered, listed_out = _content(attributes, _OUTPUTS, _OUTPUT_LISTS)
    told = {*listed_in, *listed_out, said_in, said_out}
    model = _first(attributes, _MODELS)
    return Meaning(
        kind=_kind(attributes),
        model=None if model is None else str(model),
        usage=_usage(attributes),
        input=asked,
        output=answered,
        rest={name: value for name, value in attributes.items() if name not in told},
    )


def _kind(attributes: Mapping[str, object]) -> str | None:
    for name, kinds in _KINDS.items():
        found = kinds.get(str(attributes.get(name, "")).lower())
        if found is not None:
            return found
    return MODEL if _first(attributes, (*_INPUT_TOKENS, *_OUTPUT_TOKENS)) is not None else None


def _usage(attributes: Mapping[str, object]) -> Usage | None:
    asked, answered = _count(attributes, _INPUT_TOKENS), _count(attributes, _OUTPUT_TOKENS)
    if asked is None and answered is None:
        return None
    try:
        return checked_usage(Usage(input_tokens=asked, output_tokens=answered))
    except (ValueError, TypeError):
        return None


def _count(attributes: Mapping[str, object], names: Sequence[str]) -> int | None:
    found = _first(attributes, names)
    return found if type(found) is int and found >= 0 else None


def _first(attributes: Mapping[str, object], names: Sequence[str]) -> object:
    return next((attributes[name] for name in names if attributes.get(name) is not None), None)


def _content(
    attributes: Mapping[str, object], names: Sequence[str], lists: Sequence[str]
) -> tuple[str | None, object, list[str]]:
    """The input or output that attributes tell, under which name, or under which names of a numbered list."""
    for name in names:
        if attributes.get(name) is not None:
            return name, _read(attributes[name]), []
    for prefix in lists:
        listed = [name for name in attributes if name.startswith(prefix)]
        if listed:
            return None, _messages({name.removeprefix(prefix): attributes[name] for name in listed}), listed
    return None, None, []


def _messages(numbered: Mapping[str, object]) -> list[object]:
    """`0.role`, `0.content`, `1.role`, … as a list of messages in their order."""
    messages: dict[str, dict[str, object]] = {}
    for name, value in numbered.items():
        place, _, rest = name.partition(".")
        messages.setdefault(place, {})[rest.removeprefix("message.") or "content"] = value
    return [messages[place] for place in sorted(messages, key=lambda text: (len(text), text))]


def _read(value: object) -> object:
    """A value that instrumentations write as the text of JSON, where it is an object or a list."""
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value, parse_constant=str)
    except (ValueError, RecursionError):
        return value
