from __future__ import annotations

import pytest

from rejudge.datasets.edit import changed_fields, replacements, revised
from rejudge.datasets.rows import Entry, RowSpec, derived_entry, entries_of
from rejudge.domain.errors import DuplicateItem
from rejudge.domain.item import Item


def entry(line: int = 1, /, **fields: object) -> Entry:
    return next(entries_of([(fields, line)], RowSpec()))


def test_an_item_that_somebody_named_keeps_its_id_whatever_changes() -> None:
    new = revised(entry(id="x", q=1), entry(id="x", q=2), was=(), now=())
    assert new == entry(id="x", q=2)


def test_a_changed_given_field_gives_a_derived_id_anew() -> None:
    old = entry(q=1)
    new = revised(old, entry(id=old.item_id, q=2), was=(), now=())
    assert new == entry(q=2)


def test_a_changed_reference_or_annotation_keeps_a_derived_id() -> None:
    old = derived_entry({"q": 1, "gold": 1}, reference=["gold"])
    change = entry(id=old.item_id, q=1, gold=2, tags=["x"])
    new = revised(old, change, was=["gold"], now=["gold"])
    assert new.item_id == old.item_id
    assert new.fields == {"q": 1, "gold": 2, "tags": ["x"]}


def test_a_new_declaration_of_reference_derives_ids_anew_and_leaves_chosen_ones() -> None:
    derived, chosen = entry(q=1, gold=1), entry(id="x", q=1, gold=1)
    assert revised(derived, derived, was=(), now=["gold"]) == derived_entry(derived.fields, reference=["gold"], line=1)
    assert revised(chosen, chosen, was=(), now=["gold"]) is chosen
    assert revised(derived, derived, was=["a", "b"], now=["b", "a"]) is derived


def test_two_rows_that_replace_one_item_differently_are_refused_with_both_lines() -> None:
    same = [entry(1, id="x", q=1), entry(2, id="x", q=1)]
    assert replacements(same) == {"x": same[0]}
    with pytest.raises(DuplicateItem, match=r"data\.csv:9, item 'x': .* rows 1 and 9"):
        replacements([*same, entry(9, id="x", q=2)], file="data.csv")


def test_changed_fields_are_those_added_removed_and_different() -> None:
    older = Item(id="7", fields={"id": 7, "same": [1], "number": 1, "gone": None, "deep": {"a": [1]}})
    newer = Item(id="7", fields={"id": "7", "same": [1], "number": 1.0, "new": 1, "deep": {"a": [2]}})
    assert changed_fields(older, newer) == ("number", "gone", "deep", "new")
    assert changed_fields(older, older) == ()
