"""Columns of values, as stores and users hand them over."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.stats.column import column, moments_of, places, trials_column
from rejudge.stats.moments import Moments


@pytest.mark.parametrize(
    "values",
    [
        [1, 0, 1],
        [True, False, True],
        np.array([1, 0, 1], dtype=np.int8),
        np.array([True, False, True]),
        [Decimal(1), 0, 1.0],
        (1.0, 0.0, 1.0),
    ],
)
def test_numbers_of_any_kind_are_read(values: list[float]) -> None:
    assert column(values).tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    "values", [["1"], [1, "x"], [None], [[1], [1, 2]], [[1, 2]], [math.nan], np.array([1, math.inf]), [10**400]]
)
def test_what_is_no_number_is_refused(values: list[float]) -> None:
    with pytest.raises(RecordError, match=r"not a number|too large"):
        column(values)


@given(st.lists(st.floats(-1e9, 1e9) | st.sampled_from([0.0, 1.0])))
def test_the_moments_of_a_column_are_those_of_its_values(values: list[float]) -> None:
    found, expected = moments_of(column(values)), Moments.of(values)
    assert (found.n, found.minimum, found.maximum) == (expected.n, expected.minimum, expected.maximum)
    assert found.zero_or_one == expected.zero_or_one
    assert found.total == pytest.approx(expected.total, rel=1e-9, abs=1e-3)
    assert found.squares == pytest.approx(expected.squares, rel=1e-6, abs=1e-6)


def test_names_are_placed_in_order_of_first_appearance() -> None:
    place, named = places(["b", "a", "b", None], n=4, what="clusters")
    assert (place.tolist(), named) == ([0, 1, 0, 2], ["b", "a", None])
    place, named = places(np.array([7, 7, 3]), n=3, what="clusters")
    assert (place.tolist(), named) == ([0, 0, 1], [7, 3])


def test_trials_keep_their_item() -> None:
    numbers, place = trials_column([[1, 0], [], [0.5]])
    assert (numbers.tolist(), place.tolist()) == ([1.0, 0.0, 0.5], [0, 0, 2])
