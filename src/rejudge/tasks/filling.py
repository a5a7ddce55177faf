"""JSON with templates in its texts: the messages of a prompt, the body of a request, a script of turns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rejudge.domain.errors import ConfigurationError, RecordError, UnknownName
from rejudge.domain.media import is_messages, is_parts
from rejudge.domain.payload import as_json
from rejudge.domain.verdict import Skip
from rejudge.domain.view import as_text
from rejudge.tasks.task import CannotTake
from rejudge.tasks.template import IsConversation, NotFilled, Template

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Fill = Callable[[Mapping[str, object]], object]


ROLES: Final = ("assistant", "developer", "function", "system", "tool", "user")
"""Who may speak in a prompt."""


class Filling:
    """A value as JSON has it, filled anew for every item; `stated` is what was written, `names` the fields it reads.

    A text that is one placeholder and nothing else becomes the field's value with its type.
    """

    __slots__ = ("_fill", "_parameter", "names", "stated")

    def __init__(self, stated: object, *, parameter: str) -> None:
        try:
            self.stated = as_json(stated, where=parameter)
        except RecordError as error:
            raise ConfigurationError(error.what) from None
        self._parameter = parameter
        templates: list[Template] = []
        self._fill = _filler(self.stated, parameter, templates)
        self.names = frozenset().union(*(template.names for template in templates))

    def filled(self, fields: Mapping[str, object]) -> object:
        """The value for these fields; raises CannotTake for an item that lacks what is asked for."""
        try:
            return self._fill(fields)
        except NotFilled as why:
            raise refused(self._parameter, why) from None


def refused(parameter: str, why: NotFilled) -> CannotTake:
    """The refusal of an item with which a template cannot be filled."""
    cause = Skip.INCOMPATIBLE_INPUT_SHAPE if isinstance(why, IsConversation) else Skip.MISSING_INPUT_FIELD
    return CannotTake(cause.value, f"{parameter} cannot be filled: {why}")


def _filler(stated: object, parameter: str, templates: list[Template]) -> Fill:
    if isinstance(stated, dict):
        inner = {name: _filler(value, f"{parameter}.{name}", templates) for name, value in stated.items()}
        return lambda fields: {name: fill(fields) for name, fill in inner.items()}
    if isinstance(stated, list):
        parts = [_filler(value, f"{parameter}.{place}", templates) for place, value in enumerate(stated)]
        return lambda fields: [fill(fields) for fill in parts]
    if not isinstance(stated, str) or "{" not in stated:
        return lambda fields: stated
    template = Template(stated, parameter=parameter)
    templates.append(template)
    return template.value


class Messages:
    """The messages of a prompt: a text for one message of the user, or a list with a role and content each."""

    __slots__ = ("_filling", "names", "stated")

    def __init__(self, stated: object, *, parameter: str = "messages") -> None:
        listed = [{"role": "user", "content": stated}] if isinstance(stated, str) else stated
        self._filling = Filling(listed, parameter=parameter)
        self.names = self._filling.names
        self.stated = _checked(self._filling.stated, parameter)
        if not self.names:
            _refuse_single_braces(self.stated, parameter)

    def filled(self, fields: Mapping[str, object]) -> list[dict[str, object]]:
        """The messages for these fields; raises CannotTake for an item that lacks what is asked for."""
        filled = self._filling.filled(fields)
        assert isinstance(filled, list)
        for message, stated in zip(filled, self.stated, strict=True):
            if stated.get("content") is not None:
                try:
                    message["content"] = _content(message["content"])
                except NotFilled as why:
                    raise refused("messages", why) from None
        return filled


def _checked(stated: object, parameter: str) -> list[dict[str, object]]:
    if not isinstance(stated, list) or not stated:
        raise ConfigurationError(f"{parameter} is no text and no list of messages")
    for place, message in enumerate(stated):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise ConfigurationError(f"{parameter}.{place} is no message", fix='write {"role": "user", "content": "…"}')
        role = str(message["role"])
        if role not in ROLES and "{" not in role:
            raise UnknownName.among(f"role in {parameter}.{place}", role, ROLES)
        content = message.get("content")
        if not isinstance(content, str) and not is_parts(content) and not message.get("tool_calls"):
            raise ConfigurationError(
                f"{parameter}.{place}.content is neither text nor a list of parts",
                fix='write "content": "…" or [{"type": "text", "text": "…"}, {"type": "image_url", …}]',
            )
    return stated


def _refuse_single_braces(stated: list[dict[str, object]], parameter: str) -> None:
    """Refuse `{field}` where no field is named at all: every item would be asked the same."""
    for place, message in enumerate(stated):
        text = str(message.get("content"))
        found = None if "{{" in text or "{%" in text else _SINGLE.search(text)
        if found and not text[: found.start()].rstrip().endswith("{"):
            raise ConfigurationError(
                f"{parameter}.{place}.content names no field of an item, and holds {found.group()}",
                fix=f"a placeholder has two braces: {{{{ {found.group(1)} }}}}; "
                f"a text that is meant as it stands: {{{{ '{found.group()}' }}}}",
            )


_SINGLE: Final = re.compile(r"(?<![{}\\\w]){\s*([A-Za-z_]\w*)\s*}(?!})")
"""A name in single braces, but for those of TeX, as in `\\boxed{answer}`."""


def _content(content: object) -> object:
    """What was filled in as content of a message: parts stay parts, anything else is text."""
    if is_parts(content):
        assert isinstance(content, list)
        return [{name: _inside(value) for name, value in part.items()} for part in content]
    if is_messages(content):
        raise IsConversation("a conversation stands where a text is wanted")
    return _inside(as_text(content) if isinstance(content, list | dict) else content)


def _inside(value: object) -> object:
    """What stands in a part: texts, and objects of texts."""
    if value is None:
        raise NotFilled("a field is null")
    return value if isinstance(value, str | list | dict) else as_text(value)
