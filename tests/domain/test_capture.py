from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import PurePosixPath
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.capture import DEEPEST, LONGEST_TEXT, MOST_CHARACTERS, MOST_PARTS, Capture, said
from rejudge.domain.payload import decode, encode

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


@dataclass
class Point:
    x: int
    y: object


class Colour(Enum):
    RED = "red"


class Unlucky(Exception):
    def __str__(self) -> str:
        raise ValueError


class HostileDict(dict[str, object]):
    def items(self) -> None:  # type: ignore[override]
        raise RuntimeError

    def __len__(self) -> int:
        raise RuntimeError


class Pretender:
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise RuntimeError


@given(JSON)
def test_json_is_told_as_it_is(value: object) -> None:
    told = Capture(10**6)(value)
    assert told == value
    assert decode(encode(told)) == value


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ((1, {2}), [1, [2]]),
        (Point(1, Colour.RED), {"x": 1, "y": "red"}),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (2**63, str(2**63)),
        (10**5000, "a whole number of 16,610 bits"),
        (b"abc", "3 bytes"),
        ({1: "a", None: "b"}, {"1": "a", "None": "b"}),
        (date(2026, 1, 2), "2026-01-02"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("a/b"), "a/b"),
        (HostileDict(a=1), {"a": 1}),
    ],
    ids=range(12),
)
def test_what_is_no_json_is_told_in_its_nearest_form(value: object, told: object) -> None:
    assert Capture(10**6)(value) == told


def test_objects_without_words_of_their_own_are_told_by_their_class_and_never_by_their_address() -> None:
    assert Capture(10**6)(object()) == "<builtins.object>"
    assert "Pretender" in str(Capture(10**6)(Pretender()))


def test_what_is_large_or_deep_is_cut_and_says_so() -> None:
    deep: list[object] = []
    for _ in range(10 * DEEPEST):
        deep = [deep]
    circle: list[object] = []
    circle.append(circle)
    assert Capture(10**6)("x" * 50_000) == f"{'x' * LONGEST_TEXT}… (50,000 characters)"
    assert "too deep" in str(Capture(10**6)(deep))
    assert "too deep" in str(Capture(10**6)(circle))
    told = Capture(10**9)([["y" * 100] * 100] * 10_000)
    assert len(encode(told)) < 4 * MOST_CHARACTERS
    numbers = Capture(10**9)(list(range(10**6)))
    assert isinstance(numbers, list)
    assert (len(numbers), numbers[-1]) == (MOST_PARTS + 1, f"… {10**6 - MOST_PARTS:,} more")


def test_once_enough_was_told_in_all_only_the_kind_of_a_value_is() -> None:
    capture = Capture(100)
    capture("x" * 200)
    assert capture(["a"]) == "<builtins.list>, left out: too much was recorded before"
    assert capture(None) is None


def test_an_error_is_told_though_its_message_raises() -> None:
    assert said(Unlucky()) == "Unlucky: (its message raised ValueError)"
