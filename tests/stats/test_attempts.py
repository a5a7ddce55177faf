"""pass@k and pass^k, against reference values and against drawing every set of k trials."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.stats.attempts import Tried, all_of, any_of, pass_at_k, pass_hat_k
from rejudge.stats.interval import Interval, Undefined

Drawing = tuple[int, int, int]


@st.composite
def drawings(draw: st.DrawFn) -> Drawing:
    trials = draw(st.integers(1, 7))
    return trials, draw(st.integers(0, trials)), draw(st.integers(1, trials))


@pytest.mark.parametrize(
    ("trials", "passed", "k", "chance"),
    [(10, 3, 1, 0.3), (10, 3, 2, 0.5333333), (10, 3, 5, 0.9166667), (5, 4, 3, 1.0), (20, 1, 10, 0.5)],
)
def test_pass_at_k_has_its_reference_values(trials: int, passed: int, k: int, chance: float) -> None:
    assert pass_at_k(trials, passed, k) == pytest.approx(chance, abs=5e-8)


@given(drawings())
def test_they_are_the_shares_of_all_sets_of_k_trials(drawing: Drawing) -> None:
    trials, passed, k = drawing
    sets = list(combinations([True] * passed + [False] * (trials - passed), k))
    assert pass_at_k(trials, passed, k) == pytest.approx(sum(map(any, sets)) / len(sets))
    assert pass_hat_k(trials, passed, k) == pytest.approx(sum(map(all, sets)) / len(sets))


def test_over_items_it_is_the_mean_of_the_items_with_enough_trials() -> None:
    tried = [Tried(3, 3, 2), Tried(3, 1), Tried(2, 2)]
    of_any, of_all = any_of(tried, 3, items=6), all_of(tried, 3, items=6)
    assert (of_any.n, of_any.short, of_any.mean) == (3, 3, 1.0)
    assert (of_all.n, of_all.short) == (3, 3)
    assert of_all.mean == pytest.approx(2 / 3)
    assert isinstance(of_all.interval, Interval)


def test_without_any_item_that_was_tried_often_enough_there_is_no_number() -> None:
    none = any_of([Tried(1, 1)], 2, items=1)
    assert (none.n, none.short, none.mean) == (0, 1, None)
    assert isinstance(none.interval, Undefined)


@pytest.mark.parametrize("drawing", [(3, 4, 1), (3, -1, 1), (3, 1, 4), (3, 1, 0)])
def test_what_cannot_be_drawn_is_refused(drawing: Drawing) -> None:
    with pytest.raises(RecordError, match="no such drawing"):
        pass_at_k(*drawing)
    with pytest.raises(RecordError):
        any_of([Tried(3, 1)], 0, items=1)


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "2", None])
def test_k_that_counts_no_trials_is_refused(k: int) -> None:
    with pytest.raises(RecordError, match="counts trials"):
        any_of([Tried(3, 2)], k, items=1)


def test_an_interval_of_pass_at_k_stays_between_none_and_all() -> None:
    tried = [Tried(trials=4, passed=passed, items=items) for passed, items in ((4, 13), (2, 2), (0, 2))]
    for found in (
        any_of(tried, 2, items=17),
        all_of([Tried(4, 4 - one.passed, one.items) for one in tried], 2, items=17),
    ):
        assert found.mean is not None
        assert isinstance(found.interval, Interval)
        assert 0 <= found.interval.low < found.mean < found.interval.high <= 1


def test_clusters_name_single_items() -> None:
    tried = [Tried(2, passed) for passed in (0, 0, 2, 2, 1, 1)]
    plain, clustered = any_of(tried, 2, items=6), any_of(tried, 2, items=6, clusters=["a", "a", "b", "b", "c", "c"])
    assert (plain.mean, clustered.mean) == (4 / 6, 4 / 6)
    assert isinstance(clustered.interval, Interval)
    assert clustered.interval.method == "cluster-t"
    assert (clustered.interval.low, clustered.interval.high) == (0, 1)
    with pytest.raises(RecordError, match="count each item for itself"):
        any_of([Tried(2, 1, items=3)], 2, items=3, clusters=["a"])
    with pytest.raises(RecordError, match="clusters for"):
        all_of(tried, 2, items=6, clusters=["a"])
