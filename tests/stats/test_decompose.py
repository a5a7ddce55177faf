from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.decompose import Cells, Decomposition, Order, Part, Scores, decompose
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.paired import paired
from tests.stats.samples import cluster_t

Column = list[float | None]
SCORE = st.one_of(st.none(), st.floats(-100, 100))
ROW = st.tuples(SCORE, SCORE, SCORE, SCORE, st.booleans())


def cells(
    first: Column,
    second: Column,
    *,
    first_on_second: Column | None = None,
    second_on_first: Column | None = None,
    same: list[bool] | None = None,
) -> Cells:
    none = Undefined("nobody judged them")
    return Cells(
        first=Scores.of(first),
        second=Scores.of(second),
        first_on_second=none if first_on_second is None else Scores.of(first_on_second),
        second_on_first=none if second_on_first is None else Scores.of(second_on_first),
        same=np.array([True] * len(first) if same is None else same),
    )


def split(given: Cells, clusters: list[str] | None = None) -> Decomposition:
    return decompose(given, clusters=clusters, seed=1, resamples=100)


def value(part: Part) -> float:
    assert not isinstance(part.value, Undefined), part
    return part.value


def interval(part: Part) -> tuple[float, float]:
    assert isinstance(part.interval, Interval), part
    return part.interval.low, part.interval.high


@given(st.lists(ROW, min_size=1, max_size=25))
def test_the_parts_sum_to_the_difference_whatever_the_scores_are(
    rows: list[tuple[float | None, float | None, float | None, float | None, bool]],
) -> None:
    first, second, after, before, same = (list(column) for column in zip(*rows, strict=True))
    found = split(cells(first, second, first_on_second=after, second_on_first=before, same=same)).split
    parts = [one.value for one in (found.judge, found.task, found.data, found.missing)]
    if not any(isinstance(part, Undefined) for part in parts):
        assert math.fsum(part for part in parts if not isinstance(part, Undefined)) == pytest.approx(
            value(found.difference), abs=1e-9
        )
        assert value(found.judge) + value(found.task) == pytest.approx(value(found.together), abs=1e-9)
    assert (found.n_split == 0) == isinstance(found.together.value, Undefined)


@given(st.lists(ROW, min_size=1, max_size=25))
def test_what_each_item_moved_sums_to_its_part(
    rows: list[tuple[float | None, float | None, float | None, float | None, bool]],
) -> None:
    first, second, after, before, same = (list(column) for column in zip(*rows, strict=True))
    found = split(cells(first, second, first_on_second=after, second_on_first=before, same=same))
    for name, shifts in found.shifts.items():
        part = getattr(found.split, name)
        assert isinstance(part.value, Undefined) or math.fsum(shifts) == pytest.approx(part.value, abs=1e-9)


@given(st.lists(st.tuples(*[st.floats(-100, 100)] * 4), min_size=1, max_size=25))
def test_the_two_runs_exchanged_change_every_sign_and_no_size(rows: list[tuple[float, float, float, float]]) -> None:
    first, second, after, before = (list(column) for column in zip(*rows, strict=True))
    here = split(cells(first, second, first_on_second=after, second_on_first=before)).split
    there = split(cells(second, first, first_on_second=before, second_on_first=after)).split
    for name in ("difference", "judge", "task", "together", "data", "missing"):
        assert value(getattr(there, name)) == pytest.approx(-value(getattr(here, name)), abs=1e-9)
    assert value(there.interaction) == pytest.approx(value(here.interaction), abs=1e-9)
    assert value(there.judge_on_first) == pytest.approx(-value(here.judge_on_second), abs=1e-9)


FIRST: Column = [0.70, 0.55, 0.80, 0.62, 0.91, 0.40, 0.66, 0.73]
SECOND: Column = [0.74, 0.60, 0.79, 0.70, 0.93, 0.47, 0.66, 0.81]


def test_with_one_judge_the_task_did_it_all_and_its_interval_is_that_of_the_paired_difference() -> None:
    found = split(cells(FIRST, SECOND, first_on_second=SECOND, second_on_first=FIRST)).split
    alone = paired([one or 0 for one in FIRST], [one or 0 for one in SECOND])
    assert value(found.judge) == value(found.data) == value(found.missing) == value(found.interaction) == 0
    assert value(found.task) == pytest.approx(0.04125, abs=1e-12)
    assert isinstance(alone.interval, Interval)
    assert interval(found.task) == pytest.approx((alone.interval.low, alone.interval.high))
    assert interval(found.difference) == pytest.approx((0.0117979, 0.0707021), abs=1e-7)
    assert isinstance(found.judge.interval, Undefined)


def test_an_interaction_is_halved_between_both_and_told() -> None:
    # The judges agree on the first task's traces; on the second's the second judge gives 2 more.
    found = split(cells([1.0, 2, 3], [6.0, 6, 9], first_on_second=[4.0, 4, 7], second_on_first=[1.0, 2, 3])).split
    assert value(found.judge_on_first) == 0
    assert value(found.judge_on_second) == 2
    assert value(found.interaction) == 2
    assert value(found.judge) == 1
    assert value(found.task_by_first) == 3
    assert value(found.task_by_second) == 5
    assert value(found.task) == 4
    assert value(found.difference) == 5


def test_one_crossing_gives_one_order_and_none_gives_the_sum_of_both_alone() -> None:
    after = split(cells([1.0, 2, 3], [6.0, 6, 9], first_on_second=[4.0, 4, 7])).split
    assert (after.order, value(after.task), value(after.judge)) == (Order.TASK_FIRST, 3, 2)
    assert isinstance(after.interaction.value, Undefined)
    before = split(cells([1.0, 2, 3], [6.0, 6, 9], second_on_first=[1.0, 2, 3])).split
    assert (before.order, value(before.judge), value(before.task)) == (Order.JUDGE_FIRST, 0, 5)
    neither = split(cells([1.0, 2, 3], [6.0, 6, 9])).split
    assert (neither.order, value(neither.together)) == (Order.NONE, 5)
    assert neither.judge.value == neither.task.value == Undefined("nobody judged them")


def test_items_in_one_run_alone_and_items_with_other_content_are_the_datas_doing() -> None:
    first: Column = [1.0, 1, 1, 0, 1, 1, None, None]
    second: Column = [1.0, 1, 1, 0, 0, None, 0, 0]
    found = split(cells(first, second, first_on_second=second, second_on_first=first, same=[True] * 4 + [False] * 4))
    assert value(found.split.task) == value(found.split.missing) == 0
    assert value(found.split.data) == pytest.approx(3 / 7 - 5 / 6)
    assert found.split.data.n == 4
    # item 4 fell from 1 to 0, item 5 is gone, items 6 and 7 are new: each against what the common items score, 3/4.
    assert found.shifts["data"].tolist() == pytest.approx(
        [0, 0, 0, 0, (0 - 0.75) / 7 - (1 - 0.75) / 6, -(1 - 0.75) / 6, -0.75 / 7, -0.75 / 7]
    )


def test_an_item_that_one_side_has_no_score_of_is_missing_and_no_change_of_the_data() -> None:
    first: Column = [1.0, 1, 0, 0, 0, 0]
    second: Column = [1.0, 1, 0, 0, None, None]
    found = split(cells(first, second, first_on_second=second, second_on_first=first)).split
    assert value(found.data) == value(found.task) == 0
    assert value(found.missing) == pytest.approx(0.5 - 1 / 3)
    assert found.n_split == 4


def test_an_item_that_the_other_judge_could_not_score_is_missing() -> None:
    found = split(cells([1.0, 0, 0], [1.0, 1, 1], first_on_second=[1.0, 1, None], second_on_first=[1.0, 0, 0])).split
    assert found.n_split == 2
    assert value(found.together) == 0.5
    assert value(found.missing) == pytest.approx(2 / 3 - 0.5)


def test_one_item_that_is_new_has_an_effect_and_no_interval() -> None:
    found = split(cells([1.0, 0, 1, None], [1.0, 0, 1, 0], first_on_second=None, same=[True] * 3 + [False])).split
    assert value(found.data) == pytest.approx(0.5 - 2 / 3)
    assert found.data.interval == Undefined("one item alone shows no spread")


def test_runs_without_a_common_item_have_a_difference_and_no_parts() -> None:
    found = split(cells([1.0, 0, None, None], [None, None, 1.0, 3.0], same=[False] * 4)).split
    assert value(found.difference) == 1.5
    for part in (found.together, found.judge, found.task, found.data, found.missing):
        assert isinstance(part.value, Undefined)
    oracle = stats.ttest_ind([1.0, 3], [1.0, 0], equal_var=False).confidence_interval()
    assert interval(found.difference) == pytest.approx((oracle.low, oracle.high))


@pytest.mark.parametrize("unit", [1e149, 1e-120])
def test_scores_of_any_size_are_split(unit: float) -> None:
    first, second, new = [1.0, 3.0, 2.0, 4.0], [2.0, 3.5, 1.0, 6.0], [3.0, 7.0, 5.0]
    one, other = (
        split(
            cells(
                [scale * score for score in first] + [None] * 3,
                [None, *(scale * score for score in second[1:]), *(scale * score for score in new)],
            )
        ).split.difference
        for scale in (1.0, unit)
    )
    assert value(other) == pytest.approx(value(one) * unit)
    assert interval(other) == pytest.approx(tuple(end * unit for end in interval(one)))


@pytest.mark.parametrize("unit", [1e-14, 2e-10, 1e10])
def test_what_each_item_moved_is_told_in_any_unit(unit: float) -> None:
    columns = [[1.0, 3, 2, 4, 9], [2.0, 3, 1, 6, 7], [1.5, 3, 2, 5, 8], [1.0, 3, 2, 5, 9]]

    def found(unit: float) -> dict[str, list[float]]:
        first, second, after, before = ([unit * score for score in column] for column in columns)
        same = [True] * 4 + [False]
        given = cells([*first], [*second], first_on_second=[*after], second_on_first=[*before], same=same)
        return {str(name): shifts.tolist() for name, shifts in split(given).shifts.items()}

    here, there = found(1), found(unit)
    for name, shifts in here.items():
        assert there[name] == pytest.approx([unit * shift for shift in shifts], rel=1e-9, abs=0), name
    assert np.count_nonzero(there["judge"]) == 3


def test_a_run_without_scores_is_told() -> None:
    found = split(cells([None, None], [1.0, 0.0])).split
    assert found.difference.value == Undefined("one of the runs has no score")
    assert found.mean_first == Undefined("nothing was scored")


def test_clusters_widen_every_part() -> None:
    chance = np.random.default_rng(3)
    shared = np.repeat(chance.normal(0, 1, 20), 10)
    first: Column = list(chance.normal(0, 0.1, 200))
    second: Column = list(np.array(first) + shared + chance.normal(0, 0.1, 200))
    names = [str(one // 10) for one in range(200)]
    given = cells(first, second, first_on_second=second, second_on_first=first)
    found = split(given, names).split
    differences = np.array(second) - np.array(first)
    oracle = cluster_t(differences.reshape(20, 10).tolist())
    assert isinstance(oracle, Interval)
    assert interval(found.task) == pytest.approx((oracle.low, oracle.high))
    assert interval(found.difference) == pytest.approx((oracle.low, oracle.high))
    narrow = interval(split(given).split.task)
    assert oracle.high - oracle.low > 2 * (narrow[1] - narrow[0])


def test_the_same_seed_gives_the_same_bootstrap() -> None:
    given = cells(FIRST, SECOND, first_on_second=SECOND, second_on_first=FIRST)
    one, other = decompose(given, seed=7).split, decompose(given, seed=7).split
    assert one.task.bootstrap == other.task.bootstrap != decompose(given, seed=8).split.task.bootstrap
    assert isinstance(one.task.bootstrap, Interval)
    assert one.task.bootstrap.method == "bootstrap-bca"
    assert one.seed == 7


def test_what_cannot_be_split_is_refused() -> None:
    with pytest.raises(RecordError, match="not of the same ones"):
        cells([1.0], [1.0, 2.0])
    with pytest.raises(ConfigurationError, match="confidence level"):
        decompose(cells([1.0], [1.0]), level=2)
    with pytest.raises(RecordError):
        Scores.of([math.nan])


def test_intervals_of_all_parts_cover_what_was_planted() -> None:
    """Judge +0.10, task +0.30, new items lower by 0.5 (a quarter of the second run's): each interval in 93–97 %."""
    chance = np.random.default_rng(20)
    n, added, tries = 60, 20, 600
    planted = {"judge": 0.10, "task": 0.30, "data": -0.5 * added / (n + added)}
    covered = dict.fromkeys(planted, 0)
    none: Column = [None] * added
    for _ in range(tries):
        base = chance.normal(0, 1, n)
        first, after = base, base + 0.30 + chance.normal(0, 0.5, n)
        before, second = first + 0.10 + chance.normal(0, 0.2, n), after + 0.10 + chance.normal(0, 0.2, n)
        new = chance.normal(0.40 - 0.5, 1, added)
        found = split(
            cells(
                [*first, *none],
                [*second, *new],
                first_on_second=[*after, *none],
                second_on_first=[*before, *none],
                same=[True] * n + [False] * added,
            )
        ).split
        for name, truth in planted.items():
            low, high = interval(getattr(found, name))
            covered[name] += low <= truth <= high
    for name, times in covered.items():
        assert 0.93 <= times / tries <= 0.97, (name, times / tries)
