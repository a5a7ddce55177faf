"""Who may stand in for people: on what a calibration has to rest, and when that holds no more."""

from __future__ import annotations

from pathlib import Path

import pytest

import rejudge
from rejudge.domain.calibration import CalibrationRecord, Minimum
from rejudge.domain.errors import ConfigurationError, StoreDamaged
from rejudge.front.calibrating import CalibrationResult
from rejudge.front.workspace import Workspace
from rejudge.review.default_judge import default_judge
from rejudge.storage.memory import MemoryStore
from rejudge.storage.store import Store
from tests.review.world import ITEMS, PASSED, evaluated, rate, said, write


@pytest.fixture
def store() -> Store:
    return evaluated()


def calibrated(store: Store, scorer: str = "judge") -> CalibrationResult:
    return rejudge.calibrate("shouts", scorer, against="tone", store=store)


def test_a_judge_becomes_the_default_only_on_enough_pairs_of_both_outcomes(tmp_path: Path) -> None:
    store = evaluated()
    rate(store, tmp_path, said(PASSED))
    rejudge.adjudicate("tone", store=store)
    found = calibrated(store)
    reasons = [
        "it has 12 pairs, fewer than 50",
        "people say passed of 8 items, fewer than 10",
        "people say failed of 4 items, fewer than 10",
    ]
    assert found.shortfalls() == reasons
    with pytest.raises(ConfigurationError, match="'judge' does not become the default judge: it has 12 pairs"):
        found.make_default()
    with pytest.raises(ConfigurationError, match="failed of 4 items, fewer than 10"):
        found.make_default(minimum=1)
    assert found.default is None
    made = found.make_default(minimum=12, each_outcome=4)
    assert (made.scorer, made.calibration) == (found.record.judged.scorer, found.record.digest())
    assert found.make_default(minimum=12, each_outcome=4) == made
    assert store.default_judges() == [made]
    rate(store, tmp_path, said(dict.fromkeys(ITEMS, 1)))
    rejudge.adjudicate("tone", store=store)
    with pytest.raises(ConfigurationError, match="people say failed of 0 items, fewer than 1"):
        calibrated(store).make_default(minimum=10, each_outcome=1)


def test_a_default_judge_whose_calibration_is_lost_is_told_as_damage(tmp_path: Path) -> None:
    rated = evaluated()
    rate(rated, tmp_path, said(PASSED))
    rejudge.adjudicate("tone", store=rated)

    class Damaged(MemoryStore):
        def calibrations(self) -> list[CalibrationRecord]:
            return []

    store = Damaged()
    store.__dict__.update(rated.__dict__)
    calibrated(rated).make_default(minimum=12, each_outcome=4)
    with pytest.raises(StoreDamaged, match=r"the default judge of 'tone' rests on a calibration that is lost"):
        default_judge(store, "tone")


def test_what_falls_short_by_one_is_told_in_the_singular(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path, said({"q1": 1}))
    rejudge.adjudicate("tone", store=store)
    assert calibrated(store).shortfalls()[0] == "it has 1 pair, fewer than 50"
    assert Minimum(each_outcome=2).shortfalls(calibrated(store).record)[1:] == [
        "people say passed of 1 item, fewer than 2",
        "people say failed of 0 items, fewer than 2",
    ]


def test_a_judge_no_better_than_chance_never_becomes_the_default(tmp_path: Path) -> None:
    store = evaluated()
    rate(store, tmp_path, said({item: not passed for item, passed in PASSED.items()}))
    rejudge.adjudicate("tone", store=store)
    with pytest.raises(ConfigurationError, match="TPR 0 \\+ TNR 0 is not above 1: the judge is no better than chance"):
        calibrated(store).make_default(minimum=1, each_outcome=1)
    rate(store, tmp_path, said({item: passed if item < "q4" else not passed for item, passed in PASSED.items()}))
    rejudge.adjudicate("tone", store=store)
    (reason,) = calibrated(store).shortfalls(minimum=1, each_outcome=1)
    assert "chance" in reason
    assert store.default_judges() == []


def test_numbers_that_do_not_go_with_peoples_make_no_default_judge(store: Store, tmp_path: Path) -> None:
    scale = {"type": "number", "low": 0, "high": 100}
    for name, sign in (("along", 1), ("against", -1)):
        records = [{"id": item, "value": 50 + sign * place} for place, item in enumerate(ITEMS)]
        file = write(tmp_path / f"{name}.jsonl", records)
        rejudge.import_scores("shouts", file, {"name": name} | scale, store=store)
    rate(store, tmp_path, said({item: 50 + place + place % 2 for place, item in enumerate(ITEMS)}), score=scale)
    rejudge.adjudicate("tone", "median", store=store)
    assert calibrated(store, "along").shortfalls(minimum=12) == []
    (reason,) = calibrated(store, "against").shortfalls(minimum=12)
    assert reason.startswith("it may be no better than chance: Spearman's ρ is -0.9")


def test_a_default_judge_stays_and_says_when_its_calibration_holds_no_more(tmp_path: Path) -> None:
    store = evaluated()
    rate(store, tmp_path, said(PASSED))
    rejudge.adjudicate("tone", store=store)
    found = calibrated(store)
    found.make_default(minimum=10, each_outcome=4)
    rate(store, tmp_path, said({"q1": 0}))
    rejudge.adjudicate("tone", store=store)
    with pytest.raises(ConfigurationError, match="human labels changed"):
        found.make_default(minimum=10, each_outcome=4)
    report = Workspace(store).ratings("tone")
    assert report.default is not None
    assert report.default.lapses == ("the human labels changed: gold version 1 was followed by 2",)
    assert "default judge: judge" in str(report)
