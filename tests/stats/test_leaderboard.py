from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.decision import ComparisonVerdict
from rejudge.stats.interval import Interval, Undefined, wilson
from rejudge.stats.leaderboard import Leaderboard, leaderboard, tie_groups
from rejudge.stats.scale import PASS_FAIL, Direction, Scale
from rejudge.stats.summary import on_scale
from tests.stats.samples import t_of

NAMES = "abcdef"
SHOWN = (ComparisonVerdict.BETTER, ComparisonVerdict.WORSE, ComparisonVerdict.DIFFERENT)


def shifted(*shifts: float, direction: Direction = "higher", n: int = 400, seed: int = 1) -> Leaderboard:
    random = np.random.default_rng(seed)
    base = random.normal(size=n)
    columns = {name: base + random.normal(shift, 0.3, n) for name, shift in zip(NAMES, shifts, strict=False)}
    return leaderboard(columns, name="quality", kind="number", scale=Scale(direction=direction), seed=0)


def ranks(board: Leaderboard) -> dict[str, tuple[int, int]]:
    return {place.name: (place.best_rank, place.worst_rank) for place in board.places}


def test_the_best_stands_first_and_what_cannot_be_told_apart_shares_ranks() -> None:
    board = shifted(0, 1, 1, 2)
    assert [place.name for place in board.places][::3] == ["d", "a"]
    assert ranks(board) == {"d": (1, 1), "b": (2, 3), "c": (2, 3), "a": (4, 4)}
    assert [place.alone for place in board.places] == [True, False, False, True]
    assert [place.groups for place in board.places] == [(1,), (2,), (2,), (3,)]


def test_where_less_is_better_the_least_stands_first() -> None:
    assert ranks(shifted(0, 1, 2, direction="lower")) == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}
    assert ranks(shifted(0, 1, 2, direction="informational")) == {"c": (1, 1), "b": (2, 2), "a": (3, 3)}


def test_a_middle_one_may_be_tied_with_two_that_are_not_tied() -> None:
    board = shifted(0, 0.03, 0.06, n=300, seed=6)
    shared = {place.name: set(place.groups) for place in board.places}
    separated = {frozenset((pair.first, pair.second)): pair.corrected.verdict in SHOWN for pair in board.pairs}
    assert any(separated.values())
    assert not all(separated.values())
    for pair, apart in separated.items():
        one, other = pair
        assert bool(shared[one] & shared[other]) != apart


def test_every_mean_has_its_interval() -> None:
    random = np.random.default_rng(2)
    columns = {name: (random.random(200) < chance).astype(float) for name, chance in (("x", 0.3), ("y", 0.8))}
    board = leaderboard(columns, name="ok", kind="pass_fail", scale=PASS_FAIL, seed=0)
    best = board.places[0]
    assert (best.name, best.mean, board.n) == ("y", columns["y"].mean(), 200)
    assert best.interval == wilson(int(columns["y"].sum()), 200)
    halves = leaderboard({"x": [0.5, 0, 1, 1]}, name="ok", kind="number", scale=PASS_FAIL, seed=0).places[0]
    expected = on_scale(t_of([0.5, 0, 1, 1]), PASS_FAIL)
    assert isinstance(halves.interval, Interval)
    assert isinstance(expected, Interval)
    assert (halves.interval.low, halves.interval.high) == pytest.approx((expected.low, expected.high))


def test_clusters_reach_the_intervals_and_the_pairs() -> None:
    names = [str(place // 10) for place in range(100)]
    columns = {"x": np.arange(100.0), "y": np.arange(100.0) % 7}
    board = leaderboard(columns, name="n", kind="number", scale=Scale(), seed=0, clusters=names)
    assert all(isinstance(place.interval, Interval) and place.interval.method == "cluster-t" for place in board.places)
    assert board.pairs[0].corrected.comparison.units == 10


@given(st.integers(1, 6).flatmap(lambda k: st.sets(st.sampled_from(list(combinations(NAMES[:k], 2)) or [("", "")]))))
def test_two_share_a_group_exactly_where_they_are_not_separated(separated: set[tuple[str, str]]) -> None:
    apart = [pair for pair in separated if all(pair)]
    groups = tie_groups(NAMES, apart)
    for one, other in combinations(NAMES, 2):
        assert any({one, other} <= group for group in groups) == ((one, other) not in apart)
    assert not any(one < other for one in groups for other in groups)
    assert set().union(*groups) == set(NAMES)


def test_rank_ranges_hold_the_true_ranks_all_at_once() -> None:
    samples, missed = 200, 0
    for seed in range(samples):
        board = shifted(0, 0.05, 0.1, 0.15, n=80, seed=seed)
        missed += any(not low <= "dcba".index(name) + 1 <= high for name, (low, high) in ranks(board).items())
    assert missed / samples <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / samples)


def test_one_system_and_no_items_have_their_place() -> None:
    alone = shifted(0).places[0]
    assert (alone.best_rank, alone.worst_rank, alone.groups) == (1, 1, (1,))
    empty = leaderboard({"x": [], "y": []}, name="n", kind="number", scale=Scale(), seed=0)
    assert [place.worst_rank for place in empty.places] == [2, 2]
    assert all(isinstance(place.mean, Undefined) for place in empty.places)


def test_what_cannot_be_ranked_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="at least"):
        leaderboard({}, name="n", kind="number", scale=Scale(), seed=0)
    with pytest.raises(RecordError, match="cannot be paired"):
        leaderboard({"x": [1], "y": [1, 2]}, name="n", kind="number", scale=Scale(), seed=0)
