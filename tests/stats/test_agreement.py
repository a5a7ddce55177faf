"""Agreement among raters: Gwet's AC1 and AC2, Fleiss' κ, and the record that gathers them, against irrCAC 0.4.4."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.stats.agreement import fleiss_kappa, gwet, percent_agreement
from rejudge.stats.estimate import Estimate, Statistic
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.kappa import Weighting
from rejudge.stats.raters import agreement_among_raters
from rejudge.stats.ratings import Ratings, Tally
from rejudge.stats.scale import FIVE_STAR, PASS_FAIL, Scale

FLEISS_1971 = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
FOUR_CODERS = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""
Table = list[list[float | None]]
PAIRS: Table = [[1, 2, 3, 4, 5, 1, 2, 3, 4, 5], [1, 2, 3, 4, 4, 2, 2, 4, 4, 5]]


def coders() -> Table:
    return [[None if mark == "." else float(mark) for mark in row.split()] for row in FOUR_CODERS.split("\n") if row]


def tally(rows: Table) -> Tally:
    found = Ratings.of(rows).tally()
    assert isinstance(found, Tally)
    return found


def defined(found: Statistic) -> Estimate:
    assert isinstance(found, Estimate), found
    return found


def ends(found: Statistic) -> tuple[float, float]:
    interval = defined(found).interval
    assert isinstance(interval, Interval), interval
    return interval.low, interval.high


def test_fleiss_has_its_reference_value() -> None:
    found = fleiss_kappa(Tally.of(FLEISS_1971, categories=[1, 2, 3, 4, 5]))
    assert defined(found).value == pytest.approx(0.2099307, abs=1e-6)


@pytest.mark.parametrize(
    ("weighting", "value"),
    [("identity", 0.77544), ("quadratic", 0.91400), ("linear", 0.85874), ("ordinal", 0.89894)],
)
def test_ac_has_its_reference_values_on_a_table_with_gaps(weighting: Weighting, value: float) -> None:
    found = defined(gwet(tally(coders()), weighting=weighting))
    assert found.value == pytest.approx(value, abs=5e-6)
    assert found.n == 11


def test_ac1_of_a_two_by_two_table_has_its_reference_value() -> None:
    rows: Table = [[*[0] * 25, *[1] * 25], [*[0] * 20, *[1] * 5, *[0] * 10, *[1] * 15]]
    assert defined(gwet(tally(rows))).value == pytest.approx(0.4059406, abs=1e-6)


@pytest.mark.parametrize(
    ("weighting", "value", "low"),
    [
        ("identity", 0.62732919, 0.19758809),
        ("linear", 0.81927711, 0.60832449),
        ("quadratic", 0.93023256, 0.84664240),
        ("ordinal", 0.89932886, 0.77973193),
    ],
)
def test_without_gaps_ac_has_the_interval_of_irrcac(weighting: Weighting, value: float, low: float) -> None:
    found = gwet(tally(PAIRS), weighting=weighting)
    assert (defined(found).value, *ends(found)) == pytest.approx((value, low, 1.0), abs=1e-7)


def test_without_gaps_fleiss_has_the_interval_of_irrcac() -> None:
    found = fleiss_kappa(tally(PAIRS))
    assert (defined(found).value, *ends(found)) == pytest.approx((0.61538462, 0.17213753, 1.0), abs=1e-7)


@pytest.mark.parametrize("weighting", ["identity", "linear", "quadratic", "ordinal"])
def test_with_gaps_the_intervals_are_as_wide_as_the_jackknife_says(weighting: Weighting) -> None:
    random = np.random.default_rng(2)
    truth = random.integers(1, 6, 250)
    table = np.clip(truth + random.integers(-1, 2, size=(3, 250)), 1, 5).astype(float)
    rows: Table = [[None if gone else value for value, gone in zip(row, random.random(250) < 0.2, strict=True)]
                   for row in table.tolist()]  # fmt: skip
    for coefficient in (gwet, fleiss_kappa):
        without = [
            defined(coefficient(tally([row[:unit] + row[unit + 1 :] for row in rows]), weighting=weighting)).value
            for unit in range(250)
        ]
        error = np.std(without) * np.sqrt(249)
        low, high = ends(coefficient(tally(rows), weighting=weighting))
        assert (high - low) / 2 / 1.9695 == pytest.approx(error, rel=0.02)


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=3, max_size=25), st.randoms())
def test_other_names_and_another_order_of_units_and_raters_change_nothing(
    units: list[list[int]], random: Random
) -> None:
    names = ["red", "green", "blue", "grey"]
    shuffled = list(units)
    random.shuffle(shuffled)
    renamed = [[names[code] for code in reversed(row)] for row in shuffled]
    one = Ratings.of([list(row) for row in zip(*units, strict=True)], categories=[0, 1, 2, 3]).tally()
    other = Ratings.of([list(row) for row in zip(*renamed, strict=True)], categories=names).tally()
    assert isinstance(one, Tally)
    assert isinstance(other, Tally)
    for coefficient in (gwet, fleiss_kappa, percent_agreement):
        plain, again = coefficient(one), coefficient(other)
        assert isinstance(plain, Undefined) == isinstance(again, Undefined)
        if isinstance(plain, Estimate):
            assert defined(again).value == pytest.approx(plain.value, abs=1e-9)


def test_a_rare_fail_drops_kappa_and_hardly_ac1() -> None:
    # 118 both pass, 5 and 2 split, none both fail: they agree on 94 %.
    counts = [[0, 2]] * 118 + [[1, 1]] * 7
    found = Tally.of(counts, categories=[0, 1])
    assert defined(fleiss_kappa(found)).value < 0
    assert defined(gwet(found)).value > 0.9


def test_a_unit_with_one_rating_is_no_agreement() -> None:
    assert gwet(tally([[1, 2, None], [None, None, 3]])) == Undefined("no unit has two ratings")


@pytest.mark.parametrize("coefficient", [gwet, fleiss_kappa])
def test_one_unit_is_too_few(coefficient: object) -> None:
    assert callable(coefficient)
    assert isinstance(coefficient(tally([[1], [2]])), Undefined)


@pytest.mark.parametrize("coefficient", [gwet, fleiss_kappa])
def test_all_equal_ratings_show_no_variation(coefficient: object) -> None:
    assert callable(coefficient)
    found = coefficient(tally([[1, 1, 1], [1, 1, 1]]))
    assert isinstance(found, Undefined)
    assert "no variation" in found.reason


def test_the_record_tells_who_rated_how_much_and_every_coefficient_of_the_kind() -> None:
    found = agreement_among_raters(coders(), kind="five_star", scale=FIVE_STAR)
    assert (found.raters, found.units, found.paired, found.ratings) == (4, 12, 11, 41)
    assert set(found.statistics) == {
        *("percent_agreement", "fleiss", "ac1", "ac2_linear", "ac2_quadratic", "ac2_ordinal"),
        *("alpha_nominal", "alpha_ordinal", "alpha_interval", "alpha_ratio"),
    }
    assert defined(found.statistics["ac1"]).value == pytest.approx(0.77544, abs=5e-6)
    assert defined(found.statistics["alpha_interval"]).value == pytest.approx(0.8491071, abs=1e-6)
    assert defined(found.statistics["percent_agreement"]).value == pytest.approx(9 / 11)


def test_labels_and_outcomes_have_no_weighted_coefficients() -> None:
    labels = agreement_among_raters([["a", "b", None], ["a", "c", "b"]], kind="label", scale=Scale(), labels="abc")
    outcomes = agreement_among_raters([[1, 0, 1], [1, 1, 0]], kind="pass_fail", scale=PASS_FAIL)
    for found in (labels, outcomes):
        assert set(found.statistics) == {"percent_agreement", "fleiss", "ac1", "alpha_nominal"}


def test_stars_between_whole_ones_keep_what_needs_no_categories() -> None:
    found = agreement_among_raters([[1.5, 2, 4], [2, 2, 4.5]], kind="five_star", scale=FIVE_STAR).statistics
    assert "round them" in str(found["ac1"])
    assert defined(found["alpha_interval"]).value > 0.8


def test_numbers_of_no_declared_range_have_no_categories() -> None:
    found = agreement_among_raters([[0.1, 7.5, 3], [0.2, 7, 3.5]], kind="number", scale=Scale()).statistics
    assert set(found) == {"alpha_ordinal", "alpha_interval"}


@pytest.mark.parametrize(
    ("rows", "kind", "message"),
    [
        ([[1, 2], [1]], "five_star", "different lengths"),
        ([[1, "a"], [1, 2]], "five_star", "is not a value of a five_star"),
        ([[1, 6], [1, 2]], "five_star", "outside the declared range"),
        ([[1, 2], [1, 2]], "label", "is not a value of a label"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(rows: Table, kind: object, message: str) -> None:
    scale = FIVE_STAR if kind == "five_star" else Scale()
    with pytest.raises(RecordError, match=message):
        agreement_among_raters(rows, kind=kind, scale=scale)  # type: ignore[arg-type]
