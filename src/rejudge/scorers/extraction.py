"""The two sides of a comparison: the value that is judged, and what is expected of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from msgspec import UNSET, UnsetType

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.domain.payload import as_json
from rejudge.domain.verdict import Skip
from rejudge.scorers.gap import Gap
from rejudge.scorers.parts import message
from rejudge.scorers.wording import listed

if TYPE_CHECKING:
    from rejudge.domain.view import View
    from rejudge.scorers.expression import Expression

Extract: TypeAlias = "Callable[[View], object]"
"""A function that takes a value out of a view, or answers with a Gap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """How one side of a comparison is taken out of a view, and the item fields read for it (`sees` None: any).

    `patterns` says that it is looked for by regular expressions.
    """

    extract: Extract
    needs: frozenset[str] = frozenset()
    sees: frozenset[str] | None = frozenset()
    patterns: bool = False


def judged(value_expression: str | UnsetType) -> Operand:
    """What is judged: the value of the expression, or the output as text."""
    if isinstance(value_expression, UnsetType):
        return Operand(extract=_message)
    compiled = _compiled(value_expression, "value_expression")
    return Operand(extract=compiled.value, sees=compiled.fields, patterns=compiled.patterns)


def expected(literal: object, *, called: str, key: str | UnsetType, through: str | UnsetType) -> Operand:
    """What is expected: one `literal` for all items (in the parameter `called`), or each item's reference at `key`."""
    if (literal is UNSET) == (key is UNSET):
        given = "neither is given" if key is UNSET else "both are given"
        raise ConfigurationError(
            f"exactly one of {called} and reference_key says what is expected; {given}",
            fix=f"give {called} to expect the same of all items, or reference_key for a field of each",
        )
    if isinstance(key, UnsetType):
        if through is not UNSET:
            raise ConfigurationError(f"reference_expression needs reference_key; {called} is taken as it stands")
        value = _literal(literal, called)
        return Operand(extract=lambda view: value)
    if not key:
        raise ConfigurationError("reference_key is empty", fix="name the reference field that holds what is expected")
    if isinstance(through, UnsetType):
        return Operand(extract=_reference(key), needs=frozenset({key}), sees=frozenset({key}))
    compiled = _compiled(through, "reference_expression", beside=("reference",))
    sees = None if compiled.fields is None else compiled.fields | {key}
    extract = _reference_through(key, compiled)
    return Operand(extract=extract, needs=frozenset({key}), sees=sees, patterns=compiled.patterns)


def _message(view: View) -> object:
    return Gap(None, "the output is null") if (text := message(view)) is None else text


def _compiled(text: str, parameter: str, *, beside: tuple[str, ...] = ()) -> Expression:
    from rejudge.scorers.expression import Expression  # the template library loads with the first expression

    return Expression(text, parameter=parameter, beside=beside)


def _literal(value: object, called: str) -> object:
    try:
        plain = as_json(value, where=called)
    except RecordError as error:
        raise ConfigurationError(error.what, fix=error.fix) from None
    if plain is None:
        raise ConfigurationError(f"{called} is null, which nothing equals", fix='expect the text "null", or a value')
    return plain


def _reference(key: str) -> Extract:
    def extract(view: View) -> object:
        data = view.reference_data
        found = data.get(key) if data is not None else None
        return _no_reference(key, data) if found is None else found

    return extract


def _reference_through(key: str, expression: Expression) -> Extract:
    reference = _reference(key)

    def extract(view: View) -> object:
        found = reference(view)
        return found if isinstance(found, Gap) else expression.value(view, found)

    return extract


def _no_reference(key: str, data: dict[str, object] | None) -> Gap:
    if data is None:
        why = "the item has no reference data"
    elif key in data:
        why = "it is null"
    else:
        why = f"the reference data has no such key, only {listed(data)}"
    return Gap(Skip.MISSING_REFERENCE_KEY, f"reference_key {key!r}: {why}")
