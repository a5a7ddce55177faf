"""Krippendorff's α on the published table, against the krippendorff package (0.9) and against leaving units out."""

from __future__ import annotations

from itertools import permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.alpha import Measurement, krippendorff_alpha
from rejudge.stats.estimate import Estimate, Statistic
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.ratings import Ratings
from tests.stats.test_agreement import Table, coders

MEASUREMENTS: tuple[Measurement, ...] = ("nominal", "ordinal", "interval", "ratio")
UNITS = st.lists(st.lists(st.none() | st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=15)


def defined(found: Statistic) -> Estimate:
    assert isinstance(found, Estimate), found
    return found


def alpha(rows: Table, measurement: Measurement) -> Statistic:
    return krippendorff_alpha(Ratings.of(rows), measurement=measurement)


def by_definition(units: list[list[float]], measurement: Measurement) -> float | None:
    """1 − D_o / D_e by looking at every pair of ratings."""
    units = [unit for unit in units if len(unit) > 1]
    values = sorted(value for unit in units for value in unit)
    rank = {value: sum(other < value for other in values) + values.count(value) / 2 for value in values}

    def distance(one: float, other: float) -> float:
        if measurement == "nominal":
            return float(one != other)
        if measurement == "ordinal":
            return (rank[one] - rank[other]) ** 2
        if measurement == "ratio":
            return ((one - other) / (one + other)) ** 2 if one + other else 0.0
        return (one - other) ** 2

    def pairs(of: list[float]) -> float:
        return sum(distance(one, other) for one, other in permutations(of, 2))

    n = len(values)
    expected = pairs(values) / (n * (n - 1)) if n > 1 else 0.0
    observed = sum(pairs(unit) / (len(unit) - 1) for unit in units) / n if n else 0.0
    return 1 - observed / expected if expected and len(units) > 1 else None


@pytest.mark.parametrize(
    ("measurement", "value"),
    [("nominal", 0.7434211), ("ordinal", 0.8153875), ("interval", 0.8491071), ("ratio", 0.7974028)],
)
def test_it_has_its_reference_values(measurement: Measurement, value: float) -> None:
    found = defined(alpha(coders(), measurement))
    assert found.value == pytest.approx(value, abs=1e-6)
    assert found.n == 11


@pytest.mark.parametrize("measurement", MEASUREMENTS)
@given(UNITS)
def test_it_is_its_definition(measurement: Measurement, units: list[list[float | None]]) -> None:
    found = alpha([list(row) for row in zip(*units, strict=True)], measurement)
    expected = by_definition([[value for value in unit if value is not None] for unit in units], measurement)
    if expected is None:
        assert isinstance(found, Undefined)
    else:
        assert defined(found).value == pytest.approx(expected, abs=1e-9)


@given(UNITS, st.permutations([0, 1, 2, 3, 4]), st.randoms())
def test_other_names_and_another_order_change_nothing(
    units: list[list[float | None]], names: list[int], random: Random
) -> None:
    renamed = [[None if value is None else names[int(value)] for value in unit] for unit in units]
    random.shuffle(renamed)
    one, other = (alpha([list(row) for row in zip(*table, strict=True)], "nominal") for table in (units, renamed))
    if isinstance(one, Undefined):
        assert one == other
    else:
        assert defined(other).value == pytest.approx(one.value, abs=1e-9)


@pytest.mark.parametrize(("measurement", "change"), [("interval", (3, 7)), ("ratio", (5, 0)), ("ordinal", (0.5, 1))])
def test_a_change_of_unit_that_the_measurement_allows_changes_nothing(
    measurement: Measurement, change: tuple[float, float]
) -> None:
    factor, shift = change
    rows: Table = [[None if value is None else factor * value + shift for value in row] for row in coders()]
    assert defined(alpha(rows, measurement)).value == pytest.approx(defined(alpha(coders(), measurement)).value)


@pytest.mark.parametrize("measurement", MEASUREMENTS)
def test_its_interval_is_as_wide_as_leaving_out_units_says(measurement: Measurement) -> None:
    random = np.random.default_rng(4)
    truth = random.integers(1, 6, 250)
    noisy = np.clip(truth + random.integers(-1, 2, size=(3, 250)), 1, 5).tolist()
    rows: Table = [[None if random.random() < 0.2 else value for value in row] for row in noisy]
    without = [defined(alpha([row[:unit] + row[unit + 1 :] for row in rows], measurement)).value for unit in range(250)]
    interval = defined(alpha(rows, measurement)).interval
    assert isinstance(interval, Interval)
    assert (interval.high - interval.low) / 2 / 1.9695 == pytest.approx(np.std(without) * np.sqrt(249), rel=0.02)


@pytest.mark.parametrize("value", [3, 0.1, 0.7])
@pytest.mark.parametrize("measurement", MEASUREMENTS)
def test_where_all_ratings_are_equal_there_is_no_number(measurement: Measurement, value: float) -> None:
    found = alpha([[value] * 3, [value] * 3], measurement)
    assert isinstance(found, Undefined)
    assert "no variation" in found.reason


def test_full_agreement_on_different_units_is_1_without_an_interval() -> None:
    found = defined(alpha([[1, 2, 3], [1, 2, 3]], "interval"))
    assert found.value == 1
    assert isinstance(found.interval, Undefined)


def test_labels_are_nominal_only() -> None:
    ratings = Ratings.of([["a", "b", "a"], ["a", "b", "b"]])
    assert isinstance(krippendorff_alpha(ratings, measurement="nominal"), Estimate)
    with pytest.raises(ConfigurationError, match="labels are not interval"):
        krippendorff_alpha(ratings, measurement="interval")


def test_values_below_0_have_no_ratio() -> None:
    assert alpha([[-1, 2], [1, 2]], "ratio") == Undefined("values below 0 have no ratio")


def test_many_different_numbers_are_compared_except_by_ratio() -> None:
    random = np.random.default_rng(8)
    truth = random.normal(50, 10, 20_000)
    rows: Table = [(truth + random.normal(0, 5, 20_000)).tolist() for _ in range(2)]
    assert defined(alpha(rows, "interval")).value == pytest.approx(0.8, abs=0.01)
    assert defined(alpha(rows, "ordinal")).value == pytest.approx(0.8, abs=0.03)
    assert "too many" in str(alpha(rows, "ratio"))


@pytest.mark.slow
@pytest.mark.parametrize(("measurement", "units"), [("interval", 60), ("ordinal", 60), ("nominal", 60)])
def test_its_interval_holds_the_truth_about_as_often_as_it_says(measurement: Measurement, units: int) -> None:
    random = np.random.default_rng(9)

    def drawn(count: int) -> Table:
        truth = random.integers(1, 6, count)
        return [np.where(random.random(count) < 0.6, truth, random.integers(1, 6, count)).tolist() for _ in range(3)]

    truth = defined(alpha(drawn(400_000), measurement)).value
    found = [defined(alpha(drawn(units), measurement)).interval for _ in range(1_500)]
    held = [isinstance(one, Interval) and one.low <= truth <= one.high for one in found]
    assert np.mean(held) == pytest.approx(0.95, abs=0.02)
