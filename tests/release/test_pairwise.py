"""Systems ranked by a judge that compares pairs in both orders: strengths, and what the place did."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import combinations

import pytest
from msgspec import structs

import rejudge
from rejudge.domain.errors import StoreDamaged
from rejudge.domain.run import RunState
from rejudge.release.pairwise import PairwiseRanked
from rejudge.stats.bradley_terry import Bouts, BradleyTerry, bradley_terry_with_place
from rejudge.stats.interval import Interval, Undefined, wilson
from rejudge.storage.memory import MemoryStore
from rejudge.storage.records import CaseOrder, CaseRow
from rejudge.wiring import Address
from tests.release.runs import judged, rows

STRENGTHS = {"weak": -0.8, "plain": 0.0, "strong": 0.8}
PLACE = 0.6


def shown(call: rejudge.ModelCall) -> tuple[str, str]:
    """The two answers of a prompt, in the order in which it shows them."""
    prompt = str(call.messages[-1]["content"])
    first, second = re.findall(r"<(?:first|second)-\w{12}>\n(.*?)\n</", prompt, re.DOTALL)
    return first, second


def chance(text: str) -> float:
    """A number from 0 to 1 that belongs to a text."""
    return int.from_bytes(sha256(text.encode()).digest()[:6]) / 2**48


class Planted(rejudge.ScriptedProvider):
    """A judge that prefers by planted strengths and a planted place, and notes every bout that it decided."""

    def __init__(self, *, ties: float = 0.0) -> None:
        super().__init__(self._decide)
        self.bouts: list[Bouts] = []
        self.items: list[str] = []
        self._ties = ties

    def _decide(self, call: rejudge.ModelCall) -> str:
        first, second = shown(call)
        (one, item), (other, _) = first.split(), second.split()
        told = "tie"
        if chance(f"tie {first} {second}") >= self._ties:
            likely = 1 / (1 + math.exp(-(STRENGTHS[one] - STRENGTHS[other] + PLACE)))
            told = "first" if chance(f"{first} {second}") < likely else "second"
        self.bouts.append(
            Bouts(
                first=one,
                second=other,
                first_wins=int(told == "first"),
                second_wins=int(told == "second"),
                ties=int(told == "tie"),
            )
        )
        self.items.append(item)
        return told


def answers(count: int) -> dict[str, dict[str, object]]:
    return {name: {f"i{number}": f"{name} i{number}" for number in range(count)} for name in STRENGTHS}


def systems(store: Address, count: int, **outputs: dict[str, object]) -> rejudge.Result:
    ids = [f"i{number}" for number in range(count)]
    return judged(store, rows(ids), {**answers(count), **outputs}, lambda output: True)


JUDGE = rejudge.scorers.pairwise(model="m", reasoning=False)


def duels(store: Address, result: rejudge.Result, provider: rejudge.ScriptedProvider) -> Iterator[rejudge.Result]:
    for one, other in combinations(result.runs, 2):
        yield rejudge.compare_pairwise(one, other, JUDGE, store=store, provider=provider)


def ranked(found: rejudge.RankingResult) -> PairwiseRanked:
    assert found.pairwise is not None
    return found.pairwise


def model(found: rejudge.RankingResult) -> BradleyTerry:
    of = ranked(found).model
    assert isinstance(of, BradleyTerry), of
    return of


def test_planted_strengths_and_a_planted_place_are_found_in_all_recorded_pairs(store: Address) -> None:
    planted = Planted(ties=0.1)
    list(duels(store, systems(store, 120), planted))
    found = rejudge.leaderboard("exam", scorer="pairwise", store=store)
    of = model(found)
    assert [one.name for one in of.strengths] == ["strong", "plain", "weak"]
    assert (ranked(found).pairs, ranked(found).items, of.n) == (360, 120, 720)
    for one, other in combinations(STRENGTHS, 2):
        interval = of.advantage(one, other).interval
        assert isinstance(interval, Interval)
        shrunk = 0.9  # ties half pull strengths together by about their share
        assert interval.low < shrunk * (STRENGTHS[one] - STRENGTHS[other]) < interval.high
    assert of.place is not None
    assert isinstance(of.place.interval, Interval)
    assert of.place.interval.low < 0.9 * PLACE < of.place.interval.high
    assert [(place.best_rank, place.worst_rank) for place in ranked(found).places] == [(1, 1), (2, 2), (3, 3)]
    assert ranked(found).shown_first == pytest.approx(
        sum(one.first_share for one in planted.bouts) / len(planted.bouts)
    )


def test_every_answer_of_the_judge_is_a_bout_in_its_order_and_its_item_a_cluster(store: Address) -> None:
    planted = Planted(ties=0.2)
    results = list(duels(store, systems(store, 30), planted))
    expected = bradley_terry_with_place(planted.bouts, clusters=planted.items)
    assert isinstance(expected, BradleyTerry)
    for found in (
        rejudge.leaderboard("exam", scorer="pairwise", store=store),
        rejudge.leaderboard(*results, store=store),
    ):
        of = model(found)
        assert of.clusters == 30
        for one, other in combinations(STRENGTHS, 2):
            mine, theirs = of.advantage(one, other), expected.advantage(one, other)
            assert mine.value == pytest.approx(theirs.value)
            assert isinstance(mine.interval, Interval)
            assert isinstance(theirs.interval, Interval)
            assert mine.interval.low == pytest.approx(theirs.interval.low)
            assert mine.interval.method == "cluster-t"
        assert of.ties == sum(one.ties for one in planted.bouts)


def test_each_two_systems_have_their_share_and_how_often_the_place_decided(store: Address) -> None:
    planted = Planted()
    list(duels(store, systems(store, 40), planted))
    duel = next(
        one
        for one in ranked(rejudge.leaderboard("exam", scorer="pairwise", store=store)).duels
        if one.second == "strong" and one.first == "weak"
    )
    answers = {
        (one.first, item): one.first_wins
        for one, item in zip(planted.bouts, planted.items, strict=True)
        if {one.first, one.second} == {"weak", "strong"}
    }
    weak = [(answers["weak", f"i{n}"] + 1 - answers["strong", f"i{n}"]) / 2 for n in range(40)]
    assert duel.items == 40
    assert duel.first_share == pytest.approx(sum(weak) / 40)
    assert duel.flipped == pytest.approx(weak.count(0.5) / 40)
    assert duel.flipped_interval == wilson(weak.count(0.5), 40)


def test_a_system_that_wins_every_pair_has_wilsons_interval(store: Address) -> None:
    first, second, _ = systems(store, 10).runs
    strong = rejudge.ScriptedProvider(lambda call: "first" if shown(call)[0].startswith("plain") else "second")
    rejudge.compare_pairwise(first, second, JUDGE, store=store, provider=strong)
    (duel,) = ranked(rejudge.leaderboard("exam", scorer="pairwise", store=store)).duels
    assert (duel.first, duel.second, duel.first_share) == ("weak", "plain", 0)
    assert duel.interval == wilson(0, 10)
    assert (duel.flipped, duel.flipped_interval) == (0, wilson(0, 10))


def test_the_run_of_a_comparison_names_its_opponent_and_one_that_died_is_not_taken_for_another(store: Address) -> None:
    result = systems(store, 6)
    first, second, third = result.runs
    provider = Planted()
    one = rejudge.compare_pairwise(first, second, JUDGE, store=store, provider=provider)
    other = rejudge.compare_pairwise(first, third, JUDGE, store=store, provider=provider)
    assert [run.runs[0].run.opponent_run_id for run in (one, other)] == [second.id, third.id]
    assert first.run.opponent_run_id is None
    again = rejudge.open(one.store).run(one.runs[0].id).runs[0].run
    assert (again.opponent_run_id, again.state) == (second.id, RunState.COMPLETED)


def test_a_pair_that_several_runs_hold_counts_once_and_the_other_direction_is_another(store: Address) -> None:
    first, second, _ = systems(store, 20).runs
    provider = Planted()
    for one, other in ((first, second), (first, second), (second, first)):
        rejudge.compare_pairwise(one, other, JUDGE, store=store, provider=provider)
    found = rejudge.leaderboard("exam", scorer="pairwise", store=store)
    assert (ranked(found).pairs, ranked(found).items, model(found).n) == (40, 20, 80)
    (duel,) = ranked(found).duels
    assert duel.items == 20


def test_a_null_output_loses_in_both_orders_and_a_missing_one_is_left_out(store: Address) -> None:
    silent = {f"i{number}": None if number < 5 else f"plain i{number}" for number in range(20)}
    failing = {f"i{number}": f"strong i{number}" for number in range(17)}
    result = systems(store, 20, plain=dict(silent), strong=dict(failing))
    list(duels(store, result, Planted()))
    found = ranked(rejudge.leaderboard("exam", scorer="pairwise", store=store))
    assert (found.unasked, found.skipped) == (10, 6)
    assert found.pairs == 20 + 17 + 17
    text = " ".join(str(rejudge.leaderboard("exam", scorer="pairwise", store=store)).split())
    assert "left out: 6 traces without an opponent, 0 scorer errors" in text
    assert "10 pairs had a null output, which loses in both orders" in text


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (lambda call: "first", "explain every bout without an exception"),
        (
            lambda call: (
                "first"
                if shown(call)[0].startswith("strong")
                else "second"
                if shown(call)[1].startswith("strong")
                else "tie"
            ),
            "explain every bout without an exception",
        ),
    ],
)
def test_strengths_that_no_finite_number_tells_are_undefined_in_words(
    store: Address, script: Callable[[rejudge.ModelCall], str], told: str
) -> None:
    list(duels(store, systems(store, 10), rejudge.ScriptedProvider(script)))
    found = rejudge.leaderboard("exam", scorer="pairwise", store=store)
    of = ranked(found)
    assert isinstance(of.model, Undefined)
    assert told in of.model.reason
    assert (of.places, len(of.duels)) == ((), 3)
    assert "strengths are undefined because" in " ".join(str(found).split())
    assert json.loads(found.to_json())["pairwise"]["model"] == {"undefined": of.model.reason}


def test_systems_that_never_met_even_through_others_are_said(store: Address) -> None:
    tasks = {name: {f"i{n}": f"{name} i{n}" for n in range(8)} for name in ("weak", "plain", "strong")}
    tasks["strong twin"] = {f"i{n}": f"strong i{n}" for n in range(8)}
    result = judged(store, rows([f"i{n}" for n in range(8)]), tasks, lambda output: True)
    for one, other in (result.runs[:2], result.runs[2:]):
        provider = rejudge.ScriptedProvider(lambda call: "tie")
        rejudge.compare_pairwise(one, other, JUDGE, store=store, provider=provider)
    found = ranked(rejudge.leaderboard("exam", scorer="pairwise", store=store))
    assert isinstance(found.model, Undefined)
    assert "were never compared, not even through others" in found.model.reason


def test_a_panels_answers_are_a_bout_each(store: Address) -> None:
    first, second, _ = systems(store, 10).runs
    judge = rejudge.scorers.pairwise(panel=("a", "b", "c"), reasoning=False)
    result = rejudge.compare_pairwise(first, second, judge, store=store, provider=Planted(ties=0.3))
    found = ranked(rejudge.leaderboard(result, store=store))
    assert (found.pairs, found.items) == (10, 10)
    assert model(rejudge.leaderboard(result, store=store)).n == 60


def test_the_text_says_the_ranks_the_place_and_what_it_does_not_mean(store: Address) -> None:
    list(duels(store, systems(store, 60), Planted()))
    found = rejudge.leaderboard("exam", scorer="pairwise", store=store)
    text = " ".join(str(found).split())
    assert "pairwise: 3 systems side by side, 180 pairs of traces of 60 items" in text
    assert "of the answers were for the trace that was shown first; 50 % is fair" in text
    assert "being shown first adds +" in text
    assert "strong is preferred to weak with chance" in text
    assert "It does not say that the preferred outputs are right" in text
    assert max(map(len, str(found).splitlines())) <= 100
    document = json.loads(found.to_json())
    assert [place["name"] for place in document["pairwise"]["places"]] == ["strong", "plain", "weak"]
    assert document["rankings"] == []


def test_an_experiment_without_a_named_scorer_is_ranked_by_what_each_scored_alone(store: Address) -> None:
    result = systems(store, 10)
    rejudge.compare_pairwise(result.runs[0], result.runs[1], JUDGE, store=store, provider=Planted())
    found = rejudge.leaderboard("exam", store=store)
    assert found.pairwise is None
    assert len(found.ranking().leaderboard.places) == 3
    with pytest.raises(rejudge.ConfigurationError, match="clusters is named, and pairs"):
        rejudge.leaderboard("exam", scorer="pairwise", clusters="question", store=store)


class Forgetful(MemoryStore):
    """A store whose scores have lost their evidence."""

    def cases(
        self, run_id: str, *, start: int = 0, count: int = 500, order: CaseOrder = CaseOrder.POSITION
    ) -> list[CaseRow]:
        rows = super().cases(run_id, start=start, count=count, order=order)
        lost = [[structs.replace(score, evidence=None) for score in row.scores] for row in rows]
        return [structs.replace(row, scores=tuple(scores)) for row, scores in zip(rows, lost, strict=True)]


def test_a_comparison_without_its_evidence_is_not_taken_for_one_of_a_null_output() -> None:
    store = Forgetful()
    list(duels(store, systems(store, 6), Planted()))
    with pytest.raises(StoreDamaged, match="item 'i0' does not hold what the judge said"):
        rejudge.leaderboard("exam", scorer="pairwise", store=store)


def test_a_null_output_needs_no_evidence_of_a_judge() -> None:
    store = Forgetful()
    outputs: dict[str, object] = {f"i{number}": None for number in range(6)}
    first, second, _ = systems(store, 6, weak=outputs).runs
    rejudge.compare_pairwise(first, second, JUDGE, store=store, provider=Planted())
    found = ranked(rejudge.leaderboard("exam", scorer="pairwise", store=store))
    assert (found.unasked, found.pairs, found.duels[0].first_share) == (6, 6, 0)


def test_what_a_ranking_of_pairs_cannot_heed_is_refused(store: Address) -> None:
    list(duels(store, systems(store, 6), Planted()))
    for asked in ({"seed": 7}, {"clusters": "question"}, {"smallest": 0.1}, {"value": "win"}):
        with pytest.raises(rejudge.ConfigurationError, match=f"{next(iter(asked))}"):
            rejudge.leaderboard("exam", scorer="pairwise", store=store, **asked)
