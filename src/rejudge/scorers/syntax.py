"""Reads the text of an expression, and refuses with its position whatever could never be evaluated."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Final

from jinja2 import TemplateSyntaxError, nodes
from jinja2.parser import Parser

from rejudge.domain.errors import ConfigurationError, Place, UnknownName
from rejudge.scorers.filters import FILTERS, METHODS, SANDBOX, TESTS
from rejudge.scorers.pattern import pattern
from rejudge.scorers.wording import quoted

LONGEST_EXPRESSION: Final = 4_000
DEEPEST_EXPRESSION: Final = 100
"""Limits of what is compiled, in characters and in levels of the syntax tree."""

REGEX_SEARCH: Final = "regex_search"
DEFAULT: Final = frozenset({"default", "d"})
DEFINED: Final = frozenset({"defined", "undefined"})

_NAMES_OF_TESTS: Final = {"select": 0, "reject": 0, "selectattr": 1, "rejectattr": 1}
"""Which argument of a list filter names a test."""

_ALLOWED: Final = (
    *(nodes.Const, nodes.Name, nodes.Tuple, nodes.List, nodes.Dict, nodes.Pair, nodes.Keyword),
    *(nodes.Getattr, nodes.Getitem, nodes.Slice, nodes.Call, nodes.Filter, nodes.Test),
    *(nodes.BinExpr, nodes.UnaryExpr, nodes.Compare, nodes.Operand, nodes.Concat, nodes.CondExpr),
)


@dataclass(frozen=True, slots=True)
class _Token:
    offset: int
    value: str


@dataclass(frozen=True, slots=True)
class Source:
    """The text of an expression and the parameter that states it, for messages that point into it.

    `state` is where Jinja's grammar begins: `root` for a template, which is text with expressions in it.
    """

    text: str
    parameter: str
    state: str = "variable"

    def place(self, offset: int) -> Place:
        """Where the character at `offset` is, counted from 1."""
        line = self.text.count("\n", 0, offset) + 1
        return Place(file=self.parameter, line=line, column=offset - self.text.rfind("\n", 0, offset))

    def place_of(self, word: str, *, after: Collection[str] = (), never_after: Collection[str] = ()) -> Place:
        """Where `word` first stands behind one of `after`, or behind none of `never_after`; else where it is quoted."""
        before, quoted_at = "", 0
        for token in self.tokens():
            if token.value == word and (before in after if after else before not in never_after):
                return self.place(token.offset)
            if token.value.strip("'\"") == word:
                quoted_at = token.offset
            before = token.value
        return self.place(quoted_at)

    def tokens(self) -> Iterator[_Token]:
        """The words and signs of the text, without the blanks between them."""
        offset = 0
        for _, kind, value in SANDBOX.lexer.tokeniter(self.text, None, state=self.state):
            if kind not in ("whitespace", "data"):
                yield _Token(offset, value)
            offset += len(value)

    def refused(self, what: str, place: Place | None = None, *, fix: str = "") -> ConfigurationError:
        """The error that says why this is no expression."""
        return ConfigurationError(f"{what}, in {quoted(self.text)}", where=place or self.place(0), fix=fix)


def parse(source: Source, *, names: Collection[str]) -> nodes.Expr:
    """The syntax tree of an expression over `names`; raises ConfigurationError or UnknownName with the place."""
    if not source.text:
        raise source.refused("the expression is empty", fix="leave the parameter out to take final_message")
    if len(source.text) > LONGEST_EXPRESSION:
        raise source.refused(f"the expression is longer than {LONGEST_EXPRESSION:,} characters")
    try:
        tree = _parsed(source)
    except RecursionError:
        raise source.refused("the expression is nested too deeply") from None
    check_tree(tree, source, names)
    return tree


def check_tree(tree: nodes.Expr, source: Source, names: Collection[str]) -> None:
    """Refuse what no expression over `names` may hold; raises ConfigurationError or UnknownName with the place."""
    level: list[nodes.Node] = [tree]
    for _ in range(DEEPEST_EXPRESSION):
        for node in level:
            _check(node, source, names)
        level = [inner for node in level for inner in node.iter_child_nodes()]
    if level:
        raise source.refused(f"the expression is nested more than {DEEPEST_EXPRESSION} levels deep")


def names_read(tree: nodes.Node) -> set[str]:
    """The names that an expression, or a part of one, reads."""
    return {node.name for node in (tree, *tree.find_all(nodes.Name)) if isinstance(node, nodes.Name)}


def named_arguments(node: nodes.Call | nodes.Filter | nodes.Test) -> dict[str, nodes.Expr]:
    """The arguments of a call that are given by name."""
    return {str(keyword.key): keyword.value for keyword in node.kwargs if isinstance(keyword, nodes.Keyword)}


def patterns_read(tree: nodes.Expr) -> bool:
    """Whether text is met with regular expressions."""
    return any(
        isinstance(one, nodes.Filter) and one.name == REGEX_SEARCH for one in (tree, *tree.find_all(nodes.Filter))
    )


def fields_read(tree: nodes.Node, holders: Collection[str]) -> frozenset[str] | None:
    """The fields that an expression reads of the objects `holders`; None where that depends on the data."""
    match tree:
        case nodes.Call(node=nodes.Getattr(node=nodes.Name(name=name), attr=method)) if name in holders:
            key = tree.args[0] if method == "get" and tree.args else None
            if not isinstance(key, nodes.Const) or not isinstance(key.value, str):
                return None
            return _together([frozenset({key.value}), *(fields_read(node, holders) for node in tree.args)])
        case nodes.Getattr(node=nodes.Name(name=name), attr=key) if name in holders:
            return frozenset({key})
        case nodes.Getitem(node=nodes.Name(name=name), arg=nodes.Const(value=key)) if name in holders:
            return frozenset({key}) if isinstance(key, str) else frozenset()
        case nodes.Name(name=name) if name in holders:
            return None
    return _together([fields_read(node, holders) for node in tree.iter_child_nodes()])


def spans_read(tree: nodes.Node) -> int:
    """How often an expression reads `trace.spans`."""
    return sum(1 for node in (tree, *tree.find_all((nodes.Getattr, nodes.Getitem))) if _is_spans(node))


def messages_read(tree: nodes.Node) -> bool:
    """Whether an expression reads of `trace` anything but its spans."""
    names = [node for node in (tree, *tree.find_all(nodes.Name)) if isinstance(node, nodes.Name)]
    return sum(1 for node in names if node.name == "trace") > spans_read(tree)


def _is_spans(node: nodes.Node) -> bool:
    match node:
        case nodes.Getattr(node=nodes.Name(name="trace"), attr="spans"):
            return True
        case nodes.Getitem(node=nodes.Name(name="trace"), arg=nodes.Const(value="spans")):
            return True
    return False


def _together(parts: list[frozenset[str] | None]) -> frozenset[str] | None:
    known = [part for part in parts if part is not None]
    return frozenset().union(*known) if len(known) == len(parts) else None


def _parsed(source: Source) -> nodes.Expr:
    offsets = _offsets(source)
    parser = Parser(SANDBOX, source.text, state="variable")
    try:
        tree = parser.parse_expression()
        if not parser.stream.eos:
            raise TemplateSyntaxError(f"unexpected {parser.stream.current.value!r}", 1)
    except TemplateSyntaxError as error:
        what = (error.message or "").replace("end of template", "end").removesuffix(".")
        unread = sum(1 for _ in parser.stream)
        raise source.refused(what, source.place(offsets[-1 - unread])) from None
    return tree


def _offsets(source: Source) -> list[int]:
    """Where each word and sign begins, and where the text ends; raises ConfigurationError for what is neither."""
    try:
        offsets = [token.offset for token in source.tokens()]
        list(SANDBOX.lexer.tokenize(source.text, state="variable"))  # only this reads names and the escapes in strings
    except TemplateSyntaxError as error:
        what, _, at = (error.message or "").rpartition(" at ")
        if not at.isdecimal():
            what, at = error.message or "", "0"
        raise source.refused(what, source.place(int(at))) from None
    return [*offsets, len(source.text)]


def _check(node: nodes.Node, source: Source, names: Collection[str]) -> None:
    if not isinstance(node, _ALLOWED):
        raise source.refused(f"{type(node).__name__.lower()} is not part of an expression")
    match node:
        case nodes.Name(name=name) if name not in names:
            place = source.place_of(name, never_after="|.")
            raise UnknownName.among("name", name, names, where=place)
        case nodes.Filter(name=name):
            if name not in FILTERS and name not in DEFAULT:
                raise UnknownName.among("filter", name, {*FILTERS, *DEFAULT}, where=source.place_of(name, after="|"))
            _check_filter(node, source)
        case nodes.Test(name=name):
            _check_test(name, source)
            _check_arguments(TESTS.get(name, _no_argument), node, source)
        case nodes.Call(node=nodes.Getattr(attr=name)):
            if name not in METHODS:
                raise UnknownName.among("method", name, METHODS, where=source.place_of(name, after="."))
        case nodes.Call():
            raise source.refused(
                "only methods of a value can be called", fix="write x.split(',') or a filter: x|length"
            )
    if isinstance(node, nodes.Call | nodes.Filter | nodes.Test) and (node.dyn_args or node.dyn_kwargs):
        raise source.refused("arguments with * and ** are not allowed")


def _check_test(name: object, source: Source) -> None:
    if not isinstance(name, str):
        raise source.refused("the name of a test or filter is written out, in quotes")
    if name not in TESTS and name not in DEFINED:
        raise UnknownName.among("test", name, {*TESTS, *DEFINED}, where=source.place_of(name, after=("is", "not")))


def _check_filter(node: nodes.Filter, source: Source) -> None:
    """Refuse what is wrong for every value: arguments that do not fit, or a name or pattern that says nothing."""
    _check_arguments(FILTERS.get(node.name, _default), node, source)
    place = source.place_of(node.name, after="|")
    given = [argument.value if isinstance(argument, nodes.Const) else None for argument in node.args]
    if node.name == "map" and "attribute" not in named_arguments(node):
        name = given[0] if given else None
        if not isinstance(name, str):
            raise source.refused("map needs the name of a filter, or attribute=", place)
        if name not in FILTERS:
            raise UnknownName.among("filter", name, FILTERS, where=source.place_of(name, after="|"))
    test = _NAMES_OF_TESTS.get(node.name)
    if test is not None and len(given) > test:
        _check_test(given[test], source)
    if node.name == REGEX_SEARCH:
        _check_pattern(given[0] if given else None, source, place)


def _check_arguments(function: Callable[..., object], node: nodes.Filter | nodes.Test, source: Source) -> None:
    try:
        inspect.signature(function).bind(None, *node.args, **dict.fromkeys(named_arguments(node)))
    except TypeError as error:
        place = source.place_of(node.name, after=("|", "is", "not"))
        raise source.refused(f"{node.name!r}: {error}", place) from None
    if isinstance(node, nodes.Test) and node.kwargs:
        raise source.refused(f"{node.name!r}: a test takes no named arguments")


def _default(value: object, default_value: object = "", boolean: object = False) -> None:
    """How `default` is called; it is no filter of values, for it alone sees what is undefined."""


def _no_argument(value: object) -> None:
    """How `is defined` is called."""


def _check_pattern(stated: object, source: Source, place: Place) -> None:
    if not isinstance(stated, str):
        raise source.refused("the pattern of regex_search is written out, in quotes", place)
    try:
        pattern(stated)
    except ValueError as error:
        raise source.refused(f"pattern {quoted(stated)} is no regular expression ({error})", place) from None
