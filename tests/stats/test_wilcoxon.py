from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rejudge.stats.differences import differences
from rejudge.stats.interval import Undefined
from rejudge.stats.p_value import PValue
from rejudge.stats.wilcoxon import SignedRanks, Zeros, wilcoxon, wilcoxon_exact

FIRST = [0.70, 0.55, 0.80, 0.62, 0.91, 0.40, 0.66, 0.73]
SECOND = [0.74, 0.60, 0.79, 0.70, 0.93, 0.47, 0.66, 0.81]
STEPS = st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=40)


def exact(values: object) -> PValue:
    found = wilcoxon_exact(SignedRanks.of(values))  # type: ignore[arg-type]
    assert isinstance(found, PValue), found
    return found


@pytest.mark.parametrize(("zeros", "w", "p"), [("drop", 1, 0.0277123), ("pratt", 2, 0.0293720)])
def test_it_agrees_with_published_values(zeros: Zeros, w: float, p: float) -> None:
    found = wilcoxon(SignedRanks.of(differences(FIRST, SECOND)), zeros=zeros)
    assert (found.statistic, found.p) == pytest.approx((w, p), abs=1e-7)
    assert found.n == 7


def test_differences_that_only_rounding_tells_apart_share_their_rank() -> None:
    raw = [after - before for before, after in zip(FIRST, SECOND, strict=True)]
    assert len(set(map(abs, raw))) > len({round(abs(change), 6) for change in raw})
    assert wilcoxon(SignedRanks.of(raw), zeros="drop").p == pytest.approx(0.0277123, abs=1e-7)


@pytest.mark.parametrize("size", [1e-10, 1e-3, 1e12])
def test_the_unit_of_the_scores_changes_nothing(size: float) -> None:
    in_unit = SignedRanks.of(size * differences(FIRST, SECOND))
    for zeros, w, p in (("drop", 1, 0.0277123), ("pratt", 2, 0.0293720)):
        found = wilcoxon(in_unit, zeros=zeros)  # type: ignore[arg-type]
        assert (found.statistic, found.p) == pytest.approx((w, p), abs=1e-7)


def test_one_score_of_another_size_makes_no_ties_of_the_others() -> None:
    assert len(SignedRanks.of([1e10, 0.5, 0.25, -0.125]).shared) == 4


@given(STEPS)
def test_it_agrees_with_scipy(changes: list[float]) -> None:
    if not any(changes):
        assert wilcoxon(SignedRanks.of(changes), zeros="drop").p == 1
        return
    ranks = SignedRanks.of(changes)
    dropped, ranked = wilcoxon(ranks, zeros="drop"), wilcoxon(ranks, zeros="pratt")
    oracle = stats.wilcoxon(changes, zero_method="wilcox", method="approx")
    assert (dropped.statistic, dropped.p) == pytest.approx((oracle.statistic, oracle.pvalue), abs=1e-9)
    oracle = stats.wilcoxon(changes, zero_method="pratt", method="approx")
    assert (ranked.statistic, ranked.p) == pytest.approx((oracle.statistic, oracle.pvalue), abs=1e-9)


@given(st.lists(st.integers(-99, 99).filter(bool), min_size=1, max_size=40, unique_by=abs))
def test_the_exact_test_agrees_with_scipy_where_nothing_ties(changes: list[int]) -> None:
    oracle = stats.wilcoxon(changes, method="exact")
    found = exact(changes)
    assert (found.statistic, found.p) == pytest.approx((oracle.statistic, oracle.pvalue), abs=1e-9)


@given(st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=10))
def test_the_exact_test_counts_every_assignment_of_signs(changes: list[float]) -> None:
    moved = [change for change in changes if change]
    ranks = stats.rankdata(np.abs(moved)) if moved else np.zeros(0)
    signs = np.array(np.meshgrid(*[[-1, 1]] * len(moved))).reshape(len(moved), -1).T if moved else np.zeros((1, 0))
    sums = np.abs(signs @ ranks)
    seen = abs(float(np.sign(moved) @ ranks)) if moved else 0.0
    assert exact(changes).p == pytest.approx(float((sums >= seen - 1e-9).mean()))


@given(STEPS)
def test_swapping_the_sides_leaves_the_p_value(changes: list[float]) -> None:
    ranks, turned = SignedRanks.of(changes), SignedRanks.of([-change for change in changes])
    assert wilcoxon(ranks, zeros="pratt") == wilcoxon(turned, zeros="pratt")
    assert wilcoxon(ranks, zeros="drop") == wilcoxon(turned, zeros="drop")
    assert exact(changes) == exact([-change for change in changes])


def test_the_exact_test_errs_no_more_often_than_it_says() -> None:
    samples = 3_000
    drawn = np.random.default_rng(2).normal(size=(samples, 9)).round(1)
    errs = np.mean([exact(row).p <= 0.05 for row in drawn])
    assert 0.01 < errs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / samples)


def test_more_differences_than_can_be_counted_say_so() -> None:
    found = wilcoxon_exact(SignedRanks.of(range(1, 52)))
    assert isinstance(found, Undefined)
    assert "normal approximation" in found.reason


def test_a_long_chain_of_near_neighbours_is_no_single_tie() -> None:
    ranks = SignedRanks.of(np.arange(1, 1001) * 9e-11 + 0.1)
    assert ranks.n == 1000
    assert 400 < len(ranks.shared) <= 1000
