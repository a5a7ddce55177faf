"""What a comparison can show, from assumptions: the sums agree with each other, and with simulated comparisons."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.interval import Undefined
from rejudge.stats.mcnemar_power import exact_power, items_for_exact_test
from rejudge.stats.planning import highest_correlation, planned, spread_of_rates, spread_of_scores
from rejudge.stats.power import Aim, Needed

AIM = Aim()


def needed(found: Needed | Undefined | None) -> int:
    assert isinstance(found, Needed)
    return found.items


def test_the_reference_sample_sizes_come_out() -> None:
    # ω² = 1/9, δ = .03: 969 items; with σ² = 1/6 on both sides 3876 for one trial and 1696 for four. By t two more.
    only_items = spread_of_scores(math.sqrt(1 / 9), math.sqrt(1 / 9), correlation=0.5)
    assert only_items.variance.of_one_item == pytest.approx(1 / 9)
    assert planned(only_items, difference=0.03, aim=AIM).needed_normal == 969
    assert needed(planned(only_items, difference=0.03, aim=AIM).needed) == 971
    assert planned(only_items, items=1000, aim=AIM).detectable == pytest.approx(0.0295313, rel=2e-3)
    variance = 1 / 6 + 1 / 6  # of a score: within items, and between them
    both = spread_of_scores(math.sqrt(variance), math.sqrt(variance), correlation=0.5 - 1 / 6, reliability=0.5)
    assert both.variance.first == pytest.approx(1 / 6)
    assert both.variance.between == pytest.approx(1 / 9)
    plans = [planned(both, difference=0.03, trials=trials, aim=AIM) for trials in (1, 4)]
    assert [plan.needed_normal for plan in plans] == [3876, 1696]
    assert [needed(plan.needed) for plan in plans] == [3878, 1698]


def test_the_items_that_are_needed_detect_what_they_are_needed_for_with_the_power_that_was_wanted() -> None:
    for spread in (spread_of_rates(0.6, 0.65), spread_of_scores(0.3, 0.4, correlation=0.2)):
        found = planned(spread, difference=0.05, aim=AIM)
        back = planned(spread, difference=0.05, items=needed(found.needed), aim=AIM)
        assert back.detectable == pytest.approx(0.05, rel=2e-3)
        assert back.power == pytest.approx(0.8, abs=2e-3)


def test_the_trials_that_are_needed_have_the_power_that_was_wanted() -> None:
    spread = spread_of_scores(0.5, 0.5, correlation=0.4, reliability=0.6)
    found = planned(spread, difference=0.08, items=230, aim=AIM)
    assert found.trials_needed == 3
    powers = [planned(spread, difference=0.08, items=230, trials=trials, aim=AIM).power for trials in (2, 3)]
    assert isinstance(powers[0], float)
    assert isinstance(powers[1], float)
    assert powers[0] < 0.8 <= powers[1]


def test_pass_rates_need_as_many_items_as_simulated_comparisons_say() -> None:
    first, second, correlation = 0.6, 0.66, 0.4
    items = needed(planned(spread_of_rates(first, second, correlation=correlation), difference=0.06, aim=AIM).needed)
    both = first * second + correlation * math.sqrt(first * (1 - first) * second * (1 - second))
    chances = [both, first - both, second - both, 1 - first - second + both]
    counts = np.random.default_rng(6).multinomial(items, chances, size=4000)
    b, c = counts[:, 2], counts[:, 1]
    shown = (b - c) ** 2 / (b + c) >= 1.959964**2
    assert shown.mean() == pytest.approx(0.8, abs=0.025)


def test_several_trials_of_pass_rates_need_as_many_items_as_simulated_comparisons_say() -> None:
    spread = spread_of_rates(0.5, 0.56, correlation=0.3, reliability=0.5)
    items = needed(planned(spread, difference=0.06, trials=4, aim=AIM).needed)
    random = np.random.default_rng(7)
    shown = []
    # True rates of an item: 1/2 ± √(1/8), so that half of the variance 1/4 is between items; both systems agree in 4/5.
    far = math.sqrt(1 / 8)
    for _ in range(1500):
        side = random.choice([-far, far], size=items)
        other = np.where(random.random(items) < 0.8, side, -side)
        one = random.binomial(4, 0.5 + side) / 4
        two = random.binomial(4, 0.5 + other) / 4 + 0.06
        apart = two - one
        shown.append(abs(apart.mean()) / (apart.std(ddof=1) / math.sqrt(items)) >= 1.96)
    assert np.mean(shown) == pytest.approx(0.8, abs=0.04)


def test_a_design_effect_multiplies_the_items() -> None:
    spread = spread_of_rates(0.6, 0.65)
    alone, clustered = (planned(spread, difference=0.05, aim=Aim(design_effect=effect)).needed for effect in (1.0, 3.0))
    assert needed(clustered) == pytest.approx(3 * needed(alone), rel=0.01)


def test_the_exact_test_which_decides_is_planned_beside_the_formula() -> None:
    spread = spread_of_rates(0.6, 0.7, correlation=0.6)
    found = planned(spread, difference=0.1, items=100, aim=AIM)
    discordant = spread.discordant
    assert isinstance(discordant, float)
    assert found.needed_exact == items_for_exact_test(0.1, discordant)
    assert found.power_exact == exact_power(0.1, 100, discordant)
    for other in (
        planned(spread, items=100, aim=AIM),
        planned(spread, difference=0.1, items=100, aim=Aim(design_effect=2)),
        planned(spread_of_scores(1, 1), difference=0.1, items=100, aim=AIM),
    ):
        assert (other.needed_exact, other.power_exact) == (None, None)


def test_more_trials_are_undefined_where_nothing_tells_chance_from_items() -> None:
    found = planned(spread_of_rates(0.6, 0.65), difference=0.05, items=100, trials=4, aim=AIM)
    for number in (found.needed, found.detectable, found.power, found.trials_needed):
        assert isinstance(number, Undefined)
        assert "say the reliability" in number.reason


def test_the_highest_correlation_is_the_highest_that_two_rates_can_have() -> None:
    assert highest_correlation(0.5, 0.5) == pytest.approx(1)
    highest = highest_correlation(0.95, 0.99)
    assert spread_of_rates(0.95, 0.99, correlation=highest).discordant == pytest.approx(0.04)
    with pytest.raises(ConfigurationError, match="cannot have a correlation"):
        spread_of_rates(0.95, 0.99, correlation=highest + 0.01)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: planned(spread_of_rates(0.5, 0.5), aim=AIM), "neither a difference nor a number of items"),
        (lambda: planned(spread_of_rates(0.5, 0.5), items=10, trials=0, aim=AIM), "0 trials"),
        (lambda: planned(spread_of_rates(0.5, 0.5), items=0, aim=AIM), "0 items"),
        (lambda: spread_of_rates(1.2, 0.5), "no pass rate"),
        (lambda: spread_of_scores(0.0, 1.0), "no standard deviation"),
        (lambda: spread_of_scores(1.0, 1.0, correlation=2), "no correlation"),
        (lambda: spread_of_scores(1.0, 1.0, reliability=1.5), "no reliability"),
        (lambda: spread_of_scores(1.0, 1.0, correlation=0.8, reliability=0.5), "reliability of 0.5 cannot have"),
    ],
)
def test_assumptions_that_cannot_be_are_refused(wrong: object, told: str) -> None:
    assert callable(wrong)
    with pytest.raises(ConfigurationError, match=told):
        wrong()
