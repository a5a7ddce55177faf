"""How often an interval holds the truth, counted over many samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest

from rejudge.stats.bootstrap import Resampling, bootstrap_mean
from rejudge.stats.interval import Interval, Undefined, clopper_pearson, wilson
from tests.stats.samples import cluster_t, t_of

SAMPLES = 20_000
METHODS: tuple[Resampling, ...] = ("percentile", "bca")


Binomial: TypeAlias = Callable[[int, int], Interval | Undefined]


def covers(found: object, truth: float) -> bool:
    assert isinstance(found, Interval)
    return found.low <= truth <= found.high


def enumerated(n: int, p: float, method: Binomial = wilson) -> float:
    """The coverage of a binomial interval, summed over every possible number of successes."""
    return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1) if covers(method(k, n), p))


@pytest.mark.parametrize(("p", "published"), [(0.5, 0.9785), (0.95, 0.9139)])
def test_wilson_covers_at_10_items_what_the_literature_says(p: float, published: float) -> None:
    assert enumerated(10, p) == pytest.approx(published, abs=1e-4)


@pytest.mark.parametrize("method", [wilson, clopper_pearson])
@pytest.mark.parametrize("n", [10, 30, 100])
@pytest.mark.parametrize("p", [0.5, 0.95])
def test_intervals_of_a_proportion_cover_in_samples_what_enumeration_says(n: int, p: float, method: Binomial) -> None:
    drawn = np.random.default_rng(7).binomial(n, p, size=SAMPLES)
    holds = np.array([covers(method(k, n), p) for k in range(n + 1)])
    assert holds[drawn].mean() == pytest.approx(enumerated(n, p, method), abs=3 * math.sqrt(0.05 * 0.95 / SAMPLES))


@pytest.mark.parametrize("n", [10, 30, 100])
@pytest.mark.parametrize("p", [0.01, 0.5, 0.95])
def test_clopper_pearson_never_covers_less_than_its_level(n: int, p: float) -> None:
    assert enumerated(n, p, clopper_pearson) >= 0.95


def test_t_covers_its_level_on_continuous_values() -> None:
    draws = np.random.default_rng(11).normal(3.0, 2.0, size=(2_000, 30))
    assert np.mean([covers(t_of(row.tolist()), 3.0) for row in draws]) == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [30, 100])
def test_the_bootstrap_covers_its_level_on_continuous_values(n: int, method: Resampling) -> None:
    draws = np.random.default_rng(12).normal(3.0, 2.0, size=(2_000, n))
    found = [bootstrap_mean(row, seed=seed, resamples=1_000, method=method).interval for seed, row in enumerate(draws)]
    assert np.mean([covers(one, 3.0) for one in found]) == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("method", METHODS)
def test_the_cluster_bootstrap_covers_its_level(method: Resampling) -> None:
    random = np.random.default_rng(14)
    names = np.repeat(np.arange(50), 10)
    draws = random.normal(size=(1_500, 50))[:, names] + 0.5 * random.normal(size=(1_500, 500))
    found = [
        bootstrap_mean(row, clusters=names, seed=seed, resamples=1_000, method=method).interval
        for seed, row in enumerate(draws)
    ]
    assert np.mean([covers(one, 0.0) for one in found]) == pytest.approx(0.95, abs=0.02)


def test_the_naive_paired_bootstrap_calls_equal_systems_different_where_items_cluster() -> None:
    """Fifty conversations of ten turns: what a conversation adds to both systems' difference, its turns share."""
    random = np.random.default_rng(15)
    names = np.repeat(np.arange(50), 10)
    samples = 1_000
    shared = random.normal(size=(samples, 50))[:, names]
    first = random.normal(size=(samples, 500))
    second = first + shared + 0.6 * random.normal(size=(samples, 500))
    rejected = {"naive": 0, "clustered": 0}
    for seed, differences in enumerate(second - first):
        naive = bootstrap_mean(differences, seed=seed, resamples=1_000).interval
        clustered = bootstrap_mean(differences, clusters=names, seed=seed, resamples=1_000).interval
        rejected["naive"] += not covers(naive, 0.0)
        rejected["clustered"] += not covers(clustered, 0.0)
    assert rejected["clustered"] / samples == pytest.approx(0.05, abs=0.02)
    assert rejected["naive"] / samples > 0.4


def test_clustered_items_need_the_clustered_interval() -> None:
    random = np.random.default_rng(13)
    clusters, size, samples = 50, 10, 1_000
    draws = random.normal(size=(samples, clusters, 1)) + 0.5 * random.normal(size=(samples, clusters, size))
    clustered = np.mean([covers(cluster_t(sample.tolist()), 0.0) for sample in draws])
    naive = np.mean([covers(t_of(sample.ravel().tolist()), 0.0) for sample in draws])
    assert clustered == pytest.approx(0.95, abs=0.02)
    assert naive < 0.7
