"""A list of messages as text for a judge: numbered turns whose content cannot be taken for another turn."""

from __future__ import annotations

from rejudge.domain.view import as_text
from rejudge.scorers.wording import kind

_INDENT = "    "


def transcript(messages: object) -> str:
    """Every message under its number and role, its content indented, its tool calls after it."""
    if not isinstance(messages, list):
        raise TypeError(f"needs a list of messages, not {kind(messages)}")
    return "\n".join(line for number, one in enumerate(messages, 1) for line in _turn(number, one))


def _turn(number: int, message: object) -> list[str]:
    if not isinstance(message, dict):
        return [f"[{number}]", *_indented(as_text(message))]
    role = " ".join(str(message.get("role") or "unknown").split())
    lines = [f"[{number}] {role}:"]
    for name in ("reasoning", "reasoning_content", "content"):
        if message.get(name):
            lines += _indented(_text(message[name]))
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        lines += _indented(f"calls {_call(call)}")
    if len(lines) == 1:
        lines += _indented("(nothing)")
    return lines


def _text(content: object) -> str:
    """Text content, or the texts of content in parts; other parts as JSON."""
    if not isinstance(content, list):
        return as_text(content)
    texts = [part["text"] if isinstance(part, dict) and "text" in part else part for part in content]
    return "\n".join(map(as_text, texts))


def _call(call: object) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return as_text(call)
    return f"{as_text(function.get('name'))}({as_text(function.get('arguments') or '')})"


def _indented(text: str) -> list[str]:
    return [_INDENT + line for line in text.splitlines() or [""]]
