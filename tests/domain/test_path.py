from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.path import ABSENT, value_at

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("fields", "path", "value"),
    [
        ({"a": 1}, "a", 1),
        ({"6b_finetuning": {"solution": "x"}}, "6b_finetuning.solution", "x"),
        ({"messages": [{"content": "hi"}]}, "messages.0.content", "hi"),
        ({"messages": [{"content": "hi"}]}, "messages.0", {"content": "hi"}),
        ({"a": [[1, 2], [3]]}, "a.1.0", 3),
        ({"a": (1, 2)}, "a.1", 2),
        ({"a": None}, "a", None),
        ({"0": "key"}, "0", "key"),
        ({"": 1}, "", 1),
        ([7], "0", 7),
    ],
)
def test_a_path_leads_through_objects_and_lists(fields: object, path: str, value: object) -> None:
    assert value_at(fields, path) == value


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"a": 1}, "b"),
        ({"a": 1}, "a.b"),
        ({"a": None}, "a.b"),
        ({"a": "text"}, "a.0"),
        ({"a": [1]}, "a.1"),
        ({"a": [1]}, "a.-1"),
        ({"a": [1]}, "a.x"),
        ({"a": [1]}, "a."),
        ({"a": [1]}, "a.²"),
        ({"a": [1]}, "a." + "9" * 10_000),
        ({"a": 1}, ""),
        ({}, "a..b"),
        ("text", "0"),
        (None, "a"),
    ],
)
def test_what_is_not_there_is_absent_and_raises_nothing(fields: object, path: str) -> None:
    assert value_at(fields, path) is ABSENT


def test_a_key_that_holds_a_dot_wins_over_a_nested_one() -> None:
    assert value_at({"a.b": 1, "a": {"b": 2}}, "a.b") == 1
    assert value_at({"a": {"b": 2}}, "a.b") == 2


def test_the_longest_key_that_exists_at_a_level_wins() -> None:
    fields = {"a.b": {"c": 1}, "a": {"b.c": 2, "b": {"c": 3}}}
    assert value_at(fields, "a.b.c") == 1
    assert value_at({"a": fields["a"]}, "a.b.c") == 2
    assert value_at({"a.b": {}, "a": {"b": {"c": 3}}}, "a.b.c") is ABSENT


def test_null_is_not_absent() -> None:
    assert value_at({"a": None}, "a") is not ABSENT


def test_absent_stays_itself_when_it_is_copied_or_sent_to_another_process() -> None:
    assert copy.deepcopy(ABSENT) is ABSENT
    assert pickle.loads(pickle.dumps(ABSENT)) is ABSENT
    assert repr(ABSENT) == "ABSENT"


@given(st.dictionaries(st.text(), JSON))
def test_every_top_level_key_finds_its_own_value_whatever_it_contains(fields: dict[str, object]) -> None:
    assert all(value_at(fields, key) is value for key, value in fields.items())


@given(JSON, st.text())
def test_no_path_raises(fields: object, path: str) -> None:
    found = value_at({"root": fields}, f"root.{path}")
    assert found is ABSENT or isinstance(found, str | int | list | dict | None)
