"""What a task or judge asks of the world, and what comes back. A call is data; one loop answers it."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct, field

from rejudge.domain.code import CodeCall, CodeResult
from rejudge.domain.usage import Usage


class Message(Struct, frozen=True, kw_only=True):
    """One message of a conversation, in the shape that most providers share."""

    role: str
    content: object = None
    name: str | None = None
    tool_calls: list[dict[str, object]] | None = None
    tool_call_id: str | None = None


class ModelCall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="asks", tag="model"):
    """A question to a model: everything that can change the answer.

    `logprobs` is how many alternatives of each token are wanted with their log-probabilities; None wants none.
    """

    model: str
    messages: list[dict[str, object]]
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: list[str] | None = None
    tools: list[dict[str, object]] | None = None
    response_schema: dict[str, object] | None = None
    logprobs: int | None = None
    extra: dict[str, object] = field(default_factory=dict)


class Token(Struct, frozen=True, kw_only=True, gc=False):
    """One token of a reply with its natural log-probability, and those of the likeliest tokens in its place."""

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


class Reply(Struct, frozen=True, kw_only=True, tag_field="answers", tag="model"):
    """A model's answer, with the model version that the provider reported.

    `reasoning` is what the model thought aloud, where the provider tells it; `tokens` are there where
    log-probabilities were asked for. `refusal` holds the words of a model that declined to answer. `prices` names the
    price list, with its date, from which the usage's cost was computed.
    """

    text: str = ""
    model: str | None = None
    tool_calls: list[dict[str, object]] = field(default_factory=list)
    finish_reason: str | None = None
    usage: Usage | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tokens: tuple[Token, ...] | None = None
    prices: str | None = None


class EmbedCall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="asks", tag="embedding"):
    """Texts of which a model is to give the vectors."""

    model: str
    texts: list[str]


class Embeddings(Struct, frozen=True, kw_only=True, tag_field="answers", tag="embedding"):
    """One vector for each text, in their order."""

    vectors: list[list[float]]
    model: str | None = None
    usage: Usage | None = None
    prices: str | None = None


class HttpCall(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="asks", tag="http"
):
    """A request to the endpoint that is evaluated.

    A header's text may hold `${NAME}`, which stands for a value of the environment; the value itself is filled in by
    whoever sends it, and is written nowhere. `body` is sent as JSON, `text` as it is. `lines` says that every line of
    the reply is a JSON value of its own, also where the reply does not say so.
    """

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    body: object = None
    text: str | None = None
    lines: bool = False


class HttpReply(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="answers", tag="http"):
    """What an endpoint answered: its body as JSON where it is that, else as text; of a stream, its events in order."""

    status: int = 200
    body: object = None
    events: list[object] | None = None
    usage: Usage | None = None


class ToolCall(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="asks", tag="tool"
):
    """A tool that an agent wants to use. `simulated` says that nothing beyond the evaluation is touched by it."""

    tool: str
    arguments: dict[str, object] = field(default_factory=dict)
    simulated: bool = True


class ToolResult(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="answers", tag="tool"):
    """What a tool gave, or in `error` what it told the agent instead."""

    value: object = None
    error: str | None = None
    usage: Usage | None = None


class TurnCall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="asks", tag="turn"):
    """The next turn of a conversation, which a function of the user's is to take."""

    arguments: dict[str, object] = field(default_factory=dict)


class Turn(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="answers", tag="turn"):
    """What the function returned."""

    value: object = None
    usage: Usage | None = None


class Elapsed(Struct, frozen=True):
    """Asks for the seconds since the task began; it is answered at once, with a number, and recorded nowhere."""


Call: TypeAlias = "ModelCall | EmbedCall | CodeCall | HttpCall | ToolCall | TurnCall"
"""What a generator may yield."""

Answered: TypeAlias = "Reply | Embeddings | CodeResult | HttpReply | ToolResult | Turn"
"""What it is sent back."""

ANSWERS: dict[type[Struct], type[Struct]] = {
    ModelCall: Reply,
    EmbedCall: Embeddings,
    CodeCall: CodeResult,
    HttpCall: HttpReply,
    ToolCall: ToolResult,
    TurnCall: Turn,
}
"""The kind of answer that each kind of call gets."""


class CallRecord(Struct, frozen=True, kw_only=True):
    """One answered call as the trace keeps it, with the tries before it that failed, in words."""

    call: ModelCall | EmbedCall | CodeCall | HttpCall | ToolCall | TurnCall
    reply: Reply | Embeddings | CodeResult | HttpReply | ToolResult | Turn
    seconds: float
    failures: tuple[str, ...] = ()
