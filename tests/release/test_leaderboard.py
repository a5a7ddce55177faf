"""Several runs ranked by one score of the same items."""

from __future__ import annotations

import pytest

import rejudge
from rejudge.wiring import Address
from tests.release.runs import correct, judged, rows, scorer

IDS = [f"i{number:03}" for number in range(120)]


def failing(count: int, *, start: int = 0) -> dict[str, object]:
    return {id: not start <= number < start + count for number, id in enumerate(IDS)}


def test_runs_that_the_items_cannot_tell_apart_share_ranks_and_a_group(store: Address) -> None:
    result = judged(store, rows(IDS), {"low": failing(80), "good": failing(10), "better": failing(9, start=3)})
    found = rejudge.leaderboard(result, store=store)
    board = found.ranking().leaderboard
    assert [(place.name, place.best_rank, place.worst_rank) for place in board.places] == [
        ("better", 1, 2),
        ("good", 1, 2),
        ("low", 3, 3),
    ]
    assert board.places[0].groups == board.places[1].groups != board.places[2].groups
    assert {pair.corrected.family for pair in board.pairs} == {3}
    text = str(found)
    assert "3 runs on the same 120 items, higher is better" in text
    assert "Runs that share a letter cannot be told apart" in text


def test_only_items_with_a_score_in_every_run_count_and_the_others_are_said(store: Address) -> None:
    part = {id: value for id, value in failing(10).items() if id != "i100"}
    found = rejudge.leaderboard(judged(store, rows(IDS), {"a": failing(20), "b": part}), store=store)
    assert (found.ranking().leaderboard.n, found.ranking().left_out) == (119, {"a": 1})
    assert "left out of a: 1 scored item that some run has no score for" in str(found)


def test_runs_over_versions_of_a_dataset_are_ranked_on_what_they_share(store: Address) -> None:
    judged(store, rows(IDS), {"a": failing(20)}, name="old")
    judged(store, rows(IDS[30:]), {"b": failing(50)}, name="new")
    judged(store, rows(IDS[:100]), {"c": failing(5)}, name="short")
    found = rejudge.leaderboard("old", "new", "short", store=store)
    assert found.ranking().leaderboard.n == 70
    means = {place.name: place.mean for place in found.ranking().leaderboard.places}
    assert means == {"a": 1.0, "b": pytest.approx(50 / 70), "c": 1.0}


def test_less_is_first_where_less_is_better(store: Address) -> None:
    spec = rejudge.ScoreSpec(
        name="mistakes", type=rejudge.ScoreType.NUMBER, low=0, high=9, direction=rejudge.Direction.LOWER
    )
    many: dict[str, object] = {id: number % 9 for number, id in enumerate(IDS)}
    few: dict[str, object] = {id: number % 4 for number, id in enumerate(IDS)}
    found = rejudge.leaderboard(
        judged(store, rows(IDS), {"many": many, "few": few}, scorer("mistakes", spec)), store=store
    )
    assert [place.name for place in found.ranking().leaderboard.places] == ["few", "many"]
    assert "lower is better" in str(found)


def test_each_label_has_its_ranking_and_other_scorers_are_named(store: Address) -> None:
    tone = scorer("tone", read=lambda output: "calm" if output else "rude")
    found = rejudge.leaderboard(
        judged(store, rows(IDS), {"a": failing(20), "b": failing(0)}, tone, correct), store=store
    )
    assert [one.leaderboard.name for one in found.rankings] == ["tone = calm", "tone = rude"]
    assert any("the runs also share correct" in note for note in found.notes)
    only = rejudge.leaderboard("exam", scorer="correct", store=store)
    assert only.ranking().leaderboard.name == "correct"


def test_what_cannot_be_ranked_is_refused_in_words(store: Address) -> None:
    judged(store, rows(IDS), {"a": failing(20)}, name="one")
    judged(store, rows(IDS), {"b": failing(20)}, scorer("other"), name="two")
    judged(store, rows(["x"]), {"c": {"x": True}}, name="three")
    for named, told in (
        (["one"], "a ranking takes two"),
        (["one", "two"], "no scorer in common"),
        (["one", "three"], "no item in common with a score of correct; alone they have 120 of a, 1 of c"),
    ):
        with pytest.raises(rejudge.ConfigurationError, match=told):
            rejudge.leaderboard(*named, store=store)


def test_one_pair_and_one_item_are_not_told_as_several(store: Address) -> None:
    result = judged(store, rows(["only"]), {"a": {"only": True}, "b": {"only": False}})
    text = str(rejudge.leaderboard(result, store=store))
    assert "2 runs on the same 1 item," in text
    assert "1 pair, second − first" in text
