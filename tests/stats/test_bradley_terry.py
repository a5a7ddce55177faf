from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError, UnknownName
from rejudge.stats.bradley_terry import Bouts, BradleyTerry, bradley_terry, bradley_terry_with_place
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Interval, Undefined

# Citations between four journals of statistics: Stigler 1994, Statistical Science 9.
JOURNALS = [
    ("Biometrika", "Communications", 730, 33),
    ("Biometrika", "JASA", 498, 320),
    ("Biometrika", "JRSS-B", 221, 284),
    ("Communications", "JASA", 68, 813),
    ("Communications", "JRSS-B", 17, 276),
    ("JASA", "JRSS-B", 142, 325),
]
COUNTS = st.integers(1, 30)


def bouts(*rows: tuple[str, str, int, int]) -> list[Bouts]:
    return [Bouts(first=one, second=other, first_wins=wins, second_wins=losses) for one, other, wins, losses in rows]


def model(found: BradleyTerry | Undefined) -> BradleyTerry:
    assert isinstance(found, BradleyTerry), found
    return found


def ends(found: Interval | Undefined) -> tuple[float, float]:
    assert isinstance(found, Interval), found
    return found.low, found.high


def reason(found: object) -> str:
    assert isinstance(found, Undefined), found
    return found.reason


def error(found: Estimate) -> float:
    low, high = ends(found.interval)
    return (high - low) / 2 / 1.959963985


@pytest.mark.parametrize(
    ("journal", "strength", "standard_error"),
    [("Communications", -2.94907, 0.10255), ("JASA", -0.47957, 0.06059), ("JRSS-B", 0.26895, 0.07083)],
)
def test_the_journals_of_statistics_have_their_published_strengths(
    journal: str, strength: float, standard_error: float
) -> None:
    found = model(bradley_terry(bouts(*JOURNALS))).advantage(journal, "Biometrika")
    assert (found.value, error(found)) == pytest.approx((strength, standard_error), abs=1e-5)


def test_strengths_come_strongest_first_around_zero() -> None:
    found = model(bradley_terry(bouts(*JOURNALS)))
    assert [one.name for one in found.strengths] == ["JRSS-B", "Biometrika", "JASA", "Communications"]
    assert sum(one.log_odds for one in found.strengths) == pytest.approx(0, abs=1e-9)
    assert [(one.n, one.wins) for one in found.strengths] == [(1265, 885), (2086, 1449), (2166, 1275), (1937, 118)]
    assert (found.n, found.ties, found.place) == (3727, 0, None)


@given(COUNTS, COUNTS, st.integers(0, 10))
def test_of_two_the_chance_is_the_share_of_wins_with_ties_half(wins: int, losses: int, ties: int) -> None:
    both = [Bouts(first="a", second="b", first_wins=wins, second_wins=losses, ties=ties)]
    found = model(bradley_terry(both))
    n, share = wins + losses + ties, wins + ties / 2
    chance = found.win_chance("a", "b")
    assert chance.value == pytest.approx(share / n)
    assert error(found.advantage("a", "b")) == pytest.approx(1 / math.sqrt(n * share / n * (1 - share / n)))
    low, high = ends(chance.interval)
    assert 0 < low < chance.value < high < 1


@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=6, max_size=6))
def test_the_expected_wins_are_the_observed_ones(counts: list[tuple[int, int]]) -> None:
    rows = [(one, other, *pair) for (one, other, _, _), pair in zip(JOURNALS, counts, strict=True)]
    found = model(bradley_terry(bouts(*rows)))
    for strength in found.strengths:
        expected = 0.0
        for one, other, wins, losses in rows:
            if strength.name in (one, other):
                rival = other if strength.name == one else one
                expected += (wins + losses) * found.win_chance(strength.name, rival).value
        assert expected == pytest.approx(strength.wins, abs=1e-6)


@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=6, max_size=6))
def test_order_of_bouts_and_names_of_systems_play_no_part(counts: list[tuple[int, int]]) -> None:
    rows = [(one, other, *pair) for (one, other, _, _), pair in zip(JOURNALS, counts, strict=True)]
    turned = [(other, one, losses, wins) for one, other, wins, losses in reversed(rows)]
    found, again = model(bradley_terry(bouts(*rows))), model(bradley_terry(bouts(*turned)))
    strengths = {one.name: one.log_odds for one in again.strengths}
    assert {one.name: one.log_odds for one in found.strengths} == pytest.approx(strengths, abs=1e-8)


def drawn(chance: np.random.Generator, theta: list[float], place: float, n: int) -> list[Bouts]:
    made = []
    for one, strength in enumerate(theta):
        for other, rival in enumerate(theta):
            if one != other:
                wins = int(chance.binomial(n, 1 / (1 + math.exp(rival - strength - place))))
                made.append(Bouts(first=str(one), second=str(other), first_wins=wins, second_wins=n - wins))
    return made


def test_the_place_is_told_from_the_strength_and_intervals_cover() -> None:
    chance = np.random.default_rng(12)
    theta, place, samples = [0.6, 0.1, -0.7], 0.4, 400
    holds = np.zeros(3)
    for _ in range(samples):
        found = model(bradley_terry_with_place(drawn(chance, theta, place, 60)))
        assert found.place is not None
        strength = {one.name: one for one in found.strengths}["0"]
        chances = found.win_chance("0", "2")
        held = [
            (ends(found.place.interval), place),
            (ends(strength.interval), 0.6),
            (ends(chances.interval), 1 / (1 + math.exp(-1.3))),
        ]
        holds += [low <= truth <= high for (low, high), truth in held]
    assert holds / samples == pytest.approx([0.95] * 3, abs=0.035)


def test_the_place_is_the_likeliest_one() -> None:
    from scipy.optimize import minimize

    made = drawn(np.random.default_rng(4), [0.5, 0.0, -0.5], 0.3, 40)
    found = model(bradley_terry_with_place(made))

    def loss(beta: np.ndarray) -> float:
        theta = {"0": beta[0], "1": beta[1], "2": -beta[0] - beta[1]}
        total = 0.0
        for one in made:
            x = theta[one.first] - theta[one.second] + beta[2]
            total += one.first_wins * math.log1p(math.exp(-x)) + one.second_wins * math.log1p(math.exp(x))
        return total

    best = minimize(loss, np.zeros(3), options={"gtol": 1e-9}).x
    strengths = {one.name: one.log_odds for one in found.strengths}
    assert found.place is not None
    assert [strengths["0"], strengths["1"], found.place.value] == pytest.approx(best.tolist(), abs=1e-5)


def test_a_judge_that_prefers_the_first_place_gives_equals_no_advantage() -> None:
    both_orders = bouts(("a", "b", 70, 30), ("b", "a", 70, 30))
    found = model(bradley_terry_with_place(both_orders))
    assert found.advantage("a", "b").value == pytest.approx(0, abs=1e-9)
    assert found.place is not None
    assert found.place.value == pytest.approx(math.log(7 / 3))


def test_one_order_only_does_not_tell_the_place() -> None:
    assert "both orders" in reason(bradley_terry_with_place(bouts(("a", "b", 7, 3), ("b", "c", 5, 4))))


def test_systems_that_never_met_have_no_common_strength() -> None:
    apart = bouts(("a", "b", 3, 1), ("c", "d", 2, 2))
    assert reason(bradley_terry(apart)) == "a, b and c, d were never compared, not even through others"
    assert "never compared" in reason(bradley_terry_with_place(apart))
    assert reason(bradley_terry([])) == "there were no bouts"
    assert reason(bradley_terry(bouts(("a", "b", 0, 0)))) == "there were no bouts"


def test_an_unbeaten_system_has_no_finite_strength() -> None:
    unbeaten = bouts(("a", "b", 3, 0), ("a", "c", 2, 0), ("b", "c", 1, 1))
    assert "a won every bout against the others" in reason(bradley_terry(unbeaten))
    group = bouts(("a", "b", 3, 2), ("b", "c", 2, 0), ("c", "d", 2, 1))
    assert "a, b won every bout" in reason(bradley_terry(group))
    assert "without an exception" in reason(bradley_terry_with_place([*unbeaten, *bouts(("b", "a", 0, 3))]))


def test_one_tie_is_enough_for_a_finite_strength() -> None:
    tied = [Bouts(first="a", second="b", first_wins=9, second_wins=0, ties=1)]
    assert model(bradley_terry(tied)).win_chance("a", "b").value == pytest.approx(0.95)


def test_lopsided_bouts_still_settle() -> None:
    found = model(bradley_terry(bouts(("a", "b", 1_000_000, 1), ("b", "c", 1_000_000, 1))))
    assert found.advantage("a", "c").value == pytest.approx(2 * math.log(1_000_000))


def test_bouts_that_cannot_have_been_are_refused() -> None:
    with pytest.raises(RecordError, match="against itself"):
        Bouts(first="a", second="a", first_wins=1, second_wins=0)
    with pytest.raises(RecordError, match="negative"):
        Bouts(first="a", second="b", first_wins=-1, second_wins=0)
    with pytest.raises(UnknownName, match="did you mean"):
        model(bradley_terry(bouts(*JOURNALS))).advantage("Biometrica", "JASA")


def test_bouts_that_are_alike_within_an_item_make_the_interval_wider() -> None:
    rows = bouts(("a", "b", 1, 0), ("b", "a", 0, 1), ("a", "b", 0, 1), ("b", "a", 1, 0)) * 15
    items = [place // 2 for place in range(len(rows))]
    alone = model(bradley_terry_with_place(rows)).advantage("a", "b")
    clustered = model(bradley_terry_with_place(rows, clusters=items)).advantage("a", "b")
    assert clustered.value == pytest.approx(alone.value)
    assert (ends(clustered.interval)[1] - ends(clustered.interval)[0]) / (
        ends(alone.interval)[1] - ends(alone.interval)[0]
    ) == pytest.approx(math.sqrt(2), rel=0.08)


def test_one_bout_a_cluster_gives_nearly_the_interval_of_independent_bouts() -> None:
    random = np.random.default_rng(3)
    rows = bouts(*(("a", "b", int(won), int(not won)) for won in random.random(400) < 0.6))
    alone = model(bradley_terry(rows)).advantage("a", "b")
    clustered = model(bradley_terry(rows, clusters=range(400))).advantage("a", "b")
    assert ends(clustered.interval) == pytest.approx(ends(alone.interval), abs=0.01)


def test_clusters_that_all_say_the_same_show_no_spread_and_not_certainty() -> None:
    each = (("a", "b", 2, 1), ("b", "a", 1, 2))
    rows = bouts(*each * 20)
    items = [place // 2 for place in range(len(rows))]
    found = model(bradley_terry(rows, clusters=items))
    told = [strength.interval for strength in found.strengths]
    for undefined in (*told, found.advantage("a", "b").interval, found.win_chance("a", "b").interval):
        assert "every cluster says the same" in reason(undefined)
    assert "every cluster says the same" in reason(found.p_value("a", "b"))
    assert found.advantage("a", "b").value == pytest.approx(math.log(2))


def test_one_cluster_shows_no_spread_and_each_bout_needs_its_cluster() -> None:
    rows = bouts(("a", "b", 3, 2), ("b", "a", 2, 2))
    assert "one cluster" in reason(bradley_terry_with_place(rows, clusters=["x", "x"]))
    with pytest.raises(RecordError, match="1 clusters are named for 2 bouts"):
        bradley_terry_with_place(rows, clusters=["x"])


def test_the_clustered_interval_covers_where_the_items_decide_both_orders() -> None:
    """True advantage 0.5 at 60 items, each of which has a taste of its own; 95 % ± 2.5 in 600 simulations."""
    random = np.random.default_rng(11)
    strengths, covered, naive = {"a": 0.25, "b": -0.25}, 0, 0
    share = np.mean(1 / (1 + np.exp(-(0.5 + np.random.default_rng(0).normal(0, 2, 400_000)))))
    truth = math.log(share / (1 - share))
    for _ in range(600):
        taste = random.normal(0, 2, 60)
        chance = 1 / (1 + np.exp(-(strengths["a"] - strengths["b"] + taste)))
        won = random.random(60) < chance
        rows = bouts(
            *(("a", "b", int(one), int(not one)) for one in won), *(("b", "a", int(not one), int(one)) for one in won)
        )
        for clusters, counts in (([*range(60), *range(60)], 1), (None, 0)):
            found = bradley_terry(rows, clusters=clusters)
            low, high = ends(model(found).advantage("a", "b").interval)
            inside = low <= truth <= high
            covered, naive = (covered + inside, naive) if counts else (covered, naive + inside)
    assert covered / 600 == pytest.approx(0.95, abs=0.025)
    assert naive / 600 < 0.9


def test_the_p_value_agrees_with_the_interval() -> None:
    found = model(bradley_terry(bouts(("a", "b", 30, 18), ("b", "c", 20, 20), ("a", "c", 25, 20))))
    for one, other in (("a", "b"), ("b", "c"), ("c", "a")):
        low, high = ends(found.advantage(one, other).interval)
        p = found.p_value(one, other)
        assert isinstance(p, float)
        assert (p <= 0.05) == (not low <= 0 <= high)
        assert found.p_value(one, other) == found.p_value(other, one)
