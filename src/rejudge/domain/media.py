"""Content of messages that is no text: which kinds there are, and how a part says which it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

KINDS: Final[Mapping[str, str]] = {
    "image_url": "image",
    "input_image": "image",
    "image": "image",
    "input_audio": "audio",
    "audio": "audio",
    "audio_url": "audio",
    "file": "file",
    "input_file": "file",
    "document": "file",
}
"""The kind of content by the `type` of a part, in the words of the interfaces that are in use."""


def is_parts(value: object) -> bool:
    """Whether a value is content in parts: a list of objects of which each says its type."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and "type" in one for one in value)


def is_messages(value: object) -> bool:
    """Whether a value is a conversation: a list of objects of which each has a role."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and "role" in one for one in value)


def media_of(messages: Iterable[Mapping[str, object]]) -> tuple[str, ...]:
    """The kinds of content other than text in these messages, sorted."""
    found = set()
    for message in messages:
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict) and (kind := KINDS.get(str(part.get("type")))):
                found.add(kind)
    return tuple(sorted(found))
