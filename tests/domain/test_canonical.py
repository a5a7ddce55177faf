from __future__ import annotations

import math
from enum import Enum

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.canonical import canonical
from rejudge.domain.errors import RecordError
from tests.domain.values import any_text, any_value, plain_value, told_apart


@given(plain_value)
def test_what_json_carries_exactly_is_plain_rfc_8785(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@given(any_value)
def test_every_json_like_value_has_a_canonical_form(value: object) -> None:
    assert canonical(value) == canonical(value)


@given(any_value, any_value)
def test_two_values_share_bytes_exactly_when_they_are_the_same(left: object, right: object) -> None:
    assert (canonical(left) == canonical(right)) == (told_apart(left) == told_apart(right))


@given(st.dictionaries(any_text, st.integers(), max_size=6), st.randoms())
def test_the_order_of_keys_is_irrelevant(value: dict[str, int], random: object) -> None:
    keys = list(value)
    random.shuffle(keys)  # type: ignore[attr-defined]
    assert canonical({key: value[key] for key in keys}) == canonical(value)


@given(any_text, any_text)
def test_no_text_can_pass_for_another_whatever_it_starts_with(left: str, right: str) -> None:
    for tag in ("\x00", "\x00str:", "\x00utf16:", "\x00int:", "\x00float:"):
        assert (canonical(tag + left) == canonical(right)) == (tag + left == right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        (1, True),
        (0, False),
        (0.0, -0.0),
        (2**53, float(2**53)),
        (2**60, float(2**60)),
        (2**53, 2**53 + 1),
        (1.0, "\x00float:1.0"),
        (2**53, "\x00int:20000000000000"),
        ("\ud800", "\udc00"),
        ("\ud800", "?"),
        (None, "null"),
        ([], {}),
        ([1, [2]], [[1], 2]),
    ],
)
def test_what_json_would_merge_stays_apart(left: object, right: object) -> None:
    assert canonical(left) != canonical(right)
    assert canonical({"a": left}) != canonical({"a": right})


def test_a_tuple_is_a_list_and_a_text_member_of_an_enumeration_is_its_text() -> None:
    class Colour(str, Enum):  # noqa: UP042
        RED = "red"

    assert canonical((1, (2, "x"))) == canonical([1, [2, "x"]])
    assert canonical([Colour.RED]) == canonical(["red"])


def test_keys_are_in_the_order_of_their_utf_16_units_as_the_standard_says() -> None:
    assert canonical({"\ufb33": 1, "\U0001f600": 2, "a": 3}) == '{"a":3,"\U0001f600":2,"\ufb33":1}'.encode()


def test_lone_surrogates_are_legal_in_keys_and_values() -> None:
    forms = {canonical({"\ud800": 1}), canonical({"\udc00": 1}), canonical({"a": "\ud800"}), canonical({"a": "\udc00"})}
    assert len(forms) == 4


@pytest.mark.parametrize("bits", [53, 64, 1_000, 100_000])
def test_whole_numbers_of_any_size_have_a_form_of_their_own(bits: int) -> None:
    number = 2**bits
    assert len({canonical(number), canonical(number + 1), canonical(-number)}) == 3


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_nan_and_infinity_are_refused_with_what_to_do(value: float) -> None:
    with pytest.raises(RecordError, match="replace NaN and infinity by null"):
        canonical({"a": [value]})


@pytest.mark.parametrize("value", [{1: "a"}, {None: 1}, {"a": {2: 3}}])
def test_a_key_that_is_not_text_is_refused(value: object) -> None:
    with pytest.raises(RecordError, match="is not text"):
        canonical(value)


@pytest.mark.parametrize("value", [b"bytes", {1, 2}, object(), 1j])
def test_what_json_has_no_word_for_is_refused_by_its_type(value: object) -> None:
    with pytest.raises(RecordError, match=type(value).__name__):
        canonical([value])


@pytest.mark.parametrize("innermost", [1, 1.5])
def test_a_value_nested_without_end_is_refused_cleanly(innermost: float) -> None:
    value: object = innermost
    for _ in range(100_000):
        value = [value]
    with pytest.raises(RecordError, match="nested too deeply"):
        canonical(value)


def test_a_value_that_contains_itself_is_refused_cleanly() -> None:
    circle: dict[str, object] = {}
    circle["again"] = circle
    with pytest.raises(RecordError, match="nested too deeply"):
        canonical(circle)
