"""Adjusted p-values: reference values, orders that hold always, and how often chance alone raises an alarm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.stats.multiple import benjamini_hochberg, holm

P_VALUES = st.lists(st.floats(0, 1), max_size=30)


def test_both_have_their_reference_values() -> None:
    assert benjamini_hochberg([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.02, 0.04, 0.04, 0.02], abs=1e-12)
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02], abs=1e-12)


def test_benjamini_hochberg_agrees_with_scipy() -> None:
    from scipy.stats import false_discovery_control

    p = np.random.default_rng(1).beta(0.5, 2, size=200)
    assert benjamini_hochberg(p) == pytest.approx(false_discovery_control(p).tolist(), abs=1e-12)


@given(P_VALUES)
def test_an_adjusted_value_lies_between_the_plain_one_and_bonferroni(p: list[float]) -> None:
    for plain, found, strict in zip(p, benjamini_hochberg(p), holm(p), strict=True):
        assert plain - 1e-12 <= found <= strict + 1e-12
        assert strict <= min(1.0, plain * len(p)) + 1e-12


@given(P_VALUES.flatmap(lambda p: st.tuples(st.just(p), st.permutations(range(len(p))))))
def test_the_order_of_tests_does_not_matter(case: tuple[list[float], list[int]]) -> None:
    p, shuffled = case
    for adjust in (holm, benjamini_hochberg):
        plain, moved = adjust(p), adjust([p[place] for place in shuffled])
        assert moved == pytest.approx([plain[place] for place in shuffled], abs=1e-12)


@given(P_VALUES)
def test_a_smaller_p_value_is_never_adjusted_above_a_larger_one(p: list[float]) -> None:
    for adjust in (holm, benjamini_hochberg):
        in_order = [value for _, value in sorted(zip(p, adjust(p), strict=True))]
        assert in_order == sorted(in_order)


def test_holm_keeps_false_alarms_of_the_family_at_the_level() -> None:
    p = np.random.default_rng(3).uniform(size=(4_000, 10))
    alarms = np.mean([min(holm(family)) <= 0.05 for family in p])
    plain = np.mean(p.min(axis=1) <= 0.05)
    assert alarms <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 4_000)
    assert plain > 0.35


def test_benjamini_hochberg_keeps_the_share_of_false_alarms_at_the_level() -> None:
    from scipy.special import ndtr

    z = np.random.default_rng(4).normal(size=(2_000, 20))
    z[:, :10] += 3
    found = np.array([benjamini_hochberg(family) for family in 2 * ndtr(-np.abs(z))]) <= 0.05
    false = found[:, 10:].sum(axis=1) / np.maximum(1, found.sum(axis=1))
    assert false.mean() <= 0.05 + 0.005
    assert found[:, :10].mean() > 0.7


def test_no_tests_have_no_p_values() -> None:
    assert (holm([]), benjamini_hochberg([])) == ([], [])


@pytest.mark.parametrize("p", [[0.5, 1.2], [-0.1], [float("nan")]])
def test_what_is_no_p_value_is_refused(p: list[float]) -> None:
    for adjust in (holm, benjamini_hochberg):
        with pytest.raises(RecordError, match="not a"):
            adjust(p)
