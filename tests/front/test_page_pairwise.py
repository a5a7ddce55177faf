"""The page of a pairwise leaderboard: strengths and ranks, every pair, what the place did, and what it all means."""

from __future__ import annotations

import math
import re
from itertools import combinations

import pytest

import rejudge
from rejudge.front.page_pairwise import pairwise_section
from rejudge.release.pairwise import PairwiseRanked
from rejudge.stats.interval import Interval, Undefined
from rejudge.storage.memory import MemoryStore
from tests.front.pages import checked, paired_systems
from tests.release.runs import judged, rows


@pytest.fixture(scope="module")
def board() -> rejudge.RankingResult:
    return paired_systems()


def pairs_of(board: rejudge.RankingResult) -> PairwiseRanked:
    assert board.pairwise is not None
    return board.pairwise


def test_the_answer_names_who_is_preferred_and_what_it_rests_on(board: rejudge.RankingResult) -> None:
    text = checked(board.to_html()).text
    head = text[: text.index("Strengths and possible ranks")]
    assert "3 systems ranked by pairwise" in head
    assert re.search(r"long answers\s*is preferred to every other", head)
    assert "3 systems · 180 pairs of traces of n=60 items, each judged in both orders" in head


def test_strengths_stand_in_a_table_with_interval_count_rank_and_letter(board: rejudge.RankingResult) -> None:
    page = checked(board.to_html())
    for place, expected in zip(pairs_of(board).places, (("1", "a"), ("2 to 3", "b"), ("2 to 3", "b")), strict=True):
        assert isinstance(place.interval, Interval)
        name, strength, interval, answers, ranks, letter = page.row(place.name, "strength")
        assert (name, answers, (ranks, letter)) == (place.name, "240", expected)
        assert float(strength) == pytest.approx(place.log_odds, abs=0.05)
        low, high = (float(end) for end in re.findall(r"[+-]?\d+\.\d+", interval))
        assert (low, high) == pytest.approx((place.interval.low, place.interval.high), abs=0.05)
        assert "95 % interval" in interval


def test_every_pair_has_its_chance_by_the_model_with_interval_and_corrected_p(board: rejudge.RankingResult) -> None:
    page = checked(board.to_html())
    for one in pairs_of(board).chances:
        assert not isinstance(one.p, Undefined)
        name, chance, interval, n, told = page.row(f"{one.first} against {one.second}")
        assert float(chance.removesuffix(" %")) == pytest.approx(100 * one.chance, abs=0.6)
        assert "95 % interval" in interval
        assert n == "60"
        verdict = "told apart" if one.p <= 0.05 else "not told apart"
        assert re.fullmatch(rf"{verdict}, p [=<] [\d.]+, corrected", told), name


def test_a_pair_is_told_with_the_stronger_first_whichever_stood_first_in_it(board: rejudge.RankingResult) -> None:
    ranked = pairs_of(board)
    (duel,) = [one for one in ranked.duels if (one.first, one.second) == ("short answers", "long answers")]
    judged_rows = [row for row in checked(board.to_html()).rows if row[0] == "long answers against short answers"]
    _, as_judged = judged_rows
    assert float(as_judged[1].removesuffix(" %")) == pytest.approx(100 * (1 - duel.first_share), abs=0.6)
    assert isinstance(duel.interval, Interval)
    ends = [float(end) for end in re.findall(r"([\d.]+) %", as_judged[2])[:2]]
    assert ends == pytest.approx([100 * (1 - duel.interval.high), 100 * (1 - duel.interval.low)], abs=0.6)


def test_what_the_place_did_is_drawn_and_said_with_its_interval(board: rejudge.RankingResult) -> None:
    ranked = pairs_of(board)
    assert not isinstance(ranked.model, Undefined)
    assert ranked.model.place is not None
    page = checked(board.to_html())
    text = page.text
    assert re.search(r"Being shown first adds \+[\d.]+ \[[\d.]+, [\d.]+\] log-odds by the model", text)
    chance = 100 / (1 + math.exp(-ranked.model.place.value))
    assert float(page.row("the first of two equals")[1].removesuffix(" %")) == pytest.approx(chance, abs=0.6)
    for duel in ranked.duels:
        assert page.row(f"flipped: {duel.first} against {duel.second}")[3] == f"{duel.asked}"


def test_it_says_what_the_numbers_do_not_mean(board: rejudge.RankingResult) -> None:
    text = checked(board.to_html()).text
    assert "It does not say that the preferred outputs are right, only that this judge likes them better." in text


def test_strengths_that_cannot_be_told_are_said_and_the_pairs_are_shown_all_the_same() -> None:
    store = MemoryStore()
    ids = [f"i{number}" for number in range(8)]
    outputs = {name: {item: f"{name} {item}" for item in ids} for name in ("one", "two")}
    result = judged(store, rows(ids), outputs, lambda output: True)
    always = rejudge.ScriptedProvider(lambda call: "first")
    judge = rejudge.scorers.pairwise(model="m", reasoning=False)
    for one, other in combinations(result.runs, 2):
        rejudge.compare_pairwise(one, other, judge, store=store, provider=always)
    ranked = pairs_of(rejudge.leaderboard("exam", scorer="pairwise", store=store))
    assert isinstance(ranked.model, Undefined)
    text = checked("".join(pairwise_section(ranked))).text
    assert "no ranking" in text
    assert str(ranked.model) in text
    assert "one against two" in text
    assert "Strengths and possible ranks" not in text
