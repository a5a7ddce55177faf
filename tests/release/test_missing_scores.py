"""What neither run has a score for, or only part of: told by how much, why, and whether it could turn the verdict."""

from __future__ import annotations

import json

import pytest

import rejudge
from rejudge.stats.bounds import Bounds
from rejudge.stats.counts import Counts
from rejudge.stats.interval import Undefined
from rejudge.wiring import Address
from tests.release.runs import judged, rows, scorer

IDS = [f"i{number:02}" for number in range(60)]


def told(found: object) -> str:
    return " ".join(str(found).split())


def failing_on_odd(item: dict[str, object], output: object) -> bool:
    """A scorer that has an error on every second item."""
    if int(str(item["id"])[1:]) % 2:
        raise ValueError("boom")
    return bool(output)


def half_judged(store: Address) -> rejudge.Result:
    return judged(
        store, rows(IDS), {"a": {id: id > "i10" for id in IDS}, "b": {id: id > "i04" for id in IDS}}, failing_on_odd
    )


def test_items_without_a_score_on_either_side_are_counted_with_the_reason(store: Address) -> None:
    found = rejudge.compare(half_judged(store), store=store)
    one = found.score()
    assert (one.comparison.n, one.unpaired[0].count, one.unpaired[1].count) == (30, 0, 0)
    assert one.unscored.count == 30
    assert one.unscored.items[:2] == ("i01", "i03")
    assert one.lacking.counts == (Counts(planned=60, scored=30, scorer_errors=30),) * 2
    sentence = (
        "failing_on_odd: no score on either side: 30 items, because in a 30 of 60 planned have no score (30 scorer "
        "errors); in b 30 of 60 planned have no score (30 scorer errors)"
    )
    assert sentence in told(found)
    assert sentence in found.notes
    assert "no score on either side: 30 items" in found.to_html()
    plain = json.loads(found.to_json())["compared"]["scores"][0]
    assert plain["lacking"]["counts"][0]["scorer_errors"] == 30
    assert plain["unscored"]["count"] == 30


def test_skips_task_errors_and_what_is_pending_are_told_apart(store: Address) -> None:
    """The task of `a` fails on one item; the scorer skips another, where a field is missing."""
    items = [row | ({"wanted": True} if row["id"] != "i03" else {}) for row in rows(IDS)]

    def as_wanted(output: object, wanted: object) -> bool:
        return bool(output) == bool(wanted)

    values = dict.fromkeys(IDS, True)
    result = judged(store, items, {"a": dict.fromkeys(IDS[1:], True), "b": values}, as_wanted)
    found = rejudge.compare(result, store=store)
    lacking = found.score().lacking
    counts = lacking.counts
    assert (counts[0].task_errors, counts[1].task_errors) == (1, 0)
    assert (counts[0].skipped, counts[1].skipped) == (1, 1)
    assert lacking.causes == ({"missing_input_field": 1},) * 2
    why = "in b 1 of 60 planned have no score (1 skipped; causes of skips: 1 missing_input_field)"
    assert why in told(found)
    ranked = rejudge.leaderboard(result, store=store)
    assert ranked.ranking().absent.causes == {"a": {"missing_input_field": 1}, "b": {"missing_input_field": 1}}
    assert why in told(ranked)
    assert why.replace("in b", "as_wanted: in the second run") in told(rejudge.explain(result, store=store))


def test_a_comparison_with_every_score_says_nothing_of_missing_ones(store: Address) -> None:
    found = rejudge.compare(judged(store, rows(IDS), {"a": dict.fromkeys(IDS, True), "b": dict.fromkeys(IDS, 1)}))
    one = found.score()
    assert one.lacking.counts == (Counts(planned=60, scored=60),) * 2
    assert (one.comparison.bounds, one.unscored.count, found.notes) == (None, 0, ())
    assert "missing" not in told(found)


def test_trials_lost_inside_items_are_told_and_could_turn_the_verdict(store: Address) -> None:
    """The judge of the second run fails where it should say no, so the second run seems to pass everything."""
    outputs: dict[str, object] = {id: [trial < 2 for trial in range(4)] for id in IDS}

    def correct(output: object) -> bool:
        return bool(output)

    def strict(output: object) -> bool:
        if not output:
            raise ValueError("no verdict")
        return True

    strict.__name__ = "correct"
    first = judged(store, rows(IDS), {"a": outputs}, correct, name="first", trials=4)
    second = judged(store, rows(IDS), {"a": outputs}, strict, name="second", trials=4)
    found = rejudge.compare(first, second, store=store)
    one = found.score()
    assert one.comparison.difference == 0.5
    assert (one.lacking.partial, one.lacking.lost) == ((0, 60), (0, 120))
    bounds = one.comparison.bounds
    assert isinstance(bounds, Bounds)
    assert (bounds.low, bounds.high, bounds.items) == (0.0, 0.5, 60)
    assert "correct: BETTER, which the missing scores could turn" in told(found)
    assert "lost 120 trials of 60 items that still count" in told(found)
    assert "Scores are missing, and they could turn this verdict: over all 60 planned items" in told(found)
    assert "they could turn this verdict" in found.to_html()


def test_a_verdict_that_nothing_missing_could_turn_says_so(store: Address) -> None:
    whole = dict.fromkeys(IDS, True)
    result = judged(store, rows(IDS), {"a": dict.fromkeys(IDS, False), "b": {id: True for id in whole if id != "i03"}})
    found = rejudge.compare(result, store=store)
    bounds = found.score().comparison.bounds
    assert isinstance(bounds, Bounds)
    assert [bounds.low, bounds.high] == pytest.approx([59 / 60, 1])
    assert "could turn" not in told(found)
    assert "the difference keeps its sign whatever they would have been" in told(found)


def test_without_a_declared_range_nobody_knows_how_far_missing_scores_could_move_it(store: Address) -> None:
    numbers = {id: float(place) for place, id in enumerate(IDS)}
    second = {id: value + 5 + value % 3 for id, value in numbers.items() if id != "i03"}
    result = judged(store, rows(IDS), {"a": numbers, "b": second}, scorer("size"))
    found = rejudge.compare(result, store=store)
    assert isinstance(found.score().comparison.bounds, Undefined)
    assert "they could turn this verdict: how far they could move the difference is undefined" in told(found)


def test_bounds_are_over_the_items_that_two_versions_share(store: Address) -> None:
    old = rows(IDS)
    judged(store, old, {"a": {id: True for id in IDS if id != "i59"}}, name="before")
    judged(store, [*reversed(old[2:]), {"id": "new", "question": "?"}], {"b": {"i05": True}}, name="after")
    found = rejudge.compare("before", "after", store=store).score()
    bounds = found.comparison.bounds
    assert isinstance(bounds, Bounds)
    assert bounds.items == 58
    assert [bounds.low, bounds.high] == pytest.approx([1 / 58 - 1, 1 - 57 / 58])
    assert found.unscored.items == ("i59",)


def test_a_ranking_counts_the_items_that_no_run_has_a_score_for(store: Address) -> None:
    found = rejudge.leaderboard(half_judged(store), store=store)
    absent = found.ranking().absent
    assert absent.unscored == 30
    assert absent.counts["a"] == Counts(planned=60, scored=30, scorer_errors=30)
    sentence = (
        "failing_on_odd: no run has a score for 30 items; in a 30 of 60 planned have no score (30 scorer errors); in b "
        "30 of 60 planned have no score (30 scorer errors)"
    )
    assert sentence in told(found)
    assert sentence in json.loads(found.to_json())["notes"]
    assert "no run has a score for 30 items" in found.to_html()


def test_a_ranking_says_which_order_the_missing_scores_could_turn(store: Address) -> None:
    """The best of three has half of its scores; the other two have all of theirs."""
    best = {id: True for place, id in enumerate(IDS) if place % 2}
    tasks = {"best": best, "middle": {id: id < "i30" for id in IDS}, "worst": dict.fromkeys(IDS, False)}
    found = rejudge.leaderboard(judged(store, rows(IDS), tasks), store=store)
    absent = found.ranking().absent
    assert absent.could_turn == (("best", "middle"),)
    best_bounds, worst_bounds = absent.bounds["best"], absent.bounds["worst"]
    assert isinstance(best_bounds, Bounds)
    assert (best_bounds.low, best_bounds.high, worst_bounds) == (0.5, 1.0, Bounds(low=0, high=0, items=60))
    assert "the scores that are missing could turn the order of best and middle" in told(found)


def test_a_ranking_with_every_score_says_nothing_of_missing_ones(store: Address) -> None:
    tasks = {"a": dict.fromkeys(IDS, True), "b": {id: id > "i20" for id in IDS}}
    found = rejudge.leaderboard(judged(store, rows(IDS), tasks), store=store)
    assert (found.notes, found.ranking().absent.bounds) == ((), {})
