"""Things given out so that as many wants as possible get one of their own."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from rejudge.scorers.assignment import unassigned

graphs = st.lists(st.sampled_from([{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2, 3}, {0, 1, 2, 3}, set()]), max_size=5)
sparse = st.lists(st.sets(st.integers(0, 9), min_size=1, max_size=2), min_size=1, max_size=14)


def most(fitting: list[set[int]]) -> int:
    """How many wants can get something, by trying every order in which they choose."""
    ways = permutations(range(9), len(fitting))
    return max(sum(thing in things for thing, things in zip(way, fitting, strict=True)) for way in ways)


@given(graphs)
@example([{0, 1, 2}, {0}, {0}])
@example([{0, 1, 3}, {1, 2}, {3, 5}, {0}, {2}])
def test_as_many_as_possible_get_something(fitting: list[set[int]]) -> None:
    assert len(fitting) - len(unassigned([sorted(things) for things in fitting])) == most(fitting)


@given(sparse)
def test_it_agrees_with_a_library_where_many_have_to_give_way(fitting: list[set[int]]) -> None:
    table = np.array([[place in things for place in range(10)] for things in fitting])
    found = maximum_bipartite_matching(csr_array(table), perm_type="column")
    assert len(unassigned([sorted(things) for things in fitting])) == int((found < 0).sum())


@given(graphs)
def test_an_earlier_want_never_loses_to_a_later_one(fitting: list[set[int]]) -> None:
    listed = [sorted(things) for things in fitting]
    left = unassigned(listed)
    for end in range(len(listed)):
        assert unassigned(listed[:end]) == [want for want in left if want < end]
