"""Calibrations: whether one still holds, and whether it is enough to rest on."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rejudge.domain.calibration import (
    CalibrationRecord,
    HumanSet,
    Judged,
    Minimum,
    OtherScorer,
    Pairs,
    Present,
    lapses,
)
from rejudge.domain.errors import ConfigurationError

JUDGE = Judged(scorer=b"j", name="judge", type="llm_judge", settings={"prompt": "Is it?", "model": "m"}, value="ok")
PEOPLE = HumanSet(rating_set=b"s", name="tone", rubric="Is it polite?", gold=b"g", gold_number=1)
OTHER = OtherScorer(scorer=b"o", name="old judge", value="ok")
RECORD = CalibrationRecord(
    judged=JUDGE,
    against=PEOPLE,
    experiment="experiment-1",
    runs=("r",),
    dataset_version="dataset-1",
    compared="values",
    pairs=Pairs(n=60, items=60, passed=40, failed=20),
    blinding={"blind": 60},
    statistics={"mae": 0.1},
    seed=0,
    level=0.95,
)
NOW = Present(judged=JUDGE, dataset_version="dataset-1", against=PEOPLE)


def test_a_calibration_holds_while_nothing_it_names_has_changed() -> None:
    assert lapses(RECORD, NOW) == []
    assert lapses(replace(RECORD, against=OTHER), replace(NOW, against=OTHER)) == []


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (replace(NOW, judged=None), "the scorer 'judge' is not in the newest result any more"),
        (
            replace(NOW, judged=replace(JUDGE, scorer=b"k", settings={"prompt": "Was it?", "model": "m"})),
            "the scorer 'judge' is another one now: what changed is prompt",
        ),
        (
            replace(NOW, judged=replace(JUDGE, scorer=b"k", type="function")),
            "the scorer 'judge' is another one now: it was of the type llm_judge and is of function",
        ),
        (replace(NOW, judged=replace(JUDGE, scorer=b"k")), "the scorer 'judge' is another one now: its scores changed"),
        (replace(NOW, dataset_version="dataset-2"), "the dataset has another version"),
        (replace(NOW, against=replace(PEOPLE, rubric="Is it kind?", rating_set=b"u")), "the raters' rubric changed"),
        (replace(NOW, against=replace(PEOPLE, rating_set=b"u")), "the raters' scale changed"),
        (
            replace(NOW, against=replace(PEOPLE, gold=b"h", gold_number=3)),
            "the human labels changed: gold version 1 was followed by 3",
        ),
        (replace(NOW, against=None), "there is no gold version of 'tone' any more"),
    ],
)
def test_a_calibration_expires_when_one_of_its_parts_changes(now: Present, reason: str) -> None:
    assert lapses(RECORD, now) == [reason]


def test_a_calibration_against_a_scorer_expires_with_that() -> None:
    record = replace(RECORD, against=OTHER)
    for after in (replace(OTHER, scorer=b"p"), None, PEOPLE):
        (reason,) = lapses(record, replace(NOW, against=after))
        assert reason == "the scorer 'old judge', which it was compared with, is another one now"


def test_every_change_is_told() -> None:
    now = Present(judged=None, dataset_version=None, against=None)
    assert len(lapses(RECORD, now)) == 3


def test_the_labels_by_another_rule_are_the_same_labels() -> None:
    later = replace(NOW, against=replace(PEOPLE, gold_number=2))
    assert lapses(RECORD, later) == []


def test_a_calibration_has_one_id_for_what_it_says_and_not_for_when() -> None:
    assert replace(RECORD, at=9.0).id == RECORD.id
    others = [
        replace(RECORD, against=OTHER),
        replace(RECORD, dataset_version="dataset-2"),
        replace(RECORD, judged=replace(JUDGE, scorer=b"k")),
        replace(RECORD, against=replace(PEOPLE, gold=b"h")),
        replace(RECORD, statistics={"mae": 0.2}),
        replace(RECORD, seed=1),
    ]
    assert len({one.id for one in [RECORD, *others]}) == 7


def test_fifty_pairs_with_both_outcomes_are_enough_by_default() -> None:
    assert Minimum() == Minimum(pairs=50, each_outcome=10)
    assert Minimum().shortfalls(RECORD) == []
    assert Minimum(pairs=61).shortfalls(RECORD) == ["it has 60 pairs, fewer than 61"]
    numbers = replace(RECORD, pairs=Pairs(n=50, items=50))
    assert Minimum().shortfalls(numbers) == []


def test_too_few_pairs_or_one_outcome_alone_are_too_little() -> None:
    short = replace(RECORD, pairs=Pairs(n=2, items=2, passed=2, failed=0))
    assert Minimum().shortfalls(short) == [
        "it has 2 pairs, fewer than 50",
        "people say passed of 2 items, fewer than 10",
        "people say failed of 0 items, fewer than 10",
    ]


def test_the_outcomes_that_a_default_judge_needs_are_counted_by_item() -> None:
    pairs = Pairs(n=300, items=60, passed=200, failed=100, passed_items=55, failed_items=5)
    assert Minimum().shortfalls(replace(RECORD, pairs=pairs)) == ["people say failed of 5 items, fewer than 10"]


def test_another_scorer_never_stands_in_for_people() -> None:
    (reason,) = Minimum(pairs=1).shortfalls(replace(RECORD, against=OTHER))
    assert reason == "it was compared with the scorer 'old judge', not with people"


def test_a_minimum_asks_for_something() -> None:
    with pytest.raises(ConfigurationError, match="one pair at least"):
        Minimum(pairs=0)
