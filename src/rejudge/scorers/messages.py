"""What a trace says of tool calls and turns: messages in the shapes that providers share, and odd ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from rejudge.domain.verdict import Skip
from rejudge.scorers.gap import Gap
from rejudge.scorers.json_text import parsed
from rejudge.scorers.wording import kind, quoted

NO_TRACE: Final = Gap(Skip.MISSING_TRACE, "the task recorded no trace")
"""What a scorer of traces answers where there is none; an empty one is judged."""

_ARGUMENTS: Final = ("arguments", "input", "args")
"""Where a tool call may hold its arguments: OpenAI's name for them, Anthropic's, and that of some frameworks."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A tool call as a message records it; `name` is None where it has none.

    `arguments` are empty where what stands in their place is no JSON object; `fault` then says what it is.
    """

    name: str | None
    arguments: dict[str, object] = field(default_factory=dict)
    fault: str = ""


def requests(trace: Sequence[object]) -> Iterator[object]:
    """Each tool call of the assistant's messages, in order and as it was recorded.

    Where a message has no `tool_calls`, blocks of type `tool_use` in its content count.
    """
    for message in trace:
        if _is_from(message, "assistant"):
            yield from _called(message)


def recorded_calls(trace: Sequence[object]) -> list[RecordedCall]:
    """The tool calls of the assistant's messages, in order, with their arguments read."""
    return [_read(request) for request in requests(trace)]


def model_responses(trace: Sequence[object]) -> int:
    """How many messages of the assistant there are, those that only call tools too."""
    return sum(1 for message in trace if _is_from(message, "assistant"))


def turns(trace: Sequence[object]) -> int:
    """How many messages of the user there are; one that holds nothing but results of tools is none of theirs."""
    return sum(1 for message in trace if _is_from(message, "user") and not _is_tool_result(message))


def _is_from(message: object, role: str) -> bool:
    return isinstance(message, dict) and message.get("role") == role


def _called(message: object) -> list[object]:
    assert isinstance(message, dict)
    stated = message.get("tool_calls")
    if isinstance(stated, list) and stated:
        return stated
    return [block for block in _blocks(message) if isinstance(block, dict) and block.get("type") == "tool_use"]


def _is_tool_result(message: object) -> bool:
    blocks = _blocks(message)
    return bool(blocks) and all(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)


def _blocks(message: object) -> list[object]:
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, list) else []


def _read(request: object) -> RecordedCall:
    inner = request.get("function", request) if isinstance(request, dict) else request
    if not isinstance(inner, dict):
        return RecordedCall(None, fault=f"{kind(inner)} in place of a tool call")
    name = inner.get("name")
    stated = next((inner[key] for key in _ARGUMENTS if key in inner), None)
    arguments, fault = _arguments(stated)
    return RecordedCall(name if isinstance(name, str) else None, arguments, fault)


def _arguments(stated: object) -> tuple[dict[str, object], str]:
    if stated is None or stated == "":
        return {}, ""
    found = stated
    if isinstance(stated, str):
        try:
            found = parsed(stated)
        except ValueError as error:
            return {}, str(error)
    if isinstance(found, dict):
        return found, ""
    return {}, f"{quoted(stated)} is no JSON object"
