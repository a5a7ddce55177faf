"""Percentiles of latency, tokens and cost, and how often their intervals hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.percentiles import Percentile, percentiles


def defined(found: Percentile) -> Interval:
    assert isinstance(found.interval, Interval), found
    return found.interval


def test_percentiles_are_those_of_numpy() -> None:
    seconds = np.random.default_rng(1).lognormal(size=501)
    found = percentiles(seconds)
    assert [one.at for one in found.percentiles] == [50, 90, 95, 99]
    assert [one.value for one in found.percentiles] == pytest.approx(np.percentile(seconds, [50, 90, 95, 99]).tolist())
    assert (found.n, found.missing) == (501, 0)
    assert found.mean == pytest.approx(seconds.mean())
    assert found.total == pytest.approx(seconds.sum())
    assert (found.minimum, found.maximum) == (seconds.min(), seconds.max())


@pytest.mark.parametrize(
    ("n", "at", "low", "high"),
    # The ranks are those of published tables: Conover 1999, Practical Nonparametric Statistics, for the median.
    [(6, 50, 1, 6), (10, 50, 2, 9), (20, 50, 6, 15), (100, 50, 40, 61)],
)
def test_the_interval_of_a_median_lies_between_the_ranks_of_the_tables(n: int, at: float, low: int, high: int) -> None:
    (median,) = percentiles(range(1, n + 1), at=[at]).percentiles
    assert (defined(median).low, defined(median).high) == (low, high)
    assert defined(median).method == "order-statistics"


@given(st.integers(2, 400), st.floats(1, 99), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_excludes_each_side_with_half_the_rest_at_most(n: int, at: float, level: float) -> None:
    (found,) = percentiles(range(1, n + 1), at=[at], level=level).percentiles
    share = at / 100

    def fewer(rank: int) -> float:
        return math.fsum(math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(rank))

    tail = (1 - level) / 2
    if isinstance(found.interval, Undefined):
        assert fewer(1) > tail - 1e-9 or fewer(n) < 1 - tail + 1e-9
        return
    low, high = int(found.interval.low), int(found.interval.high)
    assert fewer(low) <= tail + 1e-9
    assert fewer(high) >= 1 - tail - 1e-9
    assert fewer(low + 1) > tail - 1e-9
    assert fewer(high - 1) < 1 - tail + 1e-9
    assert low <= found.value <= high


def test_too_few_values_say_how_many_could_give_an_interval() -> None:
    (found,) = percentiles(range(100), at=[99]).percentiles
    assert str(found.interval) == (
        "undefined because 100 values are too few for an interval of this percentile; 368 could give one"
    )
    assert found.value == pytest.approx(98.01)
    (enough,) = percentiles(range(368), at=[99]).percentiles
    assert defined(enough).high == 367


@pytest.mark.parametrize("at", [50.0, 90.0])
def test_the_interval_holds_the_true_percentile_as_often_as_it_says(at: float) -> None:
    random = np.random.default_rng(3)
    truth = -math.log(1 - at / 100)
    intervals = [
        defined(percentiles(sample, at=[at]).percentiles[0]) for sample in random.exponential(size=(2_000, 200))
    ]
    held = np.mean([one.low <= truth <= one.high for one in intervals])
    assert 0.95 - 3 * math.sqrt(0.05 * 0.95 / 2_000) <= held <= 0.98


def test_trials_of_one_item_make_the_interval_wider_than_as_many_items() -> None:
    random = np.random.default_rng(4)
    held, naive, samples = 0, 0, 500
    methods = set()
    clusters = np.repeat(np.arange(60), 10)
    for _ in range(samples):
        logs = random.normal(size=60)[clusters] + 0.5 * random.normal(size=600)
        seconds = np.exp(logs)
        clustered = defined(percentiles(seconds, at=[50], clusters=clusters).percentiles[0])
        alone = defined(percentiles(seconds, at=[50]).percentiles[0])
        held += clustered.low <= 1 <= clustered.high
        methods.add(clustered.method)
        naive += alone.low <= 1 <= alone.high
    assert held / samples == pytest.approx(0.95, abs=0.03)
    assert naive / samples < 0.7
    assert methods == {"woodruff"}


def test_few_clusters_have_no_interval_of_a_high_percentile() -> None:
    (found,) = percentiles([1.0, 2.0, 3.0, 4.0, 5.0, 9.0], at=[95], clusters=list("aabbcc")).percentiles
    assert str(found.interval).endswith("3 clusters are too few for an interval of this percentile")


def test_unknown_amounts_are_counted_and_are_no_zeros() -> None:
    found = percentiles([0.02, 0.04], missing=3)
    assert (found.n, found.missing, round(found.total, 9)) == (2, 3, 0.06)
    none = percentiles([], missing=5)
    assert (none.n, none.missing, none.mean, none.percentiles) == (0, 5, None, ())
    assert str(none.interval) == "undefined because nothing was scored"


def test_equal_values_are_told_as_they_are() -> None:
    (median, _, _, _) = percentiles([3.0] * 50).percentiles
    assert (median.value, defined(median).low, defined(median).high) == (3, 3, 3)


@pytest.mark.parametrize("at", [0, 100, -5, 250])
def test_what_is_no_percentile_is_refused(at: float) -> None:
    with pytest.raises(ConfigurationError, match="not a percentile"):
        percentiles([1.0, 2.0], at=[at])
    with pytest.raises(RecordError, match="-1 values"):
        percentiles([1.0], missing=-1)
