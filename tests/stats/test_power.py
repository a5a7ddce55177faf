"""Sample sizes: reference values, each formula against its inverse, and what happens in as many samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.interval import Undefined
from rejudge.stats.power import (
    Aim,
    Needed,
    PairedVariance,
    detectable_mean,
    detectable_rate,
    discordant_share,
    items_for_means,
    items_for_rates,
    observed_variance,
    power_for_means,
    power_for_rates,
    trials_for_means,
)

VARIANCES = st.builds(
    PairedVariance,
    between=st.floats(0.01, 1),
    first=st.floats(0, 1),
    second=st.floats(0, 1),
    first_trials=st.integers(1, 9),
    second_trials=st.integers(1, 9),
)
AIMS = st.builds(
    Aim, level=st.sampled_from([0.9, 0.95, 0.99]), power=st.floats(0.5, 0.95), design_effect=st.floats(0.5, 5)
)


def needed(found: Needed | Undefined) -> Needed:
    assert isinstance(found, Needed), found
    return found


@pytest.mark.parametrize(
    ("variance", "items"),
    [
        (PairedVariance(between=1 / 9), 969),
        (PairedVariance(between=1 / 9, first=1 / 6, second=1 / 6), 3876),
        (PairedVariance(between=1 / 9, first=1 / 6, second=1 / 6, first_trials=4, second_trials=4), 1696),
    ],
)
def test_items_for_a_difference_of_means_have_their_reference_values(variance: PairedVariance, items: int) -> None:
    assert needed(items_for_means(0.03, variance)).items == items


def test_the_exact_number_and_the_smallest_difference_have_their_reference_values() -> None:
    variance = PairedVariance(between=1 / 9)
    assert needed(items_for_means(0.03, variance)).exactly == pytest.approx(968.997, abs=5e-4)
    assert detectable_mean(1000, variance) == pytest.approx(0.0295313, abs=5e-8)


def test_items_for_a_difference_of_rates_follow_connor() -> None:
    # (1.959964·√0.2 + 0.841621·√(0.2 − 0.01))² / 0.01
    assert needed(items_for_rates(0.1, 0.2)).exactly == pytest.approx(154.5986, abs=1e-4)


@given(VARIANCES, AIMS, st.floats(0.01, 0.5))
def test_as_many_items_as_needed_detect_the_difference_and_one_fewer_do_not(
    variance: PairedVariance, aim: Aim, difference: float
) -> None:
    items = needed(items_for_means(difference, variance, aim=aim)).items
    assert detectable_mean(items, variance, aim=aim) <= difference * (1 + 1e-6)
    assert power_for_means(-difference, items, variance, aim=aim) >= aim.power - 1e-6
    if items > 1:
        assert detectable_mean(items - 1, variance, aim=aim) > difference * (1 - 1e-6)


@given(st.floats(0.02, 0.9), AIMS, st.floats(0.05, 1))
def test_for_rates_the_smallest_difference_is_the_inverse(discordant: float, aim: Aim, share: float) -> None:
    difference = share * discordant
    wanted = needed(items_for_rates(difference, discordant, aim=aim))
    assume(wanted.items > 1)
    found = detectable_rate(wanted.items, discordant, aim=aim)
    assert isinstance(found, float)
    assert found <= difference * (1 + 1e-6)
    fewer = detectable_rate(wanted.items - 1, discordant, aim=aim)
    assert isinstance(fewer, Undefined) or fewer > difference * (1 - 1e-6)
    assert power_for_rates(difference, wanted.items, discordant, aim=aim) >= aim.power - 1e-6


def test_as_many_items_find_a_difference_of_means_as_often_as_they_should() -> None:
    variance = PairedVariance(between=0.04, first=0.1, second=0.2, first_trials=2, second_trials=4)
    items = needed(items_for_means(0.05, variance)).items
    random = np.random.default_rng(5)
    drawn = random.normal(0.05, 0.2, size=(2_000, items))
    drawn += random.normal(0, math.sqrt(0.2), size=(2_000, items, 4)).mean(axis=2)
    drawn -= random.normal(0, math.sqrt(0.1), size=(2_000, items, 2)).mean(axis=2)
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(items))
    assert np.mean(np.abs(t) > 1.96) == pytest.approx(0.8, abs=0.03)


def test_as_many_items_find_a_difference_of_rates_as_often_as_they_should() -> None:
    items = needed(items_for_rates(0.05, 0.2)).items
    b, c, _ = np.random.default_rng(6).multinomial(items, [0.075, 0.125, 0.8], size=20_000).T
    assert np.mean((b - c) ** 2 / (b + c) > 1.959964**2) == pytest.approx(0.8, abs=0.02)


def test_trials_make_up_for_items_only_as_far_as_they_can() -> None:
    variance = PairedVariance(between=1 / 9, first=1 / 6, second=1 / 6)
    assert trials_for_means(0.03, 1696, variance) == 4
    assert trials_for_means(0.03, 3876, variance) == 1
    assert trials_for_means(0.03, 3875, variance) == 2
    never = trials_for_means(0.03, 900, variance)
    assert isinstance(never, Undefined)
    assert "it takes 969 at least" in never.reason


def test_clusters_ask_for_more_items() -> None:
    plain = needed(items_for_means(0.03, PairedVariance(between=1 / 9)))
    clustered = needed(items_for_means(0.03, PairedVariance(between=1 / 9), aim=Aim(design_effect=2.5)))
    assert clustered.exactly == pytest.approx(2.5 * plain.exactly)


def test_components_are_recovered_from_a_comparison_with_trials() -> None:
    random = np.random.default_rng(7)
    items = 4_000
    level, gap = random.normal(size=items), random.normal(0.1, 0.3, size=items)
    first = (level[:, None] + random.normal(0, 0.5, size=(items, 3))).tolist()
    second = ((level + gap)[:, None] + random.normal(0, 0.7, size=(items, 5))).tolist()
    found = observed_variance(first, second)
    assert isinstance(found, PairedVariance)
    assert (found.first_trials, found.second_trials) == (3, 5)
    assert (found.between, found.first, found.second) == pytest.approx((0.09, 0.25, 0.49), abs=0.02)
    means = np.mean(second, axis=1) - np.mean(first, axis=1)
    assert found.of_one_item == pytest.approx(means.var(ddof=1), rel=1e-9)


def test_single_trials_do_not_tell_chance_from_items() -> None:
    found = observed_variance([[0.7], [0.4], [], [0.9]], [[0.8], [0.4], [0.1], [0.6]])
    assert isinstance(found, PairedVariance)
    assert found == PairedVariance(between=found.between)
    assert found.between == pytest.approx(np.var([0.1, 0.0, -0.3], ddof=1))
    assert isinstance(observed_variance([[1]], [[0]]), Undefined)
    with pytest.raises(RecordError, match="1 items cannot be paired with 2"):
        observed_variance([[1]], [[0], [1]])


def test_what_would_decide_the_observed_difference() -> None:
    # B − A of eight items: mean 0.04125, sd 0.0352288.
    found = needed(items_for_means(0.04125, PairedVariance(between=0.0352288**2)))
    assert found.exactly == pytest.approx(7.84888 * (0.0352288 / 0.04125) ** 2, rel=1e-4)
    for none in (items_for_means(0.0, PairedVariance(between=0.09)), items_for_rates(0.0, 0.16)):
        assert isinstance(none, Undefined)
        assert "difference of 0" in none.reason


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_discordant_share_of_independent_systems(first: float, second: float) -> None:
    expected = first * (1 - second) + second * (1 - first)
    assert discordant_share(first, second, correlation=0) == pytest.approx(expected, abs=1e-9)


def test_a_correlation_lowers_the_discordant_share() -> None:
    assert discordant_share(0.5, 0.5, correlation=1) == pytest.approx(0)
    assert discordant_share(0.5, 0.5, correlation=0.5) == pytest.approx(0.25)
    with pytest.raises(ConfigurationError, match="cannot have a correlation"):
        discordant_share(0.9, 0.5, correlation=0.9)


@pytest.mark.parametrize("size", [1e-12, 1e-3, 1e9])
def test_the_unit_of_the_scores_changes_no_number_of_items(size: float) -> None:
    assert needed(items_for_means(0.03 * size, PairedVariance(between=size * size / 9))).items == 969


def test_a_difference_that_no_data_could_show_says_so() -> None:
    for none in (items_for_means(1e-9, PairedVariance(between=1)), items_for_rates(1e-200, 0.5)):
        assert isinstance(none, Undefined)
        assert "no number of items that anybody has" in none.reason


@pytest.mark.parametrize("difference", [0.0, -0.0])
def test_no_difference_needs_no_number_of_items(difference: float) -> None:
    assert isinstance(items_for_means(difference, PairedVariance(between=1)), Undefined)
    assert isinstance(items_for_rates(difference, 0.1), Undefined)
    assert isinstance(trials_for_means(difference, 10, PairedVariance(between=1)), Undefined)
    assert power_for_means(0.0, 10, PairedVariance(between=1)) == pytest.approx(0.05)
    assert power_for_rates(0.0, 10, 0.2) == pytest.approx(0.05)


def test_too_few_items_can_detect_no_difference_of_rates() -> None:
    found = detectable_rate(5, 0.1)
    assert isinstance(found, Undefined)
    assert "5 items" in found.reason
    assert isinstance(detectable_rate(100, 0.0), Undefined)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Aim(power=1.0), "power"),
        (lambda: Aim(power=80), "power"),
        (lambda: Aim(level=95), "level"),
        (lambda: Aim(design_effect=0), "design effect"),
        (lambda: PairedVariance(between=-1), "variances"),
        (lambda: PairedVariance(between=1, first_trials=0), "one trial"),
        (lambda: items_for_means(math.nan, PairedVariance(between=1)), "difference"),
        (lambda: items_for_rates(0.3, 0.2), "discordant"),
        (lambda: power_for_rates(0.3, 10, 0.2), "discordant"),
        (lambda: detectable_mean(0, PairedVariance(between=1)), "0 items"),
        (lambda: detectable_rate(10, 1.5), "share"),
    ],
)
def test_what_makes_no_sense_is_refused(make: object, match: str) -> None:
    assert callable(make)
    with pytest.raises(ConfigurationError, match=match):
        make()
