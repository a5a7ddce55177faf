"""How sure a sum of weighted rates is: parts of an explanation whose few items all pass, all fail, or nearly so."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from rejudge.stats.decompose import Cells, Part, Scores, Split, decompose
from rejudge.stats.interval import NO_SPREAD, Interval, Undefined
from rejudge.stats.linear import ONE_ITEM, Mean
from rejudge.stats.rates import interval_of_rates
from rejudge.stats.scale import FIVE_STAR, NO_BOUNDS, PASS_FAIL, Scale

DRAWS = 4_000
NEAR_THE_ENDS = [(0.95, 0.95), (0.97, 0.9), (0.02, 0.05), (0.04, 0.96), (0.99, 0.99), (0.99, 0.01), (0.97, 0.5)]


def new_items(new: list[float], common: list[float], *, scale: Scale = PASS_FAIL, clusters: bool = False) -> Split:
    """The second run has `new` items beside the common ones, which score the same in both."""
    none: list[float | None] = [None] * len(new)
    first, second = Scores.of([*common, *none]), Scores.of([*common, *new])
    same = np.array([True] * len(common) + [False] * len(new))
    names = [str(place // 2) for place in range(len(same))] if clusters else None
    return decompose(Cells(first=first, second=second, same=same), scale=scale, clusters=names, resamples=100).split


def unscored_items(unscored: list[float], scored: list[float]) -> Split:
    """The second run has no score of items that the first run scored `unscored`."""
    none: list[float | None] = [None] * len(unscored)
    first, second = Scores.of([*scored, *unscored]), Scores.of([*scored, *none])
    same = np.array([True] * (len(scored) + len(unscored)))
    return decompose(Cells(first=first, second=second, same=same), scale=PASS_FAIL, resamples=100).split


def outcomes(passed: int, n: int) -> list[float]:
    return [1.0] * passed + [0.0] * (n - passed)


def ends(part: Part) -> tuple[float, float]:
    assert isinstance(part.interval, Interval), part
    return part.interval.low, part.interval.high


@pytest.mark.parametrize("name", ["data", "missing"])
@pytest.mark.parametrize("beside", [5, 10, 30, 100])
@pytest.mark.parametrize("n", [5, 10, 30])
def test_a_part_of_few_items_of_rates_near_0_or_1_covers_what_it_says(n: int, beside: int, name: str) -> None:
    @cache
    def found(passed: int, others: int) -> tuple[float, float]:
        few, many = outcomes(passed, n), outcomes(others, beside)
        split = new_items(few, many) if name == "data" else unscored_items(few, many)
        return ends(getattr(split, name))

    share = n / (n + beside) * (1 if name == "data" else -1)
    chance = np.random.default_rng(20)
    for rate, other in NEAR_THE_ENDS:
        few, many = (chance.binomial(*one, DRAWS).tolist() for one in ((n, rate), (beside, other)))
        truth = share * (rate - other)
        covered = np.mean([low - 1e-12 <= truth <= high + 1e-12 for low, high in map(found, few, many)])
        assert covered >= 0.93, (rate, other)


def test_runs_of_three_other_items_each_that_all_pass_and_all_fail_have_a_wide_difference() -> None:
    first, second = Scores.of([1.0, 1, 1, None, None, None]), Scores.of([None, None, None, 0.0, 0, 0])
    found = decompose(Cells(first=first, second=second, same=np.zeros(6, dtype=bool)), resamples=100).split
    low, high = ends(found.difference)
    assert low == -1
    assert high > -0.1


def test_the_interval_is_that_of_both_rates_recovered() -> None:
    low, high = ends(new_items(outcomes(5, 5), outcomes(72, 90)).data)
    # 5 of 5 reach 0.521824 below (Clopper and Pearson), 72 of 90 reach 0.071268 above (Agresti and Coull with t).
    assert low == pytest.approx(5 / 95 * (0.2 - np.hypot(0.521824, 0.071268)), abs=1e-6)
    assert low < 0 < high <= 5 / 95


def test_items_on_both_sides_are_paired_and_a_few_that_agree_make_nothing_surer() -> None:
    first, second = np.array([1.0, 1, 1, 1, 0, 0] * 10), np.array([1.0, 1, 1, 0, 0, 0] * 10)
    all_of = np.ones(60, dtype=bool)
    halves = np.arange(60) < 30, np.arange(60) >= 30

    def width(means: list[Mean]) -> float:
        interval = interval_of_rates(means)
        assert isinstance(interval, Interval)
        return interval.high - interval.low

    paired = width([Mean(1.0, second, all_of), Mean(-1.0, first, all_of)])
    crossed = width([Mean(1.0, second, all_of), Mean(-1.0, 1 - first, all_of)])
    apart = width([Mean(1.0, second, halves[0]), Mean(-1.0, first, halves[1])])
    assert paired < apart / np.sqrt(2)
    assert crossed > apart / np.sqrt(2)
    few = np.arange(60) < 2
    alike = [Mean(1.0, second, few), Mean(-1.0, second, few)]
    assert width(alike) > 1


def test_values_that_show_no_spread_and_are_no_rates_have_no_interval() -> None:
    spread = [0.2, 0.9, 0.4, 0.7] * 5
    assert new_items([0.6] * 3, spread, scale=NO_BOUNDS).data.interval == Undefined(NO_SPREAD)
    assert new_items([0.5, 0.6, 0.7], [0.5] * 20, scale=NO_BOUNDS).data.interval == Undefined(NO_SPREAD)
    assert isinstance(new_items([0.5, 0.6, 0.7], spread, scale=NO_BOUNDS).data.interval, Interval)
    assert new_items([1.0] * 4, [1.0] * 9 + [2.0], scale=FIVE_STAR).data.interval == Undefined(NO_SPREAD)


def test_clusters_that_show_no_spread_have_no_interval() -> None:
    assert new_items([1.0] * 6, outcomes(15, 20), clusters=True).data.interval == Undefined(NO_SPREAD)
    assert isinstance(new_items(outcomes(3, 6), outcomes(15, 20), clusters=True).data.interval, Interval)


def test_common_items_that_score_the_same_on_both_sides_take_no_interval_away() -> None:
    """Six references were corrected; the other items are as they were, whatever they score."""
    first, second = Scores.of([0.5] * 20 + [0.1, 0.2, 0.3] * 2), Scores.of([0.5] * 20 + [0.8, 0.5, 0.9] * 2)
    found = decompose(Cells(first=first, second=second, same=np.arange(26) < 20), resamples=100).split
    assert found.together.value == 0
    low, high = ends(found.data)
    assert low > 0
    assert high < 0.2


def test_one_new_item_shows_nothing_even_of_a_rate() -> None:
    assert new_items([1.0], outcomes(15, 20)).data.interval == ONE_ITEM
