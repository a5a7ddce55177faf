from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from rejudge.domain.errors import RecordError
from rejudge.stats.differences import differences
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.p_value import PValue
from rejudge.stats.paired import paired
from tests.stats.samples import cluster_t

FIRST = [0.70, 0.55, 0.80, 0.62, 0.91, 0.40, 0.66, 0.73]
SECOND = [0.74, 0.60, 0.79, 0.70, 0.93, 0.47, 0.66, 0.81]
PAIRS = st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50)), min_size=2, max_size=30)


def value(found: float | Estimate | Undefined) -> float:
    assert not isinstance(found, Undefined), found
    return found.value if isinstance(found, Estimate) else found


def interval(found: Interval | Undefined) -> tuple[float, float]:
    assert isinstance(found, Interval), found
    return found.low, found.high


def t(found: PValue | Undefined) -> PValue:
    assert isinstance(found, PValue), found
    return found


def test_the_difference_agrees_with_published_values() -> None:
    found = paired(FIRST, SECOND)
    assert found.n == found.units == 8
    assert value(found.difference) == pytest.approx(0.04125, abs=1e-9)
    assert value(found.sd) == pytest.approx(0.0352288, abs=1e-7)
    assert value(found.error) == pytest.approx(0.0124553, abs=1e-7)
    assert interval(found.interval) == pytest.approx((0.0117979, 0.0707021), abs=1e-7)
    assert (t(found.t).statistic, t(found.t).p) == pytest.approx((3.3118493, 0.0129087), abs=1e-7)
    assert value(found.d_z) == pytest.approx(1.1709155, abs=1e-7)
    assert value(found.correlation) == pytest.approx(0.9766641, abs=1e-7)


def test_what_pairing_gains_is_told() -> None:
    found = paired(FIRST, SECOND)
    assert value(found.unpaired_error) == pytest.approx(0.0740219, abs=1e-7)
    unpaired_p = 2 * stats.t.sf(value(found.difference) / value(found.unpaired_error), 14)
    assert unpaired_p == pytest.approx(0.5861, abs=1e-4)


@given(PAIRS)
def test_it_agrees_with_scipy(pairs: list[tuple[float, float]]) -> None:
    first, second = zip(*pairs, strict=True)
    assume(np.std(np.subtract(second, first)) > 1e-3)
    found, oracle = paired(first, second), stats.ttest_rel(second, first)
    ends = oracle.confidence_interval()
    assert (t(found.t).statistic, t(found.t).p) == pytest.approx((oracle.statistic, oracle.pvalue), rel=1e-6, abs=1e-9)
    assert interval(found.interval) == pytest.approx((ends.low, ends.high), rel=1e-6, abs=1e-6)
    if np.std(first) > 1e-3 < np.std(second) and len(pairs) > 3:
        pearson = stats.pearsonr(first, second)
        assert value(found.correlation) == pytest.approx(pearson.statistic, abs=1e-6)
        assert isinstance(found.correlation, Estimate)
        if isinstance(found.correlation.interval, Interval):
            ends = pearson.confidence_interval()
            assert interval(found.correlation.interval) == pytest.approx((ends.low, ends.high), abs=1e-6)


@given(PAIRS)
def test_swapping_the_sides_turns_the_sign_and_leaves_p(pairs: list[tuple[float, float]]) -> None:
    first, second = zip(*pairs, strict=True)
    found, turned = paired(first, second), paired(second, first)
    assert value(found.difference) == -value(turned.difference)
    assert (found.error, found.units) == (turned.error, turned.units)
    if isinstance(found.t, PValue):
        assert t(found.t).p == t(turned.t).p


@given(PAIRS, st.integers(2, 5))
def test_clusters_have_the_clustered_interval(pairs: list[tuple[float, float]], count: int) -> None:
    first, second = zip(*pairs, strict=True)
    names = [str(place % count) for place in range(len(pairs))]
    changes = differences(first, second).tolist()
    groups = [[one for one, name in zip(changes, names, strict=True) if name == str(k)] for k in range(count)]
    expected = cluster_t(groups)
    assume(isinstance(expected, Interval) and expected.high - expected.low > 1e-6)
    found = paired(first, second, clusters=names)
    assert interval(found.interval) == pytest.approx(interval(expected), rel=1e-6, abs=1e-9)
    assert t(found.t).test == "cluster-t"
    assert found.units == min(count, len(pairs))


def test_copies_of_items_in_their_own_cluster_add_no_knowledge() -> None:
    names = list("abcdefgh")
    found = paired(FIRST * 2, SECOND * 2, clusters=names * 2)
    assert value(found.error) == pytest.approx(value(paired(FIRST, SECOND).error))
    assert value(paired(FIRST * 2, SECOND * 2).error) < value(found.error) / math.sqrt(2)


def test_the_effect_size_has_an_interval_that_covers() -> None:
    drawn = np.random.default_rng(6).normal(0.4, 1, size=(2_000, 60))
    still = np.zeros(60)
    covers = 0
    for row in drawn:
        found = paired(still, row).d_z
        assert isinstance(found, Estimate)
        low, high = interval(found.interval)
        covers += low <= 0.4 <= high
    assert covers / 2_000 == pytest.approx(0.95, abs=0.02)


def test_differences_that_are_nothing_but_rounding_are_none() -> None:
    assert differences([0.3, 1.0], [0.1 + 0.2, 0.1 * 3 + 0.7]).tolist() == [0, 0]
    assert differences([1.7e9], [1.7e9 + 1e-6]).tolist() == [0]
    assert differences([1.7e9, 0.5], [1.7e9 + 1e-3, 0.5 + 5e-10]).tolist() == pytest.approx([1e-3, 5e-10], rel=1e-3)


@pytest.mark.parametrize(("start", "step"), [(1.5e-10, 2e-10), (1.5e-8, 5e-10), (1.7e9, 1.05), (1e9, 1e-3)])
def test_a_difference_counts_however_small_it_is_in_its_unit(start: float, step: float) -> None:
    random = np.random.default_rng(3)
    first = start + step * random.random(40)
    second = first + step * (0.3 + random.normal(0, 0.3, size=40))
    found, oracle = paired(first, second), stats.ttest_rel(second, first)
    assert value(found.difference) == pytest.approx(np.mean(second - first), rel=1e-9)
    assert (t(found.t).statistic, t(found.t).p) == pytest.approx((oracle.statistic, oracle.pvalue), rel=1e-6)
    ends = oracle.confidence_interval()
    assert interval(found.interval) == pytest.approx((ends.low, ends.high), rel=1e-6)


def test_a_tie_of_large_values_makes_no_tie_of_small_ones() -> None:
    found = differences([1e9, 1, 1, 1], [1e9 + 1.5, 1.6, 1.7, 2.2])
    assert found.tolist() == pytest.approx([1.5, 0.6, 0.7, 1.2])


def test_equal_changes_show_no_spread_whatever_their_rounding() -> None:
    found = paired([0.1, 0.2, 0.7], [0.2, 0.3, 0.8])
    assert value(found.difference) == pytest.approx(0.1)
    for number in (found.interval, found.t, found.d_z):
        assert isinstance(number, Undefined)
        assert "equal" in number.reason


def test_a_side_that_never_varies_correlates_with_nothing() -> None:
    found = paired([0.1] * 5, [0.2, 0.4, 0.1, 0.3, 0.9]).correlation
    assert isinstance(found, Undefined)
    assert "same value" in found.reason


def test_no_pairs_and_one_pair_have_no_spread() -> None:
    assert paired([], []).difference == Undefined("nothing was scored")
    assert paired([1], [2]).interval == Undefined("one value shows no spread")


def test_columns_that_do_not_match_are_refused() -> None:
    with pytest.raises(RecordError, match="3 values cannot be paired with 2"):
        paired([1, 2, 3], [1, 2])
    with pytest.raises(RecordError, match="not a number"):
        paired([1, math.nan], [1, 2])
    with pytest.raises(RecordError, match="too large"):
        paired([-1e308], [1e308])
    with pytest.raises(RecordError, match="1 clusters for 2 values"):
        paired([1, 2], [1, 2], clusters=["a"])
