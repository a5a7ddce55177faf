"""What a paired t test will show: the noncentral t, against an oracle and simulated tests."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.interval import Undefined
from rejudge.stats.power import Aim, Needed, PairedVariance, items_for_means
from rejudge.stats.t_power import detectable_by_t, items_for_t, power_of_t, trials_for_t

ONE = PairedVariance(between=1.0)


def needed(found: Needed | Undefined) -> int:
    assert isinstance(found, Needed), found
    return found.items


def number(found: float | Undefined) -> float:
    assert not isinstance(found, Undefined), found
    return found


@pytest.mark.parametrize(("difference", "items"), [(100.0, 2), (3.0, 4), (2.0, 5), (1.0, 10), (0.5, 34), (0.1, 787)])
def test_as_many_items_as_a_t_test_takes_are_needed(difference: float, items: int) -> None:
    # statsmodels: TTestPower().solve_power(2.0, power=.8, alpha=.05) is 4.22, of 1.0 it is 9.94, of 0.5 33.37.
    assert needed(items_for_t(difference, ONE)) == items
    assert number(power_of_t(difference, items, ONE)) >= 0.8


def test_one_item_has_no_t_test() -> None:
    for found in (power_of_t(3.0, 1, ONE), detectable_by_t(1, ONE), trials_for_t(3.0, 1, ONE)):
        assert found == Undefined("a t test takes two independent items at least")
    assert number(power_of_t(2.0, 2, ONE)) == pytest.approx(0.18, abs=0.01)


@pytest.mark.parametrize("items", [2, 3, 5, 12, 50])
@pytest.mark.parametrize("difference", [0.2, 1.0, 2.5])
def test_the_power_is_that_of_simulated_t_tests(items: int, difference: float) -> None:
    drawn = np.random.default_rng(items).normal(difference, 1, size=(20_000, items))
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(items))
    shown = np.mean(np.abs(t) > stats.t.ppf(0.975, items - 1))
    assert number(power_of_t(difference, items, ONE)) == pytest.approx(shown, abs=0.012)
    oracle = stats.nct.sf(stats.t.ppf(0.975, items - 1), items - 1, difference * math.sqrt(items))
    assert number(power_of_t(difference, items, ONE)) >= oracle - 1e-9


@pytest.mark.parametrize("items", [2, 7, 400, 100_000])
@pytest.mark.parametrize("aim", [Aim(), Aim(level=0.99, power=0.95), Aim(design_effect=1.0), Aim(power=0.5)])
def test_what_is_detectable_is_found_with_the_power_that_was_wanted(items: int, aim: Aim) -> None:
    found = number(detectable_by_t(items, ONE, aim=aim))
    assert number(power_of_t(found, items, ONE, aim=aim)) == pytest.approx(aim.power, abs=1e-6)


def test_of_many_items_the_formula_is_short_by_two() -> None:
    for difference in (0.2, 0.05, 0.01):
        formula = items_for_means(difference, ONE)
        assert 0 < needed(items_for_t(difference, ONE)) - needed(formula) <= 2


def test_clusters_take_as_many_more_items_as_they_say_less() -> None:
    aim = Aim(design_effect=4.0)
    assert needed(items_for_t(1.0, ONE, aim=aim)) == pytest.approx(4 * needed(items_for_t(1.0, ONE)), abs=4)
    assert isinstance(detectable_by_t(7, ONE, aim=aim), Undefined)


def test_the_trials_that_are_needed_have_the_power_that_was_wanted() -> None:
    for items in (6, 12, 60):
        variance = PairedVariance(between=0.1, first=1.0, second=1.0)
        trials = trials_for_t(0.6, items, variance)
        assert isinstance(trials, int)
        powers = [
            number(
                power_of_t(0.6, items, PairedVariance(between=0.1, first=1, second=1, first_trials=k, second_trials=k))
            )
            for k in (trials, max(1, trials - 1))
        ]
        assert powers[0] >= 0.8
        assert trials == 1 or powers[1] < 0.8
    never = trials_for_t(0.6, 3, PairedVariance(between=0.1, first=1.0, second=1.0))
    assert isinstance(never, Undefined)
    assert "too few, however often" in never.reason


def test_no_items_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="0 items"):
        detectable_by_t(0, ONE)
