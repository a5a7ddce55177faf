"""The real check: recorded model solutions, judged as their authors judged them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rejudge.domain.view import View
from rejudge.scorers import as_verdict, exact_match

RECORDED = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "gsm8k" / "example_model_solutions.jsonl"
MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")


@pytest.mark.data
@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded solutions of ../shared/data/gsm8k are not here")
@pytest.mark.parametrize("model", MODELS)
def test_the_last_number_agrees_with_every_recorded_verdict(model: str) -> None:
    scorer = exact_match(
        value_expression="final_message | final_number",
        reference_key="ground_truth",
        reference_expression="reference | final_number",
    )
    rows = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    wrong = []
    for row in rows:
        view = View(output=row[model]["solution"], reference_data={"ground_truth": row["ground_truth"]})
        verdict = as_verdict(scorer.judge(view), scorer.config)
        if verdict.values != {"exact_match": float(row[model]["is_correct"])}:
            wrong.append((row["question"], verdict))
    assert len(rows) == 1_319
    assert not wrong
