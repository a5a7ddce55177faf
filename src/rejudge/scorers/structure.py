"""is_json: whether a text is JSON, and JSON of the wanted shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import UNSET, Meta, UnsetType

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.domain.payload import as_json
from rejudge.domain.verdict import Verdict
from rejudge.domain.view import View
from rejudge.scorers.deterministic import Deterministic, Reading, scorer_of
from rejudge.scorers.expectation import ValueExpression
from rejudge.scorers.extraction import judged
from rejudge.scorers.gap import Gap
from rejudge.scorers.json_text import parsed
from rejudge.scorers.kind import AnyValue, Example, Kind
from rejudge.scorers.schema_patterns import has_patterns

if TYPE_CHECKING:
    from rejudge.scorers.scorer import Scorer

VERSION: Final = 1
"""Counts the changes in what this kind does with equal parameters; part of every scorer's id."""


class IsJson(Deterministic, frozen=True, kw_only=True):
    """Passes where the value is JSON and, with a `schema`, keeps that JSON Schema.

    The whole text counts, blanks around it left out: JSON inside a fence or a sentence is none, until an expression
    takes it out. NaN and Infinity are no JSON. A value that an expression has parsed already is JSON. A schema
    needs `pip install 'rejudge[text]'`; it may refer to parts of itself alone, and `format` is not checked.
    """

    value_expression: ValueExpression = UNSET
    schema: Annotated[
        Mapping[str, AnyValue] | UnsetType,
        Meta(description="A JSON Schema, of 2020-12 or the dialect that it names."),
    ] = UNSET

    def scorer(self) -> Scorer:
        """The scorer that reads the JSON."""
        side = judged(self.value_expression)
        faults = _nothing if isinstance(self.schema, UnsetType) else _faults_by(self.schema)

        def check(view: View) -> str | Gap | None:
            value = side.extract(view)
            if isinstance(value, Gap):
                return value
            if isinstance(value, str):
                try:
                    value = parsed(value)
                except ValueError as error:
                    return str(error)
            return faults(value) or None

        patterns = not isinstance(self.schema, UnsetType) and has_patterns(self.schema)
        reading = Reading(sees=side.sees, patterns=side.patterns or patterns)
        return scorer_of(self, check, kind="is_json", version=VERSION, reading=reading)


def _nothing(value: object) -> str:
    """What is wrong with a value that may be any."""
    return ""


def _faults_by(schema: Mapping[str, object]) -> Callable[[object], str]:
    from rejudge.scorers.json_schema import faults_by

    try:
        as_json(schema, where="schema")
    except RecordError as error:
        raise ConfigurationError(error.what) from None
    return faults_by(dict(schema))


KIND: Final = Kind(
    name="is_json",
    parameters=IsJson,
    examples=(
        Example(
            what="the output is JSON",
            parameters={},
            view=View(output='{"id": 7}'),
            verdict=Verdict(values={"": 1.0}),
        ),
        Example(
            what="a sentence stands around the JSON",
            parameters={},
            view=View(output='Here you are: {"id": 7}'),
            verdict=Verdict(
                values={"": 0.0},
                reason='"Here you are: {"id": 7}" is not JSON (Expecting value: line 1 column 1 (char 0))',
            ),
        ),
        Example(
            what="JSON in a fence is taken out of it first",
            parameters={"value_expression": r"final_message | regex_search('```(?:json)?\\s([\\s\\S]*?)```')"},
            view=View(output='Here you are:\n```json\n{"id": 7}\n```'),
            verdict=Verdict(values={"": 1.0}),
        ),
    ),
)
