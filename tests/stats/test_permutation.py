from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats.differences import differences
from rejudge.stats.mcnemar import mcnemar_exact
from rejudge.stats.permutation import MOST_ENUMERATED, sign_flip

FIRST = [0.70, 0.55, 0.80, 0.62, 0.91, 0.40, 0.66, 0.73]
SECOND = [0.74, 0.60, 0.79, 0.70, 0.93, 0.47, 0.66, 0.81]
STEPS = st.lists(st.integers(-30, 30).map(lambda tenths: tenths / 10), max_size=10)


def test_it_agrees_with_published_values() -> None:
    found = sign_flip(differences(FIRST, SECOND), seed=0)
    assert (found.test, found.p, found.n) == ("sign-flip-exact", 8 / 256, 7)
    assert found.statistic == pytest.approx(0.04125)


@given(STEPS)
def test_it_counts_every_assignment_of_signs(changes: list[float]) -> None:
    sums = [
        abs(math.fsum(sign * change for sign, change in zip(signs, changes, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(changes))
    ]
    seen = abs(math.fsum(changes)) - 1e-9
    assert sign_flip(changes, seed=0).p == pytest.approx(sum(one >= seen for one in sums) / len(sums))


@given(STEPS)
def test_swapping_the_sides_leaves_p_and_turns_the_sign(changes: list[float]) -> None:
    found, turned = sign_flip(changes, seed=0), sign_flip([-change for change in changes], seed=0)
    assert (found.p, found.statistic) == (turned.p, -turned.statistic)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 9))
def test_on_passes_and_fails_it_is_mcnemars_exact_test(b: int, c: int, ties: int) -> None:
    assert sign_flip([1.0] * b + [-1.0] * c + [0.0] * ties, seed=0).p == pytest.approx(mcnemar_exact(b, c).p)


@given(STEPS, st.sampled_from([1e-12, 1e12]))
def test_the_unit_of_the_scores_leaves_p(changes: list[float], size: float) -> None:
    assert sign_flip([size * change for change in changes], seed=0).p == sign_flip(changes, seed=0).p


def test_many_pairs_are_drawn_from_the_seed() -> None:
    changes = np.random.default_rng(4).normal(0.15, 1, size=200)
    found = sign_flip(changes, seed=1)
    assert (found.test, found.drawn) == ("sign-flip-drawn", 10_000)
    assert found == sign_flip(changes, seed=1)
    assert found.p != sign_flip(changes, seed=2).p


def test_the_three_ways_agree_where_they_meet() -> None:
    changes = np.random.default_rng(8).normal(0.5, 1, size=MOST_ENUMERATED)
    exact = sign_flip(changes, seed=0).p
    one_more = np.append(changes, 1e-7)
    drawn, normal = sign_flip(one_more, seed=0, flips=40_000), sign_flip(one_more, seed=0, flips=0)
    assert (drawn.test, normal.test) == ("sign-flip-drawn", "sign-flip-normal")
    assert drawn.p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 40_000))
    assert normal.p == pytest.approx(exact, abs=0.01)


def test_a_drawn_p_value_is_never_zero() -> None:
    assert sign_flip(np.linspace(1, 2, 100), seed=0, flips=500).p == 1 / 501


@pytest.mark.parametrize("n", [6, 10])
def test_the_exact_test_errs_no_more_often_than_it_says(n: int) -> None:
    samples = 3_000
    drawn = np.random.default_rng(n).normal(size=(samples, n)).round(1)
    errs = np.mean([sign_flip(row, seed=0).p <= 0.05 for row in drawn])
    assert 0.01 < errs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / samples)


def test_ties_alone_show_nothing() -> None:
    assert sign_flip([0.0, 0.0], seed=0).p == 1
    assert sign_flip([], seed=0).p == 1
