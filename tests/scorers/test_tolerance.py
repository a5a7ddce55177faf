"""numeric_tolerance: which number counts, how far off it may be, and what is said of one that is too far off."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.verdict import Skip, Verdict
from rejudge.scorers import create, numeric_tolerance
from tests.scorers.checks import judged, passes


@pytest.mark.parametrize(
    ("expected", "tolerance", "output", "near"),
    [
        (1, {"absolute": 0.1}, "1.1", True),
        (1, {"absolute": 0.1}, "1.1000001", False),
        (0.3, {"absolute": 0}, "0.1 + 0.2 = 0.30", True),
        (1000, {"relative": 0.01}, "about $1,010.", True),
        (1000, {"relative": 0.01}, "about $1,010.01", False),
        (-1000, {"relative": 0.01}, "-990", True),
        (-1000, {"relative": 0.01}, "990", False),
        (0, {"relative": 0.5}, "0.000001", False),
        (0, {"relative": 0.5, "absolute": 0.01}, "0.000001", True),
        (100, {"relative": 0.5, "absolute": 1}, "140", True),
        (9007199254740993, {"absolute": 0}, "9007199254740993", True),
        (9007199254740993, {"absolute": 0}, "9007199254740992", False),
        ("#### 18", {"absolute": 0}, "18.00", True),
        (1e300, {"relative": 0.1}, "1e300", True),
    ],
)
def test_the_larger_tolerance_decides_and_its_bound_is_included(
    expected: object, tolerance: dict[str, float], output: str, near: bool
) -> None:
    assert passes(create("numeric_tolerance", {"expected_value": expected, **tolerance}), output) is near


decimals = st.decimals(-1000, 1000, places=3)


@given(decimals, decimals, st.decimals(0, 10, places=3))
def test_it_agrees_with_decimal_arithmetic(value: Decimal, expected: Decimal, absolute: Decimal) -> None:
    scorer = numeric_tolerance(reference_key="gold", absolute=float(absolute))
    near = abs(value - expected) <= absolute
    assert passes(scorer, f"It is {value}.", reference_data={"gold": f"{expected}"}) is near
    assert passes(scorer, f"{value}", reference_data={"gold": float(expected)}) is near


def test_a_number_of_a_json_output_counts_as_it_is() -> None:
    scorer = numeric_tolerance(value_expression="(final_message | fromjson).n", expected_value=3, absolute=0.5)
    assert passes(scorer, '{"n": 3.5}')
    assert passes(scorer, '{"n": "3.5 m"}')
    for output, why in (
        ('{"n": true}', "a boolean is no number"),
        ('{"n": [3]}', "a list is no number"),
        ('{"n": "three"}', 'no number in "three"'),
        ('{"n": null}', "value_expression: null, under final_message"),
        ("3", "value_expression: no 'n' in a number, under final_message"),
    ):
        assert judged(scorer, output) == Verdict(values={"numeric_tolerance": 0.0}, reason=why)


def test_a_reference_without_a_number_is_a_skip() -> None:
    scorer = numeric_tolerance(reference_key="gold", absolute=1)
    for gold, why in (
        ("none", 'no number in "none"'),
        (True, "a boolean is no number"),
        ({}, "an object is no number"),
    ):
        verdict = judged(scorer, "3", reference_data={"gold": gold})
        assert (verdict.skip, verdict.reason) == (Skip.MISSING_REFERENCE_KEY, f"reference_key 'gold': {why}")
    assert judged(scorer, "none", reference_data={"gold": "none"}).skip is None


def test_a_number_that_goes_on_and_on_fails() -> None:
    scorer = numeric_tolerance(expected_value=1, absolute=1)
    assert judged(scorer, "9" * 10_000).reason == "a number of 10,000 digits is too long to be compared"
    assert judged(scorer, "9" * 1_000).reason == "1.000000000e+1000 is 1.000000000e+1000 from 1, more than 1"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"expected_value": 1}, "numeric_tolerance has no tolerance"),
        ({"absolute": 1}, "exactly one of expected_value and reference_key"),
        ({"expected_value": 1, "absolute": -0.1}, "absolute: expected `float` >= 0.0"),
        ({"expected_value": 1, "relative": float("inf")}, "relative is inf"),
        ({"expected_value": 1, "relative": float("nan")}, "relative"),
        ({"expected_value": "none", "absolute": 1}, 'expected_value: no number in "none"'),
        ({"expected_value": True, "absolute": 1}, "expected_value: expected `int | float | str`, got `bool`"),
    ],
)
def test_a_wrong_parameter_is_refused_when_created(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        create("numeric_tolerance", parameters)
