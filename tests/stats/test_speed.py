"""A million values take well under a second of a core, whatever is asked of them."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import numpy as np
import pytest

from rejudge.stats.bootstrap import bootstrap_mean
from rejudge.stats.clusters import cluster_effect
from rejudge.stats.multiple import benjamini_hochberg, holm
from rejudge.stats.percentiles import percentiles
from rejudge.stats.repeats import flips, summarise_repeats
from rejudge.stats.scale import PASS_FAIL, Scale
from rejudge.stats.slices import summarise_slices

N = 1_000_000


class Million:
    """Values, passes, and what they are grouped by."""

    def __init__(self) -> None:
        random = np.random.default_rng(1)
        self.values = random.lognormal(size=N)
        self.p_values = random.random(N)
        self.passes = (random.random(N) < 0.7).astype(float)
        self.clusters = np.arange(N) // 8
        tags = random.integers(0, 40, size=N)
        self.members = {str(tag): np.flatnonzero(tags == tag) for tag in range(40)}
        self.trials = self.passes.reshape(-1, 4).tolist()


@pytest.fixture(scope="module")
def million() -> Million:
    return Million()


pytestmark = pytest.mark.scale


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda of: bootstrap_mean(of.passes, seed=1), id="bootstrap of passes"),
        pytest.param(lambda of: bootstrap_mean(of.values, seed=1), id="bootstrap of numbers"),
        pytest.param(lambda of: bootstrap_mean(of.values, clusters=of.clusters, seed=1), id="bootstrap of clusters"),
        pytest.param(lambda of: cluster_effect(of.values, of.clusters), id="clusters"),
        pytest.param(lambda of: percentiles(of.values), id="percentiles"),
        pytest.param(lambda of: percentiles(of.values, clusters=of.clusters), id="percentiles of clusters"),
        pytest.param(lambda of: summarise_repeats(of.trials, scale=PASS_FAIL), id="repeats"),
        pytest.param(lambda of: flips(of.trials), id="flips"),
        pytest.param(lambda of: summarise_slices(of.passes, of.members, scale=PASS_FAIL), id="slices of passes"),
        pytest.param(lambda of: summarise_slices(of.values, of.members, scale=Scale()), id="slices of numbers"),
        pytest.param(
            lambda of: summarise_slices(of.values, of.members, scale=Scale(), clusters=of.clusters),
            id="slices of clusters",
        ),
        pytest.param(lambda of: holm(of.p_values), id="holm"),
        pytest.param(lambda of: benjamini_hochberg(of.p_values), id="benjamini-hochberg"),
    ],
)
def test_a_million_values_take_less_than_a_second(ask: Callable[[Million], object], million: Million) -> None:
    ask(million)  # what is loaded once is not counted
    begun = process_time()
    assert ask(million) is not None
    assert process_time() - begun < 1
