"""What McNemar's exact test will show, against every possible outcome and against simulated comparisons."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy import stats

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.interval import Undefined
from rejudge.stats.mcnemar import mcnemar_exact
from rejudge.stats.mcnemar_power import exact_power, items_for_exact_test
from rejudge.stats.power import Aim, Needed, items_for_rates

CASES = [(0.1, 0.2), (0.05, 0.15), (0.05, 0.05), (0.2, 0.3), (0.3, 0.5), (0.5, 0.5), (-0.1, 0.3)]


@pytest.mark.parametrize(("difference", "discordant"), CASES)
@pytest.mark.parametrize("items", [1, 5, 6, 40, 90])
def test_the_power_is_that_of_all_outcomes(difference: float, discordant: float, items: int) -> None:
    more, less = (discordant + difference) / 2, (discordant - difference) / 2
    outcomes = [(b, c) for b in range(items + 1) for c in range(items + 1 - b) if mcnemar_exact(b, c).p <= 0.05]
    chances = [stats.multinomial.pmf([b, c, items - b - c], items, [more, less, 1 - more - less]) for b, c in outcomes]
    assert exact_power(difference, items, discordant) == pytest.approx(sum(chances), abs=1e-9)


@pytest.mark.parametrize(("difference", "discordant"), CASES)
def test_the_items_have_the_power_and_one_less_has_not(difference: float, discordant: float) -> None:
    items, formula = items_for_exact_test(difference, discordant), items_for_rates(difference, discordant)
    assert isinstance(items, int)
    assert isinstance(formula, Needed)
    assert exact_power(difference, items - 1, discordant) < 0.8 <= exact_power(difference, items, discordant)
    assert items > formula.items
    assert exact_power(difference, formula.items, discordant) < 0.8


def test_with_many_items_both_tests_need_the_same_and_it_is_told_at_once() -> None:
    began = time.perf_counter()
    for difference in (0.0021, 0.001):
        items, formula = items_for_exact_test(difference, 0.3), items_for_rates(difference, 0.3)
        assert isinstance(formula, Needed)
        assert items == pytest.approx(formula.items, rel=3e-3)
    assert time.perf_counter() - began < 10


def test_it_finds_in_samples_what_it_says() -> None:
    items = items_for_exact_test(0.08, 0.2, aim=Aim(power=0.9, level=0.99))
    assert isinstance(items, int)
    drawn = np.random.default_rng(3).multinomial(items, [0.14, 0.06, 0.8], size=2_000).tolist()
    assert np.mean([mcnemar_exact(b, c).p <= 0.01 for b, c, _ in drawn]) == pytest.approx(0.9, abs=0.02)


def test_what_cannot_be_found_is_told() -> None:
    assert isinstance(items_for_exact_test(0.0, 0.2), Undefined)
    assert exact_power(0.0, 50, 0.0) == 0
    for share in (0.05, 1.5):
        with pytest.raises(ConfigurationError):
            items_for_exact_test(0.1, share)
        with pytest.raises(ConfigurationError):
            exact_power(0.1, 50, share)
