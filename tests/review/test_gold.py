"""Adjudication: what several ratings come to, and what stays open."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.gold import GoldRule, GoldVersion
from rejudge.domain.rating import Rating, RatingSet
from rejudge.domain.scale import Outcome, ScoreSpec, ScoreType
from rejudge.review.gold import adjudicate

STARS = RatingSet(name="stars", score=ScoreSpec(name="stars", type=ScoreType.FIVE_STAR, passes_at=4))
LABELS = RatingSet(name="tone", score=ScoreSpec(name="tone", type=ScoreType.LABEL))

RATERS = "ann bob eva kim".split()


def ratings(rating_set: RatingSet, *traces: Sequence[object]) -> list[Rating]:
    """Per trace what ann, bob, eva and kim say; None for nothing."""
    return [
        Rating(trace=bytes([place]), rater=rater, value=rating_set.value(value))
        for place, values in enumerate(traces)
        for rater, value in zip(RATERS, values, strict=False)
        if value is not None
    ]


def labels(gold: GoldVersion) -> dict[int, object]:
    return {
        label.trace[0]: label.value.label if label.value.number is None else label.value.number for label in gold.labels
    }


@pytest.mark.parametrize(
    ("rule", "decided", "undecided"),
    [
        (GoldRule.MAJORITY, {0: 4.0, 1: 4.0, 4: 2.0}, {2, 3}),
        (GoldRule.UNANIMOUS, {0: 4.0, 4: 2.0}, {1, 2, 3}),
        (GoldRule.MEAN, {0: 4.0, 1: 3.0, 2: 3.0, 3: 2.5, 4: 2.0}, set()),
        (GoldRule.MEDIAN, {0: 4.0, 1: 4.0, 2: 3.0, 3: 2.5, 4: 2.0}, set()),
    ],
)
def test_each_rule_decides_what_it_says_and_leaves_the_rest_open(
    rule: GoldRule, decided: dict[int, float], undecided: set[int]
) -> None:
    given = ratings(STARS, (4, 4, 4), (4, 4, 1), (2, 4), (1, 2, 3, 4), (2,))
    gold = adjudicate(STARS, given, rule=rule)
    assert labels(gold) == decided
    assert {one.trace[0] for one in gold.open} == undecided


def test_half_of_the_raters_is_no_majority() -> None:
    (tie,) = adjudicate(LABELS, ratings(LABELS, "aabc"), rule=GoldRule.MAJORITY).open
    assert tie.why == "no value has more than half of the 4 ratings"
    assert [(rater, value.label) for rater, value in tie.said] == list(zip(RATERS, "aabc", strict=True))


def test_numbers_that_differ_by_rounding_alone_are_one_value() -> None:
    numbers = RatingSet(name="n", score=ScoreSpec(name="n", type=ScoreType.NUMBER))
    gold = adjudicate(numbers, ratings(numbers, (0.3, 0.1 + 0.2)), rule=GoldRule.UNANIMOUS)
    assert labels(gold) == {0: 0.3}


def test_a_label_has_the_outcome_of_its_value_and_the_number_of_its_raters() -> None:
    gold = adjudicate(STARS, ratings(STARS, (5, 3), (4,)), rule=GoldRule.MEAN)
    assert [(label.value.outcome, label.raters) for label in gold.labels] == [(Outcome.PASSED, 2), (Outcome.PASSED, 1)]
    lower = adjudicate(STARS, ratings(STARS, (4, 3)), rule=GoldRule.MEAN)
    assert lower.labels[0].value.outcome is Outcome.FAILED


def test_the_adjudicators_word_counts_and_without_it_only_what_all_agree_on() -> None:
    given = ratings(LABELS, ("a", "b", "c"), ("a", "a", None), ("a", "b", None))
    gold = adjudicate(LABELS, given, rule=GoldRule.ADJUDICATOR, adjudicator="eva")
    assert labels(gold) == {0: "c", 1: "a"}
    assert [label.adjudicator for label in gold.labels] == ["eva", None]
    assert [one.why for one in gold.open] == ["the raters differ, and eva has not rated it"]


def test_only_the_last_word_of_a_rater_counts() -> None:
    given = [*ratings(LABELS, ("a", "b")), *ratings(LABELS, (None, "a"))]
    assert labels(adjudicate(LABELS, given, rule=GoldRule.UNANIMOUS)) == {0: "a"}


def test_the_id_of_gold_labels_is_that_of_the_labels() -> None:
    given = ratings(STARS, (4, 4, 4), (2, 2))
    by_majority = adjudicate(STARS, given, rule=GoldRule.MAJORITY, at=1.0)
    assert adjudicate(STARS, given[::-1], rule=GoldRule.UNANIMOUS, at=2.0).id == by_majority.id
    assert adjudicate(STARS, given[:-2], rule=GoldRule.MAJORITY).id != by_majority.id


def test_labels_and_passes_have_no_mean() -> None:
    with pytest.raises(ConfigurationError, match="a label has no mean"):
        adjudicate(LABELS, ratings(LABELS, ("a",)), rule=GoldRule.MEAN)
    passes = RatingSet(name="p", score=ScoreSpec(name="p"))
    with pytest.raises(ConfigurationError, match="a pass_fail has no median"):
        adjudicate(passes, ratings(passes, (1,)), rule=GoldRule.MEDIAN)


def test_nothing_is_made_of_nothing_or_by_nobody() -> None:
    with pytest.raises(ConfigurationError, match="no rating yet"):
        adjudicate(LABELS, [], rule=GoldRule.MAJORITY)
    with pytest.raises(UnknownName, match="did you mean 'ann'"):
        adjudicate(LABELS, ratings(LABELS, ("a",)), rule=GoldRule.ADJUDICATOR, adjudicator="anne")
    with pytest.raises(ConfigurationError, match="name of a rater"):
        GoldVersion(rating_set=b"", rule=GoldRule.MAJORITY, adjudicator="ann", labels=())
