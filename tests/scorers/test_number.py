"""`final_number`: the last number of a text, in one spelling per value."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.scorers.number import last_number

READ = [
    ("A: 18", "18"),
    ("She pays $18.00.", "18"),
    ("1.", "1"),
    ("1,234.50", "1234.5"),
    ("1,234,567", "1234567"),
    ("50%", "50"),
    ("€1.50", "1.5"),
    ("¥1,000 or more", "1000"),
    (".5", "0.5"),
    ("-.5", "-0.5"),
    ("007", "7"),
    ("-0.00", "0"),
    ("1e5", "100000"),
    ("1.5e-3", "0.0015"),
    ("٣", "3"),
    ("**-5**", "-5"),
    (r"\boxed{-5}", "-5"),
    ("x=-5", "-5"),
    ("−7", "-7"),
    ("-$5", "-5"),
    ("$-5", "-5"),
    ("99999999999999999999999999999999999999.10", "99999999999999999999999999999999999999.1"),
]

LAST = [
    ("5-3", "3"),
    ("5 - 3", "3"),
    ("(2)-3", "3"),
    ("$5-$3", "3"),
    ("10€-5€", "5"),
    ("10%-20%", "20"),
    ("COVID-19", "19"),
    ("3/4", "4"),
    ("1,2,3", "3"),
    ("12,345,67", "67"),
    ("1,2345", "2345"),
    ("2024-05-06", "6"),
    ("1.2.3", "3"),
    ("12:30", "30"),
    ("v.5", "5"),
    ("the 3rd", "3"),
    ("9 eggs, then none", "9"),
]


@pytest.mark.parametrize(("text", "number"), READ)
def test_a_number_has_one_spelling_per_value(text: str, number: str) -> None:
    assert last_number(text) == number


@pytest.mark.parametrize(("text", "number"), LAST)
def test_of_several_numbers_the_last_one_counts(text: str, number: str) -> None:
    assert last_number(text) == number


@pytest.mark.parametrize("text", ["", "none", "½", "$", "-", "."])
def test_a_text_without_digits_has_no_number(text: str) -> None:
    assert last_number(text) is None


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**15), max_value=10**15, places=4))
def test_every_way_to_write_a_number_reads_as_the_same_value(number: Decimal) -> None:
    plain = last_number(f"{number:f}")
    assert plain is not None
    assert Decimal(plain) == number
    for written in (f"{number:,.6f}", f"about ${number:f}.", f"x={number:f}%", f"1, 2, {number:f}"):
        assert last_number(written) == plain


@given(st.text())
def test_what_was_read_reads_as_itself(text: str) -> None:
    found = last_number(text)
    assert found is None or last_number(found) == found


@pytest.mark.parametrize("part", ["1,", "1,234", "1,234,", ",234", "1.", "1e", "-", "$-"])
def test_a_long_text_of_almost_numbers_is_read_in_linear_time(part: str) -> None:
    assert last_number(part * 50_000 + "x,7") == "7"
