"""Several trials of each item: components of variance, reliability, and the items that flip."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.stats.estimate import Estimate, Statistic
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.repeats import Flip, LabelFlip, RepeatSummary, flips, label_flips, summarise_repeats
from rejudge.stats.scale import PASS_FAIL, Scale

REFERENCE = [[1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 1, 0]]
TRIALS = st.lists(st.lists(st.sampled_from([0.0, 0.25, 1.0]), max_size=5), max_size=12)


def number(found: Statistic) -> float:
    assert isinstance(found, Estimate), found
    return found.value


def ends(found: Statistic) -> tuple[float, float]:
    assert isinstance(found, Estimate), found
    assert isinstance(found.interval, Interval), found
    return found.interval.low, found.interval.high


def test_repeats_have_their_reference_values() -> None:
    found = summarise_repeats(REFERENCE, scale=PASS_FAIL)
    assert found.mean == pytest.approx(0.5, abs=1e-12)
    assert found.standard_error == pytest.approx(0.2151657, abs=5e-8)
    assert number(found.within) == pytest.approx(0.1666667, abs=5e-8)
    assert number(found.between) == pytest.approx(0.1296296, abs=5e-8)
    assert (found.items, found.repeated, found.scored, round(found.trials, 9)) == (4, 4, 12, 3)


def test_trials_taken_for_items_would_look_surer_than_they_are() -> None:
    found = summarise_repeats(REFERENCE, scale=PASS_FAIL)
    assert found.pooled_error == pytest.approx(0.1507557, abs=5e-8)
    assert isinstance(found.standard_error, float)
    assert isinstance(found.pooled_error, float)
    assert found.pooled_error < 0.71 * found.standard_error


def test_components_add_up_to_the_variance_of_the_mean() -> None:
    found = summarise_repeats(REFERENCE, scale=PASS_FAIL)
    assert isinstance(found.standard_error, float)
    assert (number(found.between) + number(found.within) / 3) / 4 == pytest.approx(found.standard_error**2)
    assert number(found.reliability) == pytest.approx(0.1296296 / (0.1296296 + 0.1666667), abs=1e-6)
    assert number(found.reliability_of_mean) == pytest.approx(0.1296296 / (0.1296296 + 0.1666667 / 3), abs=1e-6)


def test_agreement_is_the_share_of_equal_pairs_of_trials() -> None:
    found = summarise_repeats(REFERENCE, scale=PASS_FAIL)
    assert number(found.agreement) == pytest.approx((1 / 3 + 1 + 1 + 1 / 3) / 4)
    assert found.flipped == 2


def test_flips_name_the_items_that_are_not_always_the_same_worst_first() -> None:
    found = flips([[1, 1, 1, 0], [1, 1], [0, 1], [], [0.3, 0.1 + 0.2], [1]])
    assert found == [
        Flip(item=2, trials=2, agreement=0.0, mean=0.5, minimum=0.0, maximum=1.0),
        Flip(item=0, trials=4, agreement=0.5, mean=0.75, minimum=0.0, maximum=1.0),
    ]


def test_labels_flip_too() -> None:
    found = label_flips([["good", "bad", "good", "good"], ["good"], [], ["a", "b"], ["x", "x"]])
    assert found == [
        LabelFlip(item=3, trials=2, agreement=0.0, labels={"a": 1, "b": 1}),
        LabelFlip(item=0, trials=4, agreement=0.5, labels={"good": 3, "bad": 1}),
    ]


@given(TRIALS)
def test_flips_are_those_that_counting_pairs_finds(values: list[list[float]]) -> None:
    expected = {}
    for index, trials in enumerate(values):
        pairs = [(a, b) for place, a in enumerate(trials) for b in trials[place + 1 :]]
        if any(a != b for a, b in pairs):
            expected[index] = sum(a == b for a, b in pairs) / len(pairs)
    assert {flip.item: flip.agreement for flip in flips(values)} == pytest.approx(expected)
    assert summarise_repeats(values, scale=PASS_FAIL).flipped == len(expected)


@given(TRIALS)
def test_whatever_was_scored_there_is_a_number_or_a_reason(values: list[list[float]]) -> None:
    found = summarise_repeats(values, scale=PASS_FAIL)
    assert found.scored == sum(map(len, values))
    for estimate in (found.reliability, found.reliability_of_mean, found.agreement):
        assert isinstance(estimate, Undefined) or 0 <= estimate.value <= 1
    for part in (found.between, found.within):
        assert isinstance(part, Undefined) or (math.isfinite(part.value) and part.n == found.scored)


def test_unequal_trials_follow_the_analysis_of_variance() -> None:
    # Groups of 3, 2 and 1: MSW = (2/3 + 1/2)/3, MSB = Σ m·(mean − 0.5)²/2, m₀ = (6 − 14/6)/2.
    found = summarise_repeats([[1, 1, 0], [1, 0], [0]], scale=PASS_FAIL)
    within = (2 / 3 + 1 / 2) / 3
    outside = (3 * (2 / 3 - 0.5) ** 2 + 0 + 0.25) / 2
    size = (6 - 14 / 6) / 2
    assert number(found.within) == pytest.approx(within)
    assert found.trials == pytest.approx(size)
    assert number(found.between) == pytest.approx((outside - within) / size)
    assert (found.items, found.repeated) == (3, 2)


def one_trial_each() -> RepeatSummary:
    return summarise_repeats([[1], [0], [1]], scale=PASS_FAIL)


def test_single_trials_tell_nothing_of_repeats() -> None:
    found = one_trial_each()
    for estimate in (found.between, found.within, found.reliability, found.agreement):
        assert str(estimate) == "undefined because no item has two scored trials"
    assert found.mean == pytest.approx(2 / 3)
    assert isinstance(found.interval, Interval)
    assert found.interval.method == "wilson"


def test_items_that_always_agree_are_wholly_reliable() -> None:
    found = summarise_repeats([[1, 1], [0, 0], [1, 1]], scale=PASS_FAIL)
    assert (number(found.within), number(found.reliability), number(found.agreement)) == (0, 1, 1)
    assert isinstance(found.reliability, Estimate)
    assert isinstance(found.reliability.interval, Undefined)


def test_nothing_scored_is_no_zero() -> None:
    found = summarise_repeats([[], []], scale=PASS_FAIL)
    assert str(found.mean) == "undefined because nothing was scored"
    assert (found.items, found.scored, flips([[], []])) == (0, 0, [])


def test_a_value_that_is_no_number_is_refused() -> None:
    with pytest.raises(RecordError, match="not a number"):
        summarise_repeats([[1, math.nan]], scale=Scale())


@pytest.mark.parametrize(("items", "trials"), [(60, 3), (200, 5)])
def test_intervals_of_components_hold_the_truth_on_passes_and_failures(items: int, trials: int) -> None:
    # Pass rates of items are Beta(0.5, 0.5): mean 0.5, ω² = 1/8, σ² = 1/4 − 1/8, reliability 1/2.
    random = np.random.default_rng(17)
    held = np.zeros(3)
    samples = 400
    for _ in range(samples):
        rates = random.beta(0.5, 0.5, size=(items, 1))
        drawn = (random.random((items, trials)) < rates).astype(float).tolist()
        found = summarise_repeats(drawn, scale=PASS_FAIL)
        told = (ends(found.between), ends(found.within), ends(found.reliability))
        held += [low <= truth <= high for (low, high), truth in zip(told, (0.125, 0.125, 0.5), strict=True)]
    assert held / samples == pytest.approx(np.full(3, 0.95), abs=0.035)


@pytest.mark.parametrize("items", [15, 40])
def test_the_variance_within_items_is_held_by_its_interval_also_for_few_items(items: int) -> None:
    random = np.random.default_rng(23)
    drawn = random.normal(size=(1_000, items, 2)).tolist()
    told = [ends(summarise_repeats(one, scale=Scale()).within) for one in drawn]
    assert np.mean([low <= 1 <= high for low, high in told]) >= 0.92
    assert min(low for low, _ in told) > 0


def test_the_largest_scores_have_components() -> None:
    small = [[1.0, 3.0], [2.0, 2.5], [0.0, 1.0], [4.0, 4.0]]
    one, other = (
        summarise_repeats([[unit * value for value in trials] for trials in small], scale=Scale())
        for unit in (1.0, 1e149)
    )
    assert ends(other.within) == pytest.approx(tuple(end * 1e298 for end in ends(one.within)))
    assert ends(other.between) == pytest.approx(tuple(end * 1e298 for end in ends(one.between)))


@pytest.mark.parametrize(("trials", "expected"), [([[1, 0, 1]], 3), ([[1], [0]], 1), ([[1, 0], [1, 1]], 2)])
def test_it_tells_how_many_trials_an_item_has(trials: list[list[float]], expected: float) -> None:
    assert summarise_repeats(trials, scale=PASS_FAIL).trials == pytest.approx(expected)


def test_a_reliability_that_comes_out_below_zero_is_no_certain_zero() -> None:
    """Every item passes exactly half of its trials: items differ less than chance alone would let them."""
    values = [[0.0, 1.0] if item % 9 else [0.0, 1.0, 1.0] for item in range(60)]
    found = summarise_repeats(values, scale=PASS_FAIL)
    assert number(found.between) < 0
    for one in (found.reliability, found.reliability_of_mean):
        assert number(one) == 0
        assert isinstance(one, Estimate)
        assert isinstance(one.interval, Undefined)
        assert "than the chance between trials alone would make them" in one.interval.reason


@given(TRIALS)
def test_no_reliability_has_an_interval_without_a_width(values: list[list[float]]) -> None:
    found = summarise_repeats(values, scale=Scale(low=0, high=1))
    for one in (found.reliability, found.reliability_of_mean):
        known = one.interval if isinstance(one, Estimate) else one
        assert isinstance(known, Undefined) or known.low < known.high


@pytest.mark.parametrize("unit", [1e-12, 2e-10, 1.0, 1e10])
def test_trials_differ_in_any_unit(unit: float) -> None:
    """Costs of 2e-10 dollars flip as shares do."""
    trials = [[unit * 1, unit * 1, unit * 2], [unit * 3, unit * 3, unit * 3], [unit * 1, unit * 2, unit * 3]]
    assert [(one.item, round(one.agreement, 9)) for one in flips(trials)] == [(2, 0), (0, round(1 / 3, 9))]
    found = summarise_repeats(trials, scale=Scale())
    assert found.flipped == 2
    assert number(found.agreement) == pytest.approx(4 / 9)


def test_trials_that_only_rounding_tells_apart_are_equal() -> None:
    noise = 0.1 + 0.2 - 0.3
    trials = [[0.3, 0.1 + 0.2], [noise, 0.0], [noise / 2, 0.0], [noise, noise / 4], [0.0, 1.0]]
    assert [one.item for one in flips(trials)] == [4]
    assert summarise_repeats(trials, scale=Scale()).flipped == 1
    assert flips([[1e10, 1e10 + 2e-6]]) == []
