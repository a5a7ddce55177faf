from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.datasets.rows import (
    Entry,
    RowSpec,
    check_reference,
    derived_entry,
    entries_of,
    has_derived_id,
    stored_entry,
)
from rejudge.domain.errors import BadRow, ConfigurationError, Place, UnknownName
from rejudge.domain.item import ANNOTATIONS, Item, content_digest, derived_id
from rejudge.domain.payload import decode
from tests.domain.values import any_text, any_value, told_apart

if TYPE_CHECKING:
    from collections.abc import Mapping

any_fields = st.dictionaries(any_text | st.sampled_from(["gold", "tags"]), any_value, max_size=4)


def read(*rows: dict[str, object], spec: RowSpec | None = None, file: str = "") -> list[Entry]:
    return list(entries_of(zip(rows, range(1, len(rows) + 1), strict=True), spec or RowSpec(), file=file))


def one(row: dict[str, object], spec: RowSpec | None = None) -> Entry:
    return read(row, spec=spec)[0]


def place(error: BadRow | UnknownName) -> Place:
    assert error.where is not None
    return error.where


def test_the_key_id_is_the_id_of_a_row_that_has_one() -> None:
    assert one({"id": "a", "q": 1}).item_id == "a"


def test_a_whole_number_is_an_id_as_text_and_the_field_stays_a_number() -> None:
    entry = one({"id": 7, "q": 1})
    assert entry.item_id == "7"
    assert decode(entry.body) == {"id": 7, "q": 1}


def test_a_row_without_an_id_is_named_by_what_a_task_is_given() -> None:
    plain, annotated, other = read({"q": "?"}, {"q": "?", "tags": ["x"]}, {"q": "!"})
    assert plain.item_id == annotated.item_id == derived_id({"q": "?"}, reference=())
    assert other.item_id != plain.item_id


def test_a_corrected_reference_keeps_a_derived_id_and_changes_the_content() -> None:
    first, second = read({"q": "?", "gold": 1}, {"q": "?", "gold": 2}, spec=RowSpec(reference=("gold",)))
    assert first.item_id == second.item_id
    assert first.digest != second.digest


@given(any_fields, st.lists(any_text | st.just("gold"), max_size=2))
def test_ids_and_digests_are_those_of_the_domain(fields: dict[str, object], reference: list[str]) -> None:
    fields.pop("id", None)
    entry = derived_entry(fields, reference=reference)
    assert entry.item_id == derived_id(fields, reference=reference)
    assert entry.digest == content_digest(Item(id=entry.item_id, fields=fields))
    assert has_derived_id(entry.item_id, fields, reference=reference)


@given(any_fields, st.none() | any_text.filter(str.strip))
def test_what_is_stored_of_an_item_gives_the_item_back_with_its_digest(
    fields: dict[str, object], item_id: str | None
) -> None:
    fields.pop("id", None)
    entry = one({"id": item_id, **fields})
    again = stored_entry(entry.item_id, entry.body)
    assert told_apart(again.fields) == told_apart(entry.fields)
    assert (again.item_id, again.digest) == (entry.item_id, entry.digest)


def test_field_names_and_their_order_are_kept_exactly() -> None:
    row: dict[str, object] = {" q ": 1, "Ü.x": 2, "a b": 3, "id": "x", "": 4}
    assert list(one(row).fields) == [" q ", "Ü.x", "a b", "id", ""]


def test_annotations_are_ordinary_fields_of_the_item() -> None:
    row: dict[str, object] = {"q": 1, **dict.fromkeys(sorted(ANNOTATIONS), "x")}
    assert one(row).fields == row


def test_the_id_can_be_read_from_a_path_and_the_field_stays() -> None:
    entry = one({"question": "How many?", "answer": "3"}, RowSpec(id="question"))
    assert entry.item_id == "How many?"
    assert entry.fields == {"question": "How many?", "answer": "3"}


def test_the_id_need_not_be_among_the_chosen_fields() -> None:
    entry = one({"meta": {"uid": 5}, "q": "?"}, RowSpec(id="meta.uid", fields={"question": "q"}))
    assert (entry.item_id, entry.fields) == ("5", {"question": "?"})


def test_a_chosen_field_called_id_is_the_id() -> None:
    entry = one({"meta": {"uid": 5}, "q": "?"}, RowSpec(fields={"id": "meta.uid", "question": "q"}))
    assert (entry.item_id, entry.fields) == ("5", {"id": 5, "question": "?"})


def test_fields_are_renamed_all_at_once_and_reach_into_nested_rows() -> None:
    spec = RowSpec(fields={"a": "b", "b": "a", "first": "messages.0.content"})
    assert one({"a": 1, "b": 2, "messages": [{"content": "hi"}]}, spec).fields == {"a": 2, "b": 1, "first": "hi"}


def test_a_row_may_lack_a_chosen_field() -> None:
    spec = RowSpec(fields={"q": "q", "hint": "hint"})
    assert [entry.fields for entry in read({"q": 1}, {"q": 2, "hint": 3}, spec=spec)] == [{"q": 1}, {"q": 2, "hint": 3}]


@pytest.mark.parametrize("row", [{"id": None, "q": 1}, {"q": 1}])
def test_a_missing_id_cell_means_a_derived_id_and_is_no_field(row: dict[str, object]) -> None:
    entry = one(row)
    assert entry.item_id == derived_id({"q": 1}, reference=())
    assert entry.fields == {"q": 1}


def test_a_row_that_lacks_the_named_id_has_a_derived_one_and_keeps_its_fields() -> None:
    named, derived = read({"uid": "a", "q": 1}, {"uid": None, "id": None, "q": 1}, spec=RowSpec(id="uid"))
    assert named.item_id == "a"
    assert derived.item_id == derived_id({"uid": None, "id": None, "q": 1}, reference=())


@pytest.mark.parametrize("bad", ["", "  ", True, 1.5, 7.0, ["a"], {"a": 1}])
def test_what_cannot_be_an_id_is_refused_with_its_line(bad: object) -> None:
    with pytest.raises(BadRow, match="item id") as caught:
        read({"id": "a"}, {"id": bad}, file="data.csv")
    assert place(caught.value) == Place(file="data.csv", line=2, field="id")


def test_an_item_that_was_read_back_with_its_derived_id_is_the_same_item() -> None:
    entry = one({"q": 1})
    assert one({"id": entry.item_id, "q": 1}) == entry


def test_a_name_that_only_looks_derived_is_an_id_that_somebody_chose() -> None:
    entry = one({"id": "item-1", "q": 1})
    assert entry.item_id == "item-1"
    assert not has_derived_id(entry.item_id, entry.fields, reference=())


def test_values_of_numerical_libraries_and_tuples_become_plain() -> None:
    entry = one({"id": np.int64(3), "n": np.float64(0.5), "v": np.array([1, 2]), "t": (1, 2), "b": np.bool_(1)})
    assert entry.item_id == "3"
    assert decode(entry.body) == {"id": 3, "n": 0.5, "v": [1, 2], "t": [1, 2], "b": True}
    assert entry.digest == one({"id": 3, "n": 0.5, "v": [1, 2], "t": [1, 2], "b": True}).digest


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), [{"deep": float("nan")}], object(), {1: 2}])
def test_what_json_cannot_say_is_refused_with_line_item_and_field(bad: object) -> None:
    with pytest.raises(BadRow) as caught:
        read({"id": "a", "x": 1}, {"id": "b", "x": bad}, file="data.jsonl")
    assert place(caught.value) == Place(file="data.jsonl", line=2, item="b", field="x")
    assert "next:" in str(caught.value)


def test_a_field_name_that_is_not_text_is_refused() -> None:
    row: Mapping[object, object] = {1: "x"}
    with pytest.raises(BadRow, match="the name 1 is not text"):
        one(row)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spec", "named"),
    [(RowSpec(id="uidd"), "uid"), (RowSpec(fields={"q": "questoin"}), "question"), (RowSpec(id="m.uid"), "uid")],
)
def test_a_path_that_no_row_has_is_refused_and_the_nearest_field_is_named(spec: RowSpec, named: str) -> None:
    with pytest.raises(UnknownName, match=f"did you mean {named!r}") as caught:
        read({"uid": 1}, {"question": "?"}, spec=spec, file="data.csv")
    assert isinstance(caught.value, ConfigurationError)
    assert place(caught.value).file == "data.csv"


def test_no_rows_miss_no_path() -> None:
    assert read(spec=RowSpec(id="uid", fields={"q": "question"})) == []


def test_choosing_no_field_at_all_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="names no field"):
        RowSpec(fields={})


def test_a_reference_field_that_no_item_has_is_refused_with_the_nearest_one() -> None:
    check_reference(["gold"], ["question", "gold"])
    with pytest.raises(UnknownName, match="did you mean 'gold'"):
        check_reference(["glod"], ["question", "gold"])


def test_rows_are_read_as_they_are_asked_for() -> None:
    def rows() -> list[tuple[dict[str, object], int | None]]:
        return [({"q": 1}, 1), ({"q": float("nan")}, 2)]

    entries = entries_of(rows(), RowSpec())
    assert next(entries).fields == {"q": 1}
    with pytest.raises(BadRow):
        next(entries)
