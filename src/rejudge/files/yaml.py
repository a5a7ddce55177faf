"""YAML that means what it says.

A plain scalar is a number, boolean or null only where every version of YAML reads it so and nothing of it is lost:
`7`, `-0.5`, `1.5e+3`, `true`, `null`. All else is the text that was written: `no`, `on`, `007`, `1e5`, `0x1F`, `1_000`,
`12:30` and dates, `2024-01-31`. Quoted text is text. Keys are text, each once; merge keys (`<<`) are followed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn, TypeAlias, cast

import yaml
from yaml.reader import ReaderError

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML built without libyaml
    from yaml import SafeLoader  # type: ignore[assignment]

from rejudge.domain.errors import BadRow, InputError, Place
from rejudge.files.row import Row
from rejudge.files.source import place_of, shortened, whole_text

ALIAS_ALLOWANCE = 10_000_000
"""Characters by which aliases may make a document longer than its text; more is taken for a bomb."""

Node: TypeAlias = yaml.Node
Members: TypeAlias = dict[str, tuple[Node, Node]]

_CORE = "tag:yaml.org,2002:"
_MAP, _SEQ, _STR, _MERGE = (_CORE + kind for kind in ("map", "seq", "str", "merge"))
_SCALARS = (
    ("null", r"(?:~|null|Null|NULL|)\Z", ["~", "n", "N", ""]),
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)\Z", list("tTfF")),
    ("int", r"-?(?:0|[1-9][0-9]*)\Z", list("-0123456789")),
    ("float", r"(?:-?(?:0|[1-9][0-9]*))?\.[0-9]+(?:[eE][-+][0-9]+)?\Z", list("-.0123456789")),
    ("float", r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z", list("-+.")),
    ("merge", r"<<\Z", ["<"]),
)


class _Loader(SafeLoader):
    """PyYAML's safe parser with our own idea of what a plain scalar is."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012  PyYAML's own shape


for _kind, _pattern, _first in _SCALARS:
    _Loader.add_implicit_resolver(_CORE + _kind, re.compile(_pattern), _first)


class _Dumper(yaml.SafeDumper):
    """PyYAML's safe writer, with texts of several lines as blocks."""


def _as_block(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(_STR, text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _as_block)


def yaml_text(value: object) -> str:
    """Plain data as YAML that reads as the same data; it ends with a line break."""
    return str(yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=math.inf))


def rows(path: Path) -> Iterator[Row]:
    """The mappings of a top-level list, each with the line it begins on."""
    file = str(path)
    root = composed(whole_text(path), file=file)
    if not isinstance(root, yaml.SequenceNode):
        raise InputError("the file is not a list of rows", where=mark(root, file=file), fix="begin each row with '- '")
    for item in cast("list[Node]", root.value):
        if not isinstance(item, yaml.MappingNode):
            raise BadRow("the row is not a mapping", where=mark(item, file=file), fix="write each row as 'name: value'")
        fields = cast("dict[str, object]", value_of(item, file=file))
        yield Row(fields, item.start_mark.line + 1)


def composed(text: str, *, file: str) -> Node:
    """The nodes of a YAML text; InputError where it is empty, is not YAML, or grows without bound through aliases."""
    try:
        root = yaml.compose(text, Loader=_Loader)
        if root is None:
            raise InputError("the file is empty", where=Place(file=file), fix="an empty list is written []")
        _weigh(root, {}, allowed=len(text) + ALIAS_ALLOWANCE, file=file)
    except ReaderError as error:
        found = chr(error.character)
        where = place_of(text, text.find(found), file=file)
        raise BadRow(f"the character {found!r} may not stand in YAML", where=where) from None
    except yaml.MarkedYAMLError as error:
        spot = error.problem_mark or error.context_mark
        where = Place(file=file, line=spot.line + 1, column=spot.column + 1) if spot else Place(file=file)
        reason = ", ".join(part for part in (error.problem, error.context) if part)
        raise BadRow(f"this is not YAML: {reason}", where=where) from None
    except RecursionError:
        raise _too_deep(file) from None
    return root


def mark(node: Node, *, file: str) -> Place:
    """Where a node begins; what an alias stands for begins at its anchor."""
    return Place(file=file, line=node.start_mark.line + 1, column=node.start_mark.column + 1)


def place_in(root: Node, keys: Sequence[str | int], *, file: str) -> Place:
    """The place of the key or element that `keys` lead to; a key that is not there is passed over."""
    found = node = root
    for key in keys:
        if isinstance(node, yaml.MappingNode) and isinstance(key, str):
            found, node = members(node, file=file).get(key, (found, node))
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and 0 <= key < len(node.value):
            found = node = node.value[key]
    return mark(found, file=file)


def value_of(node: Node, *, file: str) -> object:
    """The value a node stands for; tags beyond YAML's own plain kinds are refused."""
    try:
        return _value(node, file)
    except RecursionError:
        raise _too_deep(file) from None


def _too_deep(file: str) -> InputError:
    return InputError("the document is nested too deeply", where=Place(file=file))


def _value(node: Node, file: str) -> object:
    if isinstance(node, yaml.MappingNode) and node.tag == _MAP:
        return {key: _value(value, file) for key, (_, value) in members(node, file=file).items()}
    if isinstance(node, yaml.SequenceNode) and node.tag == _SEQ:
        return [_value(item, file) for item in cast("list[Node]", node.value)]
    kind = node.tag.removeprefix(_CORE)
    if not isinstance(node, yaml.ScalarNode) or kind not in _CONVERTERS:
        what = f"the tag {node.tag.replace(_CORE, '!!')} is not allowed"
        raise BadRow(what, where=mark(node, file=file), fix="write plain text, numbers, lists and mappings")
    try:
        return _CONVERTERS[kind](node.value)
    except (ValueError, KeyError):
        what = f"{shortened(node.value)} cannot be stored as {kind}"
        raise BadRow(what, where=mark(node, file=file), fix="write it in quotes, or write null") from None


def members(node: yaml.MappingNode, *, file: str) -> Members:
    """The key node and the value node of each key; a mapping's own keys win over merged ones."""
    own: Members = {}
    merged: list[Node] = []
    for key, value in cast("list[tuple[Node, Node]]", node.value):
        if key.tag == _MERGE:
            merged += value.value if isinstance(value, yaml.SequenceNode) else [value]
            continue
        if key.tag != _STR:
            _refuse_key(key, file=file)
        if key.value in own:
            first = mark(own[key.value][0], file=file)
            what = f"the key {key.value!r} stands here and on line {first.line}, column {first.column}"
            raise BadRow(what, where=mark(key, file=file), fix="keep one of them")
        own[key.value] = key, value
    for source in merged:
        if not isinstance(source, yaml.MappingNode):
            raise BadRow("only a mapping can be merged with <<", where=mark(source, file=file))
        own = members(source, file=file) | own
    return own


def _refuse_key(key: Node, *, file: str) -> NoReturn:
    written = key.value if isinstance(key, yaml.ScalarNode) else ""
    what = f"the key {written} is not text" if written else "a key is not text"
    raise BadRow(what, where=mark(key, file=file), fix=f'write "{written}" in quotes')


def _weigh(node: Node, weights: dict[int, int], *, allowed: int, file: str) -> int:
    """The characters a node stands for once its aliases are written out."""
    weight = weights.get(id(node))
    if weight == 0:
        raise BadRow("the value contains itself through an alias", where=mark(node, file=file))
    if weight is not None:
        return weight
    weights[id(node)] = 0
    weight = 1
    if isinstance(node, yaml.ScalarNode):
        weight += len(node.value)
    for child in node.value if isinstance(node, yaml.CollectionNode) else ():
        for part in child if isinstance(child, tuple) else (child,):
            weight += _weigh(part, weights, allowed=allowed, file=file)
    if weight > allowed:
        what = f"aliases make the document more than {ALIAS_ALLOWANCE:,} characters longer than its text"
        raise BadRow(what, where=mark(node, file=file), fix="write the values out where they are used")
    weights[id(node)] = weight
    return weight


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


_CONVERTERS: dict[str, Callable[[str], object]] = {
    "str": str,
    "int": int,
    "float": _finite,
    "bool": lambda text: {"true": True, "false": False}[text.lower()],
    "null": lambda _: None,
}
