from __future__ import annotations

import math
from itertools import chain

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.clusters import Units
from rejudge.stats.interval import Interval, Undefined, clopper_pearson, t_interval, wilson
from tests.stats.samples import t_of

NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)
LEVELS = st.floats(0.5, 0.999)


def cluster_t(clusters: list[list[float]]) -> Interval | Undefined:
    """One list for each cluster."""
    names = [place for place, cluster in enumerate(clusters) for _ in cluster]
    return Units.of(np.array([*chain.from_iterable(clusters)], dtype=np.float64), names).interval()


def defined(found: Interval | Undefined) -> Interval:
    assert isinstance(found, Interval), found
    return found


def half_width(found: Interval | Undefined) -> float:
    interval = defined(found)
    return (interval.high - interval.low) / 2


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (8, 10, 0.4901625, 0.9433178),
        (0, 10, 0, 0.2775328),
        (10, 10, 0.7224672, 1),
        (1, 1, 0.2065493, 1),
        (50, 100, 0.4038315, 0.5961685),
        (97, 100, 0.9154806, 0.9897455),
    ],
)
def test_wilson_agrees_with_published_values(successes: int, n: int, low: float, high: float) -> None:
    interval = defined(wilson(successes, n))
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-7)
    assert (interval.method, interval.level) == ("wilson", 0.95)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(8, 10, 0.4439045, 0.9747893), (0, 10, 0, 0.3084971), (97, 100, 0.9148239, 0.9937700)],
)
def test_clopper_pearson_agrees_with_published_values(successes: int, n: int, low: float, high: float) -> None:
    interval = defined(clopper_pearson(successes, n))
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-7)
    assert interval.method == "clopper-pearson"


def test_t_agrees_with_published_values() -> None:
    interval = defined(t_of([0.2, 0.4, 0.6, 0.8, 1.0]))
    assert (interval.low, interval.high) == pytest.approx((0.2073514, 0.9926486), abs=1e-7)
    assert interval.method == "t"
    assert half_width(interval) / 2.7764451 == pytest.approx(0.1414214, abs=1e-7)


def test_t_from_a_standard_deviation_is_t_of_the_values() -> None:
    differences = [0.04, 0.05, -0.01, 0.08, 0.02, 0.07, 0.0, 0.08]
    interval = defined(t_interval(0.04125, 0.0352288, 8))
    assert (interval.low, interval.high) == pytest.approx((0.0117979, 0.0707021), abs=1e-6)
    of_values = defined(t_of(differences))
    assert (of_values.low, of_values.high) == pytest.approx((0.0117979, 0.0707021), abs=1e-7)


@given(st.integers(0, 400), st.integers(1, 400), LEVELS)
def test_intervals_of_a_proportion_hold_it_and_stay_between_0_and_1(successes: int, n: int, level: float) -> None:
    assume(successes <= n)
    for found in (wilson(successes, n, level=level), clopper_pearson(successes, n, level=level)):
        interval = defined(found)
        assert 0 <= interval.low <= successes / n <= interval.high <= 1
        assert interval.low < interval.high


@given(st.integers(0, 200), st.integers(1, 200), LEVELS)
def test_counting_failures_instead_mirrors_the_interval(successes: int, n: int, level: float) -> None:
    assume(successes <= n)
    for method in (wilson, clopper_pearson):
        passes = defined(method(successes, n, level=level))
        fails = defined(method(n - successes, n, level=level))
        assert (1 - fails.high, 1 - fails.low) == pytest.approx((passes.low, passes.high), abs=1e-9)


@given(st.lists(NUMBERS, min_size=2, max_size=30), st.floats(0.1, 100), NUMBERS)
def test_another_unit_moves_and_stretches_the_t_interval(values: list[float], factor: float, shift: float) -> None:
    assume(max(values) - min(values) > 1e-3 * max(1, abs(shift)))
    plain = defined(t_of(values))
    other = defined(t_of([factor * value + shift for value in values]))
    expected = (factor * plain.low + shift, factor * plain.high + shift)
    assert (other.low, other.high) == pytest.approx(expected, rel=1e-6, abs=1e-6 * factor * (plain.high - plain.low))


@given(st.lists(NUMBERS, min_size=2, max_size=30), st.floats(0.5, 0.99))
def test_a_higher_level_asks_for_a_wider_interval(values: list[float], level: float) -> None:
    assume(max(values) - min(values) > 1e-3)
    assert half_width(t_of(values, level=level)) < half_width(t_of(values, level=level + 0.009))


@pytest.mark.parametrize("found", [wilson(0, 0), clopper_pearson(0, 0), t_of([]), t_interval(0, 0, 0), cluster_t([[]])])
def test_nothing_has_no_interval(found: Interval | Undefined) -> None:
    assert str(found) == "undefined because nothing was scored"


def test_one_value_has_no_t_interval() -> None:
    assert t_of([0.7]) == Undefined("one value shows no spread")


@pytest.mark.parametrize("values", [[5, 5, 5], [0.1] * 3, [0, 0], [0.1 + 0.2, 0.3]])
def test_equal_values_give_no_interval_of_width_zero(values: list[float]) -> None:
    found = t_of(values)
    assert isinstance(found, Undefined)
    assert "equal" in found.reason


def test_one_cluster_is_undefined_and_not_zero() -> None:
    assert cluster_t([[0.1, 0.9, 0.4], []]) == Undefined("one cluster shows no spread between clusters")


@pytest.mark.parametrize(
    "clusters",
    [
        [[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]],
        [[1, 1], [1]],
        [[0.1, 0.2, -0.3], [0.2, 0.1, -0.3], [-0.3, 0.1, 0.2]],
        [[1e6 + 0.1, -1e6 - 0.1], [0.1, -0.1]],
    ],
)
def test_clusters_that_do_not_differ_are_undefined(clusters: list[list[float]]) -> None:
    found = cluster_t(clusters)
    assert isinstance(found, Undefined)
    assert "cluster has the same mean" in found.reason


def test_the_clustered_error_follows_its_formula() -> None:
    # Mean 0.5; residuals of the clusters 1, −1, −0.5, 0.5: √2.5 / 7 · √(4/3), with 3 degrees of freedom.
    found = cluster_t([[1, 1], [0, 0], [0], [1, 0.5]])
    mean = 3.5 / 7
    residuals = (2 - 2 * mean, -2 * mean, -mean, 1.5 - 2 * mean)
    error = math.sqrt(sum(residual**2 for residual in residuals)) / 7 * math.sqrt(4 / 3)
    assert half_width(found) == pytest.approx(3.182446305 * error, rel=1e-8)
    assert defined(found).method == "cluster-t"


@given(st.lists(NUMBERS, min_size=2, max_size=30))
def test_clusters_of_one_item_are_independent_items(values: list[float]) -> None:
    assume(max(values) - min(values) > 1e-3)
    alone, independent = defined(cluster_t([[value] for value in values])), defined(t_of(values))
    assert (alone.low, alone.high) == pytest.approx((independent.low, independent.high), rel=1e-9, abs=1e-6)


def test_copies_within_a_cluster_add_no_knowledge() -> None:
    clusters = [[0.1, 0.4], [0.9], [0.5, 0.3, 0.8], [0.2]]
    copied = [cluster * 2 for cluster in clusters]
    assert half_width(cluster_t(copied)) == pytest.approx(half_width(cluster_t(clusters)), rel=1e-12)
    assert half_width(t_of(chain(*copied))) < half_width(t_of(chain(*clusters))) / math.sqrt(2)


def test_a_proportion_over_one_is_refused() -> None:
    with pytest.raises(RecordError, match="11 successes of 10"):
        wilson(11, 10)


@pytest.mark.parametrize("level", [0, 1, 95, math.nan])
def test_a_level_that_is_none_is_refused(level: float) -> None:
    with pytest.raises(ConfigurationError, match=r"such as 0\.95"):
        wilson(1, 2, level=level)
    with pytest.raises(ConfigurationError):
        t_of([1, 2], level=level)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_interval_hides_a_value_that_is_not_finite(value: float) -> None:
    with pytest.raises(RecordError, match="not a number"):
        t_of([1.0, value])
    with pytest.raises(RecordError, match="not an interval"):
        Interval(low=0.0, high=value, level=0.95, method="t")
