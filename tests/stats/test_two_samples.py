"""Two samples of different items, against SciPy and published examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.two_samples import Difference, Passes, Sample, two_means, two_rates

A = [0.70, 0.55, 0.80, 0.62, 0.91, 0.40, 0.66, 0.73]
B = [0.74, 0.60, 0.79, 0.70, 0.93, 0.47, 0.66, 0.81]


def sample(values: list[float]) -> Sample:
    numbers = np.array(values)
    return Sample(len(numbers), float(numbers.mean()), float(((numbers - numbers.mean()) ** 2).sum()))


def ends(found: Difference) -> tuple[float, float]:
    assert isinstance(found.interval, Interval)
    return found.interval.low, found.interval.high


def test_two_means_have_their_reference_values() -> None:
    found = two_means(sample(A), sample(B))
    assert found.value == pytest.approx(0.04125)
    assert found.test == "welch-t"
    # The error is 0.0740219, and Student's t, which supposes equal variances, would make p 0.5861.
    from scipy import stats

    freedom = stats.ttest_ind(B, A, equal_var=False).df
    assert ends(found)[1] - 0.04125 == pytest.approx(0.0740219 * stats.t.ppf(0.975, freedom), abs=2e-7)
    assert stats.ttest_ind(B, A).pvalue == pytest.approx(0.5861, abs=5e-5)
    assert found.p == pytest.approx(0.58623, abs=5e-6)


@given(
    st.lists(st.floats(-5, 5, allow_subnormal=False), min_size=2, max_size=20),
    st.lists(st.floats(-5, 5, allow_subnormal=False), min_size=2, max_size=20),
)
def test_two_means_agree_with_scipy(first: list[float], second: list[float]) -> None:
    from scipy import stats

    if np.ptp(first) < 1e-6 or np.ptp(second) < 1e-6:
        return
    theirs = stats.ttest_ind(second, first, equal_var=False)
    found = two_means(sample(first), sample(second))
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-12)
    assert ends(found) == pytest.approx(tuple(theirs.confidence_interval()), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    ("second", "first", "low", "high"),
    # Newcombe 1998, table II, method 10: 56/70 − 48/80, 9/10 − 3/10, 10/10 − 0/20, 10/10 − 0/10.
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_the_interval_of_two_rates_is_newcombes(
    second: tuple[int, int], first: tuple[int, int], low: float, high: float
) -> None:
    found = two_rates(Passes(*first), Passes(*second))
    assert ends(found) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 40), st.integers(1, 400), st.data())
def test_two_rates_are_tested_as_scipy_tests_them(n: int, m: int, data: st.DataObject) -> None:
    from scipy import stats

    passed = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    found = two_rates(Passes(passed[0], n), Passes(passed[1], m))
    table = [[passed[0], n - passed[0]], [passed[1], m - passed[1]]]
    expected = np.outer([n, m], [sum(passed), n + m - sum(passed)]) / (n + m)
    if expected.min() < 1:
        assert found.test == "fisher"
        assert found.p == pytest.approx(stats.fisher_exact(np.array(table)).pvalue, rel=1e-6)
    else:
        chi = stats.chi2_contingency(table, correction=False).statistic * (n + m - 1) / (n + m)
        assert found.test == "chi-square-n-1"
        assert found.p == pytest.approx(stats.chi2.sf(chi, 1), rel=1e-6, abs=1e-12)


@given(st.integers(1, 30), st.integers(1, 30), st.data())
def test_swapping_the_samples_flips_the_sign_and_leaves_p(n: int, m: int, data: st.DataObject) -> None:
    one, two = Passes(data.draw(st.integers(0, n)), n), Passes(data.draw(st.integers(0, m)), m)
    there, back = two_rates(one, two), two_rates(two, one)
    assert back.value == pytest.approx(-there.value)
    assert back.p == pytest.approx(there.p)
    assert ends(back) == pytest.approx(tuple(-end for end in reversed(ends(there))), abs=1e-12)


@pytest.mark.parametrize(("first", "second"), [([0.1], [0.2, 0.4]), ([0.1, 0.1], [0.4, 0.4])])
def test_without_a_spread_there_is_no_test(first: list[float], second: list[float]) -> None:
    found = two_means(sample(first), sample(second))
    assert isinstance(found.p, Undefined)
    assert found.interval == found.p
    assert found.value == pytest.approx(np.mean(second) - np.mean(first))


def test_a_rate_of_no_items_is_refused() -> None:
    with pytest.raises(RecordError, match="nothing was scored"):
        two_rates(Passes(0, 0), Passes(1, 2))


@pytest.mark.parametrize("rate", [0.5, 0.9])
def test_equal_rates_are_called_different_no_more_often_than_said(rate: float) -> None:
    drawn = np.random.default_rng(9).binomial([30, 170], rate, size=(4_000, 2)).tolist()
    alarms = np.mean([two_rates(Passes(a, 30), Passes(b, 170)).p <= 0.05 for a, b in drawn])  # type: ignore[operator]
    assert alarms <= 0.05 + 0.012
