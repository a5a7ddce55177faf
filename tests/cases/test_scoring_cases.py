"""The rows of `shared/cases/scoring_cases.yaml`: each scorer row judged by the kind that it names."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import TypeAlias, cast

import pytest
import yaml

from rejudge.domain.errors import ConfigurationError, RecordError, ScorerError
from rejudge.domain.scale import ScoreSpec, ScoreType
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.verdict import Verdict
from rejudge.domain.view import View
from rejudge.scorers import CATALOG, Scorer, Way, as_verdict, create, scored_values
from rejudge.scorers.geval import token_value, weighted

CASES = Path(__file__).resolve().parents[2] / ".." / "shared" / "cases" / "scoring_cases.yaml"
Row: TypeAlias = dict[str, object]

ROWS: list[Row] = yaml.safe_load(CASES.read_text(encoding="utf-8")) if CASES.exists() else []
absent = pytest.mark.skipif(not ROWS, reason="the cases of ../shared/cases are not here")


def rows_with(key: str) -> list[object]:
    """The rows that state `key`, each under its id; one empty row where there are no cases at all."""
    chosen = [row for row in ROWS if key in row] or [{"id": "absent"}]
    return [pytest.param(row, id=str(row["id"])) for row in chosen]


def view_of(stated: Mapping[str, object]) -> View:
    calls = stated.get("calls")
    return View(
        output=stated.get("final_message"),
        trace=cast("list[object] | None", stated.get("trace") if calls is None else _messages(calls)),
        reference_data=cast("dict[str, object] | None", stated.get("reference_data")),
        task_input=cast("dict[str, object] | None", stated.get("task_input")),
    )


def _messages(calls: object) -> list[object]:
    assert isinstance(calls, list)
    turns = calls if calls and isinstance(calls[0], list) else [calls]
    return [{"role": "assistant", "content": None, "tool_calls": [_call(name) for name in turn]} for turn in turns]


def _call(name: str) -> object:
    return {"type": "function", "function": {"name": name, "arguments": "{}"}}


def verdict_of(scorer: Scorer, view: View) -> Verdict:
    """The verdict of a scorer that asks nobody; one that yields a call would spend something."""
    answer = scorer.judge(view)
    if scorer.way is Way.STEPS and isinstance(answer, Generator):
        with pytest.raises(StopIteration) as end:
            next(answer)
        answer = end.value.value
    return as_verdict(answer, scorer.config)


@absent
@pytest.mark.parametrize("row", rows_with("scorer"))
def test_a_scorer_row(row: Row) -> None:
    parameters = dict(cast("dict[str, object]", row["scorer"]))
    kind = str(parameters.pop("type"))
    if kind not in CATALOG:
        pytest.skip(f"scorer type {kind} is not available yet")
    expected = row["expect"]
    if expected == "refused":
        with pytest.raises(ConfigurationError):
            create(kind, parameters)
        return
    scorer = create(kind, parameters)
    verdict = verdict_of(scorer, view_of(cast("dict[str, object]", row["view"])))
    found = {value.name: value.number for value in scored_values(verdict, scorer.config)}
    if isinstance(expected, str):
        assert f"skip: {verdict.skip}" == expected
        assert verdict.reason
    elif isinstance(expected, dict):
        assert found == expected
    else:
        assert found == {kind: expected}


@absent
@pytest.mark.parametrize("row", rows_with("score_type"))
def test_a_row_of_values_that_a_score_refuses(row: Row) -> None:
    spec = ScoreSpec(name="q", type=ScoreType(str(row["score_type"])))
    config = ScorerConfig(name="q", type="function", scores=(spec,))
    for value in cast("list[object]", row["values"]):
        with pytest.raises((RecordError, ScorerError)):
            scored_values(as_verdict(value, config), config)


@absent
@pytest.mark.parametrize("row", rows_with("declared"))
def test_a_row_of_names_that_are_not_the_declared_ones(row: Row) -> None:
    scores = tuple(ScoreSpec(name=name) for name in cast("list[str]", row["declared"]))
    config = ScorerConfig(name="both", type="function", scores=scores)
    for values in cast("list[object]", row["values"]):
        with pytest.raises(RecordError):
            scored_values(as_verdict(values, config), config)
    assert not scored_values(Verdict(skip="missing_trace"), config)


@absent
def test_a_row_of_tokens_and_the_values_they_mean() -> None:
    (row,) = [row for row in ROWS if row.get("what") == "tokens to values"]
    specs = [ScoreSpec(name="q", type=one) for one in (ScoreType.FIVE_STAR, ScoreType.PASS_FAIL_CRITICAL)]
    for token, expected in cast("list[tuple[object, float | None]]", row["rows"]):
        found = {value for spec in specs if (value := token_value(spec, str(token))) is not None}
        assert found == ({expected} if expected is not None else set()), token


@absent
def test_a_row_of_weighted_five_star_scores() -> None:
    (row,) = [row for row in ROWS if str(row.get("what")).startswith("probability-weighted")]
    spec = ScoreSpec(name="q", type=ScoreType.FIVE_STAR)
    for one in cast("list[dict[str, object]]", row["rows"]):
        text, stated = cast("tuple[str, object]", one["chosen"])
        top = cast("dict[str, float]", one["top"])
        found = weighted(spec, (text, _logprob(stated)), [(token, math.log(share)) for token, share in top.items()])
        assert found == pytest.approx(one["expect"], abs=1e-6)


def _logprob(stated: object) -> float:
    return math.log(stated) if isinstance(stated, float) else float(str(stated).rpartition(" ")[2])
