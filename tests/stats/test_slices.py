"""Slices of the items: their own summary, against the rest, corrected for how many were looked at."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rejudge.domain.errors import RecordError
from rejudge.stats.interval import Interval, Undefined, wilson
from rejudge.stats.multiple import benjamini_hochberg
from rejudge.stats.scale import FIVE_STAR, PASS_FAIL, Scale
from rejudge.stats.slices import Slice, summarise_slices
from rejudge.stats.two_samples import Passes, two_rates
from tests.stats.samples import cluster_t, members_by, t_of


def test_a_slice_is_summarised_as_a_run_is() -> None:
    passes = [1, 0, 1, 1, 0, 0, 1, 1]
    (hard,) = summarise_slices(passes, {"hard": [0, 1, 4, 5]}, scale=PASS_FAIL)
    assert (hard.name, hard.items, hard.n, hard.mean) == ("hard", 4, 4, 0.25)
    assert hard.interval == wilson(1, 4)
    assert (hard.rest.n, hard.rest.mean, hard.rest.difference) == (4, 1.0, -0.75)
    expected = two_rates(Passes(4, 4), Passes(1, 4))
    assert (hard.rest.p, hard.rest.interval, hard.rest.test) == (expected.p, expected.interval, expected.test)


def test_numbers_are_compared_by_welch() -> None:
    from scipy import stats

    values = np.random.default_rng(1).normal(3, 0.5, size=60).round(2)
    part = list(range(0, 60, 3))
    (third,) = summarise_slices(values, {"third": part}, scale=FIVE_STAR)
    rest = np.delete(values, part)
    theirs = stats.ttest_ind(values[part], rest, equal_var=False)
    assert third.rest.p == pytest.approx(theirs.pvalue, rel=1e-9)
    alone = t_of(values[part].tolist())
    assert isinstance(alone, Interval)
    assert isinstance(third.interval, Interval)
    assert (third.interval.low, third.interval.high) == pytest.approx((alone.low, alone.high), rel=1e-9)
    assert isinstance(third.rest.interval, Interval)
    found = (third.rest.interval.low, third.rest.interval.high)
    assert found == pytest.approx(tuple(theirs.confidence_interval()), rel=1e-9)
    assert third.rest.test == "welch-t"


def test_missing_scores_are_counted_and_bound_the_mean() -> None:
    (part,) = summarise_slices([1, None, 0, 1], {"a": [0, 1, 2]}, scale=PASS_FAIL)
    assert (part.items, part.n, part.mean) == (3, 2, 0.5)
    assert part.best == pytest.approx(2 / 3)
    assert part.worst == pytest.approx(1 / 3)
    assert part.rest.n == 1
    (open_ended,) = summarise_slices([1, None], {"a": [0, 1]}, scale=Scale())
    assert str(open_ended.best) == "undefined because the range is not declared"


def test_p_values_are_corrected_over_all_slices_that_have_one() -> None:
    random = np.random.default_rng(2)
    passes = (random.random(400) < 0.7).astype(float)
    passes[:40] = 0
    members = {f"tag {k}": range(40 * k, 40 * k + 40) for k in range(10)} | {"all": range(400), "none": range(0)}
    found = {one.name: one for one in summarise_slices(passes, members, scale=PASS_FAIL)}
    tested = [one for one in found.values() if isinstance(one.rest.p, float)]
    assert len(tested) == 10
    adjusted = benjamini_hochberg([one.rest.p for one in tested if isinstance(one.rest.p, float)])
    assert [one.rest.p_adjusted for one in tested] == adjusted
    assert found["tag 0"].rest.verdict == "worse"
    assert found["tag 5"].rest.verdict == "no difference shown"
    assert found["all"].rest.verdict == found["none"].rest.verdict == "not enough data"
    assert str(found["all"].rest.p) == "undefined because no other item has a score"
    assert str(found["none"].rest.p) == "undefined because nothing was scored"


@pytest.mark.parametrize(
    ("direction", "verdict"), [("higher", "worse"), ("lower", "better"), ("informational", "lower")]
)
def test_the_verdict_respects_the_direction_of_the_score(direction: str, verdict: str) -> None:
    scale = Scale(low=0, high=1, direction=direction)  # type: ignore[arg-type]
    (found,) = summarise_slices([0] * 30 + [1] * 30, {"first": range(30)}, scale=scale)
    assert found.rest.verdict == verdict


def test_looking_at_many_slices_of_chance_finds_few() -> None:
    random = np.random.default_rng(3)
    alarms, plain, samples = 0, 0, 300
    for _ in range(samples):
        members = members_by(random.integers(0, 15, size=600))
        found = summarise_slices((random.random(600) < 0.6).astype(float), members, scale=PASS_FAIL)
        alarms += any(one.rest.verdict != "no difference shown" for one in found)
        plain += any(isinstance(one.rest.p, float) and one.rest.p <= 0.05 for one in found)
    assert alarms / samples <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / samples)
    assert plain / samples > 0.4


def clustered(seed: int, effect: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sixty clusters of ten: every second cluster is the slice."""
    random = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(60), 10)
    values = random.normal(size=60)[clusters] + 0.5 * random.normal(size=600)
    chosen = np.flatnonzero(clusters % 2 == 0)
    values[chosen] += effect
    return values, clusters, chosen


def test_clusters_keep_the_comparison_with_the_rest_at_its_level() -> None:
    alarms = {"clustered": 0, "naive": 0}
    for seed in range(500):
        values, clusters, chosen = clustered(seed)
        (whole,) = summarise_slices(values, {"a": chosen}, scale=Scale(), clusters=clusters)
        (alone,) = summarise_slices(values, {"a": chosen}, scale=Scale())
        alarms["clustered"] += whole.rest.verdict != "no difference shown"
        alarms["naive"] += alone.rest.verdict != "no difference shown"
    assert alarms["clustered"] / 500 <= 0.05 + 0.025
    assert alarms["naive"] / 500 > 0.3


def test_a_slice_within_clusters_is_compared_within_them() -> None:
    # Every cluster has half its items in the slice, so what clusters share cancels, and the error is small.
    values, clusters, _ = clustered(1)
    chosen = np.arange(0, 600, 2)
    (found,) = summarise_slices(values, {"even": chosen}, scale=Scale(), clusters=clusters)
    rest = np.arange(1, 600, 2)
    both = [
        [float(values[chosen][clusters[chosen] == one].mean() - values[rest][clusters[rest] == one].mean())]
        for one in range(60)
    ]
    expected = cluster_t(both)
    assert isinstance(expected, Interval)
    assert isinstance(found.rest.interval, Interval)
    got = (found.rest.interval.low, found.rest.interval.high)
    assert got == pytest.approx((expected.low, expected.high), rel=1e-9)
    assert found.rest.test == found.rest.interval.method == "cluster-t"
    assert isinstance(found.interval, Interval)
    assert found.interval.method == "cluster-t"


def test_one_cluster_on_a_side_shows_nothing() -> None:
    (found,) = summarise_slices([1, 0, 1, 0, 1], {"a": [0, 1]}, scale=PASS_FAIL, clusters=list("xxyzz"))
    assert isinstance(found.rest.p, Undefined)
    assert "one cluster" in found.rest.p.reason
    assert found.rest.verdict == "not enough data"


def test_a_slice_of_equal_numbers_against_equal_numbers_has_no_p_value() -> None:
    (found,) = summarise_slices([5, 5, 5, 3, 3, 3], {"a": [0, 1, 2]}, scale=FIVE_STAR)
    assert found.rest.difference == 2
    assert isinstance(found.rest.p, Undefined)


@pytest.mark.parametrize("part", [[0, 0], [-1], [4], [0, 3, 9]])
def test_places_that_are_no_items_are_refused(part: list[int]) -> None:
    with pytest.raises(RecordError, match="a: its items are not different places from 0 to 3"):
        summarise_slices([1, 0, 1, 0], {"a": part}, scale=PASS_FAIL)


def test_nothing_scored_is_no_zero() -> None:
    found: list[Slice] = summarise_slices([None, None], {"a": [0]}, scale=PASS_FAIL)
    assert (found[0].mean, found[0].n, found[0].items) == (None, 0, 1)
    assert isinstance(found[0].interval, Undefined)
    assert (found[0].best, found[0].worst) == (1, 0)


def test_clusters_that_cancel_but_for_rounding_show_no_difference_of_a_slice() -> None:
    values = [0.1, 0.2, -0.3] * 8 + [0.1, -0.3, 0.2] * 4
    found = summarise_slices(
        values, {"a": range(18)}, scale=Scale(), clusters=[place // 3 for place in range(len(values))]
    )
    assert isinstance(found[0].rest.p, Undefined)
    assert found[0].rest.verdict == "not enough data"
