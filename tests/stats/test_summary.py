from __future__ import annotations

import math
from itertools import chain
from random import Random
from statistics import fmean, stdev

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.stats.counts import Counts
from rejudge.stats.interval import Interval, Undefined, wilson
from rejudge.stats.moments import Moments
from rejudge.stats.scale import FIVE_STAR, PASS_FAIL, PASS_FAIL_CRITICAL, Direction, Kind, Scale
from rejudge.stats.summary import Repeats, Summary, on_scale, summarise, summarise_moments
from tests.stats.samples import t_of

REPEATS: list[list[float]] = [[1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 1, 0]]
PERCENT = st.lists(st.floats(0, 100), max_size=30)
DIRECTIONS: st.SearchStrategy[Direction] = st.sampled_from(["higher", "lower", "informational"])


def all_scored(n: int) -> Counts:
    return Counts(planned=n, scored=n)


def of(values: list[float], *, scale: Scale = PASS_FAIL, kind: Kind = "number", skipped: int = 0) -> Summary:
    counts = Counts(planned=len(values) + skipped, scored=len(values), skipped=skipped)
    return summarise(values, name="quality", kind=kind, scale=scale, counts=counts)


def of_items(items: list[list[float]], *, scale: Scale = PASS_FAIL, errors: int = 0) -> Summary:
    """The summary of items with so many scored trials each, from the sums that a database makes of them."""
    scored = sum(map(len, items))
    counts = Counts(planned=scored + errors, scored=scored, task_errors=errors)
    trials = max([math.ceil(counts.planned / max(1, len(items))), *map(len, items)])
    return summarise_moments(
        Moments.of([fmean(item) for item in items if item]),
        name="quality",
        kind="number",
        scale=scale,
        counts=counts,
        repeats=Repeats(items=len(items), trials=trials, total=math.fsum(chain.from_iterable(items))),
    )


def method(summary: Summary) -> str:
    assert isinstance(summary.interval, Interval), summary.interval
    return summary.interval.method


def bounds(summary: Summary) -> tuple[float, float]:
    assert isinstance(summary.worst, (int, float)), summary.worst
    assert isinstance(summary.best, (int, float)), summary.best
    return summary.worst, summary.best


def test_passes_and_fails_get_their_share_and_wilsons_interval() -> None:
    summary = of([1, 1, 1, 1, 1, 1, 1, 1, 0, 0], kind="pass_fail")
    assert (summary.mean, summary.n, summary.items, summary.trials) == (0.8, 10, 10, 1)
    assert summary.interval == wilson(8, 10)
    assert (summary.minimum, summary.maximum) == (0, 1)


def test_one_fractional_value_turns_wilson_into_t() -> None:
    assert method(of([1, 0, 1, 0])) == "wilson"
    assert method(of([1, 0, 1, 0.5])) == "t"


def test_a_critical_failure_turns_wilson_into_t() -> None:
    assert method(of([1, 0, 1], scale=PASS_FAIL_CRITICAL)) == "wilson"
    assert method(of([1, 0, -1], scale=PASS_FAIL_CRITICAL)) == "t"


def test_five_stars_that_are_all_one_are_no_proportion() -> None:
    assert isinstance(of([1, 1, 1], scale=FIVE_STAR, kind="five_star").interval, Undefined)
    assert method(of([1, 1, 2], scale=FIVE_STAR, kind="five_star")) == "t"


def test_numbers_that_are_zero_or_one_without_a_declared_range_get_wilson() -> None:
    assert method(of([1, 0, 1], scale=Scale())) == "wilson"


def test_a_continuous_score_gets_the_published_t_interval() -> None:
    summary = of([0.2, 0.4, 0.6, 0.8, 1.0])
    assert isinstance(summary.interval, Interval)
    assert summary.mean == pytest.approx(0.6)
    assert (summary.interval.low, summary.interval.high) == pytest.approx((0.2073514, 0.9926486), abs=1e-7)


def test_trials_are_averaged_per_item_and_never_pooled() -> None:
    summary = of_items(REPEATS)
    assert (summary.mean, summary.n, summary.items, summary.trials) == (0.5, 4, 4, 3)
    assert summary.std is not None
    assert summary.std / math.sqrt(4) == pytest.approx(0.2151657, abs=1e-7)
    assert summary.interval == on_scale(t_of([2 / 3, 1, 0, 1 / 3]), PASS_FAIL)
    assert summary.counts.scored == 12


def test_more_trials_that_only_repeat_do_not_narrow_the_interval() -> None:
    once, often = of_items([[1], [0], [1], [1]]), of_items([[1] * 9, [0] * 9, [1] * 9, [1] * 9])
    assert often.interval == once.interval == wilson(3, 4)


def test_an_item_that_lost_trials_weighs_as_much_as_the_others() -> None:
    summary = of_items([[1, 1, 1], [0], [0, 0, 0]], errors=2)
    assert summary.mean == pytest.approx(1 / 3)
    assert bounds(summary) == pytest.approx((3 / 9, 5 / 9))


def test_an_item_without_any_score_is_no_item_of_the_mean_but_of_the_bounds() -> None:
    summary = of_items([[1, 1], [0, 1], []], errors=2)
    assert (summary.mean, summary.n, summary.items, summary.trials) == (0.75, 2, 3, 2)
    assert bounds(summary) == (3 / 6, 5 / 6)


@pytest.mark.parametrize(("items", "errors"), [([[1, 1, 1], [0]], 1), ([[1, 1, 1], [0], []], 2)])
def test_unequal_plans_have_a_mean_but_no_bounds(items: list[list[float]], errors: int) -> None:
    summary = of_items(items, errors=errors)
    assert summary.mean == 0.5
    assert summary.best == summary.worst == Undefined("the items were not all planned with the same number of trials")


def test_missing_scores_open_the_bounds_in_the_direction_of_the_score() -> None:
    assert bounds(of([1, 1, 0], skipped=1)) == (0.5, 0.75)
    assert bounds(of([2, 4], scale=Scale(low=0, high=10, direction="lower"), skipped=2)) == (6.5, 1.5)
    assert bounds(of([2, 4], scale=Scale(low=0, high=10, direction="informational"), skipped=2)) == (1.5, 6.5)
    assert bounds(of([], scale=FIVE_STAR, skipped=3)) == (1, 5)


def test_a_number_without_a_declared_range_has_no_bounds() -> None:
    summary = of([3, 4, 700], scale=Scale())
    assert str(summary.best) == str(summary.worst) == "undefined because the range is not declared"
    half = of([3, 4], scale=Scale(low=0), skipped=2)
    assert (half.worst, str(half.best)) == (1.75, "undefined because the range is not declared")


def test_nothing_scored_is_undefined_and_not_zero() -> None:
    summary = of([], skipped=4)
    assert (summary.mean, summary.std, summary.minimum, summary.maximum, summary.n) == (None, None, None, None, 0)
    assert summary.interval == Undefined("nothing was scored")
    assert of_items([]).best == Undefined("nothing was planned")


def test_one_value_has_a_mean_and_neither_spread_nor_t_interval() -> None:
    summary = of([0.4])
    assert (summary.mean, summary.std) == (0.4, None)
    assert summary.interval == Undefined("one value shows no spread")


@given(PERCENT, st.integers(0, 20), DIRECTIONS)
def test_the_mean_lies_between_its_bounds_and_in_its_interval(
    values: list[float], skipped: int, direction: Direction
) -> None:
    summary = of(values, scale=Scale(low=0, high=100, direction=direction), skipped=skipped)
    if summary.mean is not None:
        worst, best = bounds(summary)
        ends = (best, worst) if direction == "lower" else (worst, best)
        assert ends[0] - 1e-9 <= summary.mean <= ends[1] + 1e-9
        assert summary.minimum is not None
        assert summary.maximum is not None
        assert summary.minimum <= summary.mean <= summary.maximum
    if isinstance(summary.interval, Interval) and summary.mean is not None:
        assert summary.interval.low <= summary.mean <= summary.interval.high


@given(st.lists(st.lists(st.floats(0, 1), max_size=4), min_size=1, max_size=12))
def test_the_mean_of_items_lies_between_their_bounds(items: list[list[float]]) -> None:
    longest = max(map(len, items))
    summary = of_items(items, errors=longest * len(items) - sum(map(len, items)))
    if summary.mean is not None:
        worst, best = bounds(summary)
        assert worst - 1e-9 <= summary.mean <= best + 1e-9


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_order_changes_nothing(values: list[float], random: Random) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert of(shuffled) == of(values)
    assert of_items([[value, 1 - value] for value in shuffled]) == of_items([[value, 1 - value] for value in values])


@given(PERCENT, st.floats(0.01, 100))
def test_another_unit_stretches_mean_spread_and_bounds(values: list[float], factor: float) -> None:
    plain = of(values, scale=Scale(low=0, high=100), skipped=2)
    other = of([factor * value for value in values], scale=Scale(low=0, high=100 * factor), skipped=2)
    assert bounds(other) == pytest.approx([factor * bound for bound in bounds(plain)], rel=1e-9)
    for mine, yours in ((plain.mean, other.mean), (plain.std, other.std)):
        assert yours == (mine if mine is None else pytest.approx(factor * mine, rel=1e-6, abs=1e-9))


@given(PERCENT, st.integers(0, 5))
def test_sums_from_a_database_give_the_summary_of_the_values(values: list[float], skipped: int) -> None:
    scale = Scale(low=0, high=100)
    counts = Counts(planned=len(values) + skipped, scored=len(values), skipped=skipped)
    mean = sum(values) / len(values) if values else 0.0
    moments = Moments(
        n=len(values),
        total=sum(values),
        squares=sum((value - mean) ** 2 for value in values),
        minimum=min(values, default=None),
        maximum=max(values, default=None),
        zero_or_one=all(value in (0, 1) for value in values),
    )
    found = summarise_moments(moments, name="quality", kind="number", scale=scale, counts=counts)
    direct = of(values, scale=scale, skipped=skipped)
    if counts.planned:
        assert bounds(found) == pytest.approx(bounds(direct), abs=1e-9)
    for mine, yours in ((found.mean, direct.mean), (found.std, direct.std)):
        assert mine == (yours if yours is None else pytest.approx(yours, abs=1e-9))
    assert type(found.interval) is type(direct.interval)
    if isinstance(found.interval, Interval) and isinstance(direct.interval, Interval):
        found_ends, direct_ends = (found.interval.low, found.interval.high), (direct.interval.low, direct.interval.high)
        assert found_ends == pytest.approx(direct_ends, abs=1e-9)


def test_a_number_of_values_that_the_counts_deny_is_refused() -> None:
    with pytest.raises(RecordError, match="2 values were given, but 3 are counted"):
        summarise([1, 0], name="quality", kind="pass_fail", scale=PASS_FAIL, counts=all_scored(3))


@pytest.mark.parametrize("means", [[1, 0], []])
def test_item_means_that_cannot_hold_the_scores_are_refused(means: list[float]) -> None:
    moments, one_item = Moments.of(means), Repeats(items=1, trials=3, total=1)
    with pytest.raises(RecordError, match="cannot hold"):
        summarise_moments(moments, name="q", kind="number", scale=PASS_FAIL, counts=all_scored(3), repeats=one_item)


def test_a_value_outside_the_declared_range_is_refused_by_name() -> None:
    with pytest.raises(RecordError, match=r"quality: 5\.5 is outside the declared range 1 to 5"):
        of([3, 5.5], scale=FIVE_STAR)
    with pytest.raises(RecordError, match="outside"):
        of_items([[1.5, 1.75]])


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_value_that_is_not_finite_is_refused(value: float) -> None:
    with pytest.raises(RecordError):
        of([1, value])
    with pytest.raises(RecordError):
        of_items([[1, 0], [value, 0]])


@pytest.mark.parametrize("summary", [of([1, 0, 0.5], skipped=2), of([], scale=Scale(), skipped=1), of_items([[1, 0]])])
def test_a_summary_survives_being_written_and_read(summary: Summary) -> None:
    assert msgspec.json.decode(msgspec.json.encode(summary), type=Summary) == summary


def test_the_standard_error_of_a_rate_has_its_reference_values() -> None:
    error = of([1.0] * 6 + [0.0] * 4).standard_error
    assert error == pytest.approx(0.1632993, abs=5e-8)
    assert error is not None
    assert error * math.sqrt(9 / 10) == pytest.approx(0.1549193, abs=5e-8)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_the_standard_error_is_the_spread_of_the_mean(values: list[float]) -> None:
    error = of(values, scale=Scale()).standard_error
    assert error == pytest.approx(stdev(values) / math.sqrt(len(values)), rel=1e-9, abs=1e-9)
    assert of(values[:1], scale=Scale()).standard_error is None


def test_an_interval_leaves_no_end_of_the_scale_that_is_declared() -> None:
    def ends(scale: Scale) -> tuple[float, float]:
        summary = of([0.99, 0.98, 0.02, 0.97], scale=scale)
        assert isinstance(summary.interval, Interval)
        return summary.interval.low, summary.interval.high

    low, high = ends(Scale())
    assert low < 0
    assert high > 1
    assert ends(PASS_FAIL) == (0, 1)
    assert ends(Scale(low=0)) == (0, high)
    assert ends(Scale(high=1)) == (low, 1)
