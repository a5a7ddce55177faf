"""The comparisons on real data: the recorded verdicts on 1,319 questions that four models answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rejudge.stats.changes import Changes, changes
from rejudge.stats.decision import ComparisonVerdict
from rejudge.stats.interval import Interval
from rejudge.stats.leaderboard import leaderboard
from rejudge.stats.many import Pair, compare_pairs
from rejudge.stats.scale import PASS_FAIL

MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def verdicts(shared: Path) -> dict[str, list[float]]:
    lines = (shared / "data/gsm8k/example_model_solutions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return {model: [float(row[model]["is_correct"]) for row in rows] for model in MODELS}


@pytest.fixture(scope="module")
def pairs(verdicts: dict[str, list[float]]) -> dict[tuple[str, str], Pair]:
    found = compare_pairs(verdicts, name="correct", kind="pass_fail", scale=PASS_FAIL, seed=0)
    return {(pair.first, pair.second): pair for pair in found}


def test_larger_verifiers_are_better_and_their_flips_are_listed(
    verdicts: dict[str, list[float]], pairs: dict[tuple[str, str], Pair]
) -> None:
    corrected = pairs["6b_verification", "175b_verification"].corrected
    found = corrected.comparison
    assert (found.n, corrected.family, corrected.verdict) == (1319, 6, ComparisonVerdict.BETTER)
    assert isinstance(found.interval, Interval)
    assert found.outcomes is not None
    assert (found.outcomes.b, found.outcomes.c) == (306, 79)
    difference = (found.outcomes.b - found.outcomes.c) / 1319
    assert found.difference == pytest.approx(difference)
    assert found.interval.low < difference < found.interval.high
    listed = changes(verdicts["6b_verification"], verdicts["175b_verification"], kind="pass_fail", scale=PASS_FAIL)
    assert isinstance(listed, Changes)
    counts = (len(listed.fixes), len(listed.regressions))
    assert counts == (found.outcomes.b, found.outcomes.c)


def test_pairs_separate_two_models_whose_intervals_overlap(verdicts: dict[str, list[float]]) -> None:
    board = leaderboard(verdicts, name="correct", kind="pass_fail", scale=PASS_FAIL, seed=0)
    assert [(place.name, place.best_rank, place.worst_rank) for place in board.places] == [
        ("175b_verification", 1, 1),
        ("6b_verification", 2, 2),
        ("175b_finetuning", 3, 3),
        ("6b_finetuning", 4, 4),
    ]
    second, third = board.places[1].interval, board.places[2].interval
    assert isinstance(second, Interval)
    assert isinstance(third, Interval)
    assert second.low < third.high
