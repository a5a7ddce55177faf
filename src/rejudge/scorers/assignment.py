"""Gives each of several wants a thing of its own, as far as there are enough."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence


def unassigned(fitting: Sequence[Sequence[int]]) -> list[int]:
    """The wants that get nothing, when as many as possible get one thing each that no other want gets.

    `fitting` lists for each want the things that would do. This is a largest matching in a bipartite graph, found by
    augmenting paths (Kuhn 1955; Berge 1957). An earlier want never loses to a later one.
    """
    owner: dict[int, int] = {}
    left = []
    for want in range(len(fitting)):
        path = _path(want, fitting, owner)
        if not path:
            left.append(want)
        owner.update(path)
    return left


def _path(want: int, fitting: Sequence[Sequence[int]], owner: dict[int, int]) -> list[tuple[int, int]]:
    """The new owners of things, each freed by the next, that give `want` one; empty where there is no such way."""
    wanted_by: dict[int, int] = {}
    gives_up: dict[int, int] = {}
    waiting = deque([want])
    while waiting:
        one = waiting.popleft()
        for thing in fitting[one]:
            if thing in wanted_by:
                continue
            wanted_by[thing] = one
            if thing in owner:
                gives_up[owner[thing]] = thing
                waiting.append(owner[thing])
                continue
            path = [(thing, one)]
            while one != want:
                thing = gives_up[one]
                one = wanted_by[thing]
                path.append((thing, one))
            return path
    return []
