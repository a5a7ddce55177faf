"""The main job on real data: 1,319 questions that four models answered, as recorded, with the recorded verdicts."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import cast

import pytest

from rejudge.front.workspace import Workspace
from rejudge.stats.multiple import holm
from rejudge.wiring import open_store
from tests.cli.project import Project

MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
COUNT = 1319

pytestmark = [pytest.mark.data, pytest.mark.slow]


@pytest.fixture(scope="module")
def rows(shared: Path) -> list[dict[str, object]]:
    lines = (shared / "data/gsm8k/example_model_solutions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture
def gsm8k(project: Project, shared: Path) -> Project:
    """The evaluation file over the data as it lies about: no ids, and the models' outputs nested in each row."""
    path = shared / "data/gsm8k/example_model_solutions.jsonl"
    tasks = "".join(
        f"  - {{name: {model}, replay: {{path: {path}, id: question, output: {model}.solution}}}}\n" for model in MODELS
    )
    project.write(
        "eval.yaml",
        f"""
name: gsm8k
dataset:
  path: {path}
  id: question
  fields: {{question: question, answer: ground_truth}}
  reference: [answer]
tasks:
{tasks}
scorers:
  - type: exact_match
    name: correct
    reference_key: answer
    value_expression: final_message | final_number
    reference_expression: reference | final_number
""",
    )
    return project


def test_verdicts_agree_with_the_recorded_ones_and_a_second_scorer_costs_nothing(
    gsm8k: Project, rows: list[dict[str, object]]
) -> None:
    said = gsm8k.rejudge("run", "eval.yaml", "--quiet")
    assert said.code == 0
    recorded = {
        model: {row["question"]: cast("dict[str, bool]", row[model])["is_correct"] for row in rows} for model in MODELS
    }
    workspace = Workspace(open_store(gsm8k.folder / "rejudge.db"))
    result = workspace.result("gsm8k")
    assert [run.task for run in result.runs] == list(MODELS)
    first = {}
    for run in result.runs:
        cases = list(run.cases())
        first[run.id] = [case.scores for case in cases]
        judged = {case.item.id: case.scores[0].values[0].number == 1.0 for case in cases}
        disagreements = {question for question, verdict in judged.items() if verdict != recorded[run.task][question]}
        assert (len(judged), disagreements) == (COUNT, set())
        share = sum(judged.values()) / COUNT
        line = next(line for line in said.out.splitlines() if re.search(rf"\b{run.task} +\d", line))
        assert re.search(rf"{100 * share:.1f} % \[\d+\.\d, \d+\.\d\] wilson n={COUNT}", line)

    more = gsm8k.rejudge(
        "score", "gsm8k", "--scorer", "{type: contains, name: ends with A, substring: 'A: '}", "--quiet", "--json"
    )
    assert more.code == 0
    runs = cast("list[dict[str, dict[str, int]]]", more.document["runs"])
    assert [(run["counts"]["completed"], run["counts"]["reused"]) for run in runs] == [(COUNT, COUNT)] * 4
    for run in workspace.result("gsm8k").runs:
        earlier = {scores[0].id for scores in first[str(run.run.resumed_from_run_id)]}
        for case in run.cases():
            kept = [score for score in case.scores if score.id in earlier]
            assert (len(kept), len(case.scores)) == (1, 2)
        assert run.id not in first
    for run_id, scores in first.items():
        assert [case.scores for case in workspace.run(run_id).runs[0].cases()] == scores


def test_the_models_are_compared_in_six_pairs_and_the_two_verification_models_item_by_item(
    gsm8k: Project, rows: list[dict[str, object]]
) -> None:
    assert gsm8k.rejudge("run", "eval.yaml", "--quiet").code == 0
    passed = {
        model: {str(row["question"]) for row in rows if cast("dict[str, bool]", row[model])["is_correct"]}
        for model in MODELS
    }

    said = gsm8k.rejudge("compare", "gsm8k", "--json")
    (ranking,) = cast("list[dict[str, dict[str, list[dict[str, object]]]]]", said.document["rankings"])
    board = ranking["leaderboard"]
    assert [place["name"] for place in board["places"]] == [
        "175b_verification",
        "6b_verification",
        "175b_finetuning",
        "6b_finetuning",
    ]
    pairs = board["pairs"]
    assert {(pair["first"], pair["second"]) for pair in pairs} == set(combinations(MODELS, 2))
    raw = []
    for pair in pairs:
        corrected = cast("dict[str, dict[str, float | dict[str, float]]]", pair["corrected"])
        comparison = corrected["comparison"]
        first, second = passed[str(pair["first"])], passed[str(pair["second"])]
        b, c = len(second - first), len(first - second)
        exact = cast("dict[str, dict[str, float]]", comparison["tests"])["mcnemar-exact"]
        assert (exact["n"], exact["statistic"]) == (b + c, min(b, c))
        assert comparison["difference"] == pytest.approx((b - c) / COUNT)
        interval = cast("dict[str, float]", comparison["interval"])
        assert interval["low"] < (b - c) / COUNT < interval["high"]
        raw.append(exact["p"])
    assert [cast("dict[str, float]", pair["corrected"])["p"] for pair in pairs] == pytest.approx(holm(raw))

    two = gsm8k.rejudge("compare", "gsm8k:6b_verification", "gsm8k:175b_verification", "--limit", str(COUNT))
    fixed = passed["175b_verification"] - passed["6b_verification"]
    lost = passed["6b_verification"] - passed["175b_verification"]
    assert (len(fixed), len(lost)) == (306, 79)
    assert "correct: BETTER" in two.out
    assert re.search(r"^  difference +\+17\.2 points \[14\.5, 20\.0\], 95 % by tango, n=1319$", two.out, re.MULTILINE)
    assert "McNemar's exact test p < 0.0001" in two.out
    assert "  regressions: 79 items\n" in two.out
    assert "  fixes: 306 items\n" in two.out
    assert len(re.findall(r"^    .* pass → fail$", two.out, re.MULTILINE)) == len(lost)
    assert len(re.findall(r"^    .* fail → pass$", two.out, re.MULTILINE)) == len(fixed)
    document = gsm8k.rejudge(
        "compare", "gsm8k:6b_verification", "gsm8k:175b_verification", "--limit", str(COUNT), "--json"
    ).document
    (score,) = cast("dict[str, list[dict[str, dict[str, list[dict[str, str]]]]]]", document["compared"])["scores"]
    assert {change["item_id"] for change in score["regressions"]["items"]} == lost
    assert {change["item_id"] for change in score["fixes"]["items"]} == fixed
