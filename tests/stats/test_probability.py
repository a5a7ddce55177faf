"""Probabilities against outcomes: Brier score, reliability curve, calibration error."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.estimate import Estimate, Statistic
from rejudge.stats.interval import Interval, Undefined, wilson
from rejudge.stats.probability import Reliability, brier_score, reliability


def defined(found: Statistic) -> Estimate:
    assert isinstance(found, Estimate), found
    return found


def curve(probabilities: list[float], passed: list[float], *, seed: int = 1, bins: int = 10) -> Reliability:
    found = reliability(probabilities, passed, seed=seed, bins=bins)
    assert isinstance(found, Reliability)
    return found


def judged(n: int, sharpness: float, random: np.random.Generator) -> tuple[list[float], list[float]]:
    """Probabilities, and outcomes whose log odds are `sharpness` times theirs: below 1 the judge is overconfident."""
    said = random.beta(2, 2, size=n)
    true = 1 / (1 + ((1 - said) / said) ** sharpness)
    return said.tolist(), (random.random(n) < true).astype(float).tolist()


def test_brier_has_its_reference_value() -> None:
    assert defined(brier_score([0.9, 0.8, 0.6, 0.3], [1, 1, 0, 0])).value == pytest.approx(0.125)


def test_always_saying_half_scores_a_quarter_whatever_happens() -> None:
    found = defined(brier_score([0.5] * 4, [1, 0, 0, 0]))
    assert found.value == 0.25
    assert isinstance(found.interval, Undefined)


def test_a_bin_tells_what_was_said_and_what_happened() -> None:
    found = curve([0.05, 0.15, 0.15, 0.95, 1.0], [0, 0, 1, 1, 1])
    assert [(one.low, one.high) for one in found.bins][:4] == [(0, 0.1), (0.1, 0.2), (0.2, 0.3), (0.3, 0.4)]
    second, third, last = found.bins[1], found.bins[2], found.bins[9]
    assert second.n == 2
    assert second.predicted == pytest.approx(0.15)
    assert defined(second.observed).value == 0.5
    assert defined(second.observed).interval == wilson(1, 2)
    assert (third.n, isinstance(third.predicted, Undefined), isinstance(third.observed, Undefined)) == (0, True, True)
    assert last.n == 2
    assert last.predicted == pytest.approx(0.975)


def test_a_probability_on_an_edge_lies_in_the_upper_bin() -> None:
    edges = [place / 10 for place in range(10)]
    assert [one.n for one in curve(edges, [1.0] * 10).bins] == [1] * 10


def test_the_error_weighs_each_bin_by_its_items() -> None:
    # Bin of 0.2: one of four passed, 0.05 off; bin of 0.9: none of one passed, 0.9 off.
    found = curve([0.2] * 4 + [0.9], [1, 0, 0, 0, 0])
    assert defined(found.ece).value == pytest.approx((4 * 0.05 + 0.9) / 5)
    assert defined(curve([0.2] * 4 + [0.9], [1, 0, 0, 0, 0], bins=1).ece).value == pytest.approx(0.34 - 0.2)


def test_the_same_seed_gives_the_same_interval() -> None:
    pairs = judged(200, 0.5, np.random.default_rng(3))
    assert curve(*pairs, seed=4) == curve(*pairs, seed=4)
    assert curve(*pairs, seed=4).ece != curve(*pairs, seed=5).ece
    assert curve(*pairs, seed=4).seed == 4


def test_a_calibrated_judge_shows_as_much_error_as_it_is_said_to_show_by_chance() -> None:
    random = np.random.default_rng(5)
    found = [curve(*judged(150, 1.0, random), seed=6) for _ in range(150)]
    shown = np.mean([defined(one.ece).value for one in found])
    assert shown == pytest.approx(np.mean([one.if_calibrated for one in found]), rel=0.05)
    assert shown > 0.06


@pytest.mark.slow
@pytest.mark.parametrize(("sharpness", "n"), [(1.0, 60), (1.0, 300), (0.5, 60), (0.5, 300)])
def test_the_interval_of_the_error_holds_the_truth_at_least_as_often_as_it_says(sharpness: float, n: int) -> None:
    random = np.random.default_rng(7)
    said, passed = judged(1_000_000, sharpness, random)
    bins = np.minimum((np.array(said) * 10).astype(int), 9)
    truth = np.abs(np.bincount(bins, weights=np.array(said) - np.array(passed))).sum() / len(said)
    found = [defined(curve(*judged(n, sharpness, random), seed=8).ece).interval for _ in range(200)]
    held = [isinstance(one, Interval) and one.low <= truth <= one.high for one in found]
    assert np.mean(held) >= 0.94


def test_one_pair_has_no_interval_and_none_no_curve() -> None:
    assert isinstance(defined(curve([0.4], [1]).ece).interval, Undefined)
    assert isinstance(reliability([], [], seed=1), Undefined)


@pytest.mark.parametrize(
    ("probabilities", "passed"), [([1.2], [1]), ([-0.1], [1]), ([0.5], [0.5]), ([0.5, 0.5], [1]), ([float("nan")], [1])]
)
def test_what_is_no_probability_or_outcome_is_refused(probabilities: list[float], passed: list[float]) -> None:
    with pytest.raises(RecordError):
        reliability(probabilities, passed, seed=1)
    with pytest.raises(RecordError):
        brier_score(probabilities, passed)


def test_no_bins_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="0 bins"):
        reliability([0.5], [1], seed=1, bins=0)
