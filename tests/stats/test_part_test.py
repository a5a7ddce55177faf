"""What the headline calls a cause is more than chance, however many parts and scores are looked at."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from rejudge.stats.decompose import PARTS, Cells, Scores, Split, adjusted, decompose
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.split_words import headline, shown, what_it_does_not_mean

TRIES = 600
MOST = 0.05 + 3 * math.sqrt(0.05 * 0.95 / TRIES)

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]


def numbers(chance: np.random.Generator, size: int) -> NDArray[np.float64]:
    return chance.normal(size=size)


def passes(chance: np.random.Generator, size: int) -> NDArray[np.float64]:
    return (chance.random(size) < 0.85).astype(np.float64)


def nothing_changed(chance: np.random.Generator, draw: Draw, *, common: int, new: int) -> Cells:
    """Judges and tasks that differ by chance alone, new items that are like the old, scores missing at random."""
    size = common + 2 * new
    item, tasks, judgements = (
        draw(chance, size),
        [draw(chance, size) for _ in "ab"],
        [draw(chance, size) for _ in "abcd"],
    )
    first, after, before, second = (item + tasks[which % 2] + one for which, one in enumerate(judgements))
    same = np.arange(size) < common
    here = (np.arange(size) < common + new) & (chance.random(size) < 0.95)
    there = (same | (np.arange(size) >= common + new)) & (chance.random(size) < 0.95)
    return Cells(
        first=Scores(values=first, known=here),
        second=Scores(values=second, known=there),
        first_on_second=Scores(values=after, known=there & same),
        second_on_first=Scores(values=before, known=here & same),
        same=same,
    )


def split(cells: Cells) -> Split:
    return decompose(cells, resamples=100).split


@pytest.mark.slow
@pytest.mark.parametrize(("draw", "new"), [(numbers, 30), (passes, 30), (passes, 5)])
def test_where_nothing_changed_a_cause_is_named_in_one_of_twenty_explanations_at_most(draw: Draw, new: int) -> None:
    chance = np.random.default_rng(6)
    found = [split(nothing_changed(chance, draw, common=120, new=new)) for _ in range(TRIES)]
    named = sum(headline(one) != "no cause is shown" for one in found)
    assert named / TRIES <= MOST
    # Some interval of the four leaves 0 out more often than that.
    assert sum(any(leaves_0_out(one, part) for part in PARTS) for one in found) / TRIES > MOST


@pytest.mark.slow
def test_several_scores_name_no_more_causes_by_chance_than_one() -> None:
    chance = np.random.default_rng(7)
    named = 0
    for _ in range(TRIES // 3):
        scores = adjusted([split(nothing_changed(chance, numbers, common=60, new=15)) for _ in range(3)])
        named += any(headline(one) != "no cause is shown" for one in scores)
    assert named / (TRIES // 3) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / (TRIES // 3))


def leaves_0_out(one: Split, part: str) -> bool:
    interval = getattr(one, part).interval
    return isinstance(interval, Interval) and not interval.low <= 0 <= interval.high


def test_what_was_planted_is_still_named() -> None:
    chance = np.random.default_rng(8)
    cells = nothing_changed(chance, numbers, common=120, new=30)
    judged = Cells(
        first=cells.first,
        second=Scores(values=cells.second.values + 1, known=cells.second.known),
        first_on_second=cells.first_on_second,
        second_on_first=raised(cells.second_on_first),
        same=cells.same,
    )
    assert headline(split(judged)) == "the judge"


def raised(scores: Scores | Undefined) -> Scores:
    assert isinstance(scores, Scores)
    return Scores(values=scores.values + 1, known=scores.known)


def common_and_new(new: list[float], *, of_common: list[float]) -> Split:
    """One judge and one task; the second run has `new` items beside the common ones."""
    none: list[float | None] = [None] * len(new)
    first, second = Scores.of([*of_common, *none]), Scores.of([*of_common, *new])
    same = np.array([True] * len(of_common) + [False] * len(new))
    return split(Cells(first=first, second=second, first_on_second=second, second_on_first=first, same=same))


def test_a_few_new_items_that_all_pass_are_no_proof_that_the_data_did_it() -> None:
    found = common_and_new([1.0] * 5, of_common=[1.0] * 72 + [0.0] * 18)
    assert isinstance(found.data.interval, Interval)
    assert not leaves_0_out(found, "data")
    assert not shown(found.data)
    assert headline(found) == "no cause is shown"


def test_a_few_new_items_that_hardly_vary_are_no_proof_that_the_data_did_it() -> None:
    found = common_and_new([0.97, 0.98, 0.99, 0.98], of_common=[0.2, 0.9, 1.0, 1.0, 0.7] * 18)
    assert leaves_0_out(found, "data")
    assert not shown(found.data)
    assert "the data may be nothing" in " ".join(what_it_does_not_mean(found, "number"))


def test_no_cause_is_named_whose_interval_holds_0() -> None:
    chance = np.random.default_rng(9)
    for _ in range(60):
        new, common = passes(chance, 10).tolist(), (chance.random(10) < 0.3).astype(float).tolist()
        found = common_and_new(new, of_common=common)
        assert leaves_0_out(found, "data") or not shown(found.data)


def test_new_items_that_all_fail_where_most_pass_are_the_datas_doing() -> None:
    assert headline(common_and_new([0.0] * 12, of_common=[1.0] * 72 + [0.0] * 18)) == "the data"


def test_a_judge_that_gives_every_item_the_same_more_is_shown_though_nothing_varies() -> None:
    first, second = Scores.of([1.0] * 30), Scores.of([2.0] * 30)
    cells = Cells(
        first=first, second=second, first_on_second=first, second_on_first=second, same=np.ones(30, dtype=bool)
    )
    found = split(cells)
    assert isinstance(found.judge.interval, Undefined)
    assert headline(found) == "the judge"
    assert found.judge.p == pytest.approx(2 * 0.5**30)


def test_the_p_values_are_those_of_the_parts_and_their_adjusted_ones_of_all_of_them() -> None:
    found = split(nothing_changed(np.random.default_rng(9), numbers, common=120, new=30))
    parts = [getattr(found, name) for name in PARTS]
    assert all(0 < part.p <= part.p_adjusted <= 1 for part in parts)
    smallest = min(part.p for part in parts)
    assert min(part.p_adjusted for part in parts) == pytest.approx(min(1, 4 * smallest))
    assert isinstance(found.difference.p_adjusted, Undefined)


@pytest.mark.parametrize(("new", "clusters"), [(3, 3), (6, 3), (10, 5)])
def test_few_clusters_of_new_items_are_not_as_sure_as_the_many_beside_them(new: int, clusters: int) -> None:
    chance, common, tries = np.random.default_rng(0), 60, 300
    cluster = np.r_[np.arange(common) % 20, 20 + np.arange(new) % clusters]
    named = covered = 0
    for _ in range(tries):
        cells = of_new_items(chance, cluster, common=common)
        data = decompose(cells, clusters=[str(one) for one in cluster], resamples=100).split.data
        assert isinstance(data.interval, Interval)
        named += bool(data.shown)
        covered += data.interval.low <= 0 <= data.interval.high
    assert named / tries <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / tries)
    assert covered / tries >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / tries)


def test_items_of_two_clusters_are_not_compared_with_others() -> None:
    cluster = np.r_[np.arange(60) % 20, 20 + np.arange(20) % 2]
    cells = of_new_items(np.random.default_rng(0), cluster, common=60)
    data = decompose(cells, clusters=[str(one) for one in cluster], resamples=100).split.data
    assert "items of fewer than 3 clusters are compared with others" in str(data.interval)
    assert data.shown is not True


def of_new_items(chance: np.random.Generator, cluster: NDArray[np.int_], *, common: int) -> Cells:
    """Two runs of which nothing changed, but that the second has items of further clusters."""
    size = len(cluster)
    first = chance.normal(size=cluster.max() + 1)[cluster] * 0.7 + chance.normal(size=size)
    second = first + 0.3 * chance.normal(size=size)
    same, everywhere = np.arange(size) < common, np.ones(size, dtype=bool)
    return Cells(
        first=Scores(values=first, known=same),
        second=Scores(values=second, known=everywhere),
        first_on_second=Scores(values=second, known=everywhere),
        second_on_first=Scores(values=first, known=same),
        same=same,
    )
