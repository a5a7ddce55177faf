"""Calibrating on several traces of one item: trials of an item are alike, so they are no cases of their own.

Items differ in how good they are and in how far the judge errs on them, and their trials share both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from rejudge.stats.calibration import Calibration, calibrate
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.kappa import cohen_kappa
from rejudge.stats.probability import Reliability
from rejudge.stats.raters import agreement_among_raters
from rejudge.stats.scale import FIVE_STAR, PASS_FAIL, Kind, Scale

Floats: TypeAlias = NDArray[np.float64]
Drawn: TypeAlias = tuple[Floats, Floats]
Random: TypeAlias = np.random.Generator

RUNS, ITEMS, TRIALS = 300, 50, 4
SHARE = Scale(low=0, high=1, direction="higher")
SCALES: dict[Kind, Scale] = {"five_star": FIVE_STAR, "pass_fail": PASS_FAIL, "number": SHARE}
PASSES: dict[Kind, float | None] = {"five_star": 4, "pass_fail": None, "number": 0.5}


def stars(random: Random, items: int, trials: int) -> Drawn:
    quality, error = (np.repeat(random.normal(size=items), trials) for _ in range(2))
    people = quality + 0.3 * random.normal(size=items * trials)
    judge = 0.3 + 0.7 * quality + 0.7 * error + 0.3 * random.normal(size=items * trials)
    one, other = (np.clip(np.round(3 + 1.2 * side), 1, 5) for side in (judge, people))
    return one, other


def passes(random: Random, items: int, trials: int) -> Drawn:
    rate, skill = (np.repeat(random.beta(a, 0.6, size=items), trials) for a in (1.4, 2.4))
    people = (random.random(len(rate)) < rate).astype(float)
    return np.where(random.random(len(rate)) < skill, people, 1 - people), people


def chances(random: Random, items: int, trials: int) -> Drawn:
    chance, own, error = (np.repeat(draw, trials) for draw in (*random.random((2, items)), random.normal(size=items)))
    shared = random.random(items * trials) < 0.7
    people = (np.where(shared, own, random.random(items * trials)) < chance).astype(float)
    return np.clip(chance + 0.15 * error, 0, 1), people


MAKERS: dict[Kind, Callable[[Random, int, int], Drawn]] = {"five_star": stars, "pass_fail": passes, "number": chances}


def found_in(kind: Kind, drawn: Drawn, *, trials: int | None = None) -> Calibration:
    judge, human = drawn[0].tolist(), drawn[1].tolist()
    items = None if trials is None else [place // trials for place in range(len(judge))]
    return calibrate(judge, human, kind=kind, scale=SCALES[kind], seed=1, passes=PASSES[kind], items=items)


def width(found: object) -> float:
    assert isinstance(found, Estimate)
    assert isinstance(found.interval, Interval)
    return found.interval.high - found.interval.low


@pytest.mark.parametrize("kind", ["five_star", "pass_fail", "number"])
def test_trials_taken_for_cases_claim_too_much_and_by_item_no_measure_does(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rejudge.stats.probability.RESAMPLES", 100)
    random = np.random.default_rng(31)
    truths = found_in(kind, MAKERS[kind](random, 100_000, 1)).statistics
    held: dict[str, list[list[bool]]] = defaultdict(lambda: [[], []])
    for _ in range(RUNS):
        drawn = MAKERS[kind](random, ITEMS, TRIALS)
        for way, trials in enumerate((None, TRIALS)):
            for name, statistic in found_in(kind, drawn, trials=trials).statistics.items():
                truth = truths[name]
                if isinstance(statistic, Estimate) and isinstance(truth, Estimate):
                    around = statistic.interval
                    assert isinstance(around, Interval), (name, around)
                    assert around.method.startswith("cluster") or trials is None
                    held[name][way].append(around.low <= truth.value <= around.high)
    covered = {name: (float(np.mean(naive)), float(np.mean(by_item))) for name, (naive, by_item) in held.items()}
    assert {"accuracy", "kappa", "ac1", "alpha_nominal", "mcc", "pearson", "kendall", "mae", "bias", "tpr"} <= set(
        covered
    )
    assert {name: rate for name, (_, rate) in covered.items() if rate < 0.9} == {}
    assert np.median([rate for _, rate in covered.values()]) == pytest.approx(0.945, abs=0.025)
    assert np.median([rate for rate, _ in covered.values()]) < 0.91
    assert all(by_item >= naive for naive, by_item in covered.values())


@pytest.mark.parametrize("kind", ["five_star", "pass_fail", "number"])
def test_an_item_that_comes_once_changes_nothing(kind: Kind) -> None:
    drawn = MAKERS[kind](np.random.default_rng(32), 60, 1)
    assert found_in(kind, drawn, trials=1) == found_in(kind, drawn)


@pytest.mark.parametrize("kind", ["five_star", "pass_fail", "number"])
def test_trials_that_never_differ_say_as_much_as_one(kind: Kind) -> None:
    judge, human = MAKERS[kind](np.random.default_rng(33), 200, 1)
    once = found_in(kind, (judge, human)).statistics
    thrice = found_in(kind, (np.repeat(judge, 3), np.repeat(human, 3)), trials=3)
    assert (thrice.n, thrice.items) == (600, 200)
    for name, one in once.items():
        if isinstance(one, Undefined):
            continue
        other = thrice.statistics[name]
        assert isinstance(other, Estimate)
        assert (other.n, one.n) in {(600, 200), (3 * one.n, one.n)}
        # The limits' interval takes single differences for normal, which those of 0 and 1 are not.
        if kind != "pass_fail" or not name.startswith("limit"):
            assert width(other) == pytest.approx(width(one), rel=0.12), name


def test_which_item_a_name_stands_for_and_the_order_of_pairs_do_not_matter() -> None:
    random = np.random.default_rng(34)
    judge, human = stars(random, 40, 3)
    names = [f"item {place // 3}" for place in range(120)]
    order = random.permutation(120)
    mixed = [names[place].upper() for place in order]
    plain, other = (
        calibrate(one.tolist(), two.tolist(), kind="five_star", scale=FIVE_STAR, seed=1, items=items)
        for one, two, items in ((judge, human, names), (judge[order], human[order], mixed))
    )
    for name, one in plain.statistics.items():
        two = other.statistics[name]
        if isinstance(one, Undefined):
            assert two == one
            continue
        assert isinstance(two, Estimate)
        assert two.value == pytest.approx(one.value)
        assert width(two) == pytest.approx(width(one))


def test_labels_are_cases_by_item_too() -> None:
    random = np.random.default_rng(35)
    codes = np.repeat(random.integers(0, 3, size=(2, 40)), 5, axis=1)
    codes[1] = np.where(random.random(200) < 0.7, codes[0], codes[1])
    judge, human = (["abc"[code] for code in side] for side in codes)
    items = [place // 5 for place in range(200)]
    plain = calibrate(judge, human, kind="label", scale=SHARE, seed=1, passes={"a", "b"})
    found = calibrate(judge, human, kind="label", scale=SHARE, seed=1, passes={"a", "b"}, items=items)
    assert (found.n, found.items) == (200, 40)
    assert plain.items == 200
    for name in ("accuracy", "kappa", "ac1", "alpha_nominal", "mcc", "tpr", "tnr"):
        assert width(found.statistics[name]) > width(plain.statistics[name])


def test_one_item_shows_no_spread_between_items() -> None:
    drawn = stars(np.random.default_rng(36), 1, 8)
    found = found_in("five_star", drawn, trials=8)
    assert found.items == 1
    known = [one for one in found.statistics.values() if isinstance(one, Estimate)]
    assert known
    assert all(
        "one item" in str(one.interval) or "alike" in str(one.interval) or "same" in str(one.interval) for one in known
    )


def test_a_reliability_curve_and_its_error_count_items() -> None:
    judge, human = chances(np.random.default_rng(37), 100, 5)
    plain, found = (found_in("number", (judge, human), trials=trials).reliability for trials in (None, 5))
    assert isinstance(plain, Reliability)
    assert isinstance(found, Reliability)
    assert found.if_calibrated > 1.3 * plain.if_calibrated
    assert width(found.ece) > 1.2 * width(plain.ece)
    assert found == found_in("number", (judge, human), trials=5).reliability
    wider = [width(two.observed) > width(one.observed) for one, two in zip(plain.bins, found.bins, strict=True)]
    assert sum(wider) >= 8


def test_trials_that_contradict_each_other_make_nothing_surer() -> None:
    # Within each item the judge errs once up and once down: trials that contradict each other.
    human = np.tile([2.0, 4.0], 30)
    judge = human + np.tile([1.0, -1.0], 30)
    plain, found = (found_in("five_star", (judge, human), trials=trials).statistics for trials in (None, 2))
    assert width(found["bias"]) >= width(plain["bias"])


def test_raters_of_several_traces_of_an_item_agree_by_item() -> None:
    random = np.random.default_rng(38)
    truth = np.repeat(random.integers(1, 6, 40), 4)
    slip = np.repeat(random.random(40) < 0.3, 4)
    rows: list[list[float | None]] = [
        truth.astype(float).tolist(),
        np.where(slip, 6 - truth, truth).astype(float).tolist(),
        [None if place % 7 == 0 else float(value) for place, value in enumerate(truth)],
    ]
    items = [place // 4 for place in range(160)]
    plain = agreement_among_raters(rows, kind="five_star", scale=FIVE_STAR)
    found = agreement_among_raters(rows, kind="five_star", scale=FIVE_STAR, items=items)
    assert (plain.items, found.items, found.units) == (160, 40, 160)
    for name, one in plain.statistics.items():
        assert width(found.statistics[name]) > 1.3 * width(one), name


def test_kappa_by_item_is_the_kappa_of_the_matrix() -> None:
    drawn = passes(np.random.default_rng(39), 30, 4)
    found = found_in("pass_fail", drawn, trials=4)
    assert not isinstance(found.confusion, Undefined)
    alone, by_item = cohen_kappa(found.confusion), found.statistics["kappa"]
    assert isinstance(alone, Estimate)
    assert isinstance(by_item, Estimate)
    assert by_item.value == pytest.approx(alone.value)
