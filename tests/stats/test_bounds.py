"""The bounds of a mean and of a difference where scores are missing: every way to fill them in lies between."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rejudge.stats.bounds import Bounds, Known, bounds_of_difference, bounds_of_mean
from rejudge.stats.interval import Undefined
from rejudge.stats.scale import FIVE_STAR, NO_BOUNDS, PASS_FAIL

TRIALS: list[list[float | None]] = [[1, None], [0, 0], [None, None]]


def known(trials: list[list[float | None]]) -> Known:
    scored = [[value for value in item if value is not None] for item in trials]
    return Known(
        np.array([float(sum(item)) for item in scored]),
        np.array([float(len(item)) for item in scored]),
        np.array([float(len(item)) for item in trials]),
    )


def filled(trials: list[list[float | None]], ends: tuple[float, ...]) -> list[float]:
    """The means over items for every way to fill in what is missing."""
    gaps = [(place, trial) for place, item in enumerate(trials) for trial, value in enumerate(item) if value is None]
    found = []
    for values in product(ends, repeat=len(gaps)):
        given = dict(zip(gaps, values, strict=True))
        means = [
            np.mean([given[place, trial] if value is None else value for trial, value in enumerate(item)])
            for place, item in enumerate(trials)
        ]
        found.append(float(np.mean(means)))
    return found


def test_every_way_to_fill_in_what_is_missing_lies_within_the_bounds_and_two_reach_them() -> None:
    bounds = bounds_of_mean(known(TRIALS), PASS_FAIL)
    assert isinstance(bounds, Bounds)
    means = filled(TRIALS, (0, 0.5, 1))
    assert [bounds.low, bounds.high] == pytest.approx([min(means), max(means)])
    assert bounds.items == 3


def test_a_difference_moves_by_what_is_missing_on_both_sides() -> None:
    other: list[list[float | None]] = [[1, 1], [None, 1], [0, 0]]
    bounds = bounds_of_difference(known(TRIALS), known(other), PASS_FAIL)
    assert isinstance(bounds, Bounds)
    before, after = filled(TRIALS, (0, 1)), filled(other, (0, 1))
    assert [bounds.low, bounds.high] == pytest.approx([min(after) - max(before), max(after) - min(before)])
    turned = bounds_of_difference(known(other), known(TRIALS), PASS_FAIL)
    assert isinstance(turned, Bounds)
    assert (turned.low, turned.high) == (-bounds.high, -bounds.low)


def test_with_nothing_missing_both_bounds_are_the_mean() -> None:
    bounds = bounds_of_mean(known([[1, 3], [5, 5]]), FIVE_STAR)
    assert bounds == Bounds(low=3.5, high=3.5, items=2)


def test_without_a_range_or_a_plan_there_are_none() -> None:
    assert bounds_of_mean(known(TRIALS), NO_BOUNDS) == Undefined("the range is not declared")
    assert bounds_of_difference(known([]), known([]), PASS_FAIL) == Undefined("nothing was planned")
