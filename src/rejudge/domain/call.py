"""What a task or judge asks of the world, and what comes back. A call is data; one loop answers it."""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct, convert, field, to_builtins

_Number = TypeVar("_Number", int, float)
_LIMIT = 2**53
"""Above what any model bills, and far enough below 64 bits that sums over calls can be stored."""


class Usage(Struct, frozen=True, kw_only=True):
    """What was spent: tokens and money. None means unknown, which is never the same as zero."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cost=_sum(self.cost, other.cost),
        )


class Message(Struct, frozen=True, kw_only=True):
    """One message of a conversation, in the shape that most providers share."""

    role: str
    content: object = None
    name: str | None = None
    tool_calls: list[dict[str, object]] | None = None
    tool_call_id: str | None = None


class ModelCall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to a model: everything that can change the answer."""

    model: str
    messages: list[dict[str, object]]
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: list[str] | None = None
    tools: list[dict[str, object]] | None = None
    response_schema: dict[str, object] | None = None
    extra: dict[str, object] = field(default_factory=dict)


class Reply(Struct, frozen=True, kw_only=True):
    """A model's answer, with the model version that the provider reported."""

    text: str = ""
    model: str | None = None
    tool_calls: list[dict[str, object]] = field(default_factory=list)
    finish_reason: str | None = None
    usage: Usage | None = None


class CallRecord(Struct, frozen=True, kw_only=True):
    """One answered call as the trace keeps it, with the tries before it that failed, in words."""

    call: ModelCall
    reply: Reply
    seconds: float
    failures: tuple[str, ...] = ()


def checked_usage(usage: Usage) -> Usage:
    """The usage with every field of its type.

    Raises ValueError or TypeError for what could not be stored, added up or read back: a field of another type, or a
    number that is negative, endless or none.
    """
    checked = convert(to_builtins(usage), Usage)
    for number in (checked.input_tokens, checked.output_tokens, checked.cost):
        if number is not None and not 0 <= number < _LIMIT:
            raise ValueError(f"a usage of {number} cannot be")
    return checked


def _sum(left: _Number | None, right: _Number | None) -> _Number | None:
    if left is None:
        return right
    return left if right is None else left + right
