"""Correlations and concordance, against scipy and against leaving items out."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.stats.correlation import concordance, kendall, pearson, spearman
from rejudge.stats.estimate import Estimate, Statistic
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.ties import smaller_before

Coefficient: TypeAlias = Callable[[list[float], list[float]], Statistic]
ALL: list[Coefficient] = [pearson, spearman, kendall, concordance]
FIRST, SECOND = [1.0, 2, 3, 4, 5, 1, 2, 3, 4, 5], [1.0, 2, 3, 4, 4, 2, 2, 4, 4, 5]
STARS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=3, max_size=40)


def defined(found: Statistic) -> Estimate:
    assert isinstance(found, Estimate), found
    return found


def sides(pairs: list[tuple[int, int]]) -> tuple[list[float], list[float]]:
    return [float(one) for one, _ in pairs], [float(other) for _, other in pairs]


def stars_and_a_judge_that_repeats_most(n: int, random: np.random.Generator) -> tuple[list[float], list[float]]:
    """A judge that says what people say of 80 % of the items, and of the others something else altogether."""
    truth = random.normal(size=n)
    human = np.clip(np.round(truth + 3.8), 1, 5)
    other = np.clip(np.round(truth + 3.8 + random.normal(size=n)), 1, 5)
    return np.where(random.random(n) < 0.8, human, other).tolist(), human.tolist()


@pytest.mark.parametrize(
    ("coefficient", "value"),
    [(pearson, 0.9268551), (spearman, 0.9264330), (kendall, 0.8696264), (concordance, 0.9142857)],
)
def test_they_have_their_reference_values(coefficient: Coefficient, value: float) -> None:
    assert defined(coefficient(SECOND, FIRST)).value == pytest.approx(value, abs=1e-6)


@given(STARS)
def test_they_are_those_of_scipy(pairs: list[tuple[int, int]]) -> None:
    stats = pytest.importorskip("scipy.stats")
    one, other = sides(pairs)
    assume(len(set(one)) > 1 and len(set(other)) > 1)
    assert defined(pearson(one, other)).value == pytest.approx(stats.pearsonr(one, other).statistic, abs=1e-9)
    assert defined(spearman(one, other)).value == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-9)
    assert defined(kendall(one, other)).value == pytest.approx(stats.kendalltau(one, other).statistic, abs=1e-9)


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50)), min_size=3, max_size=60))
def test_kendall_counts_every_pair_of_items(pairs: list[tuple[float, float]]) -> None:
    one, other = (np.array(side).round(6) for side in zip(*pairs, strict=True))
    assume(np.ptp(one) > 0 and np.ptp(other) > 0)
    order = np.sign(one[:, None] - one) * np.sign(other[:, None] - other)
    untied = [(np.sign(side[:, None] - side) ** 2).sum() for side in (one, other)]
    expected = order.sum() / np.sqrt(untied[0] * untied[1])
    assert defined(kendall(one.tolist(), other.tolist())).value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("coefficient", ALL)
@pytest.mark.parametrize("noise", [0.0, 0.7])
def test_their_intervals_are_as_wide_as_leaving_out_items_says(coefficient: Coefficient, noise: float) -> None:
    random = np.random.default_rng(5)
    one, other = stars_and_a_judge_that_repeats_most(300, random)
    one = (np.array(one) + noise * random.normal(size=300)).tolist()
    found = defined(coefficient(one, other))
    without = [
        defined(coefficient(one[:place] + one[place + 1 :], other[:place] + other[place + 1 :])).value
        for place in range(300)
    ]
    assert isinstance(found.interval, Interval)
    error = (np.arctanh(found.interval.high) - np.arctanh(found.interval.low)) / 2 / 1.967930
    expected = np.std(np.arctanh(without)) * np.sqrt(299)
    assert error == pytest.approx(expected, rel=0.05 if coefficient is spearman else 1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("coefficient", ALL)
def test_where_a_judge_repeats_most_values_their_intervals_still_hold_the_truth(coefficient: Coefficient) -> None:
    random = np.random.default_rng(6)
    truth = defined(coefficient(*stars_and_a_judge_that_repeats_most(400_000, random))).value
    found = [coefficient(*stars_and_a_judge_that_repeats_most(100, random)) for _ in range(1_500)]
    ends = [defined(one).interval for one in found]
    held = [isinstance(end, Interval) and end.low <= truth <= end.high for end in ends]
    assert 0.91 <= np.mean(held) <= 0.965
    if coefficient is pearson:
        z = np.arctanh([defined(one).value for one in found])
        by_fisher = np.abs(z - np.arctanh(truth)) <= 1.96 / np.sqrt(97)
        assert by_fisher.mean() < 0.75


@pytest.mark.parametrize("coefficient", [pearson, spearman, kendall])
def test_a_side_that_is_constant_within_rounding_has_no_correlation(coefficient: Coefficient) -> None:
    assert "the judge gave every item" in str(coefficient([0.1 + 0.2, 0.3, 0.3], [1, 2, 3]))
    assert "the people gave every item" in str(coefficient([1, 2, 3], [4, 4, 4]))
    assert "no variation" in str(coefficient([1, 1], [4, 4]))


def test_concordance_of_one_constant_side_is_0() -> None:
    found = defined(concordance([3, 3, 3], [1, 2, 3]))
    assert found.value == 0
    assert isinstance(found.interval, Undefined)


@pytest.mark.parametrize("coefficient", ALL)
def test_too_few_pairs_say_so(coefficient: Coefficient) -> None:
    assert isinstance(coefficient([], []), Undefined)
    assert coefficient([1], [2]) == Undefined("one pair has no correlation")
    two = defined(coefficient([1, 2], [1, 3]))
    assert isinstance(two.interval, Undefined)


@pytest.mark.parametrize("coefficient", ALL)
@pytest.mark.parametrize("unit", [1e-13, 2e-10, 1e10])
def test_values_are_told_apart_in_any_unit(coefficient: Coefficient, unit: float) -> None:
    """Costs of 2e-10 dollars have the ranks that shares have."""
    here = coefficient(FIRST, SECOND)
    there = coefficient([unit * value for value in FIRST], [unit * value for value in SECOND])
    assert defined(there).value == pytest.approx(defined(here).value, abs=1e-9)
    mirrored = coefficient([-unit * value for value in FIRST], [-unit * value for value in SECOND])
    assert defined(mirrored).value == pytest.approx(defined(here).value, abs=1e-9)


def test_what_rounding_leaves_of_0_is_no_rank_beside_scores_that_reach_1() -> None:
    noise = 0.1 + 0.2 - 0.3
    one, other = [0.0, 0, 0, 0, 0, 1, 1, 0], [0.0, 0, 1, 0, 0, 1, 0, 0]
    noisy = [noise, 0.0, noise / 2, noise / 4, 0.0, 1.0, 1.0, noise]
    assert defined(kendall(noisy, other)).value == pytest.approx(defined(kendall(one, other)).value, abs=1e-12)
    assert defined(spearman(noisy, other)).value == pytest.approx(defined(spearman(one, other)).value, abs=1e-12)


def test_differences_of_rounding_are_ties() -> None:
    noisy = [value + 1e-10 * place for place, value in enumerate(SECOND)]
    for coefficient in (spearman, kendall):
        assert defined(coefficient(noisy, FIRST)).value == defined(coefficient(SECOND, FIRST)).value


@given(STARS)
def test_swapping_the_sides_changes_nothing_and_reversing_one_turns_the_sign(pairs: list[tuple[int, int]]) -> None:
    one, other = sides(pairs)
    assume(len(set(one)) > 1 and len(set(other)) > 1)
    for coefficient in ALL:
        assert defined(coefficient(other, one)).value == pytest.approx(defined(coefficient(one, other)).value)
    for coefficient in (pearson, spearman, kendall):
        turned = coefficient([-value for value in one], other)
        assert defined(turned).value == pytest.approx(-defined(coefficient(one, other)).value)


def test_an_offset_lowers_concordance_and_no_correlation() -> None:
    shifted = [value + 1 for value in FIRST]
    assert defined(pearson(shifted, FIRST)).value == pytest.approx(1)
    # Variances 2 and 2, bias 1: 2·2 / (2 + 2 + 1).
    assert defined(concordance(shifted, FIRST)).value == pytest.approx(0.8)


def test_a_hundred_thousand_pairs_are_ordered_without_comparing_each_with_each() -> None:
    random = np.random.default_rng(7)
    one = random.normal(size=100_000)
    other = 0.6 * one + 0.8 * random.normal(size=100_000)
    # τ of a normal pair is 2/π·arcsin ρ.
    assert defined(kendall(one.tolist(), other.tolist())).value == pytest.approx(2 / np.pi * np.arcsin(0.6), abs=0.01)


@pytest.mark.scale
def test_a_million_pairs_are_ordered_in_seconds() -> None:
    random = np.random.default_rng(6)
    one = random.normal(size=1_000_000)
    other = 0.6 * one + 0.8 * random.normal(size=1_000_000)
    kendall(one[:100].tolist(), other[:100].tolist())  # imports
    sides = one.tolist(), other.tolist()
    started = process_time()
    found = defined(kendall(*sides))
    assert process_time() - started < 4
    assert found.value == pytest.approx(2 / np.pi * np.arcsin(0.6), abs=0.003)
    assert isinstance(found.interval, Interval)
    assert found.interval.low < found.value < found.interval.high


@given(st.lists(st.integers(-3, 40), max_size=70))
def test_smaller_values_before_each_are_counted(values: list[int]) -> None:
    codes = np.unique(values, return_inverse=True)[1]
    expected = [sum(earlier < value for earlier in values[:place]) for place, value in enumerate(values)]
    assert smaller_before(codes).tolist() == expected


@pytest.mark.parametrize("coefficient", ALL)
def test_sides_that_do_not_fit_are_refused(coefficient: Coefficient) -> None:
    with pytest.raises(RecordError, match="are no pairs"):
        coefficient([1, 2], [1])
    with pytest.raises(RecordError, match="nan"):
        coefficient([1, float("nan")], [1, 2])
