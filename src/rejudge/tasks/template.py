"""Text with `{{ placeholders }}` for an item's fields: read when it is made, and filled before anything is asked.

What a placeholder can say is small on purpose, because templates come from files of strangers and are filled with data
of strangers: members of fields, a few filters, `{% if %}` and `{% for %}`; no calls and no arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, cast

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, Undefined, meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from rejudge.domain.errors import ConfigurationError, Place
from rejudge.domain.media import is_messages
from rejudge.domain.payload import encode
from rejudge.domain.view import as_text

LONGEST_TEMPLATE: Final = 100_000
LONGEST_TEXT: Final = 10_000_000
DEEPEST_LOOPS: Final = 3
"""Limits in characters of what is read and of what is made, and of loops inside loops."""

Fields: TypeAlias = "Mapping[str, object]"


class NotFilled(Exception):
    """What a placeholder asks for is not there, or is not for a text."""


class IsConversation(NotFilled):
    """A conversation stands where a text is wanted."""


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's grammar, reaching nothing but members of JSON values."""

    def getitem(self, obj: object, argument: object) -> object:
        """The member of that name or place."""
        if isinstance(obj, dict) and argument in obj:
            return obj[argument]
        if isinstance(obj, list) and isinstance(argument, int) and -len(obj) <= argument < len(obj):
            return obj[argument]
        return self.undefined(obj=obj, name=str(argument))

    def getattr(self, obj: object, attribute: str) -> object:
        """The same: a dot reaches what brackets reach."""
        return self.getitem(obj, attribute)


def _put(value: object) -> str:
    if isinstance(value, Undefined):
        return str(value)  # raises, and says what is undefined
    if value is None:
        raise NotFilled("it is null")
    if is_messages(value):
        raise IsConversation("it is a conversation, not a text")
    return as_text(value)


def _default(value: object, other: object = "") -> object:
    return other if value is None or isinstance(value, Undefined) else value


def _joined(values: object, by: str = "") -> str:
    if not isinstance(values, list):
        raise TypeError("join needs a list")
    parts = [as_text(one) for one in values]
    if sum(map(len, parts)) + len(by) * len(parts) > LONGEST_TEXT:
        raise NotFilled(f"more than {LONGEST_TEXT:,} characters")
    return by.join(parts)


_FILTERS: Final[Mapping[str, Callable[..., object]]] = {
    "default": _default,
    "d": _default,
    "first": lambda values: values[0],
    "join": _joined,
    "last": lambda values: values[-1],
    "length": len,
    "lower": lambda value: as_text(value).lower(),
    "string": as_text,
    "tojson": lambda value: encode(value).decode(),
    "trim": lambda value: as_text(value).strip(),
    "upper": lambda value: as_text(value).upper(),
}
_TESTS: Final = ("defined", "undefined", "none", "string", "number", "mapping", "sequence", "boolean", "in")

SANDBOX: Final = _Sandbox(undefined=StrictUndefined, finalize=_put, keep_trailing_newline=True, autoescape=False)
SANDBOX.globals.clear()
SANDBOX.filters = cast("dict[str, Callable[..., object]]", dict(_FILTERS))
SANDBOX.tests = {name: SANDBOX.tests[name] for name in _TESTS}

_RESERVED: Final = frozenset({"self", "super", "caller", "varargs", "kwargs"})
"""Names that Jinja fills itself."""

_PLACEHOLDER: Final = re.compile(r"\{\{[-+]?(.*?)[-+]?\}\}", re.DOTALL)

_ALLOWED: Final = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.For, nodes.CondExpr),
    *(nodes.Name, nodes.Const, nodes.Getattr, nodes.Getitem, nodes.Filter, nodes.Test, nodes.Neg),
    *(nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.List, nodes.Tuple),
)


class Template:
    """A text over fields; `names` are those that it reads.

    A text that is one placeholder and nothing else has a `value`, which keeps its type.
    """

    __slots__ = ("_generate", "_whole", "names", "text")

    def __init__(self, text: str, *, parameter: str) -> None:
        if len(text) > LONGEST_TEMPLATE:
            raise ConfigurationError(f"{parameter} is longer than {LONGEST_TEMPLATE:,} characters")
        self.text = text
        try:
            tree = SANDBOX.parse(text)
            _check(tree, parameter)
            self.names = frozenset(meta.find_undeclared_variables(tree))
            whole = _whole(tree, text)
            self._whole = None if whole is None else SANDBOX.compile_expression(whole, undefined_to_none=False)
            self._generate = SANDBOX.from_string(text).generate
        except TemplateSyntaxError as error:
            what = (error.message or "it cannot be read").removesuffix(".")
            place = Place(file=parameter, line=error.lineno)
            raise ConfigurationError(what, where=place, fix="a placeholder is written {{ field }}") from None
        except RecursionError:
            raise ConfigurationError(f"{parameter} is nested too deeply") from None

    def filled(self, fields: Fields) -> str:
        """The text for these fields; raises NotFilled for what is not there."""
        parts, size = [], 0
        try:
            for part in self._generate(fields):
                parts.append(part)
                size += len(part)
                if size > LONGEST_TEXT:
                    raise NotFilled(f"more than {LONGEST_TEXT:,} characters")
        except _FAULTS as error:
            raise NotFilled(_why(error)) from None
        return "".join(parts)

    def value(self, fields: Fields) -> object:
        """The value of a text that is one placeholder, or else the text; raises NotFilled for what is not there."""
        if self._whole is None:
            return self.filled(fields)
        try:
            found = self._whole(fields)
            if isinstance(found, Undefined):
                found = str(found)  # raises, but for an `if` without an `else`, which is empty
        except _FAULTS as error:
            raise NotFilled(_why(error)) from None
        return found


_FAULTS: Final = (TemplateError, TypeError, ValueError, LookupError, AttributeError, RecursionError)


def _why(error: Exception) -> str:
    return str(error) if isinstance(error, TemplateError) else f"{type(error).__name__}: {error}"


def _check(tree: nodes.Template, parameter: str) -> None:
    for node in tree.find_all(nodes.Node):
        if isinstance(node, nodes.Name) and node.name in _RESERVED:
            raise ConfigurationError(
                f"{node.name!r} means something else in templates",
                where=Place(file=parameter, line=node.lineno),
                fix='give the field another name: fields={"other_name": ' + f'"{node.name}", …}}',
            )
        if not isinstance(node, _ALLOWED):
            what = type(node).__name__.lower()
            raise ConfigurationError(
                f"{what} is no part of a template",
                where=Place(file=parameter, line=node.lineno),
                fix="use {{ field }}, {{ field.member | filter }}, {% if %} and {% for %}",
            )
    if _depth(tree) > DEEPEST_LOOPS:
        raise ConfigurationError(f"{parameter} has loops nested more than {DEEPEST_LOOPS} deep")


def _depth(node: nodes.Node) -> int:
    inner = max((_depth(child) for child in node.iter_child_nodes()), default=0)
    return inner + isinstance(node, nodes.For)


def _whole(tree: nodes.Template, text: str) -> str | None:
    """The expression of a text that is one placeholder."""
    match tree.body:
        case [nodes.Output(nodes=[expression])] if not isinstance(expression, nodes.TemplateData):
            found = _PLACEHOLDER.fullmatch(text)
            return None if found is None else found[1]
    return None
