"""How far a judge's numbers lie from the people's."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rejudge.domain.errors import RecordError
from rejudge.stats.deviation import (
    Power,
    limits_of_agreement,
    mean_error,
    normalised,
    root_mean_squared_error,
)
from rejudge.stats.estimate import Estimate, Statistic
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.scale import FIVE_STAR, PASS_FAIL, Scale

HUMAN, JUDGE = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5], [1, 2, 3, 4, 4, 2, 2, 4, 4, 5]


def defined(found: Statistic) -> Estimate:
    assert isinstance(found, Estimate), found
    return found


def ends(found: Statistic) -> tuple[float, float]:
    interval = defined(found).interval
    assert isinstance(interval, Interval), interval
    return interval.low, interval.high


def test_errors_have_their_reference_values_and_intervals() -> None:
    absolute, squared = mean_error(JUDGE, HUMAN, power=1), mean_error(JUDGE, HUMAN, power=2)
    assert [defined(absolute).value, defined(squared).value] == pytest.approx([0.3, 0.3])
    # The ends are where (0.3 − m)² = t(9)²·m·SE²/0.3, with SE = √(0.21/9).
    for end in ends(absolute):
        assert (0.3 - end) ** 2 == pytest.approx(2.2621572**2 * end * (0.21 / 9) / 0.3, rel=1e-6)


def test_an_error_on_a_declared_range_has_the_interval_of_a_share() -> None:
    judge, human = [1, 1, 1, 1, 1, 1, 1, 1, 0, 0], [1] * 10
    absolute = mean_error(judge, human, scale=PASS_FAIL, power=1)
    assert defined(absolute).value == pytest.approx(0.2)
    # Wilson's interval of 9 cases, one of ten being spent on the spread, at t(9).
    low, high = ends(absolute)
    for end in (low, high):
        assert (0.2 - end) ** 2 == pytest.approx(2.2621572**2 * end * (1 - end) / 9, rel=1e-6)
    assert 0 < low < 0.2 < high < 1
    shares = normalised(absolute, PASS_FAIL, power=1)
    assert ends(shares) == (low, high)


@pytest.mark.parametrize("scale", [Scale(), Scale(low=0, high=1)])
@pytest.mark.parametrize("power", [1, 2])
def test_the_interval_of_an_error_stays_on_the_scale_and_holds_the_truth(scale: Scale, power: Power) -> None:
    random = np.random.default_rng(31)
    held = []
    for _ in range(1_500):
        judge = np.where(random.random(100) < 0.1, random.random(100), 0.0)
        low, high = ends(mean_error(judge.tolist(), [0.0] * 100, power=power, scale=scale))
        assert 0 < low < high < 1
        held.append(low <= (0.05 if power == 1 else 0.1 / 3) <= high)
    assert np.mean(held) == pytest.approx(0.94, abs=0.025)


def test_the_root_of_the_squared_error_has_the_root_of_its_interval() -> None:
    squared, root = mean_error(JUDGE, HUMAN, power=2), root_mean_squared_error(JUDGE, HUMAN)
    assert defined(root).value == pytest.approx(math.sqrt(0.3))
    assert ends(root) == pytest.approx((math.sqrt(ends(squared)[0]), math.sqrt(ends(squared)[1])))


def test_normalised_errors_are_shares_of_the_declared_width() -> None:
    absolute = normalised(mean_error(JUDGE, HUMAN, power=1), FIVE_STAR, power=1)
    squared = normalised(mean_error(JUDGE, HUMAN, power=2), FIVE_STAR, power=2)
    assert [defined(absolute).value, defined(squared).value] == pytest.approx([0.075, 0.3 / 16])
    assert ends(absolute) == pytest.approx([end / 4 for end in ends(mean_error(JUDGE, HUMAN, power=1))])


def test_without_a_declared_range_nothing_is_normalised() -> None:
    assert "range is not declared" in str(normalised(mean_error(JUDGE, HUMAN, power=1), Scale(low=0), power=1))


def test_the_limits_lie_one_quantile_of_the_spread_from_the_bias() -> None:
    found = limits_of_agreement(JUDGE, HUMAN)
    gaps = np.array(JUDGE) - np.array(HUMAN)
    spread = gaps.std(ddof=1)
    assert defined(found.bias).value == pytest.approx(0.1)
    assert defined(found.low).value == pytest.approx(0.1 - 1.959964 * spread)
    assert defined(found.high).value == pytest.approx(0.1 + 1.959964 * spread)
    low, high = ends(found.high)
    # t(9) = 2.262157 and SE = sd·√(1/n + z²/(2(n − 1))), Bland and Altman 1999, section 2.
    error = spread * math.sqrt(1 / 10 + 1.959964**2 / 18)
    assert (high - low) / 2 == pytest.approx(2.262157 * error, rel=1e-6)


def test_of_normal_differences_the_limits_hold_95_percent() -> None:
    random = np.random.default_rng(1)
    human = random.normal(size=20_000)
    gaps = random.normal(0.3, 0.5, size=20_000)
    found = limits_of_agreement((human + gaps).tolist(), human.tolist())
    assert np.mean((gaps >= defined(found.low).value) & (gaps <= defined(found.high).value)) == pytest.approx(
        0.95, abs=0.005
    )


def test_a_judge_that_is_always_one_off_has_a_bias_and_no_interval_of_width_zero() -> None:
    found = limits_of_agreement([2, 3, 4], [1, 2, 3])
    assert defined(found.bias).value == 1
    assert all(isinstance(defined(one).interval, Undefined) for one in (found.bias, found.low, found.high))


def test_no_pairs_and_one_pair_say_so() -> None:
    assert isinstance(mean_error([], [], power=1), Undefined)
    assert isinstance(root_mean_squared_error([], []), Undefined)
    assert isinstance(defined(mean_error([1], [3], power=1)).interval, Undefined)
    assert isinstance(limits_of_agreement([1], [3]).high, Undefined)


def test_sides_of_different_lengths_are_refused() -> None:
    with pytest.raises(RecordError, match="are no pairs"):
        mean_error([1], [], power=2)
