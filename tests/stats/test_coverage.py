"""How often an interval holds the truth, counted over many samples."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rejudge.stats.interval import Interval, clopper_pearson, cluster_t, t_of, wilson

SAMPLES = 20_000


def covers(found: object, truth: float) -> bool:
    assert isinstance(found, Interval)
    return found.low <= truth <= found.high


def enumerated(n: int, p: float) -> float:
    """The coverage of Wilson's interval, summed over every possible number of successes."""
    return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1) if covers(wilson(k, n), p))


@pytest.mark.parametrize(("p", "published"), [(0.5, 0.9785), (0.95, 0.9139)])
def test_wilson_covers_at_10_items_what_the_literature_says(p: float, published: float) -> None:
    assert enumerated(10, p) == pytest.approx(published, abs=1e-4)


@pytest.mark.parametrize("n", [10, 30, 100])
@pytest.mark.parametrize("p", [0.5, 0.95])
def test_wilson_covers_in_samples_what_its_enumeration_says(n: int, p: float) -> None:
    drawn = np.random.default_rng(7).binomial(n, p, size=SAMPLES)
    holds = np.array([covers(wilson(k, n), p) for k in range(n + 1)])
    assert holds[drawn].mean() == pytest.approx(enumerated(n, p), abs=3 * math.sqrt(0.05 * 0.95 / SAMPLES))


@pytest.mark.parametrize("n", [10, 30, 100])
@pytest.mark.parametrize("p", [0.01, 0.5, 0.95])
def test_clopper_pearson_never_covers_less_than_its_level(n: int, p: float) -> None:
    mass = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1) if covers(clopper_pearson(k, n), p)]
    assert sum(mass) >= 0.95


def test_t_covers_its_level_on_continuous_values() -> None:
    draws = np.random.default_rng(11).normal(3.0, 2.0, size=(2_000, 30))
    assert np.mean([covers(t_of(row.tolist()), 3.0) for row in draws]) == pytest.approx(0.95, abs=0.02)


def test_clustered_items_need_the_clustered_interval() -> None:
    random = np.random.default_rng(13)
    clusters, size, samples = 50, 10, 1_000
    draws = random.normal(size=(samples, clusters, 1)) + 0.5 * random.normal(size=(samples, clusters, size))
    clustered = np.mean([covers(cluster_t(sample.tolist()), 0.0) for sample in draws])
    naive = np.mean([covers(t_of(sample.ravel().tolist()), 0.0) for sample in draws])
    assert clustered == pytest.approx(0.95, abs=0.02)
    assert naive < 0.7
