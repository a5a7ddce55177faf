"""Turns a syntax tree into a function of the names it reads; one small closure per node.

Whatever is done with an undefined value is undefined, except by `default`, `is defined`, `not`, `and`,
`or` and `if`. A step that its value does not allow raises Failed. Both remember the name at fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Final, TypeAlias, cast

from jinja2 import nodes

from rejudge.scorers.filters import FAULTS, FILTERS, METHODS, TESTS
from rejudge.scorers.operators import COMPARISONS, OPERATIONS, SIGNS, concatenated
from rejudge.scorers.pattern import pattern
from rejudge.scorers.syntax import DEFAULT, DEFINED, named_arguments, names_read
from rejudge.scorers.undefined import Failed, Missing, member, settled
from rejudge.scorers.wording import kind

Names: TypeAlias = Mapping[str, object]
Step: TypeAlias = Callable[[Names], object]

RETURNED: Final = "output.*"
"""The name of what a task returned beside its `output`; `output.key` finds a key there too."""

SPANS: Final = "trace.spans"
"""The name under which `trace.spans` finds the spans, which are no part of the messages."""

REFERENCE: Final = "reference"
"""The name under which a reference expression finds the value at its reference key."""

_BLAME: Final = (
    *("final_message", "output", "trace", "metadata", "usage", "latency"),
    *(REFERENCE, "reference_data", "task_input", "item"),
)
"""Where two names could be at fault, the first one is."""


def build(node: nodes.Expr) -> Step:
    """The function that evaluates `node`; its answer may be Missing."""
    return _BUILDERS[type(node)](node)


def source_of(node: nodes.Expr, names: Names) -> str:
    """The name that the value of `node` came from, on the way that the evaluation took; empty for a constant."""
    match node:
        case nodes.CondExpr(test=test, expr1=then, expr2=other):
            return source_of(then if build(test)(names) else other or then, names)
        case nodes.And(left=left, right=right):
            return source_of(right if build(left)(names) else left, names)
        case nodes.Or(left=left, right=right):
            return source_of(left if build(left)(names) else right, names)
        case nodes.Filter(name=name, args=[fallback, *falsy_too]) if name in DEFAULT:
            inner = cast("nodes.Expr", node.node)
            replaced = build(inner)(names) is not None or (falsy_too and build(falsy_too[0])(names))
            return source_of(fallback if replaced else inner, names)
    return _root(node)


def _root(node: nodes.Node) -> str:
    """The name that the value of a step comes from: what it is applied to, or else anything inside."""
    applied: nodes.Node | None = node
    while isinstance(applied, nodes.Getattr | nodes.Getitem | nodes.Filter | nodes.Call):
        applied = applied.node
    return (_worst(names_read(applied)) if applied else "") or _worst(names_read(node))


def _worst(names: set[str]) -> str:
    return next((name for name in _BLAME if name in names), "")


def _applied(function: Callable[..., object], operands: Sequence[Step], *, root: str, what: str) -> Step:
    """A step that calls `function` with the values of its operands, unless one of them is missing."""

    def many(names: Names) -> object:
        values = [operand(names) for operand in operands]
        for value in values:
            if type(value) is Missing:
                return value
        try:
            return settled(function(*values), root)
        except FAULTS as error:
            raise Failed(root, f"{what}: {_said(error)}") from None

    return many


def _said(error: BaseException) -> str:
    return str(error.args[0]) if error.args else type(error).__name__


def _name(node: nodes.Name) -> Step:
    return itemgetter(node.name)


def _constant(node: nodes.Const) -> Step:
    value = node.value
    return lambda names: value


def _list(node: nodes.List | nodes.Tuple) -> Step:
    return _applied(lambda *values: list(values), [build(item) for item in node.items], root=_root(node), what="list")


def _dict(node: nodes.Dict) -> Step:
    def made(*parts: object) -> dict[object, object]:
        keys, values = parts[: len(node.items)], parts[len(node.items) :]
        for key in keys:
            if not isinstance(key, str):
                raise TypeError(f"a key of an object is text, not {kind(key)}")
        return dict(zip(keys, values, strict=True))

    steps = [build(pair.key) for pair in node.items] + [build(pair.value) for pair in node.items]
    return _applied(made, steps, root=_root(node), what="object")


def _attribute(node: nodes.Getattr) -> Step:
    return _member(node, node.attr)


def _item(node: nodes.Getitem) -> Step:
    if isinstance(node.arg, nodes.Const):
        return _member(node, node.arg.value)
    root = _root(node)
    if isinstance(node.arg, nodes.Slice):
        bounds = (node.arg.start, node.arg.stop, node.arg.step)
        steps = [build(bound) if bound is not None else _nothing for bound in bounds]
        return _applied(
            lambda holder, *slices: member(holder, slice(*slices), root),
            [build(node.node), *steps],
            root=root,
            what="slice",
        )
    return _applied(
        lambda holder, key: member(holder, key, root), [build(node.node), build(node.arg)], root=root, what="index"
    )


def _nothing(_: Names) -> None:
    return None


def _member(node: nodes.Getattr | nodes.Getitem, key: object) -> Step:
    holder = build(node.node)
    root = _root(node)

    def step(names: Names) -> object:
        return member(holder(names), key, root)

    def step_of_output(names: Names) -> object:
        found = member(names["output"], key, root)
        if type(found) is Missing:
            return cast("dict[object, object]", names[RETURNED]).get(key, found)
        return found

    match node.node:
        case nodes.Name(name="output"):
            return step_of_output
        case nodes.Name(name="trace") if key == "spans":
            return itemgetter(SPANS)
    return step


def _call(node: nodes.Call) -> Step:
    method = cast("nodes.Getattr", node.node)
    return _with_arguments(METHODS[method.attr], method.node, node, what=f".{method.attr}()")


def _filter(node: nodes.Filter) -> Step:
    inner = cast("nodes.Expr", node.node)
    if node.name in DEFAULT:
        return _default(build(inner), node)
    if node.name == "regex_search":
        compiled = pattern(cast("nodes.Const", node.args[0]).value)
        return _applied(
            lambda value: FILTERS["regex_search"](value, compiled), [build(inner)], root=_root(node), what=node.name
        )
    return _with_arguments(FILTERS[node.name], inner, node, what=node.name)


def _default(inner: Step, node: nodes.Filter) -> Step:
    given = dict(zip(("default_value", "boolean"), node.args, strict=False)) | named_arguments(node)
    fallback = build(given.get("default_value", nodes.Const("")))
    also_falsy = build(given.get("boolean", nodes.Const(False)))

    def step(names: Names) -> object:
        value = inner(names)
        if type(value) is Missing or (not value and also_falsy(names)):
            return fallback(names)
        return value

    return step


def _test(node: nodes.Test) -> Step:
    inner = build(node.node)
    if node.name in DEFINED:
        wanted = node.name == "defined"
        return lambda names: (type(inner(names)) is not Missing) is wanted
    test = TESTS[node.name]
    arguments = [build(argument) for argument in node.args]
    return _applied(test, [inner, *arguments], root=_root(node), what=f"is {node.name}")


def _with_arguments(
    function: Callable[..., object], holder: nodes.Expr, node: nodes.Call | nodes.Filter, *, what: str
) -> Step:
    named = named_arguments(node)
    keys = list(named)
    operands = [build(holder), *map(build, node.args), *map(build, named.values())]
    if not keys:
        return _applied(function, operands, root=_root(node), what=what)
    plain = len(operands) - len(keys)
    return _applied(
        lambda *values: function(*values[:plain], **dict(zip(keys, values[plain:], strict=True))),
        operands,
        root=_root(node),
        what=what,
    )


def _conditional(node: nodes.CondExpr) -> Step:
    test, then, root = build(node.test), build(node.expr1), _root(node)
    other: Step = build(node.expr2) if node.expr2 else lambda names: Missing(root, "the condition is false; no else")
    return lambda names: then(names) if test(names) else other(names)


def _and(node: nodes.And) -> Step:
    left, right = build(node.left), build(node.right)
    return lambda names: left(names) and right(names)


def _or(node: nodes.Or) -> Step:
    left, right = build(node.left), build(node.right)
    return lambda names: left(names) or right(names)


def _not(node: nodes.Not) -> Step:
    inner = build(node.node)
    return lambda names: not inner(names)


def _binary(node: nodes.BinExpr) -> Step:
    return _applied(OPERATIONS[type(node)], [build(node.left), build(node.right)], root=_root(node), what=node.operator)


def _unary(node: nodes.UnaryExpr) -> Step:
    return _applied(SIGNS[type(node)], [build(node.node)], root=_root(node), what=node.operator)


def _concatenation(node: nodes.Concat) -> Step:
    return _applied(concatenated, [build(part) for part in node.nodes], root=_root(node), what="~")


def _comparison(node: nodes.Compare) -> Step:
    tests = [COMPARISONS[operand.op] for operand in node.ops]

    def holds(*values: object) -> bool:
        return all(test(left, right) for test, left, right in zip(tests, values, values[1:], strict=False))

    operands = [build(node.expr), *(build(operand.expr) for operand in node.ops)]
    return _applied(holds, operands, root=_root(node), what="comparison")


_BUILDERS: Final[Mapping[type[nodes.Expr], Callable[..., Step]]] = {
    nodes.Name: _name,
    nodes.Const: _constant,
    nodes.List: _list,
    nodes.Tuple: _list,
    nodes.Dict: _dict,
    nodes.Getattr: _attribute,
    nodes.Getitem: _item,
    nodes.Call: _call,
    nodes.Filter: _filter,
    nodes.Test: _test,
    nodes.CondExpr: _conditional,
    nodes.And: _and,
    nodes.Or: _or,
    nodes.Not: _not,
    nodes.Compare: _comparison,
    nodes.Concat: _concatenation,
    **dict.fromkeys(OPERATIONS, _binary),
    **dict.fromkeys(SIGNS, _unary),
}
