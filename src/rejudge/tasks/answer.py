"""Where in a reply something stands: a JSON path, or an expression over `body`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError
from rejudge.tasks.template import NotFilled, Template

if TYPE_CHECKING:
    from collections.abc import Mapping

_BODY = "body"


class Answer:
    """A place such as `$.choices[0].message.content`, or an expression such as `body.items | last | tojson`.

    A path names one place; wildcards, slices and filters of paths are refused.
    """

    __slots__ = ("_template", "text")

    def __init__(self, text: str, *, parameter: str = "answer") -> None:
        self.text = text
        path = text.strip()
        if path.startswith("$"):
            for mark in ("*", "..", ":", "?", "@"):
                if mark in path:
                    raise ConfigurationError(
                        f"{parameter}: the path {text!r} may name more than one place, by {mark!r}",
                        fix="name one, such as $.choices[0].message.content, or write an expression over body",
                    )
            path = _BODY + path[1:]
        self._template = Template("{{ " + path + " }}", parameter=parameter)
        if self._template.names != {_BODY}:
            known = ", ".join(sorted(self._template.names - {_BODY}))
            raise ConfigurationError(
                f"{parameter}={text!r} reads {known or 'nothing of the reply'}",
                fix="begin a path with $, and an expression with body",
            )

    def found(self, body: object) -> object:
        """What stands there; None where there is nothing."""
        fields: Mapping[str, object] = {_BODY: body}
        try:
            return self._template.value(fields)
        except NotFilled:
            return None
