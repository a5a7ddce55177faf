"""The bootstrap of a mean, against SciPy's, against formulas, and by how often it holds the truth."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.bootstrap import Bootstrap, bootstrap_mean
from rejudge.stats.interval import Interval, Undefined
from tests.stats.samples import t_of

SKEWED = np.random.default_rng(2).exponential(size=40)
METHODS: tuple[Literal["percentile", "bca"], ...] = ("percentile", "bca")


def ends(found: Bootstrap) -> tuple[float, float]:
    assert isinstance(found.interval, Interval), found.interval
    return found.interval.low, found.interval.high


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("values", "step"),
    [(SKEWED, 0), (np.round(SKEWED), 1 / 40), (np.random.default_rng(3).normal(size=100), 0)],
    ids=["skewed", "whole numbers", "normal"],
)
def test_it_agrees_with_scipy(values: np.ndarray, step: float, method: Literal["percentile", "bca"]) -> None:
    from scipy import stats

    n = len(values)
    # SciPy does not widen its interval for the sample's size (Hesterberg 2015); a higher level does the same.
    level = 2 * stats.norm.cdf(stats.t.ppf(0.975, n - 1) * math.sqrt(n / (n - 1))) - 1
    theirs = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=200_000,
        confidence_level=level,
        method="BCa" if method == "bca" else method,
        rng=5,
        batch=10_000,
    )
    ours = bootstrap_mean(values, seed=7, resamples=200_000, method=method)
    # Ends of 200,000 resamples differ by chance by some hundredth of an error; whole numbers by a step of their mean.
    room = 0.05 * theirs.standard_error + step
    assert ends(ours) == pytest.approx(tuple(theirs.confidence_interval), abs=room)
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.01)


def test_the_same_seed_gives_the_same_interval_and_is_recorded() -> None:
    first, again, other = (bootstrap_mean(SKEWED, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert ends(first) != ends(other)
    assert (first.seed, first.resamples, first.n, first.units) == (1, 10_000, 40, 40)
    assert first.mean == pytest.approx(SKEWED.mean())


@pytest.mark.parametrize(
    ("method", "alone", "clustered"),
    [
        ("percentile", "bootstrap-percentile", "cluster-bootstrap-percentile"),
        ("bca", "bootstrap-bca", "cluster-bootstrap-bca"),
    ],
)
def test_the_interval_names_its_method(method: Literal["percentile", "bca"], alone: str, clustered: str) -> None:
    single = bootstrap_mean(SKEWED, seed=1, method=method).interval
    whole = bootstrap_mean(SKEWED, clusters=[place // 2 for place in range(40)], seed=1, method=method).interval
    assert isinstance(single, Interval)
    assert isinstance(whole, Interval)
    assert (single.method, whole.method) == (alone, clustered)


def test_bca_follows_the_skewness_where_percentile_does_not() -> None:
    plain, corrected = (ends(bootstrap_mean(SKEWED, seed=1, method=method)) for method in METHODS)
    assert corrected[0] > plain[0]
    assert corrected[1] > plain[1]


@given(st.lists(st.integers(0, 5), min_size=8, max_size=60), st.integers(0, 2**40))
def test_another_unit_moves_and_stretches_the_interval(values: list[int], seed: int) -> None:
    assume(len(set(values)) > 1)
    plain = ends(bootstrap_mean(values, seed=seed, resamples=200))
    other = ends(bootstrap_mean([2.5 * value + 1000 for value in values], seed=seed, resamples=200))
    assert other == pytest.approx(tuple(2.5 * end + 1000 for end in plain), abs=1e-6)


def test_clusters_of_one_value_are_single_values() -> None:
    alone = bootstrap_mean(SKEWED, seed=4)
    each = bootstrap_mean(SKEWED, clusters=range(40), seed=4)
    assert ends(each) == pytest.approx(ends(alone), abs=1e-12)
    assert each.units == alone.units == 40


def test_copies_within_a_cluster_add_no_knowledge() -> None:
    clusters = [place // 2 for place in range(40)]
    once = bootstrap_mean(SKEWED, clusters=clusters, seed=4)
    twice = bootstrap_mean([*SKEWED, *SKEWED], clusters=[*clusters, *clusters], seed=4)
    naive = bootstrap_mean([*SKEWED, *SKEWED], seed=4)
    assert ends(twice) == pytest.approx(ends(once), abs=1e-12)
    assert (twice.n, twice.units, once.units) == (80, 20, 20)
    alone = bootstrap_mean(SKEWED, seed=4)
    assert isinstance(naive.standard_error, float)
    assert isinstance(alone.standard_error, float)
    assert naive.standard_error == pytest.approx(alone.standard_error / math.sqrt(2), rel=0.03)


def test_whole_clusters_of_unequal_size_are_drawn() -> None:
    chance = np.random.default_rng(8)
    sizes = chance.integers(1, 12, size=60)
    clusters = np.repeat(np.arange(60), sizes)
    values = chance.normal(size=60)[clusters] + 0.3 * chance.normal(size=sizes.sum())
    found = bootstrap_mean(values, clusters=clusters, seed=9, method="percentile")
    drawn = []
    for _ in range(4_000):
        taken = chance.integers(0, 60, size=60)
        drawn.append(np.concatenate([values[clusters == one] for one in taken]).mean())
    assert found.standard_error == pytest.approx(np.std(drawn), rel=0.05)
    room = 0.15 * float(np.std(drawn))
    assert ends(found) == pytest.approx(tuple(np.quantile(drawn, [0.0217, 0.9783])), abs=room)


def test_few_distinct_values_are_drawn_however_many_items_there_are() -> None:
    passes = np.repeat([0.0, 1.0], [600_000, 400_000])
    found = bootstrap_mean(passes, seed=1)
    assert found.resamples == 10_000
    assert ends(found) == pytest.approx((0.4 - 1.96 * 0.00049, 0.4 + 1.96 * 0.00049), abs=0.00005)


def test_a_million_different_values_get_t_and_say_so() -> None:
    values = np.random.default_rng(1).exponential(size=1_000_000)
    found = bootstrap_mean(values, seed=1)
    expected = t_of(values.tolist())
    assert isinstance(expected, Interval)
    assert isinstance(found.interval, Interval)
    assert ends(found) == pytest.approx((expected.low, expected.high), rel=1e-9)
    assert (found.interval.method, found.resamples) == ("t", 0)
    whole = bootstrap_mean(values, clusters=np.arange(1_000_000) // 5, seed=1).interval
    assert isinstance(whole, Interval)
    assert whole.method == "cluster-t"


@pytest.mark.parametrize(
    ("values", "clusters", "reason"),
    [
        ([], None, "nothing was scored"),
        ([0.3], None, "one value"),
        ([0.3, 0.3, 0.3], None, "equal"),
        ([0.1, 0.9], ["a", "a"], "one cluster"),
        ([0.1, 0.3, 0.3, 0.1], ["a", "a", "b", "b"], "same mean"),
    ],
)
def test_what_shows_no_spread_has_no_interval(values: list[float], clusters: list[str] | None, reason: str) -> None:
    found = bootstrap_mean(values, clusters=clusters, seed=1)
    assert isinstance(found.interval, Undefined)
    assert reason in found.interval.reason
    assert found.standard_error == found.interval
    assert found.resamples == 0


def test_the_largest_scores_have_the_interval_of_small_ones() -> None:
    values = np.random.default_rng(4).exponential(size=30)
    small, large = (bootstrap_mean(values * unit, seed=1, resamples=1_000) for unit in (1, 1e149))
    assert isinstance(small.interval, Interval)
    assert isinstance(large.interval, Interval)
    assert (large.interval.low, large.interval.high) == pytest.approx(
        (small.interval.low * 1e149, small.interval.high * 1e149)
    )


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(RecordError, match="not a number"):
        bootstrap_mean([0.1, math.nan], seed=1)
    with pytest.raises(RecordError, match="1 clusters for 2 values"):
        bootstrap_mean([0.1, 0.2], clusters=["a"], seed=1)
    with pytest.raises(ConfigurationError, match="-1 is not a seed"):
        bootstrap_mean([0.1, 0.2], seed=-1)
    with pytest.raises(ConfigurationError, match="5 resamples"):
        bootstrap_mean([0.1, 0.2], seed=1, resamples=5)
    with pytest.raises(ConfigurationError, match="level"):
        bootstrap_mean([0.1, 0.2], seed=1, level=95)
    with pytest.raises(RecordError, match="not a number"):
        bootstrap_mean(["0.1", "0.2"], seed=1)  # type: ignore[list-item]
