"""The operators of an expression, for JSON values; none can make a value that is out of proportion to its text."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Final, cast

from jinja2 import nodes

from rejudge.domain.view import as_text
from rejudge.scorers.wording import kind

_BITS: Final = 14_000
"""How long a whole number may grow: short enough to be written out."""


def concatenated(*parts: object) -> str:
    """The texts of all parts, one behind the other; what is not text stands as JSON, but null has no text."""
    if None in parts:
        raise TypeError("needs text, not null")
    return "".join(map(as_text, parts))


def _arithmetic(operation: Callable[..., object]) -> Callable[..., object]:
    def apply(*values: object) -> object:
        for value in values:
            if not isinstance(value, int | float):
                raise TypeError(f"needs numbers, not {kind(value)}")
        return _bounded(operation(*values))

    return apply


def _bounded(number: object) -> object:
    if isinstance(number, int) and number.bit_length() > _BITS:
        raise ArithmeticError("the number is too large")
    if not isinstance(number, int) and not math.isfinite(cast("float", number)):
        raise ArithmeticError("the number is not finite")
    return number


def _sum(left: object, right: object) -> object:
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    if isinstance(left, list) and isinstance(right, list):
        return left + right
    return _plus(left, right)


def _power(base: float, exponent: float) -> object:
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > _BITS:
        raise ArithmeticError("the number is too large")
    return base**exponent


_plus = _arithmetic(operator.add)

OPERATIONS: Final[Mapping[type[nodes.BinExpr], Callable[..., object]]] = {
    nodes.Add: _sum,
    nodes.Sub: _arithmetic(operator.sub),
    nodes.Mul: _arithmetic(operator.mul),
    nodes.Div: _arithmetic(operator.truediv),
    nodes.FloorDiv: _arithmetic(operator.floordiv),
    nodes.Mod: _arithmetic(operator.mod),
    nodes.Pow: _arithmetic(_power),
}

SIGNS: Final[Mapping[type[nodes.UnaryExpr], Callable[..., object]]] = {
    nodes.Neg: _arithmetic(operator.neg),
    nodes.Pos: _arithmetic(operator.pos),
}

COMPARISONS: Final[Mapping[str, Callable[..., bool]]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "gteq": operator.ge,
    "lt": operator.lt,
    "lteq": operator.le,
    "in": lambda part, whole: operator.contains(whole, part),
    "notin": lambda part, whole: not operator.contains(whole, part),
}
