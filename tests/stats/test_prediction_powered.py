"""The interval of a mean that few labels set right: how often it holds the truth, of skewed scores too."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.prediction_powered import TWO_LABELS, prediction_powered_mean

Floats: TypeAlias = NDArray[np.float64]
Judged: TypeAlias = Callable[[np.random.Generator, int], tuple[Floats, Floats]]
"""What people say of so many items, and what the judge does."""

DRAWS = 1_500
UNLABELLED = 300


def normal(random: np.random.Generator, size: int) -> tuple[Floats, Floats]:
    people = random.normal(size=size)
    return people, people + random.normal(size=size) / 2


def exponential(random: np.random.Generator, size: int) -> tuple[Floats, Floats]:
    people = random.exponential(size=size)
    return people, people + 0.3 * random.exponential(size=size)


def nearly_all_good(random: np.random.Generator, size: int) -> tuple[Floats, Floats]:
    people = random.beta(8, 1, size=size)
    return people, np.clip(people + random.normal(size=size) / 20, 0, 1)


def stars(random: np.random.Generator, size: int) -> tuple[Floats, Floats]:
    people = np.clip(np.round(4.6 + random.normal(size=size)), 1, 5)
    return people, np.clip(np.round(people + 0.6 * random.normal(size=size)), 1, 5)


def log_normal(random: np.random.Generator, size: int) -> tuple[Floats, Floats]:
    people = np.exp(random.normal(size=size))
    return people, people * np.exp(0.3 * random.normal(size=size))


def useless(scores: Judged) -> Judged:
    """The same scores beside those of a judge that looks at other items."""

    def judged(random: np.random.Generator, size: int) -> tuple[Floats, Floats]:
        return scores(random, size)[0], scores(random, size)[1]

    return judged


def covered(judged: Judged, labels: int) -> float:
    random = np.random.default_rng(31)
    truth = float(judged(random, 2_000_000)[0].mean())
    people, judge = (column.reshape(DRAWS, labels) for column in judged(random, DRAWS * labels))
    alone = judged(random, DRAWS * UNLABELLED)[1].reshape(DRAWS, UNLABELLED)
    held = 0
    for columns in zip(people, judge, alone, strict=True):
        found = prediction_powered_mean(*(column.tolist() for column in columns))
        assert isinstance(found, Estimate)
        # Labels that are all alike have no interval, and so none that is wrong.
        held += not isinstance(found.interval, Interval) or found.interval.low <= truth <= found.interval.high
    return held / DRAWS


@pytest.mark.parametrize("labels", [20, 50, 100])
@pytest.mark.parametrize(
    "judged",
    [normal, exponential, nearly_all_good, stars, *map(useless, (normal, exponential, nearly_all_good, stars))],
    ids=lambda judged: judged.__qualname__.partition(".")[0],
)
def test_few_labels_of_skewed_scores_cover_what_they_say(judged: Judged, labels: int) -> None:
    assert 0.935 <= covered(judged, labels) <= 0.98


@pytest.mark.parametrize("judged", [normal, exponential, useless(stars)])
def test_many_labels_are_no_wider_than_need_be(judged: Judged) -> None:
    assert 0.935 <= covered(judged, 400) <= 0.965


@pytest.mark.parametrize(("labels", "least"), [(20, 0.905), (50, 0.92), (100, 0.93)])
def test_of_log_normal_scores_the_interval_says_how_far_it_falls_short(labels: int, least: float) -> None:
    assert covered(log_normal, labels) >= least


def test_the_skewed_end_reaches_further() -> None:
    random = np.random.default_rng(1)
    people, judge = useless(exponential)(random, 30)
    alone = exponential(random, 200)[1]

    def reaches(sign: int) -> tuple[float, float]:
        found = prediction_powered_mean(*((sign * one).tolist() for one in (people, judge, alone)))
        assert isinstance(found, Estimate)
        assert isinstance(found.interval, Interval)
        return found.value - found.interval.low, found.interval.high - found.value

    below, above = reaches(1)
    assert above > 1.05 * below
    assert reaches(-1) == pytest.approx((above, below))


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_an_interval_scales_with_the_scores(unit: float) -> None:
    random = np.random.default_rng(2)
    (people, judge), (_, alone) = exponential(random, 25), exponential(random, 90)
    here, there = (
        prediction_powered_mean(*((scale * one).tolist() for one in (people, judge, alone))) for scale in (1.0, unit)
    )
    assert isinstance(here, Estimate)
    assert isinstance(there, Estimate)
    assert isinstance(here.interval, Interval)
    assert isinstance(there.interval, Interval)
    assert there.interval.high == pytest.approx(unit * here.interval.high)
    assert math.isclose(there.interval.low, unit * here.interval.low)


def test_two_labels_and_labels_that_are_all_alike_have_no_interval() -> None:
    two = prediction_powered_mean([1, 2], [2, 1], [1, 2, 3])
    assert isinstance(two, Estimate)
    assert two.interval == TWO_LABELS
    alike = prediction_powered_mean([3, 3, 3, 3], [1, 2, 1, 2], [1, 2, 3], power=0)
    assert isinstance(alike, Estimate)
    assert isinstance(alike.interval, Undefined)
