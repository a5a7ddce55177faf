from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.domain.item import (
    ANNOTATIONS,
    Item,
    content,
    content_digest,
    derived_id,
    given_to_all,
    stated_id,
)
from tests.domain.values import any_text, any_value

if TYPE_CHECKING:
    from collections.abc import Mapping

fields_of_an_item = st.dictionaries(any_text, any_value, max_size=4)


def item(fields: Mapping[str, object]) -> Item:
    return Item(id=str(fields.get("id", "one")), fields=dict(fields))


def test_case_c15_content_digests_are_the_same_and_different_where_the_case_says(shared: Path) -> None:
    rows = yaml.safe_load((shared / "cases" / "evaluation_api_cases.yaml").read_text(encoding="utf-8"))
    case = next(row for row in rows if row["id"] == "C15")
    assert case["same"]
    assert case["different"]
    for left, right in case["same"]:
        assert content_digest(item(left)) == content_digest(item(right))
    for left, right in case["different"]:
        assert content_digest(item(left)) != content_digest(item(right))


def test_an_id_field_that_only_repeats_the_id_is_no_content() -> None:
    assert content("7", {"id": 7, "a": 1}) == content("7", {"id": "7", "a": 1}) == {"a": 1}
    assert content("7", {"id": "another", "a": 1}) == {"id": "another", "a": 1}


def test_content_is_a_copy_so_that_changing_it_changes_no_item() -> None:
    fields: dict[str, object] = {"a": 1}
    content("x", fields)["b"] = 2
    assert fields == {"a": 1}


@given(fields_of_an_item, any_text, any_value)
def test_a_corrected_reference_or_annotation_keeps_the_derived_id(
    fields: dict[str, object], name: str, value: object
) -> None:
    for hidden in (*sorted(ANNOTATIONS), name):
        reference = [name]
        assert derived_id({**fields, hidden: value}, reference=reference) == derived_id(
            {key: inner for key, inner in fields.items() if key != hidden}, reference=reference
        )


@given(fields_of_an_item, st.sampled_from(["question", "ctx"]), st.integers(), st.integers(1))
def test_a_changed_given_field_changes_the_derived_id(
    fields: dict[str, object], name: str, value: int, change: int
) -> None:
    before, after = {**fields, name: value}, {**fields, name: value + change}
    assert derived_id(before, reference=["gold"]) != derived_id(after, reference=["gold"])


def test_a_derived_id_ignores_the_order_of_fields_and_of_reference_names() -> None:
    fields: dict[str, object] = {"a": 1, "b": 2, "c": 3, "d": 4}
    backwards = dict(reversed(fields.items()))
    assert derived_id(fields, reference=["c", "d"]) == derived_id(backwards, reference=["d", "c"])
    assert derived_id(fields, reference=["c", "d"]).startswith("item-")


def test_a_task_that_asks_for_the_whole_item_sees_neither_reference_nor_annotations() -> None:
    fields: dict[str, object] = {**dict.fromkeys(ANNOTATIONS, "x"), "question": "?", "gold": "!", "context": None}
    assert given_to_all(fields, reference=["gold"]) == {"question": "?", "context": None}


@pytest.mark.parametrize(("value", "text"), [("a", "a"), (" a ", " a "), (7, "7"), (-1, "-1"), ("Ω", "Ω")])
def test_a_stated_id_is_text_or_a_whole_number(value: object, text: str) -> None:
    assert stated_id(value) == text


@pytest.mark.parametrize("value", [True, 1.0, None, ["a"], b"a"])
def test_what_cannot_name_an_item_is_refused(value: object) -> None:
    with pytest.raises(RecordError, match="text or a whole number"):
        stated_id(value)


@pytest.mark.parametrize("value", ["", "  ", "\n"])
def test_an_empty_id_is_refused_with_the_way_out(value: str) -> None:
    with pytest.raises(RecordError, match="leave the field out to derive the id"):
        stated_id(value)


def test_tags_and_risk_are_read_only_where_they_have_their_shape() -> None:
    assert Item(id="a", fields={"tags": ["x", 1, "y"], "risk_level": "high"}).tags == ("x", "y")
    assert Item(id="a", fields={"tags": "x"}).tags == ()
    assert Item(id="a", fields={"risk_level": "high"}).risk_level == "high"
    assert Item(id="a", fields={"risk_level": 3}).risk_level is None
