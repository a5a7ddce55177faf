"""Power planned from assumptions and from runs, and looked back on after a comparison."""

from __future__ import annotations

import json
from random import Random
from statistics import variance

import pytest

import rejudge
from rejudge.stats.interval import Undefined
from rejudge.stats.planning import planned, spread_of_rates
from rejudge.stats.power import Aim
from rejudge.wiring import Address
from tests.release.runs import judged, rows, scorer

IDS = [f"i{number:03}" for number in range(100)]


def failing(count: int, *, start: int = 0) -> dict[str, object]:
    return {id: not start <= number < start + count for number, id in enumerate(IDS)}


def test_assumed_pass_rates_need_no_store() -> None:
    found = rejudge.power(rate=0.6, difference=0.05)
    expected = planned(spread_of_rates(0.6, 0.65, correlation=0.5), difference=0.05, aim=Aim())
    assert found.power.plan == expected
    assert found.items == 740
    text = str(found)
    assert "740 items find a difference of 5 points with 80 % power" in text
    assert "which nobody said" in text
    assert f"the exact test, by which a comparison is decided, needs {found.power.plan.needed_exact}" in text
    assert "by the exact test, which decides a comparison, it is 76 %" in str(
        rejudge.power(rate=0.6, difference=0.05, items=700)
    )
    assert json.loads(found.to_json())["power"]["plan"]["needed"]["items"] == 740
    assert rejudge.power(rate=0.6, items=740).detectable == pytest.approx(0.05, abs=0.001)


def test_a_correlation_that_nobody_said_is_no_more_than_there_can_be() -> None:
    found = rejudge.power(rate=0.95, difference=0.04)
    assert isinstance(found.items, int)
    with pytest.raises(rejudge.ConfigurationError, match=r"cannot have a correlation of 0\.5"):
        rejudge.power(rate=0.95, difference=0.04, correlation=0.5)


def test_more_trials_are_planned_where_a_reliability_is_said() -> None:
    found = rejudge.power(rate=0.6, difference=0.05, items=600, reliability=0.7, trials=2)
    assert [one.trials for one in found.power.trials] == [1, 2, 4, 8]
    items = [one.needed.items for one in found.power.trials if one.needed and not isinstance(one.needed, Undefined)]
    assert items == sorted(items, reverse=True)
    assert found.power.plan.trials_needed == 6
    assert "6 trials of each of the 600 items would have 80 % power" in " ".join(str(found).split())
    alone = rejudge.power(rate=0.6, difference=0.05, trials=2)
    assert isinstance(alone.items, Undefined)


def test_one_run_tells_its_rate_and_the_other_is_taken_to_be_like_it(store: Address) -> None:
    judged(store, rows(IDS), {"a": failing(40)})
    found = rejudge.power("exam", difference=0.1, store=store)
    assert found.items == rejudge.power(rate=0.6, difference=0.1).items
    assert found.power.plan.items == 100
    assert found.power.measure == "correct"
    assert any("100 items, mean 0.6" in words for words in found.power.basis)


def test_one_run_with_several_trials_tells_what_more_of_them_remove(store: Address) -> None:
    trials: dict[str, object] = {id: [number % 4 != 0, number % 3 != 0, True] for number, id in enumerate(IDS)}
    judged(store, rows(IDS), {"a": trials}, trials=3)
    found = rejudge.power("exam", difference=0.1, store=store)
    within = sum(
        variance([float(bool(one)) for one in values]) for values in trials.values() if isinstance(values, list)
    )
    assert found.power.plan.spread.variance.first == pytest.approx(within / 100, rel=0.02)
    assert (found.power.plan.trials, found.power.plan.spread.split) == (3, True)
    assert any("reliability of one trial" in words for words in found.power.basis)


def test_two_runs_tell_what_they_could_show(store: Address) -> None:
    judged(store, rows(IDS), {"a": failing(20), "b": failing(25, start=5)})
    found = rejudge.power("exam", difference=0.1, store=store)
    assert found.power.plan.spread.discordant == pytest.approx(0.15)
    assert found.power.plan.items == 100
    assert found.power.plan.power is not None
    assert found.items == planned(found.power.plan.spread, difference=0.1, aim=Aim()).needed.items  # type: ignore[union-attr]
    assert "15 % of the items passed by exactly one" in str(found)
    assert "no proof that more items would show it" in " ".join(str(found).split())
    numbers: dict[str, dict[str, object]] = {
        "c": {id: number / 10 for number, id in enumerate(IDS)},
        "d": {id: number / 10 + (number % 5) for number, id in enumerate(IDS)},
    }
    judged(store, rows(IDS), numbers, scorer("size"), name="numbers")
    sized = rejudge.power("numbers", store=store)
    spread = variance([float(number % 5) for number in range(100)])
    assert sized.power.plan.spread.variance.between == pytest.approx(spread)
    assert (sized.power.plan.test, sized.items) == ("t", None)
    assert isinstance(sized.detectable, float)


def test_clusters_of_the_items_multiply_what_is_needed(store: Address) -> None:
    doc: dict[str, object] = {id: number // 10 for number, id in enumerate(IDS)}
    judged(store, rows(IDS, doc=doc), {"a": failing(40)})
    alone, clustered = (rejudge.power("exam", difference=0.1, clusters=field, store=store) for field in (None, "doc"))
    assert isinstance(alone.items, int)
    assert isinstance(clustered.items, int)
    assert clustered.power.plan.aim.design_effect == pytest.approx(10, rel=0.3)
    assert clustered.items == pytest.approx(alone.items * clustered.power.plan.aim.design_effect, rel=0.01)
    assert any("10 clusters by doc" in words for words in clustered.power.basis)


def test_what_cannot_be_planned_is_refused_in_words(store: Address) -> None:
    judged(store, rows(IDS), {"a": failing(20), "b": failing(0), "c": failing(3)})
    judged(store, rows(IDS), {"d": failing(20)}, scorer("one"), scorer("two"), name="many")
    judged(store, rows(IDS), {"e": dict.fromkeys(IDS, 3.0)}, scorer("same"), name="same")
    for named, asked, told in (
        ([], {"difference": 0.1}, "neither a run, nor a pass rate"),
        ([], {"rate": 0.5, "std": 1.0, "items": 9}, "both a pass rate and a standard deviation"),
        ([], {"rate": 0.5}, "neither a difference nor a number of items"),
        ([], {"rate": 0.9, "difference": 0.2}, "cannot move by 20 points"),
        ([], {"rate": 0.5, "items": 9, "clusters": "doc"}, "and no run"),
        (["exam:a"], {"rate": 0.5}, "a run tells it"),
        (["exam"], {}, "3 runs are named"),
        (["exam:a", "exam:b"], {"correlation": 0.5}, "two runs tell how alike they are"),
        (["many"], {}, "the runs have 2 scorers: one, two"),
        (["same"], {}, "every item of the run has the same same"),
    ):
        with pytest.raises(rejudge.ConfigurationError, match=told):
            rejudge.power(*named, store=store, **asked)


def test_one_run_with_trials_plans_no_fewer_items_than_two_such_runs_turn_out_to_need(store: Address) -> None:
    chance = Random(5)

    def trials(easy: dict[str, float]) -> dict[str, object]:
        return {id: [chance.random() < easy[id] for _ in range(4)] for id in IDS}

    common = {id: chance.uniform(0.2, 0.9) for id in IDS}
    sides = {
        name: trials({id: (one + chance.uniform(0.2, 0.9)) / 2 for id, one in common.items()}) for name in ("a", "b")
    }
    judged(store, rows(IDS), sides, trials=4)
    planned_items = rejudge.power("exam:a", difference=0.1, store=store)
    needed = rejudge.power("exam:a", "exam:b", difference=0.1, store=store).items
    assert isinstance(planned_items.items, int)
    assert isinstance(needed, int)
    assert planned_items.items >= 0.75 * needed
    text = " ".join(str(planned_items).split())
    assert "by 0.5 in the items' true means" in text
    assert "were they independent, it would take some" in text


def test_a_plan_from_one_run_of_passes_says_what_independent_systems_would_take(store: Address) -> None:
    judged(store, rows(IDS), {"a": failing(40)})
    found = rejudge.power("exam", difference=0.1, store=store)
    apart = rejudge.power("exam", difference=0.1, correlation=0.0, store=store)
    assert isinstance(found.items, int)
    assert isinstance(apart.items, int)
    assert f"it would take some {apart.items / found.items:.1g}" in " ".join(str(found).split())
    assert "were they independent" not in str(apart)


def test_scores_are_planned_by_the_t_test_that_decides_them() -> None:
    text = str(rejudge.power(std=1.0, difference=3.0))
    assert "4 items find a difference of 3 with 80 % power" in text
    assert "the normal formula says 1" in text
    alone = rejudge.power(std=1.0, items=1)
    assert isinstance(alone.detectable, Undefined)
    assert "two independent items at least" in str(alone)


@pytest.mark.parametrize(
    ("asked", "refused"),
    [
        ({"trials": 0}, "0 trials of an item show nothing"),
        ({"trials": -3}, "-3 trials of an item show nothing"),
        ({"design_effect": 0.0}, "0.0 is not a design effect"),
        ({"design_effect": -1.0}, "-1.0 is not a design effect"),
        ({"items": 0}, "0 items show nothing"),
    ],
)
def test_zero_is_refused_and_not_taken_for_nothing_said(store: Address, asked: dict[str, float], refused: str) -> None:
    judged(store, rows(IDS), {"a": failing(40)})
    with pytest.raises(rejudge.ConfigurationError, match=refused):
        rejudge.power(rate=0.7, difference=0.1, **asked)  # type: ignore[arg-type]
    with pytest.raises(rejudge.ConfigurationError, match=refused):
        rejudge.power("exam", difference=0.1, store=store, **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            {"rate": 0.7, "difference": 0.0},
            "needed to find a difference of 0 points with 80 % power: undefined because no number of items finds a "
            "difference of 0",
        ),
        (
            {"rate": 0.7, "items": 10},
            "detectable with 80 % power: undefined because 10 items with 0.21 of them discordant are too few to find "
            "any difference",
        ),
        (
            {"rate": 0.6, "difference": 0.05, "items": 500, "trials": 2},
            "power the chance that 500 items × 2 trials show a difference of 5 points: undefined because",
        ),
        ({"std": 1.0, "difference": 0.0, "reliability": 0.8}, "× 2 items needed: undefined because no number of items"),
    ],
)
def test_what_is_undefined_is_a_sentence_of_its_own(asked: dict[str, float], sentence: str) -> None:
    assert sentence in " ".join(str(rejudge.power(**asked)).split())  # type: ignore[arg-type]
