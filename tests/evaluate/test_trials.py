"""Several trials of each item: how often one of them passes, and all of them, and each item by itself."""

from __future__ import annotations

import json
import random
from pathlib import Path
from statistics import fmean

import pytest

import rejudge

ROWS = [{"id": f"i{number}", "number": number} for number in range(5)]


def passes(number: int, trial: int) -> bool:
    """Item 0 never passes, item 4 always, the others in their first trials."""
    return trial < number if number < 4 else True


def judged(*, trials: int = 3) -> rejudge.Result:
    return rejudge.evaluate(ROWS, passes, right, store="memory:", trials=trials, version="1", progress="silent")


def right(output: bool) -> bool:
    return output


def test_pass_at_k_and_pass_hat_k_are_means_over_items() -> None:
    result = judged()
    assert result.pass_at_k(1).mean == pytest.approx(fmean([0, 1 / 3, 2 / 3, 1, 1]))
    assert result.pass_at_k(3).mean == pytest.approx(4 / 5)
    assert result.pass_hat_k(3).mean == pytest.approx(2 / 5)
    assert result.pass_hat_k(2).mean == pytest.approx(fmean([0, 0, 1 / 3, 1, 1]))
    report = str(result)
    assert "pass@3 80 % [" in report
    assert "pass^3 40 % [" in report


def test_more_trials_than_there_are_leave_no_number() -> None:
    found = judged(trials=1).pass_at_k(2)
    assert (found.n, found.short, found.mean) == (0, 5, None)


def test_a_number_without_an_outcome_passes_nothing() -> None:
    def length(output: bool) -> float:
        return 0.5

    result = rejudge.evaluate(ROWS, passes, length, store="memory:", trials=2, version="1", progress="silent")
    with pytest.raises(rejudge.ConfigurationError, match="no outcome"):
        result.pass_at_k(2)


def test_each_item_shows_its_trials_with_their_mean_and_spread() -> None:
    items = list(judged().by_item())
    assert [one.item.id for one in items] == ["i0", "i1", "i2", "i3", "i4"]
    assert [[row.case.trial for row in one.cases] for one in items] == [[0, 1, 2]] * 5
    of_one = items[1].trials("right")
    assert (of_one.values, of_one.n, of_one.passed, of_one.judged) == ((1.0, 0.0, 0.0), 3, 1, 3)
    assert of_one.mean == pytest.approx(1 / 3)
    assert of_one.std == pytest.approx(0.57735027)
    with pytest.raises(rejudge.ConfigurationError, match="wrong"):
        items[1].trials("wrong")


def test_a_failed_trial_is_counted_and_averaged_nowhere() -> None:
    def sometimes(output: bool) -> bool:
        if not output:
            raise ValueError("no idea")
        return True

    result = rejudge.evaluate(ROWS, passes, sometimes, store="memory:", trials=3, version="1", progress="silent")
    of_one = list(result.by_item())[1].trials()
    assert (of_one.values, of_one.failed, of_one.std) == ((1.0,), 2, None)
    assert result.pass_at_k(3).short == 3


@pytest.mark.data
@pytest.mark.slow
def test_three_trials_of_recorded_solutions_of_four_models_on_all_of_gsm8k(shared: Path, tmp_path: Path) -> None:
    recorded = shared / "data/gsm8k/example_model_solutions.jsonl"
    lines = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()]
    models: list[str] = sorted(
        name for name, value in lines[0].items() if isinstance(value, dict) and "solution" in value
    )
    assert len(models) == 4
    rows = [{"id": f"g{place}", "said": {name: line[name] for name in models}} for place, line in enumerate(lines)]

    def chosen(item_id: str, trial: int) -> str:
        return random.Random(f"{item_id}/{trial}").choice(models)

    def task(item: dict[str, object], id: str, trial: int) -> dict[str, object]:
        said = item["said"]
        assert isinstance(said, dict)
        return {"output": said[chosen(id, trial)]["solution"], "correct": said[chosen(id, trial)]["is_correct"]}

    def correct(correct: bool) -> bool:
        return correct

    result = rejudge.evaluate(
        rows, task, correct, store=tmp_path / "store.db", trials=3, version="1", outputs=["correct"], progress="silent"
    )
    verdicts = {
        str(row["id"]): [bool(row["said"][chosen(str(row["id"]), trial)]["is_correct"]) for trial in range(3)]  # type: ignore[index]
        for row in rows
    }
    passed = [sum(each) for each in verdicts.values()]
    assert result.pass_at_k(1).n == len(rows) == 1319
    assert result.pass_at_k(1).mean == pytest.approx(fmean(count / 3 for count in passed), abs=1e-12)
    assert result.pass_at_k(3).mean == pytest.approx(fmean(count > 0 for count in passed), abs=1e-12)
    assert result.pass_hat_k(3).mean == pytest.approx(fmean(count == 3 for count in passed), abs=1e-12)
    assert result.summary("correct").mean == pytest.approx(result.pass_at_k(1).mean)
