from __future__ import annotations

import math
import statistics
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.stats.moments import Moments
from rejudge.stats.scale import FIVE_STAR, PASS_FAIL, PASS_FAIL_CRITICAL, Scale

VALUES = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40)


@given(VALUES)
def test_mean_and_deviation_are_those_of_exact_arithmetic(values: list[float]) -> None:
    moments = Moments.of(values)
    assert moments.mean == pytest.approx(statistics.fmean(values), rel=1e-12, abs=1e-12)
    if len(values) > 1:
        assert moments.std == pytest.approx(statistics.stdev(map(Fraction, values)), rel=1e-9, abs=1e-6)


@given(VALUES, st.randoms(use_true_random=False))
def test_order_changes_no_bit(values: list[float], random: Random) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert Moments.of(shuffled) == Moments.of(values)


@given(st.floats(-1e9, 1e9), st.integers(1, 30))
def test_equal_values_have_their_own_mean_and_no_spread(value: float, n: int) -> None:
    moments = Moments.of([value] * n)
    assert (moments.mean, moments.squares) == (value, 0)


def test_a_spread_small_beside_the_values_is_kept() -> None:
    assert Moments.of([1e9 + 1, 1e9 + 2, 1e9 + 3]).std == 1.0


def test_booleans_and_whole_numbers_are_numbers() -> None:
    assert Moments.of([True, False, 1, 0]) == Moments.of([1.0, 0.0, 1.0, 0.0])
    assert Moments.of([True, 1, 0.0]).zero_or_one
    assert not Moments.of([0, 0.5, 1]).zero_or_one
    assert not Moments.of([0, 2]).zero_or_one


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, "1", None])
def test_what_is_no_finite_number_is_refused(value: float) -> None:
    with pytest.raises(RecordError, match="not a number"):
        Moments.of([0.5, value])


def test_numbers_too_large_to_sum_are_refused() -> None:
    with pytest.raises(RecordError, match="too large"):
        Moments.of([1e308, 1e308])
    with pytest.raises(RecordError, match="too large"):
        Moments.of([1e200, -1e200])


@pytest.mark.parametrize(
    "sums",
    [
        {"n": -1},
        {"n": 0},
        {"squares": -1e-9},
        {"squares": math.nan},
        {"total": math.inf},
        {"minimum": None},
        {"total": 3.0},
        {"zero_or_one": True},
    ],
)
def test_sums_that_no_values_have_are_refused(sums: dict[str, object]) -> None:
    right = {"n": 2, "total": 1.5, "squares": 0.125, "minimum": 0.5, "maximum": 1.0, "zero_or_one": False}
    Moments(**right)  # type: ignore[arg-type]
    with pytest.raises(RecordError):
        Moments(**{**right, **sums})  # type: ignore[arg-type]


def test_the_best_end_follows_the_direction() -> None:
    assert (PASS_FAIL.worst, PASS_FAIL.best) == (0, 1)
    assert (PASS_FAIL_CRITICAL.worst, PASS_FAIL_CRITICAL.best) == (-1, 1)
    assert (FIVE_STAR.worst, FIVE_STAR.best) == (1, 5)
    assert (Scale(low=0, high=9, direction="lower").worst, Scale(low=0, high=9, direction="lower").best) == (9, 0)
    assert Scale(low=0, direction="lower").worst is None
    assert Scale(low=0, high=9, direction="informational").best == 9


@pytest.mark.parametrize(("low", "high"), [(1, 0), (1, 1), (math.nan, 1), (0, math.inf)])
def test_a_range_without_room_is_refused(low: float, high: float) -> None:
    with pytest.raises(RecordError, match="range"):
        Scale(low=low, high=high)


def test_a_rounding_error_beyond_the_range_is_forgiven_and_more_is_not() -> None:
    assert PASS_FAIL.holds(1.0000000000000002)
    assert not PASS_FAIL.holds(1.001)
    assert not PASS_FAIL.holds(-0.001)
