"""set_check: two sets of texts, one within the other or both the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Final, Literal

from msgspec import UNSET, Meta, UnsetType, structs

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.domain.payload import as_json
from rejudge.domain.verdict import Verdict
from rejudge.domain.view import View, as_text
from rejudge.scorers.deterministic import Deterministic, scorer_of
from rejudge.scorers.expectation import ReferenceExpression, ReferenceKey, ValueExpression, pair
from rejudge.scorers.json_text import list_said
from rejudge.scorers.kind import AnyValue, Example, Kind
from rejudge.scorers.wording import enumerated, quoted

if TYPE_CHECKING:
    from rejudge.scorers.scorer import Scorer

VERSION: Final = 1
"""Counts the changes in what this kind does with equal parameters; part of every scorer's id."""

_EDGE: Final = 30
"""Characters of an element's beginning and end that a reason shows."""

_EXPECTED: Final = {"subset": "only", "superset": "at least", "equal": "exactly"}


class SetCheck(Deterministic, frozen=True, kw_only=True):
    """Passes where the elements of the value are within those expected (`subset`), hold them, or are the same.

    A list has its elements, an object its keys, and text the elements of the JSON list that it says; any other
    value is one element, text without brackets too: `a, b` is not taken apart. Elements are compared as text, so
    `1` is `"1"` but not `1.0`; upper and lower case differ, repeats do not count, and neither does the order.
    """

    mode: Annotated[
        Literal["subset", "superset", "equal"],
        Meta(description="How the value is to lie to what is expected: within it, around it, or the same."),
    ]
    value_expression: ValueExpression = UNSET
    expected_set: Annotated[
        Sequence[AnyValue] | UnsetType,
        Meta(description="The elements that are expected of every item; what is not text is taken as its JSON."),
    ] = UNSET
    reference_key: ReferenceKey = UNSET
    reference_expression: ReferenceExpression = UNSET

    def scorer(self) -> Scorer:
        """The scorer that compares the two sets."""
        texts = UNSET if isinstance(self.expected_set, UnsetType) else _texts(self.expected_set)
        sides = pair(self, literal=texts, called="expected_set")
        wants_all, wants_only = self.mode != "subset", self.mode != "superset"

        def difference(value: object, wanted: object) -> str | None:
            found, expected = elements(value), elements(wanted)
            missing = expected - found if wants_all else frozenset()
            too_much = found - expected if wants_only else frozenset()
            if not missing and not too_much:
                return None
            return _told(self.mode, expected, missing, too_much)

        own = structs.replace(self, expected_set=texts)
        return scorer_of(own, sides.check(difference), kind="set_check", version=VERSION, reading=sides.reading)


def elements(value: object) -> frozenset[str]:
    """The elements of a value as a set of texts."""
    listed = list_said(value) if isinstance(value, str) else value
    if isinstance(listed, list | dict):
        return frozenset(map(_element, listed))
    return frozenset({as_text(value)})


def _element(value: object) -> str:
    """An element as text; objects that differ in nothing but the order of their keys have one text."""
    if isinstance(value, dict | list):
        return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return as_text(value)


def _texts(stated: Sequence[object]) -> list[str]:
    """The stated elements as a sorted list of texts, so that the same set is the same scorer."""
    try:
        return sorted({_element(as_json(one, where="expected_set")) for one in stated})
    except RecordError as error:
        raise ConfigurationError(error.what, fix=error.fix) from None


def _told(mode: str, expected: frozenset[str], missing: frozenset[str], too_much: frozenset[str]) -> str:
    said = [f"expected {_EXPECTED[mode]} {_listed(expected)}"]
    if missing:
        said.append(f"missing {_listed(missing)}")
    if too_much:
        said.append(f"too much {_listed(too_much)}")
    return "; ".join(said)


def _listed(texts: Iterable[str]) -> str:
    return enumerated([quoted(text, edge=_EDGE) for text in sorted(texts)]) or "nothing"


KIND: Final = Kind(
    name="set_check",
    parameters=SetCheck,
    examples=(
        Example(
            what="the labels of a JSON list are those of the reference, in any order",
            parameters={"mode": "equal", "reference_key": "labels"},
            view=View(output='["late", "broken"]', reference_data={"labels": ["broken", "late"]}),
            verdict=Verdict(values={"": 1.0}),
        ),
        Example(
            what="the labels are among the allowed ones",
            parameters={"mode": "subset", "expected_set": ["late", "broken", "wrong item"]},
            view=View(output='["late", "rude", "broken"]'),
            verdict=Verdict(values={"": 0.0}, reason='expected only "broken", "late", "wrong item"; too much "rude"'),
        ),
        Example(
            what="an object has the keys that it must have",
            parameters={
                "mode": "superset",
                "value_expression": "final_message | fromjson",
                "expected_set": ["id", "total"],
            },
            view=View(output='{"id": 7, "sum": 12}'),
            verdict=Verdict(values={"": 0.0}, reason='expected at least "id", "total"; missing "total"'),
        ),
    ),
)
