"""Differences that were planted are found where they were planted, and no task is called to find them."""

from __future__ import annotations

import pytest

import rejudge
from rejudge.release.explanation import ScoreExplanation
from rejudge.stats.decompose import Order, Part, Split
from rejudge.stats.interval import Interval, Undefined
from rejudge.storage.store import Store
from rejudge.wiring import open_store
from tests.release.planted import BETTER, HARDER, JUDGE, TASK, World, numbered, quality, stored_runs


@pytest.fixture
def store() -> Store:
    return open_store("memory:")


def explained(world: World, first: rejudge.Result, second: rejudge.Result, **question: object) -> rejudge.Explanation:
    return rejudge.explain(first, second, provider=world.provider, progress="silent", **question)  # type: ignore[arg-type]


def split_of(score: ScoreExplanation) -> Split:
    assert not isinstance(score.split, Undefined), score.split
    return score.split


def holds(part: Part, planted: float) -> bool:
    """Whether the interval of a part holds what was planted, and, where that is something, not 0."""
    assert isinstance(part.interval, Interval), part
    inside = part.interval.low <= planted <= part.interval.high
    return inside and (planted == 0 or not part.interval.low <= 0 <= part.interval.high)


def is_nothing(part: Part) -> bool:
    return part.value == 0 or (isinstance(part.interval, Interval) and part.interval.low <= 0 <= part.interval.high)


def summed(split: Split) -> float:
    parts = [part.value for part in (split.judge, split.task, split.data, split.missing)]
    return sum(part for part in parts if not isinstance(part, Undefined))


def test_only_the_judge_changed(store: Store) -> None:
    world = World()
    first, second = world.run(store, "before"), world.run(store, "after", judge="lenient")
    tasks, judges = world.tasks, world.judges
    found = explained(world, first, second)
    split = split_of(found.score("quality"))
    assert holds(split.judge, JUDGE)
    assert split.task.value == split.data.value == split.missing.value == 0
    assert summed(split) == pytest.approx(split.difference.value)
    assert split.order is Order.BOTH
    # Both runs share their traces, so that both judges have judged all of them already.
    assert (world.tasks, world.judges) == (tasks, judges)
    assert (found.spent.made, found.spent.stored) == (0, 160)
    assert len(store.runs()) == 2


def test_only_the_prompt_changed(store: Store) -> None:
    world = World()
    first, second = world.run(store, "before"), world.run(store, "after", prompt=BETTER)
    tasks, judges = world.tasks, world.judges
    found = explained(world, first, second)
    split = split_of(found.score())
    assert holds(split.task, TASK)
    assert split.judge.value == split.data.value == split.missing.value == 0
    assert found.score().same_judge
    assert (world.tasks, world.judges) == (tasks, judges)
    assert "messages" in found.differences.task[0].path


def test_only_the_data_changed(store: Store) -> None:
    world = World()
    first = world.run(store, "before")
    second = world.run(store, "after", items=numbered([*range(60), *range(1000, 1060)]))
    tasks, judges = world.tasks, world.judges
    found = explained(world, first, second)
    split = split_of(found.score())
    assert holds(split.data, HARDER * 60 / 120)
    assert split.task.value == split.judge.value == split.missing.value == 0
    assert (world.tasks, world.judges) == (tasks, judges)
    assert found.differences.dataset is not None
    assert len(found.differences.dataset.added) == 60
    assert len(found.differences.dataset.deleted) == 20


def test_all_three_changed_and_each_is_found_where_it_was_planted(store: Store) -> None:
    world = World()
    first = world.run(store, "before")
    second = world.run(store, "after", prompt=BETTER, judge="lenient", items=numbered([*range(80), *range(1000, 1040)]))
    tasks, judges = world.tasks, world.judges
    found = explained(world, first, second)
    split = split_of(found.score())
    assert holds(split.judge, JUDGE)
    assert holds(split.task, TASK)
    assert holds(split.data, HARDER * 40 / 120)
    assert is_nothing(split.interaction)
    assert summed(split) == pytest.approx(split.difference.value)
    assert world.tasks == tasks
    assert world.judges == judges + 2 * 80 == judges + found.spent.made
    assert found.spent.cost == pytest.approx(1.60)


def test_explaining_again_judges_nothing_again(store: Store) -> None:
    world = World()
    first, second = world.run(store, "before"), world.run(store, "after", prompt=BETTER, judge="lenient")
    once = explained(world, first, second)
    runs, judges = len(store.runs()), world.judges
    again = explained(world, first, second)
    assert world.judges == judges
    assert again.score().split == once.score().split
    assert (again.spent.made, again.spent.stored, again.spent.cost) == (0, 160, None)
    assert len(store.runs()) == runs


def test_nothing_about_either_run_changes(store: Store) -> None:
    world = World()
    first, second = world.run(store, "before"), world.run(store, "after", prompt=BETTER, judge="lenient")
    before = stored_runs(store)
    explained(world, first, second)
    assert stored_runs(store)[: len(before)] == before
    workspace = rejudge.open(store)
    assert [workspace.result(name).runs[0].id for name in ("before", "after")] == [
        first.runs[0].id,
        second.runs[0].id,
    ]
    own = [one for one in workspace.experiments() if one.name.startswith("explain/")]
    assert [one.name for one in own] == ["explain/after:answer", "explain/before:answer"]
    assert own[0].protocol["explains"] == {"traces_of": second.runs[0].id, "judged_as": first.runs[0].id}


def test_stored_scores_alone_cost_nothing_and_tell_what_they_can(store: Store) -> None:
    world = World()
    first, second = world.run(store, "before"), world.run(store, "after", prompt=BETTER, judge="lenient")
    judges, runs = world.judges, len(store.runs())
    found = explained(world, first, second, judging="stored")
    split = split_of(found.score())
    assert (world.judges, len(store.runs())) == (judges, runs)
    assert split.order is Order.NONE
    assert holds(split.together, JUDGE + TASK)
    assert isinstance(split.judge.value, Undefined)
    assert "nothing was to be judged" in split.judge.value.reason
    explained(world, first, second)
    assert split_of(explained(world, first, second, judging="stored").score()).order is Order.BOTH


def test_a_score_that_somebody_gave_before_is_not_paid_for_again(store: Store) -> None:
    world = World()
    first, second = world.run(store, "before"), world.run(store, "after", prompt=BETTER, judge="lenient")
    rejudge.evaluate_experiment("after", [quality("strict")], store=store, provider=world.provider)
    judges = world.judges
    explained(world, first, second)
    assert world.judges == judges + 80


def test_trials_are_averaged_within_their_items(store: Store) -> None:
    world = World()
    first = world.run(store, "before", trials=3)
    second = world.run(store, "after", trials=3, prompt=BETTER, judge="lenient")
    judges = world.judges
    split = split_of(explained(world, first, second).score())
    assert (split.judge.n, split.n_first) == (80, 80)
    assert holds(split.judge, JUDGE)
    assert holds(split.task, TASK)
    assert world.judges == judges + 2 * 3 * 80


def test_the_items_that_carry_a_part_sum_to_it(store: Store) -> None:
    world = World()
    first, second = world.run(store, "before"), world.run(store, "after", prompt=BETTER, judge="lenient")
    score = explained(world, first, second, listed=100).score()
    split = split_of(score)
    for name in ("judge", "task"):
        carried = score.carried[name]
        assert carried.count == len(carried.items) == 80
        assert sum(one.shift for one in carried.items) == pytest.approx(getattr(split, name).value)
        assert [abs(one.shift) for one in carried.items] == sorted(
            (abs(one.shift) for one in carried.items), reverse=True
        )
    one = score.carried["judge"].items[0]
    assert None not in (one.first, one.second, one.first_on_second, one.second_on_first)


def test_the_order_of_the_runs_changes_only_the_sign(store: Store) -> None:
    world = World()
    first, second = world.run(store, "before"), world.run(store, "after", prompt=BETTER, judge="lenient")
    here = split_of(explained(world, first, second).score())
    there = split_of(explained(world, second, first).score())
    for name in ("judge", "task", "difference"):
        assert getattr(there, name).value == pytest.approx(-getattr(here, name).value)


def test_clusters_make_the_intervals_theirs(store: Store) -> None:
    world = World()
    items = [{**one, "topic": str(int(str(one["number"])) // 8)} for one in numbered(range(80))]
    first = world.run(store, "before", items=items)
    second = world.run(store, "after", items=items, prompt=BETTER, judge="lenient")
    split = split_of(explained(world, first, second, clusters="topic").score())
    for part in (split.judge, split.task, split.difference):
        assert isinstance(part.interval, Interval)
        assert part.interval.method == "cluster-t"
    assert isinstance(split.task.bootstrap, Interval)
    assert split.task.bootstrap.method == "cluster-bootstrap-bca"


def test_two_tasks_of_one_experiment_are_explained_as_one_result(store: Store) -> None:
    tasks = [
        rejudge.prompt(text, model="task/model", name=name)
        for name, text in (("a", "question {{ number }}"), ("b", BETTER))
    ]
    world = World()
    both = rejudge.evaluate(
        numbered(range(30)),
        tasks,
        [lambda output: float(output.rsplit(maxsplit=1)[-1])],
        store=store,
        name="both",
        provider=world.provider,
    )
    split = split_of(rejudge.explain(both, provider=world.provider).score())
    assert holds(split.task, TASK)


def test_one_run_is_refused(store: Store) -> None:
    world = World()
    first = world.run(store, "before", items=numbered(range(3)))
    with pytest.raises(rejudge.ConfigurationError, match="two runs are explained, and 1 are named"):
        rejudge.explain(first)
    with pytest.raises(rejudge.ConfigurationError, match="judging"):
        rejudge.explain(first, first, judging="never")  # type: ignore[arg-type]
