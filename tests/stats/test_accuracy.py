"""The confusion matrix and what it says of a judge, against published values and scikit-learn 1.9."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.stats.accuracy import accuracy, matthews, true_negative_rate, true_positive_rate
from rejudge.stats.confusion import Confusion, Outcomes, confusion_of
from rejudge.stats.correlation import pearson
from rejudge.stats.estimate import Estimate, Statistic
from rejudge.stats.interval import Interval, Undefined, wilson

HUMAN, JUDGE = [1, 1, 0, 0, 1, 0, 1, 0], [1, 0, 0, 1, 1, 0, 1, 0]


def table(*rows: tuple[int, ...]) -> Confusion:
    return Confusion(categories=tuple(map(float, range(len(rows)))), counts=rows)


def defined(found: Statistic) -> Estimate:
    assert isinstance(found, Estimate), found
    return found


def test_the_rates_have_their_reference_values_and_wilson_intervals() -> None:
    outcomes = Outcomes.of(JUDGE, HUMAN)
    assert outcomes == Outcomes(true_positives=3, false_negatives=1, false_positives=1, true_negatives=3)
    for rate in (true_positive_rate(outcomes), true_negative_rate(outcomes)):
        assert defined(rate).value == 0.75
        assert defined(rate).n == 4
        assert defined(rate).interval == wilson(3, 4)


def test_a_rate_without_items_of_its_class_says_which_are_missing() -> None:
    assert str(true_positive_rate(Outcomes.of([1, 0], [0, 0]))) == "undefined because the people let no item pass"
    assert str(true_negative_rate(Outcomes.of([1, 0], [1, 1]))) == "undefined because the people failed no item"


def test_rows_are_the_people_and_columns_the_judge() -> None:
    found = confusion_of(["b", "b", "c"], ["a", "b", "c"])
    assert found == Confusion(categories=("a", "b", "c"), counts=((0, 1, 0), (0, 1, 0), (0, 0, 1)))


def test_categories_that_nobody_used_are_shown_in_their_order() -> None:
    found = confusion_of(["mild", "hot"], ["hot", "hot"], categories=["none", "mild", "hot"])
    assert found == Confusion(categories=("none", "mild", "hot"), counts=((0, 0, 0), (0, 0, 0), (0, 1, 1)))


def test_numbers_within_rounding_are_one_category() -> None:
    found = confusion_of([0.1 + 0.2, 1], [0.3, 1])
    assert isinstance(found, Confusion)
    assert found.counts == ((1, 0), (0, 1))


def test_numbers_of_a_continuum_are_no_categories() -> None:
    values = [place / 7 for place in range(400)]
    assert confusion_of(values, values) == Undefined("400 different values are not categories")


def test_accuracy_is_the_diagonal() -> None:
    found = defined(accuracy(table((30, 5, 5), (5, 25, 5), (5, 5, 15))))
    assert (found.value, found.n, found.interval) == (0.7, 100, wilson(70, 100))
    assert isinstance(accuracy(table((0, 0), (0, 0))), Undefined)


@pytest.mark.parametrize(
    ("rows", "value"),
    [(((40, 10), (15, 35)), 0.5025189), (((30, 5, 5), (5, 25, 5), (5, 5, 15)), 0.5419847)],
)
def test_matthews_has_its_reference_values(rows: tuple[tuple[int, ...], ...], value: float) -> None:
    assert defined(matthews(table(*rows))).value == pytest.approx(value, abs=1e-6)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=3, max_size=50))
def test_of_two_outcomes_matthews_is_pearson_with_its_interval(pairs: list[tuple[bool, bool]]) -> None:
    judge, human = ([int(pair[side]) for pair in pairs] for side in (0, 1))
    found, same = matthews(Outcomes.of(judge, human).confusion()), pearson(judge, human)
    assert isinstance(found, Undefined) == isinstance(same, Undefined)
    if isinstance(found, Estimate):
        assert found.value == pytest.approx(defined(same).value)
        interval, other = found.interval, defined(same).interval
        assert isinstance(interval, Interval) == isinstance(other, Interval)
        if isinstance(interval, Interval) and isinstance(other, Interval):
            assert (interval.low, interval.high) == pytest.approx((other.low, other.high), abs=1e-6)


def test_matthews_of_a_constant_side_says_which() -> None:
    assert "the judge gave every item" in str(matthews(table((5, 0), (5, 0))))
    assert "the people gave every item" in str(matthews(table((5, 5), (0, 0))))
    assert "no variation" in str(matthews(table((5, 0), (0, 0))))


def test_matthews_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    shares = np.array([0.4, 0.1, 0.15, 0.35])
    truth = defined(matthews(table((400, 100), (150, 350)))).value
    drawn = np.random.default_rng(3).multinomial(100, shares, size=3_000).tolist()
    found = [defined(matthews(table((a, b), (c, d)))).interval for a, b, c, d in drawn]
    held = [isinstance(one, Interval) and one.low <= truth <= one.high for one in found]
    assert np.mean(held) == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize(
    "made",
    [
        lambda: Confusion(categories=("a", "b"), counts=((1, 2),)),
        lambda: Confusion(categories=("a", "a"), counts=((1, 2), (1, 2))),
        lambda: Confusion(categories=("a",), counts=((-1,),)),
        lambda: Outcomes(true_positives=-1, false_negatives=0, false_positives=0, true_negatives=0),
        lambda: Outcomes.of([1, 2], [1, 0]),
        lambda: Outcomes.of([1], [1, 0]),
        lambda: confusion_of(["a", 1], ["a", "b"]),
        lambda: confusion_of([float("inf")], [1]),
    ],
)
def test_what_is_no_table_of_pairs_is_refused(made: object) -> None:
    assert callable(made)
    with pytest.raises(RecordError):
        made()
