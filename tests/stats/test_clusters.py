"""The clustered error, ICC and design effect, against their formulas and against samples of known ICC."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.clusters import Units, cluster_effect, design_effect
from rejudge.stats.estimate import Estimate, Statistic
from rejudge.stats.interval import Interval, Undefined
from tests.stats.samples import cluster_t, t_of

CLUSTERS = st.lists(st.lists(st.floats(-100, 100, allow_subnormal=False), min_size=1, max_size=6), max_size=12)


def number(found: Statistic) -> float:
    assert isinstance(found, Estimate), found
    return found.value


def sample(icc: float, clusters: int, size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    shared = math.sqrt(icc) * random.normal(size=(clusters, 1))
    return (shared + math.sqrt(1 - icc) * random.normal(size=(clusters, size))).ravel(), np.repeat(
        np.arange(clusters), size
    )


@given(CLUSTERS)
def test_columns_give_the_interval_that_lists_of_clusters_give(groups: list[list[float]]) -> None:
    values = np.array([value for group in groups for value in group])
    names = [place for place, group in enumerate(groups) for _ in group]
    for found, expected in (
        (Units.of(values, names).interval(), cluster_t(groups)),
        (Units.of(values, None).interval(), t_of(values.tolist())),
    ):
        if isinstance(found, Interval) and isinstance(expected, Interval):
            assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-6, abs=1e-9)
            assert found.method == expected.method
        elif isinstance(found, Undefined) and isinstance(expected, Undefined):
            assert found == expected
        else:
            # Only where the spread is at the edge of rounding may one see it and the other not.
            seen = found if isinstance(found, Interval) else expected
            assert isinstance(seen, Interval)
            assert seen.high - seen.low < 1e-10


@pytest.mark.parametrize(("icc", "size", "expected"), [(0.1, 10, 1.9), (0, 50, 1), (1, 7, 7), (0.5, 1, 1)])
def test_the_design_effect_has_its_formula(icc: float, size: float, expected: float) -> None:
    assert design_effect(icc, size) == pytest.approx(expected)


@pytest.mark.parametrize(("icc", "size"), [(1.5, 2), (0.1, 0.5), (math.nan, 3)])
def test_a_design_effect_of_nothing_that_exists_is_refused(icc: float, size: float) -> None:
    with pytest.raises(ConfigurationError, match="does not exist"):
        design_effect(icc, size)


def test_the_icc_is_that_of_the_analysis_of_variance() -> None:
    # Three pairs: MSB = 2·var(1.5, 3.5, 9) = 30.17, MSW = 1/2 + 1/2 + 2 over 3 = 1; (MSB − MSW)/(MSB + MSW).
    found = cluster_effect([1, 2, 3, 4, 8, 10], ["a", "a", "b", "b", "c", "c"])
    outside = 2 * np.var([1.5, 3.5, 9], ddof=1)
    assert number(found.icc) == pytest.approx((outside - 1) / (outside + 1))
    assert number(found.design_effect) == pytest.approx(1 + number(found.icc))
    assert number(found.effective_n) == pytest.approx(6 / (1 + number(found.icc)))
    assert (found.n, found.clusters, found.size) == (6, 3, 2)


def test_the_design_effect_tells_how_the_error_grows() -> None:
    values, clusters = sample(0.3, 2_000, 8, seed=1)
    found = cluster_effect(values, clusters)
    assert isinstance(found.standard_error, float)
    assert isinstance(found.independent_error, float)
    assert number(found.icc) == pytest.approx(0.3, abs=0.02)
    grown = (found.standard_error / found.independent_error) ** 2
    assert number(found.design_effect) == pytest.approx(grown, rel=0.01)
    assert number(found.effective_n) == pytest.approx(16_000 / grown, rel=0.01)


def test_for_unequal_clusters_the_size_is_that_which_a_value_sees() -> None:
    random = np.random.default_rng(2)
    sizes = np.where(np.arange(3_000) % 3 == 0, 13, 2)
    clusters = np.repeat(np.arange(3_000), sizes)
    values = math.sqrt(0.2) * random.normal(size=3_000)[clusters] + math.sqrt(0.8) * random.normal(size=sizes.sum())
    found = cluster_effect(values, clusters)
    assert found.size == pytest.approx((1_000 * 169 + 2_000 * 4) / sizes.sum())
    assert isinstance(found.standard_error, float)
    assert isinstance(found.independent_error, float)
    grown = (found.standard_error / found.independent_error) ** 2
    assert number(found.design_effect) == pytest.approx(grown, rel=0.08)


def test_the_interval_of_the_icc_holds_the_truth() -> None:
    held, samples = 0, 500
    for seed in range(samples):
        found = cluster_effect(*sample(0.3, 60, 5, seed)).icc
        assert isinstance(found, Estimate)
        assert isinstance(found.interval, Interval)
        held += found.interval.low <= 0.3 <= found.interval.high
    assert held / samples == pytest.approx(0.95, abs=0.03)


def test_copies_within_a_cluster_leave_the_clustered_error_and_shrink_the_naive_one() -> None:
    values, clusters = sample(0.3, 50, 10, seed=4)
    once = cluster_effect(values, clusters)
    twice = cluster_effect(np.tile(values, 2), np.tile(clusters, 2))
    assert twice.standard_error == pytest.approx(once.standard_error, rel=1e-12)
    assert isinstance(once.independent_error, float)
    # Up to the correction (n − 1): √((500 − 1)/(1000 − 1)) for √(1/2).
    assert twice.independent_error == pytest.approx(once.independent_error * math.sqrt(499 / 999), rel=1e-12)


@pytest.mark.parametrize(
    ("values", "clusters", "reason"),
    [
        ([], [], "nothing was scored"),
        ([1, 2], ["a", "a"], "one cluster"),
        ([1, 2], ["a", "b"], "too few"),
        ([3, 3, 3, 3], ["a", "a", "b", "b"], "too little"),
    ],
)
def test_what_cannot_be_told_is_told(values: list[float], clusters: list[str], reason: str) -> None:
    found = cluster_effect(values, clusters)
    for estimate in (found.icc, found.design_effect, found.effective_n):
        assert isinstance(estimate, Undefined)
        assert reason in estimate.reason


def test_clusters_that_differ_less_than_chance_have_no_effective_n() -> None:
    found = cluster_effect([0, 1, 0, 1, 0, 1], ["a", "a", "b", "b", "c", "c"])
    assert number(found.icc) == pytest.approx(-1)
    assert isinstance(found.effective_n, Undefined)
    assert isinstance(found.standard_error, Undefined)


def test_clusters_of_one_mean_but_for_rounding_show_no_spread() -> None:
    values = [0.1, 0.2, -0.3, 0.1, 0.2, -0.3, 0.1, -0.3, 0.2]
    spread = cluster_effect(values, [place // 3 for place in range(9)]).standard_error
    assert isinstance(spread, Undefined)
    assert "same mean" in spread.reason


def test_a_missing_cluster_is_refused() -> None:
    with pytest.raises(RecordError, match="1 clusters for 2 values"):
        cluster_effect([1, 2], ["a"])
