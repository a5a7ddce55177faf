from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.mcnemar import (
    Outcomes,
    mcnemar_chi2,
    mcnemar_chi2_corrected,
    mcnemar_exact,
    mcnemar_mid_p,
    odds_ratio,
    paired_share_interval,
)

COUNTS = st.integers(0, 60)
TESTS = [mcnemar_exact, mcnemar_mid_p, mcnemar_chi2, mcnemar_chi2_corrected]


def outcomes(*, both: int = 0, b: int = 0, c: int = 0, neither: int = 0) -> Outcomes:
    return Outcomes(both=both, only_second=b, only_first=c, neither=neither)


def interval(found: Interval | Undefined) -> Interval:
    assert isinstance(found, Interval), found
    return found


def rejection_rate(n: int, test: int) -> float:
    """How often the test at 5 % errs where both are as good, summed over every split of `n` discordant items."""
    return math.fsum(math.comb(n, b) * 0.5**n for b in range(n + 1) if TESTS[test](b, n - b).p <= 0.05)


def test_the_tests_agree_with_published_values() -> None:
    assert mcnemar_exact(10, 2).p == pytest.approx(0.0385742, abs=1e-7)
    assert mcnemar_mid_p(10, 2).p == pytest.approx(0.0224609, abs=1e-7)
    corrected, plain = mcnemar_chi2_corrected(10, 2), mcnemar_chi2(10, 2)
    assert (corrected.statistic, corrected.p) == pytest.approx((4.0833333, 0.0433081), abs=1e-7)
    assert (plain.statistic, plain.p) == pytest.approx((5.3333333, 0.0209213), abs=1e-7)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (0, 1)])
def test_one_item_at_most_shows_nothing(b: int, c: int) -> None:
    assert mcnemar_exact(b, c).p == 1


def test_without_a_difference_there_is_nothing_to_test() -> None:
    assert [test(0, 0).p for test in TESTS] == [1, 1, 1, 1]


@given(COUNTS, COUNTS)
def test_swapping_the_sides_leaves_every_p_value(b: int, c: int) -> None:
    for test in TESTS:
        assert test(b, c) == test(c, b)


@given(COUNTS, COUNTS)
def test_the_mid_p_value_is_the_exact_one_less_the_split_itself(b: int, c: int) -> None:
    n, smaller = b + c, min(b, c)
    here = math.comb(n, smaller) / 2**n
    tail = sum(math.comb(n, k) for k in range(smaller + 1)) / 2**n
    assert mcnemar_exact(b, c).p == pytest.approx(min(1, 2 * tail))
    expected = (1 - here / 2 if b == c else 2 * tail - here) if n else 1
    assert mcnemar_mid_p(b, c).p == pytest.approx(expected)


@pytest.mark.parametrize("n", [5, 10, 20, 30, 100])
def test_the_exact_test_never_errs_more_often_than_it_says(n: int) -> None:
    assert rejection_rate(n, 0) <= 0.05
    assert rejection_rate(n, 0) <= rejection_rate(n, 1)


def test_the_exact_test_errs_as_seldom_in_samples() -> None:
    samples = 20_000
    drawn = np.random.default_rng(5).multinomial(40, [0.5, 0.15, 0.15, 0.2], size=samples)
    ps = {(b, c): mcnemar_exact(int(b), int(c)).p for b, c in {(b, c) for _, b, c, _ in drawn.tolist()}}
    errs = np.mean([ps[b, c] <= 0.05 for _, b, c, _ in drawn.tolist()])
    assert 0.005 < errs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / samples)


def test_a_million_discordant_items_are_as_quick() -> None:
    assert mcnemar_exact(501_000, 499_000).p == pytest.approx(mcnemar_chi2_corrected(501_000, 499_000).p, rel=1e-3)
    assert mcnemar_mid_p(501_000, 499_000).p == pytest.approx(mcnemar_chi2(501_000, 499_000).p, rel=1e-3)


def test_columns_are_counted() -> None:
    found = Outcomes.of([1, 1, 0, 0, 1, 0], [1, 0, 1, 1, 1, 0])
    assert found == outcomes(both=2, b=2, c=1, neither=1)
    assert (found.n, found.b, found.c) == (6, 2, 1)


def test_what_neither_passes_nor_fails_is_refused() -> None:
    with pytest.raises(RecordError, match="0 or 1"):
        Outcomes.of([1, 0.5], [1, 1])
    with pytest.raises(RecordError, match="not counts"):
        mcnemar_exact(-1, 2)


def test_the_interval_of_the_difference_agrees_with_its_definition() -> None:
    from scipy.optimize import minimize_scalar

    found = interval(paired_share_interval(outcomes(both=26, b=15, c=7, neither=37)))
    assert found.method == "tango"
    for end in (found.low, found.high):

        def loss(share: float, end: float = end) -> float:
            """−log-likelihood with P(only first) = share and P(only second) = share + the difference."""
            rest = 1 - 2 * share - end
            return -(15 * math.log(share + end) + 7 * math.log(share) + 63 * math.log(rest))

        share = minimize_scalar(
            loss, bounds=(max(0, -end) + 1e-9, (1 - end) / 2 - 1e-9), method="bounded", options={"xatol": 1e-12}
        ).x
        z = (8 / 85 - end) / math.sqrt((2 * share + end - end**2) / 85)
        assert abs(z) == pytest.approx(1.959964, abs=1e-4)


@given(COUNTS, COUNTS, COUNTS, COUNTS, st.floats(0.5, 0.999))
def test_the_interval_holds_the_difference_and_mirrors(both: int, b: int, c: int, neither: int, level: float) -> None:
    if not both + b + c + neither:
        return
    found = interval(paired_share_interval(outcomes(both=both, b=b, c=c, neither=neither), level=level))
    n = both + b + c + neither
    assert -1 <= found.low < found.high <= 1
    assert found.low - 1e-12 <= (b - c) / n <= found.high + 1e-12
    swapped = interval(paired_share_interval(outcomes(both=both, b=c, c=b, neither=neither), level=level))
    assert (-swapped.high, -swapped.low) == pytest.approx((found.low, found.high), abs=1e-9)


@given(COUNTS, COUNTS, st.integers(1, 60))
def test_the_interval_excludes_zero_where_chi2_rejects(b: int, c: int, both: int) -> None:
    p = mcnemar_chi2(b, c).p
    if abs(p - 0.05) < 1e-6:
        return
    found = interval(paired_share_interval(outcomes(both=both, b=b, c=c)))
    assert (found.low > 0 or found.high < 0) == (p < 0.05)


@pytest.mark.parametrize(("n", "b", "c"), [(30, 0.1, 0.1), (50, 0.2, 0.05), (100, 0.02, 0.02)])
def test_the_interval_covers_its_level(n: int, b: float, c: float) -> None:
    samples = 4_000
    drawn = np.random.default_rng(3).multinomial(n, [b, c, 1 - b - c], size=samples).tolist()
    ends = {(up, down): interval(paired_share_interval(outcomes(b=up, c=down, both=rest))) for up, down, rest in drawn}
    covers = np.mean([ends[up, down].low <= b - c <= ends[up, down].high for up, down, _ in drawn])
    assert covers == pytest.approx(0.95, abs=0.03)


def test_no_item_decided_differently_still_has_an_interval() -> None:
    found = interval(paired_share_interval(outcomes(both=90, neither=10)))
    z2 = 1.959963985**2
    assert (found.low, found.high) == pytest.approx((-z2 / (100 + z2), z2 / (100 + z2)), abs=1e-8)


def test_the_odds_ratio_has_its_exact_interval() -> None:
    found = odds_ratio(outcomes(b=10, c=2, both=20))
    assert not isinstance(found, Undefined)
    value, ends = found
    assert value == 5
    assert (ends.low / (1 + ends.low), ends.high / (1 + ends.high)) == pytest.approx((0.5158623, 0.9791375), abs=1e-6)


@pytest.mark.parametrize(("b", "why"), [(0, "no item is passed by one side only"), (3, "odds have no upper end")])
def test_an_odds_ratio_without_an_end_is_undefined(b: int, why: str) -> None:
    found = odds_ratio(outcomes(b=b, both=10))
    assert isinstance(found, Undefined)
    assert why in found.reason


def test_nothing_paired_has_no_interval() -> None:
    assert paired_share_interval(outcomes()) == Undefined("nothing was scored")
    with pytest.raises(ConfigurationError):
        paired_share_interval(outcomes(both=1), level=95)
