"""What an expression may call: filters, tests and methods of JSON values, none of which can grow without bound.

Few on purpose. Jinja's own are taken where they work on lists; those on text take text, numbers and
booleans alone, so that a null or a list is a failed extraction and never the word `None`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

from jinja2 import TemplateError, tests
from jinja2.sandbox import ImmutableSandboxedEnvironment

from rejudge.domain.errors import RecordError
from rejudge.domain.payload import encode
from rejudge.domain.view import as_text
from rejudge.scorers.json_text import finite, parsed
from rejudge.scorers.number import last_number
from rejudge.scorers.pattern import Pattern
from rejudge.scorers.tagging import tagged
from rejudge.scorers.transcript import transcript
from rejudge.scorers.undefined import Missing, member
from rejudge.scorers.wording import kind, quoted

LONGEST: Final = 100_000
"""How many characters a filter may make of shorter text; expressions come from files of strangers."""

FAULTS: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecordError,
    RecursionError,
    TemplateError,
    TypeError,
    ValueError,
)
"""What a filter, a test, a method or an operator raises for a value that it cannot take."""


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's grammar and list filters, reaching nothing but members of JSON values."""

    def getitem(self, obj: object, argument: object) -> object:
        """The member, looked up as everywhere in an expression."""
        return member(obj, argument, "")

    def getattr(self, obj: object, attribute: str) -> object:
        """The same: a dot reaches what brackets reach."""
        return member(obj, attribute, "")


def from_json(value: object) -> object:
    """The JSON value that a text says."""
    if not isinstance(value, str):
        raise TypeError(f"needs text, not {kind(value)}")
    return parsed(value)


def final_number(value: object) -> object:
    """The last number of a text, in one spelling per value (`18` for `$18.00.`), so that text compares by value."""
    text = _text(value)
    found = None if isinstance(value, bool) else last_number(text)
    return Missing("", f"no number in {quoted(text)}") if found is None else found


def regex_search(value: object, pattern: Pattern) -> object:
    """The first match of a pattern: its first group, where it has one."""
    text = _text(value)
    if (found := pattern.search(text)) is None:
        return Missing("", f"pattern {quoted(pattern.text)} not found in {quoted(text)}")
    if pattern.groups == 0:
        return found[0]
    return Missing("", f"the group of {quoted(pattern.text)} matched nothing") if found[1] is None else found[1]


_PLACES = 15


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return as_text(value)
    raise TypeError(f"needs text, not {kind(value)}")


def _replaced(value: object, old: str, new: str, count: int = -1) -> str:
    text = _text(value)
    times = text.count(old) if count < 0 else min(count, text.count(old))
    if len(text) + times * (len(new) - len(old)) > max(LONGEST, len(text)):
        raise ValueError(f"would make more than {LONGEST:,} characters")
    return text.replace(old, new, count)


def _joined(values: object, by: str = "", attribute: str | None = None) -> str:
    members = _items(values) if attribute is None else _mapped(values, attribute=attribute)
    parts = [_text(part) for part in members if not isinstance(part, Missing)]
    length = sum(map(len, parts))
    if length + len(by) * (len(parts) - 1) > max(LONGEST, length):
        raise ValueError(f"would make more than {LONGEST:,} characters")
    return by.join(parts)


def _mapped(
    values: object, name: str = "", *, attribute: str | int | None = None, default: object = None
) -> list[object]:
    """Each value through the named filter, or its member at a dotted path (`default` for those without one)."""
    if attribute is None:
        function = FILTERS[name]
        return [function(value) for value in _items(values)]
    path = [int(step) if step.isdecimal() else step for step in str(attribute).split(".")]
    found = []
    for value in _items(values):
        for step in path:
            value = member(value, step, "")
        found.append(default if isinstance(value, Missing) and default is not None else value)
    return found


def _items(values: object) -> list[object]:
    if not isinstance(values, list | dict | str):
        raise TypeError(f"needs a list, not {kind(values)}")
    return list(values)


def _integer(value: object, default: int | None = None) -> int:
    try:
        return int(value) if isinstance(value, int) else _whole(_text(value))
    except FAULTS:
        if default is None:
            raise
        return default


def _whole(text: str) -> int:
    return int(finite(text)) if "." in text or "e" in text.lower() else int(text)


def _float(value: object, default: float | None = None) -> float:
    try:
        return finite(_text(value))
    except FAULTS:
        if default is None:
            raise
        return default


def _rounded(value: float, precision: int = 0) -> float:
    if not -_PLACES <= precision <= _PLACES:
        raise ValueError(f"rounds to at most {_PLACES} places")
    return float(round(value, precision))


SANDBOX: Final = Sandbox(optimized=False)

_CONTEXT: Final = SANDBOX.from_string("").new_context()


def _list_filter(name: str) -> Callable[..., object]:
    def call(value: object, *arguments: object, **named: object) -> object:
        return SANDBOX.call_filter(name, value, arguments, named, context=_CONTEXT)

    return call


FILTERS: Final[Mapping[str, Callable[..., object]]] = {
    "abs": abs,
    "capitalize": lambda value: _text(value).capitalize(),
    "count": len,
    "final_number": final_number,
    "float": _float,
    "fromjson": from_json,
    "int": _integer,
    "join": _joined,
    "length": len,
    "list": _items,
    "lower": lambda value: _text(value).lower(),
    "map": _mapped,
    "regex_search": regex_search,
    "replace": _replaced,
    "round": _rounded,
    "string": as_text,
    "tagged": tagged,
    "tojson": lambda value: encode(value).decode(),
    "transcript": transcript,
    "trim": lambda value, marks=None: _text(value).strip(marks),
    "upper": lambda value: _text(value).upper(),
    **{name: _list_filter(name) for name in ("first", "last", "max", "min", "reject", "rejectattr", "reverse")},
    **{name: _list_filter(name) for name in ("select", "selectattr", "sort", "sum", "unique")},
}

TESTS: Final[Mapping[str, Callable[..., object]]] = {
    name: cast("Callable[..., object]", test)
    for name, test in tests.TESTS.items()
    if name not in {"callable", "escaped", "filter", "test"}
}
"""What `is` and the list filters may ask; what is left out speaks of templates."""

_TEXT_METHODS: Final = (
    *("capitalize", "casefold", "count", "endswith", "find", "isalnum", "isalpha", "isdecimal", "isdigit", "islower"),
    *("isnumeric", "isspace", "isupper", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "rfind"),
    *("rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "title", "upper"),
)


def _method(name: str, *holders: type) -> Callable[..., object]:
    def call(holder: object, *arguments: object, **named: object) -> object:
        if not isinstance(holder, holders):
            raise TypeError(f"{kind(holder)} has no such method")
        result: object = getattr(holder, name)(*arguments, **named)
        return result

    return call


METHODS: Final[Mapping[str, Callable[..., object]]] = {
    **{name: _method(name, str) for name in _TEXT_METHODS},
    **{name: _method(name, dict) for name in ("get", "items", "keys", "values")},
    "count": _method("count", str, list),
    "index": _method("index", str, list),
    "join": lambda by, values: _joined(values, by),
    "replace": _replaced,
}
