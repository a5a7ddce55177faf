"""Two real judges on identical traces: 805 outputs of a model, each judged against those of another model."""

from __future__ import annotations

import json
import re
import statistics
from pathlib import Path
from typing import cast

import pytest

from rejudge.front.workspace import Workspace
from rejudge.wiring import open_store
from tests.cli.project import Project, Said

COUNT = 805
JUDGES = ("weighted_judge", "cot_judge")

pytestmark = [pytest.mark.data, pytest.mark.slow]


@pytest.fixture
def recorded(shared: Path) -> Path:
    return shared / "data/alpaca_eval/claude-2.1_vs_gpt4_1106_two_judges.jsonl"


@pytest.fixture
def alpaca(project: Project, recorded: Path) -> Project:
    """An experiment whose traces are the recorded outputs."""
    project.write(
        "eval.yaml",
        f"""
name: alpaca
dataset:
  path: {recorded}
  id: instruction
  fields: {{instruction: instruction, gold: reference_output}}
  reference: [gold]
task: {{name: claude-2.1, replay: {{path: {recorded}, id: instruction, output: output}}}}
""",
    )
    assert project.rejudge("run", "eval.yaml", "--quiet").code == 0
    return project


def imported(project: Project, recorded: Path, place: int) -> Said:
    """The import of the judge at a place in each record's list; from 1 (reference better) to 2 (model better)."""
    return project.rejudge(
        *("score", "alpaca", "--import", str(recorded), "--quiet", "--id", "instruction"),
        *("--scorer", f"{{name: {JUDGES[place]}, type: number, low: 1, high: 2, passes_at: 1.5}}"),
        *("--value", f"judgements.{place}.preference", "--cost", f"judgements.{place}.cost_usd"),
    )


def test_both_judges_stand_on_the_same_traces_with_their_published_win_rates(alpaca: Project, recorded: Path) -> None:
    weighted, cot = imported(alpaca, recorded, 0), imported(alpaca, recorded, 1)
    assert (weighted.code, cot.code, weighted.err, cot.err) == (0, 0, "", "")
    assert re.search(r"^weighted_judge: 15\.7335 % ± 1\.1203 .* n=805$", weighted.out, re.MULTILINE)
    assert re.search(r"^cot_judge: 12\.9193 % ± 1\.1796 .* n=805$", cot.out, re.MULTILINE)

    workspace = Workspace(open_store(alpaca.folder / "rejudge.db"))
    result = workspace.result("alpaca")
    rows = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()]
    judged = {row["instruction"]: [one["preference"] for one in row["judgements"]] for row in rows}
    found = {}
    for case in result.cases():
        assert case.trace is not None
        assert {score.subject for score in case.scores} == {(case.trace.digest(),)}
        found[case.item.id] = [score.values[0].number for score in case.scores]
    assert found == judged
    assert len({run.run_config for run in workspace.runs()}) == 1

    again = imported(alpaca, recorded, 1)
    assert (again.code, len(workspace.runs())) == (0, 3)
    assert again.out == cot.out


def test_a_reference_metric_stands_beside_the_judges(alpaca: Project, recorded: Path) -> None:
    assert imported(alpaca, recorded, 0).code == 0
    said = alpaca.rejudge("score", "alpaca", "--scorer", "{type: token_f1, reference_key: gold}", "--quiet", "--json")
    assert said.code == 0
    (run,) = cast("list[dict[str, list[dict[str, object]]]]", said.document["runs"])
    assert {one["scorer"]: one["n"] for one in run["summaries"]} == {"weighted_judge": COUNT, "token_f1": COUNT}


def test_one_judge_is_calibrated_against_the_other_on_the_same_traces(alpaca: Project, recorded: Path) -> None:
    assert (imported(alpaca, recorded, 0).code, imported(alpaca, recorded, 1).code) == (0, 0)
    said = alpaca.rejudge("calibrate", "alpaca", "weighted_judge", "--against", "cot_judge", "--json")
    assert said.code == 0
    document = said.document
    rows = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()]
    judged = [[one["preference"] for one in row["judgements"]] for row in rows]
    apart = [one - other for one, other in judged]
    assert cast("dict[str, int]", document["pairs"])["n"] == COUNT
    statistics = cast("dict[str, dict[str, dict[str, float]]]", document["statistics"])["statistics"]
    assert statistics["bias"]["value"] == pytest.approx(sum(apart) / COUNT)
    assert statistics["mae"]["value"] == pytest.approx(sum(map(abs, apart)) / COUNT)
    assert statistics["bias"]["n"] == COUNT
    passes = [[value >= 1.5 for value in pair] for pair in judged]
    outcomes = cast("dict[str, dict[str, int]]", document["statistics"])["outcomes"]
    assert outcomes["true_positives"] == passes.count([True, True])
    assert outcomes["false_positives"] == passes.count([True, False])
    worst = cast("list[dict[str, float]]", document["disagreements"])[0]
    assert abs(worst["scorer"] - worst["other"]) == pytest.approx(max(map(abs, apart)))


def test_the_two_judges_are_compared_on_the_same_traces(alpaca: Project, recorded: Path) -> None:
    assert (imported(alpaca, recorded, 0).code, imported(alpaca, recorded, 1).code) == (0, 0)
    rows = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()]
    first, second = ({row["instruction"]: row["judgements"][place]["preference"] for row in rows} for place in (0, 1))
    apart = {id: second[id] - first[id] for id in first}
    mean = statistics.fmean(apart.values())
    error = statistics.stdev(apart.values()) / COUNT**0.5

    asked = ("compare", "alpaca", "--scorer", JUDGES[0], "--scorer", JUDGES[1])
    document = alpaca.rejudge(*asked, "--json").document
    (score,) = cast("dict[str, list[dict[str, dict[str, object]]]]", document["compared"])["scores"]
    comparison = cast("dict[str, object]", score["corrected"]["comparison"])
    assert (comparison["n"], comparison["verdict"]) == (COUNT, "different")
    assert comparison["difference"] == pytest.approx(mean)
    interval = cast("dict[str, float]", comparison["interval"])
    assert interval["low"] == pytest.approx(mean - 1.963 * error, rel=1e-3)
    assert interval["high"] == pytest.approx(mean + 1.963 * error, rel=1e-3)
    where = score["disagreement"]
    items = cast("dict[str, list[dict[str, str]]]", where["items"])["items"]
    largest = sorted(apart, key=lambda id: -round(abs(apart[id]), 9))
    assert [item["item_id"] for item in items] == largest[: len(items)]
    bands = cast("list[dict[str, float]]", where["bands"])
    assert [band["low"] for band in bands] == pytest.approx([1, 1.2, 1.4, 1.6, 1.8])
    assert sum(band["n"] for band in bands) == COUNT

    text = alpaca.rejudge(*asked).out
    assert "cot_judge scores lower than weighted_judge on the same traces" in " ".join(text.split())
    assert "both pass 74, weighted_judge alone 43, cot_judge alone 31, neither 657" in " ".join(text.split())
    deep = alpaca.rejudge("describe", "alpaca", "--scorer", "weighted_judge").out
    assert "15.7335 % ± 1.1203" in deep
