"""A tool call that is expected: its name, and what its arguments have to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct, ValidationError, convert

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.domain.payload import as_json
from rejudge.scorers.comparison import same_by_value
from rejudge.scorers.json_text import list_said
from rejudge.scorers.pattern import compiled
from rejudge.scorers.wording import clipped, enumerated, kind, quoted

if TYPE_CHECKING:
    from rejudge.scorers.messages import RecordedCall

EDGE: Final = 30
"""Characters of a name's or an argument's beginning and end that a reason shows."""

_ARGUMENTS: Final = 6
"""So many arguments of a call a reason shows."""

Fits: TypeAlias = Callable[[object], bool]


class ExpectedArgument(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What an argument has to be.

    `exact` compares JSON values: 1 is 1.0, but neither true nor "1". `contains` and `regex` look anywhere in the
    argument as text: text as it stands, anything else as Python writes it (`42.0`, `True`, `None`, `['x']`).
    """

    value: Annotated[object, Meta(description="The value, the text to look for, or the regular expression.")]
    match_mode: Annotated[
        Literal["exact", "contains", "regex"], Meta(description="How the argument is compared with it.")
    ] = "exact"


class ExpectedTool(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A call that is expected: of this tool, with these arguments and any others."""

    tool_name: Annotated[str, Meta(description="The name of the tool; upper and lower case differ.")]
    expected_args: Annotated[
        Mapping[str, ExpectedArgument] | None, Meta(description="What arguments have to be; any will do, if left out.")
    ] = None


class Wanted:
    """An expected tool made ready for matching; `words` are how reasons show it."""

    __slots__ = ("_arguments", "_name", "words")

    def __init__(self, tool: ExpectedTool) -> None:
        stated = tool.expected_args or {}
        self._name = tool.tool_name
        self._arguments = [(name, _fits(name, argument)) for name, argument in stated.items()]
        self.words = shown(tool.tool_name, [_words(name, argument) for name, argument in stated.items()])

    def fits(self, call: RecordedCall) -> bool:
        """Whether the call is one of this tool in which each expected argument is there and fits."""
        if call.name != self._name:
            return False
        given = call.arguments
        return all(name in given and fits(given[name]) for name, fits in self._arguments)


def has_patterns(tool: ExpectedTool) -> bool:
    """Whether an argument is met with a regular expression."""
    return any(argument.match_mode == "regex" for argument in (tool.expected_args or {}).values())


def wanted_in(reference: object) -> list[Wanted] | str:
    """The expected tools that an item's reference lists, as `expected_tools` would; else why it lists none.

    A list, also as JSON text, or one tool by its name or as a mapping.
    """
    said = list_said(reference) if isinstance(reference, str) else reference
    listed = said if isinstance(said, list) else [reference]
    try:
        return [Wanted(settled(tool)) for tool in convert(listed, list[str | ExpectedTool])]
    except ValidationError as error:
        return f"no list of tools: {str(error)[:1].lower()}{str(error)[1:]}"
    except ConfigurationError as error:
        return error.what


def settled(stated: str | ExpectedTool) -> ExpectedTool:
    """The tool in one form, whichever way it was written; raises ConfigurationError for what no call can be."""
    tool = ExpectedTool(tool_name=stated) if isinstance(stated, str) else stated
    if not tool.tool_name:
        raise ConfigurationError("an expected tool has no name", fix="name the tool that is to be called")
    try:
        arguments = {
            name: ExpectedArgument(value=as_json(argument.value, where=_place(name)), match_mode=argument.match_mode)
            for name, argument in (tool.expected_args or {}).items()
        }
    except RecordError as error:
        raise ConfigurationError(error.what, fix=error.fix) from None
    return ExpectedTool(tool_name=tool.tool_name, expected_args=arguments or None)


def shown(name: str, arguments: list[str]) -> str:
    """A call as reasons show it: `search(city="Rome")`."""
    inside = enumerated(arguments, most=_ARGUMENTS)
    return clipped(name, edge=EDGE) + (f"({inside})" if inside else "")


def argued(name: str, value: object) -> str:
    """An argument of a call as reasons show it."""
    return f"{clipped(name, edge=EDGE)}={quoted(value, edge=EDGE)}"


def _fits(name: str, argument: ExpectedArgument) -> Fits:
    value = argument.value
    if argument.match_mode == "exact":
        return lambda given: same_by_value(given, value)
    if argument.match_mode == "contains":
        if value is None or isinstance(value, dict | list):
            raise ConfigurationError(f"{_place(name)} is {kind(value)}; contains looks for text", fix="give text")
        part = str(value)
        return _textual(lambda text: part in text)
    if not isinstance(value, str):
        raise ConfigurationError(f"{_place(name)} is {kind(value)}; a regular expression is text", fix="give text")
    search = compiled(value, called=_place(name)).search
    return _textual(lambda text: search(text) is not None)


def _textual(fits: Callable[[str], bool]) -> Fits:
    """A look at an argument as text; one that is nested too deeply to be written fits nothing."""

    def look(given: object) -> bool:
        try:
            return fits(str(given))
        except RecursionError:
            return False

    return look


def _place(name: str) -> str:
    return f"the value of the expected argument {name!r}"


def _words(name: str, argument: ExpectedArgument) -> str:
    if argument.match_mode == "exact":
        return argued(name, argument.value)
    told = {"contains": "containing", "regex": "matching"}[argument.match_mode]
    return f"{clipped(name, edge=EDGE)} {told} {quoted(argument.value, edge=EDGE)}"
