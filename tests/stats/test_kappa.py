"""Cohen's κ against published values, scikit-learn's and statsmodels' (0.15)."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.confusion import Confusion, confusion_of
from rejudge.stats.estimate import Estimate, Statistic
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.kappa import Weighting, agreement_weights, cohen_kappa

Pairs = list[tuple[int, int]]
PAIRS = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=3, max_size=40)
FIRST, SECOND = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5], [1, 2, 3, 4, 4, 2, 2, 4, 4, 5]
THREE = ((30, 5, 5), (5, 25, 5), (5, 5, 15))


def table(*rows: tuple[int, ...]) -> Confusion:
    return Confusion(categories=tuple(map(float, range(len(rows)))), counts=rows)


def defined(found: Statistic) -> Estimate:
    assert isinstance(found, Estimate), found
    return found


def of_pairs(pairs: Pairs) -> Confusion:
    found = confusion_of([one for one, _ in pairs], [other for _, other in pairs])
    assert isinstance(found, Confusion)
    return found


@pytest.mark.parametrize(
    ("rows", "value"),
    [(((20, 5), (10, 15)), 0.4), (((40, 10), (15, 35)), 0.5), (THREE, 0.5419847)],
)
def test_it_has_its_reference_values(rows: tuple[tuple[int, ...], ...], value: float) -> None:
    assert defined(cohen_kappa(table(*rows))).value == pytest.approx(value, abs=1e-6)


def test_its_interval_is_that_of_fleiss_cohen_and_everitt() -> None:
    interval = defined(cohen_kappa(table((20, 5), (10, 15)))).interval
    assert isinstance(interval, Interval)
    assert (interval.low, interval.high) == pytest.approx((0.1510923, 0.6489077), abs=1e-6)
    assert (interval.high - interval.low) / 2 / 1.959964 == pytest.approx(0.1269961, abs=1e-6)


@pytest.mark.parametrize(
    ("weighting", "value", "low", "high"),
    [
        ("identity", 0.5419847328, 0.4062480385, 0.6777214271),
        ("linear", 0.5321637427, 0.3835004264, 0.6808270590),
        ("quadratic", 0.5219123506, 0.3404038134, 0.7034208879),
    ],
)
def test_weighted_ones_have_the_intervals_of_statsmodels(
    weighting: Weighting, value: float, low: float, high: float
) -> None:
    found = defined(cohen_kappa(table(*THREE), weighting=weighting))
    assert isinstance(found.interval, Interval)
    assert (found.value, found.interval.low, found.interval.high) == pytest.approx((value, low, high), abs=1e-9)


@pytest.mark.parametrize(("weighting", "value"), [("identity", 0.625), ("linear", 0.8), ("quadratic", 0.9142857)])
def test_near_misses_count_by_their_distance(weighting: Weighting, value: float) -> None:
    found = cohen_kappa(of_pairs(list(zip(SECOND, FIRST, strict=True))), weighting=weighting)
    assert defined(found).value == pytest.approx(value, abs=1e-6)


def test_where_every_value_is_the_same_there_is_no_variation_and_p_o_is_told() -> None:
    found = cohen_kappa(table((9, 0), (0, 0)))
    assert isinstance(found, Undefined)
    assert "no variation" in found.reason
    assert "p_o = 1" in found.reason


def test_one_side_that_never_varies_agrees_no_better_than_chance() -> None:
    assert defined(cohen_kappa(table((6, 0), (4, 0)))).value == 0


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_pairs_say_nothing(n: int) -> None:
    assert isinstance(cohen_kappa(table((n, 0), (0, 0))), Undefined)


def test_full_agreement_has_no_interval_of_width_zero() -> None:
    found = defined(cohen_kappa(table((5, 0), (0, 5))))
    assert found.value == 1
    assert isinstance(found.interval, Undefined)


@given(PAIRS, st.permutations([1, 2, 3, 4]), st.randoms())
def test_other_names_and_another_order_of_rows_change_nothing(pairs: Pairs, names: list[int], random: Random) -> None:
    renamed = [(names[one - 1], names[other - 1]) for one, other in pairs]
    random.shuffle(renamed)
    one, other = cohen_kappa(of_pairs(pairs)), cohen_kappa(of_pairs(renamed))
    if isinstance(one, Undefined):
        assert one == other
    else:
        assert defined(other).value == pytest.approx(one.value)


@given(PAIRS, st.sampled_from(["linear", "quadratic", "ordinal"]))
def test_reversing_the_scale_and_swapping_the_sides_change_no_weighted_one(pairs: Pairs, weighting: Weighting) -> None:
    one = cohen_kappa(of_pairs(pairs), weighting=weighting)
    assume(isinstance(one, Estimate))
    for changed in ([(5 - first, 5 - second) for first, second in pairs], [(second, first) for first, second in pairs]):
        assert defined(cohen_kappa(of_pairs(changed), weighting=weighting)).value == pytest.approx(defined(one).value)


def test_a_category_that_nobody_used_changes_no_kappa() -> None:
    full = confusion_of(SECOND, FIRST, categories=[0, 1, 2, 3, 4, 5, 6])
    assert isinstance(full, Confusion)
    for weighting in ("identity", "linear", "quadratic"):
        few = cohen_kappa(of_pairs(list(zip(SECOND, FIRST, strict=True))), weighting=weighting)
        assert defined(cohen_kappa(full, weighting=weighting)).value == pytest.approx(defined(few).value)


def test_ordinal_weights_use_the_order_alone() -> None:
    near = agreement_weights([1.0, 2.0, 3.0, 4.0, 5.0], "ordinal")
    assert near[0].tolist() == pytest.approx([1, 0.9, 0.7, 0.4, 0])
    assert (agreement_weights([1.0, 2.0, 30.0, 400.0, 5000.0], "ordinal") == near).all()


def test_labels_have_no_weights() -> None:
    with pytest.raises(ConfigurationError, match="labels have no distance"):
        cohen_kappa(Confusion(categories=("a", "b"), counts=((3, 1), (1, 3))), weighting="linear")


@pytest.mark.parametrize(("n", "least"), [(50, 0.92), (200, 0.935)])
def test_its_interval_holds_the_truth_about_as_often_as_it_says(n: int, least: float) -> None:
    shares = np.array([[0.4, 0.1], [0.15, 0.35]])
    drawn = np.random.default_rng(3).multinomial(n, shares.ravel(), size=3_000)
    held = 0
    for counts in drawn.tolist():
        interval = defined(cohen_kappa(table((counts[0], counts[1]), (counts[2], counts[3])))).interval
        held += isinstance(interval, Interval) and interval.low <= 0.5 <= interval.high
    assert least <= held / len(drawn) <= 0.965
