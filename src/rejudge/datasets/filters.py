"""Filter expressions over the fields of items: `difficulty >= 3 and tag = "x"`. Parsed by hand; nothing is evaluated.

A comparison is `FIELD OPERATOR VALUE`. A field is a name, a dotted path, or any name in backticks; `id` is the item's
id. A value is a number, a text in quotes, `true`, `false` or `null`; `in` takes a list in brackets or parentheses.
Operators are `=` (or `==`), `!=`, `<`, `<=`, `>`, `>=`, `contains`, `starts_with`, `ends_with` (these three also after
`not_`), `in`, `not in`, `is_empty` and `is_not_empty`. Comparisons are joined by `and`, `or`, `not` and parentheses.

Values of different kinds are never equal and never in an order: `"3"` is not `3`. `contains` looks for a part of a
text or an element of a list. Whatever is said of a field that an item does not have is false, but for `is_empty`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final, NamedTuple, TypeAlias

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.path import ABSENT, value_at

Fields: TypeAlias = "dict[str, object]"
Test: TypeAlias = "Callable[[Fields], bool]"

DEEPEST: Final = 100
"""So deep may parentheses and `not` be nested."""

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | `(?P<quoted>[^`]+)`
    | (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    | (?P<name>[^\W\d]\w*(?:\.\w+)*)
    | (?P<mark><=|>=|!=|==|=|<|>|\(|\)|\[|\]|,)
    )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}

_WORDS: Final = {"true": True, "false": False, "null": None}
_ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_AFFIXES: Final = {"starts_with": str.startswith, "ends_with": str.endswith}
_LISTS: Final = {"[": "]", "(": ")"}
OPERATORS: Final = (
    *("=", "!=", *_ORDERS, "contains", *_AFFIXES, "not_contains", "not_starts_with", "not_ends_with"),
    *("in", "not in", "is_empty", "is_not_empty"),
)


class _Token(NamedTuple):
    kind: str
    text: str
    place: int


@dataclass(slots=True)
class Filter:
    """A parsed expression; it remembers which of its fields no item has had so far."""

    text: str
    _test: Test
    _unseen: dict[str, int]
    _known: set[str] = field(default_factory=set)

    def admits(self, item_id: str, fields: Fields) -> bool:
        """Whether an item is one of those that are asked for."""
        if self._unseen:
            self._known.update(fields)
            self._unseen = {name: at for name, at in self._unseen.items() if _value(fields, name) is ABSENT}
        return self._test(fields if "id" in fields else {"id": item_id, **fields})

    def check(self) -> None:
        """Raise UnknownName for a field that no item had, unless there was no item."""
        for name, at in self._unseen.items():
            if self._known and name != "id":
                error = UnknownName.among("field", name, self._known)
                raise UnknownName(f"{error.what}{_pointer(self.text, at)}", fix=error.fix)


def filter_of(text: str) -> Filter:
    """The filter that an expression says; raises ConfigurationError that points at what is wrong."""
    parser = _Parser(text)
    return Filter(text, parser.whole(), parser.fields)


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    end = len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            unended = " is a text without its end" if text[at] in "\"'`" else " cannot be read"
            raise _wrong(text, at, f"{text[at : at + 12]!r}{unended}")
        tokens.append(_Token(found.lastgroup, found.group(found.lastgroup), found.start(found.lastgroup)))
        at = found.end()
    return [*tokens, _Token("end", "", end)]


class _Parser:
    """Reads a filter from left to right; `fields` are the names in it, with their places."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise ConfigurationError(f"a filter is text, not a {type(text).__name__}", fix="""such as 'level >= 3'""")
        self._text = text
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0
        self.fields: dict[str, int] = {}

    def whole(self) -> Test:
        test = self._either()
        if (left := self._next).kind != "end":
            raise self._refused(left, "join comparisons with `and` or `or`")
        return test

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self._next
        self._at += token.kind != "end"
        return token

    def _is(self, *words: str) -> bool:
        token = self._next
        return token.kind in ("name", "mark") and token.text.lower() in words

    def _either(self) -> Test:
        tests = [self._both()]
        while self._is("or"):
            self._take()
            tests.append(self._both())
        return tests[0] if len(tests) == 1 else lambda item: any(test(item) for test in tests)

    def _both(self) -> Test:
        tests = [self._one()]
        while self._is("and"):
            self._take()
            tests.append(self._one())
        return tests[0] if len(tests) == 1 else lambda item: all(test(item) for test in tests)

    def _one(self) -> Test:
        if not self._is("not", "("):
            return self._comparison()
        opening = self._take()
        self._depth += 1
        if self._depth > DEEPEST:
            raise _wrong(self._text, opening.place, f"it is nested deeper than {DEEPEST}")
        if opening.text == "(":
            test = self._either()
            if not self._is(")"):
                raise self._refused(self._next, "a `)` is missing")
            self._take()
        else:
            inner = self._one()

            def test(item: Fields) -> bool:
                return not inner(item)

        self._depth -= 1
        return test

    def _comparison(self) -> Test:
        token = self._take()
        if token.kind not in ("name", "quoted") or token.text.lower() in ("and", "or", "in", *_WORDS):
            raise self._refused(token, "a comparison begins with the name of a field, and a text stands on the right")
        name = token.text
        self.fields.setdefault(name, token.place)
        test = self._operator()

        def compared(item: Fields) -> bool:
            return test(_value(item, name))

        return compared

    def _operator(self) -> Callable[[object], bool]:
        token = self._take()
        word = token.text.lower() if token.kind in ("name", "mark") else ""
        if word == "not" and self._is("in", "contains", "starts_with", "ends_with"):
            word = f"not_{self._take().text.lower()}"
        if word == "is_empty":
            return _is_empty
        if word == "is_not_empty":
            return lambda value: not _is_empty(value)
        positive = word.removeprefix("not_")
        if word == "!=":
            positive = "="
        found = self._positive(positive, token)
        if positive == word:
            return found
        return lambda value: value is not ABSENT and not found(value)

    def _positive(self, word: str, token: _Token) -> Callable[[object], bool]:
        if word in ("=", "=="):
            wanted = self._literal()
            return lambda value: _equal(value, wanted)
        if word in _ORDERS:
            return self._order(word)
        if word == "contains":
            part = self._literal()
            return lambda value: _contains(value, part)
        if word in _AFFIXES:
            affix, at = self._literal(), self._next
            if not isinstance(affix, str):
                raise self._refused(at, f"{word} takes a text in quotes")
            check = _AFFIXES[word]
            return lambda value: isinstance(value, str) and check(value, affix)
        if word == "in":
            members = self._list()
            return lambda value: any(_equal(value, member) for member in members)
        near = get_close_matches(word, OPERATORS, n=1, cutoff=0.6)
        raise self._refused(
            token, f"{f'did you mean {near[0]}? ' if near else ''}an operator is one of {', '.join(OPERATORS)}"
        )

    def _order(self, word: str) -> Callable[[object], bool]:
        at = self._next
        bound = self._literal()
        compare = _ORDERS[word]
        if _is_number(bound):
            return lambda value: _is_number(value) and compare(value, bound)
        if isinstance(bound, str):
            return lambda value: isinstance(value, str) and compare(value, bound)
        raise self._refused(at, f"{word} compares numbers, or texts in quotes")

    def _literal(self) -> object:
        token = self._take()
        if token.kind == "text":
            return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), token.text[1:-1])
        if token.kind == "number":
            return int(token.text) if re.fullmatch(r"[+-]?\d{1,4000}", token.text) else float(token.text)
        if token.kind == "name" and token.text.lower() in _WORDS:
            return _WORDS[token.text.lower()]
        hint = f'"{token.text}"' if token.kind == "name" else '"x"'
        raise self._refused(token, f"here stands a number, true, false, null, or a text in quotes, such as {hint}")

    def _list(self) -> list[object]:
        opening = self._take()
        if opening.text not in _LISTS or opening.kind != "mark":
            raise self._refused(opening, 'in takes a list, such as ["a", "b"]')
        closing = _LISTS[opening.text]
        members: list[object] = []
        while not self._is(closing):
            members.append(self._literal())
            if not self._is(",", closing):
                raise self._refused(self._next, f"a `,` or `{closing}` is missing")
            if self._is(","):
                self._take()
        self._take()
        return members

    def _refused(self, token: _Token, fix: str) -> ConfigurationError:
        what = "it ends too early" if token.kind == "end" else f"{token.text!r} cannot stand here"
        return _wrong(self._text, token.place, what, fix=fix)


def _value(fields: Fields, name: str) -> object:
    """The value of a field; `data.x` is `x` for those who are used to write it so."""
    found = value_at(fields, name)
    return value_at(fields, name[5:]) if found is ABSENT and name.startswith("data.") else found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _equal(value: object, wanted: object) -> bool:
    if _is_number(value) and _is_number(wanted):
        return value == wanted
    return type(value) is type(wanted) and value == wanted


def _contains(value: object, part: object) -> bool:
    if isinstance(value, str):
        return isinstance(part, str) and part in value
    return isinstance(value, list) and any(_equal(one, part) for one in value)


def _is_empty(value: object) -> bool:
    return value is ABSENT or value is None or value in ("", [], {})


def _wrong(text: str, place: int, what: str, *, fix: str = "") -> ConfigurationError:
    return ConfigurationError(f"the filter cannot be read: {what}{_pointer(text, place)}", fix=fix)


def _pointer(text: str, place: int) -> str:
    shown = "".join(" " if mark.isspace() else mark if mark.isprintable() else "?" for mark in text)
    return f", at column {place + 1}\n  {shown}\n  {' ' * place}^"
