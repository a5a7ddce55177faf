"""json_fields: how many fields of a JSON value are as expected, and which ones are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

from msgspec import UNSET, Meta, UnsetType

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.path import ABSENT
from rejudge.domain.scale import ScoreSpec, ScoreType
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers.comparison import same_by_value
from rejudge.scorers.expectation import ReferenceExpression, ReferenceKey, ValueExpression, pair
from rejudge.scorers.gap import Gap
from rejudge.scorers.json_text import parsed
from rejudge.scorers.kind import AnyValue, Example, Kind
from rejudge.scorers.measure import Measure, measuring
from rejudge.scorers.wording import clipped, counted, enumerated, kind, quoted

if TYPE_CHECKING:
    from rejudge.scorers.scorer import Scorer

VERSION: Final = 1
"""Counts the changes in what this kind does with equal parameters; part of every scorer's id."""

_SHOWN: Final = 8
"""So many fields that differ a reason tells."""

_KEPT: Final = 100
"""So many of their paths the evidence keeps."""

_EDGE: Final = 30
"""Characters of a path's or a value's beginning and end that a reason shows."""


class JsonFields(Measure, frozen=True, kw_only=True):
    """The share of fields that are as expected, from 0 to 1; the reason and the evidence name those that are not.

    Fields are the innermost values of objects and lists, compared as JSON: 1 is 1.0, but neither true nor "1". List
    elements are compared place by place. A field that is not expected counts as one that differs, unless
    `unexpected_fields` is `ignore`. An output that is no JSON has no field right.
    """

    value_expression: ValueExpression = UNSET
    expected_value: Annotated[
        Mapping[str, AnyValue] | Sequence[AnyValue] | UnsetType,
        Meta(description="The object or list that is expected of every item."),
    ] = UNSET
    reference_key: ReferenceKey = UNSET
    reference_expression: ReferenceExpression = UNSET
    unexpected_fields: Annotated[
        Literal["count", "ignore"], Meta(description="Whether fields that are not expected count as different.")
    ] = "count"
    passes_at: (
        Annotated[float, Meta(ge=0, le=1, description="The smallest share that passes; no outcome, if left out.")]
        | UnsetType
    ) = UNSET

    def scorer(self) -> Scorer:
        """The scorer that compares field by field."""
        limit = None if isinstance(self.passes_at, UnsetType) else self.passes_at
        if self.required and limit is None:
            raise ConfigurationError("json_fields is required but nothing says when it passes", fix="give passes_at")
        sides = pair(self, literal=self.expected_value, called="expected_value")
        counts_unexpected = self.unexpected_fields == "count"

        def measured(view: View) -> Verdict:
            value = _json(sides.value.extract(view))
            if isinstance(value, Gap) and value.cause is not None:
                return Verdict.skipped(value.cause, value.reason)
            wanted = _json(sides.wanted.extract(view))
            if isinstance(value, Gap):
                return Verdict.of(0.0, value.reason)
            if isinstance(wanted, Gap) or not isinstance(wanted, dict | list):
                return _no_reference(wanted, self.reference_key)
            fields = _fields(value, wanted)
            return _verdict([one for one in fields if counts_unexpected or one.expected is not ABSENT])

        score = ScoreSpec(name="json_fields", type=ScoreType.NUMBER, low=0, high=1, passes_at=limit)
        return measuring(self, measured, kind="json_fields", version=VERSION, reading=sides.reading, score=score)


class _Field(NamedTuple):
    """One field with what is there and what is expected; ABSENT where nothing is."""

    path: str
    value: object
    expected: object

    def difference(self) -> str:
        """Why the field is not as expected; empty where it is."""
        path = clipped(self.path, edge=_EDGE) or "the whole"
        if self.value is ABSENT:
            return f"{path} is missing"
        if self.expected is ABSENT:
            return f"{path} is unexpected"
        if same_by_value(self.value, self.expected):
            return ""
        return f"{path}: expected {quoted(self.expected, edge=_EDGE)}, got {quoted(self.value, edge=_EDGE)}"


def _fields(value: object, expected: object) -> Iterator[_Field]:
    """The fields of either side, in the order of what is expected."""
    open_parts = [_Field("", value, expected)]
    while open_parts:
        part = open_parts.pop()
        inner = _inner(part)
        if inner:
            open_parts.extend(reversed(inner))
        else:
            yield part


def _inner(part: _Field) -> list[_Field]:
    """The parts of an object or list that is expected, or that is there and not expected."""
    path, value, expected = part
    shape = value if expected is ABSENT else expected
    if isinstance(shape, dict):
        found = value if isinstance(value, dict) else {}
        wanted = expected if isinstance(expected, dict) else {}
        names = {**wanted, **found}
        prefix = f"{path}." if path else ""
        return [_Field(f"{prefix}{name}", found.get(name, ABSENT), wanted.get(name, ABSENT)) for name in names]
    if isinstance(shape, list):
        places = zip_longest(
            value if isinstance(value, list) else [], expected if isinstance(expected, list) else [], fillvalue=ABSENT
        )
        return [_Field(f"{path}[{place}]", one, other) for place, (one, other) in enumerate(places)]
    return []


def _verdict(fields: list[_Field]) -> Verdict:
    told = [(field.path, why) for field in fields if (why := field.difference())]
    if not told:
        return Verdict.of(1.0)
    count = f"{len(told):,} of {counted(len(fields), 'field')} differ{'s' if len(told) == 1 else ''}"
    return Verdict(
        values={"": 1 - len(told) / len(fields)},
        reason=f"{count}: {enumerated([why for _, why in told], by='; ', most=_SHOWN)}",
        evidence={"fields": len(fields), "differing": [path for path, _ in told[:_KEPT]]},
    )


def _json(found: object) -> object:
    """The JSON value that was extracted, text read as JSON; a Gap as it is, or for text that is none."""
    if not isinstance(found, str):
        return found
    try:
        return parsed(found)
    except ValueError as error:
        return Gap(None, str(error))


def _no_reference(wanted: object, key: object) -> Verdict:
    """The skip for a reference that is missing, or that has no fields."""
    if isinstance(wanted, Gap) and wanted.cause is not None:
        return Verdict.skipped(wanted.cause, wanted.reason)
    why = wanted.reason if isinstance(wanted, Gap) else f"{kind(wanted)} has no fields"
    return Verdict.skipped(Skip.MISSING_REFERENCE_KEY, f"reference_key {key!r}: {why}")


_ORDER: Final = {"id": 7, "customer": {"name": "Ada", "city": "Rome"}, "items": ["kettle"]}

KIND: Final = Kind(
    name="json_fields",
    parameters=JsonFields,
    examples=(
        Example(
            what="two of four fields are not as expected",
            parameters={"reference_key": "order"},
            view=View(
                output='{"id": 7.0, "customer": {"name": "Ada", "city": "Oslo"}, "items": []}',
                reference_data={"order": _ORDER},
            ),
            verdict=Verdict(
                values={"": 0.5},
                reason='2 of 4 fields differ: customer.city: expected "Rome", got "Oslo"; items[0] is missing',
            ),
        ),
        Example(
            what="a field that is not expected may be left out of the count",
            parameters={"expected_value": {"id": 7}, "unexpected_fields": "ignore", "passes_at": 1},
            view=View(output='{"id": 7, "comment": "as you wished"}'),
            verdict=Verdict(values={"": 1.0}),
        ),
        Example(
            what="an output that is no JSON has no field right",
            parameters={"expected_value": {"id": 7}},
            view=View(output="seven"),
            verdict=Verdict(values={"": 0.0}, reason='"seven" is not JSON (Expecting value: line 1 column 1 (char 0))'),
        ),
    ),
)
