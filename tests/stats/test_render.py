from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats.counts import Counts
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.labels import summarise_label_counts
from rejudge.stats.moments import Moments
from rejudge.stats.render import (
    percent_decimals,
    percent_or_number,
    render_bounds,
    render_counts,
    render_estimate,
    render_standard_error,
    told_apart_from_0,
)
from rejudge.stats.scale import PASS_FAIL, Kind, Scale
from rejudge.stats.summary import Repeats, Summary, summarise, summarise_moments


def of(
    values: list[float], *, kind: Kind = "number", scale: Scale | None = None, skipped: int = 0, level: float = 0.95
) -> Summary:
    counts = Counts(planned=len(values) + skipped, scored=len(values), skipped=skipped)
    return summarise(values, name="quality", kind=kind, scale=scale or Scale(), counts=counts, level=level)


def passes(good: int, n: int, *, skipped: int = 0, level: float = 0.95) -> Summary:
    values = [1.0] * good + [0.0] * (n - good)
    return of(values, kind="pass_fail", scale=PASS_FAIL, skipped=skipped, level=level)


@pytest.mark.parametrize(
    ("summary", "text"),
    [
        (passes(742, 1319), "56.3 % [53.6, 58.9] n=1319"),
        (passes(6, 10), "60 % [31, 83] n=10"),
        (passes(3, 1000), "0.30 % [0.10, 0.88] n=1000"),
        (passes(9_999, 10_000), "99.990 % [99.943, 99.998] n=10000"),
        (passes(6, 10, skipped=2), "60 % [31, 83] n=10 of 12"),
        (passes(6, 10, level=0.9), "60 % [35, 81] at 90 % n=10"),
        (of([0.2, 0.4, 0.6, 0.8, 1.0]), "0.60 [0.21, 0.99] n=5"),
        (of([12_000, 12_500, 13_100]), "12533 [11165, 13901] n=3"),
        (of([1e-9, 2e-9, 3e-9]), "2.0e-09 [-4.8e-10, 4.5e-09] n=3"),
        (of([-0.001, 0.0, 0.001]), "0.0000 [-0.0025, 0.0025] n=3"),
        (of([-0.00101, 0.0, 0.001]), "0.0000 [-0.0025, 0.0025] n=3"),
        (of([0.4]), "0.4 [undefined because one value shows no spread] n=1"),
        (of([], skipped=3), "undefined because nothing was scored, n=0 of 3"),
    ],
)
def test_an_estimate_shows_the_digits_that_its_interval_supports(summary: Summary, text: str) -> None:
    assert render_estimate(summary) == text


def test_shares_that_stand_together_have_the_same_decimals() -> None:
    sharp, blunt = passes(40, 40), passes(36, 40)
    assert (render_estimate(sharp), render_estimate(blunt)) == ("100.0 % [91.2, 100.0] n=40", "90 % [77, 96] n=40")
    decimals = max(percent_decimals(one.interval) for one in (sharp, blunt) if not isinstance(one.interval, Undefined))
    assert render_estimate(blunt, decimals=decimals) == "90.0 % [76.9, 96.0] n=40"


def test_repeated_trials_are_told_with_the_number_of_items() -> None:
    summary = summarise_moments(
        Moments.of([2 / 3, 1, 0, 1 / 3]),
        name="quality",
        kind="pass_fail",
        scale=PASS_FAIL,
        counts=Counts(planned=12, scored=12),
        repeats=Repeats(items=4, trials=3, total=6),
    )
    assert render_estimate(summary) == "50 % [0, 100] n=4 × 3 trials"


def test_labels_are_rendered_as_shares_commonest_first() -> None:
    summary = summarise_label_counts({"no": 2, "yes": 8}, name="topic", counts=Counts(planned=10, scored=10))
    assert render_estimate(summary) == "yes 80 % [49, 94], no 20 % [6, 51] n=10"


@pytest.mark.parametrize(
    ("summary", "text"),
    [
        (passes(6, 8, skipped=2), "60 to 80 % whatever the 2 missing would score, n=8 of 10"),
        (passes(6, 10), "nothing is missing, n=10"),
        (of([3, 4], skipped=1), "bounds undefined because the range is not declared, n=2 of 3"),
        (of([3, 4], scale=Scale(high=9), skipped=1), "bounds undefined because the range is not declared, n=2 of 3"),
        (
            of([2, 4], scale=Scale(low=0, high=10, direction="lower"), skipped=2),
            "1.5 to 6.5 whatever the 2 missing would score, n=2 of 4",
        ),
    ],
)
def test_bounds_tell_what_missing_scores_could_change(summary: Summary, text: str) -> None:
    assert render_bounds(summary) == text


def test_counts_name_everything_that_happened_and_nothing_else() -> None:
    assert render_counts(Counts(planned=3, scored=3)) == "3 planned: 3 scored"
    counts = Counts(planned=10, scored=4, skipped=3, scorer_errors=2, task_errors=1)
    assert render_counts(counts) == "10 planned: 4 scored, 3 skipped, 2 scorer errors, 1 task error"
    assert render_counts(Counts(planned=2, scored=0, pending=2)) == "2 planned: 0 scored, 2 pending"


@given(st.lists(st.floats(-1e12, 1e12), max_size=12), st.integers(0, 3))
def test_no_number_is_written_without_its_n(values: list[float], skipped: int) -> None:
    summary = of(values, scale=Scale(low=-1e12, high=1e12), skipped=skipped)
    ending = rf"n={len(values)}( of {len(values) + skipped})?$"
    assert re.search(ending, render_estimate(summary))
    assert re.search(ending, render_bounds(summary))


@given(st.lists(st.floats(-1e12, 1e12), min_size=2, max_size=12))
def test_what_is_written_keeps_the_ends_apart_and_the_mean_between_them(values: list[float]) -> None:
    summary = of(values)
    if isinstance(summary.interval, Interval):
        shown = re.fullmatch(r"(\S+) \[(\S+), (\S+)\] n=\d+", render_estimate(summary))
        assert shown is not None
        mean, low, high = map(float, shown.groups())
        assert low <= mean <= high
        assert low < high


@pytest.mark.parametrize(
    ("values", "scale", "text"),
    [
        ([1.2, 1.4, 1.6, 1.8, 2.0], Scale(low=1, high=2), "60.000 % ± 14.142"),
        ([0.2, 0.4, 0.6, 0.8, 1.0], Scale(low=0, high=1), "60.000 % ± 14.142"),
        ([0.2, 0.4, 0.6, 0.8, 1.0], Scale(), "0.60000 ± 0.14142"),
        ([0.2, 0.4, 0.6, 0.8, 1.0], Scale(low=0), "0.60000 ± 0.14142"),
        ([-2e5, 2e5, 1e5, -1e5], Scale(), "0 ± 91287"),
        ([3.0], Scale(low=1, high=5), "50 %, its standard error undefined because one value shows no spread"),
        (
            [1.0, 1.0],
            Scale(),
            "1, its standard error undefined because every value is equal, so their spread cannot be estimated",
        ),
        ([], Scale(low=0, high=1), "undefined because nothing was scored"),
    ],
)
def test_a_mean_stands_beside_its_standard_error_with_five_digits_of_it(
    values: list[float], scale: Scale, text: str
) -> None:
    assert render_standard_error(of(values, scale=scale), scale=scale) == text


@pytest.mark.parametrize(
    ("low", "high", "kind", "ends"),
    [
        (0.003, 0.27, "pass_fail", ["0.3", "27"]),
        (-0.27, -0.0041, "pass_fail", ["-27", "-0.4"]),
        (0.02, 41.0, "number", ["0.02", "41"]),
        (0.0, 0.27, "pass_fail", ["0", "27"]),
        (-0.001, 0.27, "pass_fail", ["0", "27"]),
    ],
)
def test_an_interval_that_leaves_0_out_does_not_read_as_if_it_held_it(
    low: float, high: float, kind: Kind, ends: list[str]
) -> None:
    interval = Interval(low=low, high=high, level=0.95, method="t")
    text = percent_or_number(kind, span=high - low, largest=max(abs(low), abs(high)))
    told = [told_apart_from_0(text(end).removesuffix(" %"), end, interval, kind) for end in (low, high)]
    assert told == ends
