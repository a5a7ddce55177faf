"""`rejudge compare`, `leaderboard` and `describe`: what they print, in how many columns, and how they end."""

from __future__ import annotations

import json
from typing import cast

import pytest

from tests.cli.project import Project

TASKS = """
def half(number):
    return "yes" if number % 2 == 0 else "no"

def most(number):
    return "yes" if number % 8 != 0 else "no"

def all_of(number):
    return "yes"
"""

LONG = "an item whose id is longer than any line of a terminal would be, which happens where ids are questions"


@pytest.fixture
def exam(project: Project) -> Project:
    """Three tasks over 60 items, judged by one scorer."""
    rows = [
        {"id": LONG if number == 7 else f"i{number}", "number": number, "topic": "odd" if number % 2 else "even"}
        for number in range(60)
    ]
    project.write("items.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    project.write(f"{project.module}.py", TASKS)
    tasks = "".join(f"  - {{python: '{project.module}:{name}'}}\n" for name in ("half", "most", "all_of"))
    scorer = "{type: exact_match, name: correct, expected_value: 'yes'}"
    project.write("eval.yaml", f"name: exam\ndataset: items.jsonl\ntasks:\n{tasks}scorers: [{scorer}]\n")
    said = project.rejudge("run", "eval.yaml", "--quiet")
    assert said.code == 0, said.err
    return project


def widths(text: str) -> list[int]:
    return [len(line) for line in text.splitlines()]


def test_one_scorer_of_one_run_is_too_few_to_compare(exam: Project) -> None:
    said = exam.rejudge("compare", "exam:half", "--scorer", "correct")
    assert (said.code, said.out) == (2, "")
    assert "one scorer of one run is named: correct" in said.err
    assert "name a second --scorer" in said.err


def test_a_comparison_begins_with_the_verdict_and_fits_the_terminal(
    exam: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = exam.rejudge("compare", "exam:half", "exam:most", "--by", "topic", "--margin", "0.1", "--smallest", "0.2")
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0] == "half → most"
    assert "correct: BETTER" in lines
    assert max(widths(said.out)) <= 80
    assert "  regressions: 8 items, the first 5 of them" in lines
    assert any(line.startswith("    i8 ") and line.endswith("pass → fail") for line in lines)
    assert "points" in next(line for line in lines if line.startswith("  difference"))
    assert any(line.startswith("  bootstrap") and "] points by bootstrap-bca, seed 0" in line for line in lines)
    assert any("2 slices, p corrected for all of them (BH)" in line for line in lines)
    assert "most is not worse by 10 points" in " ".join(said.out.split())


def test_a_comparison_as_json_holds_what_the_text_says(exam: Project) -> None:
    said = exam.rejudge("compare", "exam:half", "exam:most", "--json", "--seed", "3", "--limit", "2")
    assert said.code == 0
    (score,) = cast("dict[str, list[dict[str, dict[str, object]]]]", said.document["compared"])["scores"]
    comparison = cast("dict[str, object]", score["corrected"]["comparison"])
    assert (comparison["n"], comparison["seed"]) == (60, 3)
    assert comparison["difference"] == pytest.approx(52 / 60 - 0.5)
    assert comparison["verdict"] == "better"
    assert cast("dict[str, dict[str, float]]", comparison["tests"])["mcnemar-exact"]["p"] < 1e-3
    assert (score["regressions"]["count"], len(cast("list[object]", score["regressions"]["items"]))) == (8, 2)
    assert said.document["schema_version"] == 1


def test_of_more_than_two_runs_every_pair_is_compared(exam: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = exam.rejudge("compare", "exam")
    assert (said.code, said.err) == (0, "")
    assert "3 pairs, second − first, p corrected for all of them (Holm)" in " ".join(said.out.split())
    assert max(widths(said.out)) <= 80
    assert said.out == exam.rejudge("leaderboard", "exam").out
    ranked = cast(
        "list[dict[str, dict[str, list[dict[str, object]]]]]",
        exam.rejudge("leaderboard", "exam", "--json").document["rankings"],
    )
    assert [place["name"] for place in ranked[0]["leaderboard"]["places"]] == ["all_of", "most", "half"]
    assert len(ranked[0]["leaderboard"]["pairs"]) == 3


def test_one_run_in_depth_fits_the_terminal(exam: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = exam.rejudge("describe", "exam:most", "--by", "topic", "--clusters", "topic")
    assert (said.code, said.err) == (0, "")
    assert max(widths(said.out)) <= 80
    assert "2 slices, each against the rest" in said.out
    document = exam.rejudge("describe", "exam:most", "--by", "topic", "--json").document
    (score,) = cast("list[dict[str, object]]", document["scores"])
    assert [one["name"] for one in cast("list[dict[str, object]]", score["slices"])] == ["even", "odd"]
    assert set(cast("dict[str, object]", document["amounts"])) == {"seconds", "input_tokens", "output_tokens", "cost"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("compare", "exam:half"), "only one run is named"),
        (("compare", "exam:half", "exam:nobody"), "unknown task 'nobody' in experiment 'exam'"),
        (("compare", "nothing", "exam:half"), "nothing"),
        (("compare", "exam:half", "exam:most", "--scorer", "correkt"), "unknown scorer 'correkt'"),
        (("compare", "exam:half", "exam:most", "--by", "tpoic"), "no item has a field 'tpoic'"),
        (("compare", "exam:half", "exam:most", "--level", "2"), "2"),
        (("compare", "exam:half", "exam:most", "--scorer", "a", "--scorer", "b"), "2 scorers of two runs"),
        (("compare", "exam", "--margin", "0.1"), "--margin is for two runs"),
        (("compare", "exam", "--limit", "7"), "--limit is for two runs"),
        (("leaderboard", "exam:half"), "a ranking takes two"),
        (("describe", "exam"), "3 runs are named"),
        (("describe", "exam:half", "--scorer", "correkt"), "unknown scorer 'correkt'"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_words_before_anything_is_printed(
    exam: Project, arguments: tuple[str, ...], told: str
) -> None:
    said = exam.rejudge(*arguments)
    assert (said.code, said.out) == (2, "")
    assert told in " ".join(said.err.split())
    assert "Traceback" not in said.err
