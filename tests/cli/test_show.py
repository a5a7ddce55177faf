from __future__ import annotations

import json
from typing import cast

import pytest

from tests.cli.project import Project

WRONG = "\x1b[2J\x1b]0;owned\x07 3\u202e\nexperiment  forged"


@pytest.fixture
def replayed(project: Project) -> Project:
    """Two tasks over three items: one is right, wrong, and silent; the other says something hostile."""
    project.evaluation()
    project.write("good.jsonl", '{"id": "a", "output": "2"}\n{"id": "b", "output": "5"}\n')
    project.write("bad.jsonl", "".join(json.dumps({"id": id, "output": WRONG}) + "\n" for id in "abc"))
    tasks = "tasks: [{name: good, replay: good.jsonl}, {name: bad, replay: bad.jsonl}]\n"
    text = (project.folder / "eval.yaml").read_text().splitlines(keepends=True)
    project.write("eval.yaml", "".join(tasks if line.startswith("task:") else line for line in text))
    assert project.rejudge("run", "eval.yaml", "--quiet").code == 0
    return project


def cases(project: Project, *arguments: str) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", project.rejudge("show", "sums", *arguments, "--json").document["cases"])


def test_an_experiment_is_shown_as_it_was_reported(replayed: Project) -> None:
    assert replayed.rejudge("show", "sums").out == replayed.rejudge("run", "eval.yaml").out


def test_an_item_is_shown_with_its_input_output_scores_and_reasons(replayed: Project) -> None:
    said = replayed.rejudge("show", "sums", "--item", "b")
    assert said.code == 0
    for part in (
        "item.question\n  │ 2 + 2",
        "output\n  │ 5",
        "score correct",
        'expected 4, got "5"',
        "task good",
        "task bad",
    ):
        assert part in said.out


def test_an_item_that_was_skipped_says_why(replayed: Project) -> None:
    assert "no recorded output" in replayed.rejudge("show", "sums", "--item", "c").out


def test_what_an_output_holds_cannot_steer_the_terminal_or_forge_the_report(replayed: Project) -> None:
    for arguments in ((), ("--item", "a"), ("--cases",), ("--failures",)):
        said = replayed.rejudge("show", "sums", *arguments)
        assert not {"\x1b", "\x07", "\u202e"} & set(said.out)
        assert "\nexperiment  forged" not in said.out


def test_cases_are_listed_in_order_and_failures_alone(replayed: Project) -> None:
    listed = [(case["task"], cast("dict[str, str]", case["item"])["id"]) for case in cases(replayed, "--cases")]
    assert listed == [("good", "a"), ("good", "b"), ("good", "c"), ("bad", "a"), ("bad", "b"), ("bad", "c")]
    came_to = [(case["task"], case["came_to"]) for case in cases(replayed, "--failures")]
    assert came_to == [("good", "failed"), ("good", "skipped"), *[("bad", "failed")] * 3]
    assert len(cases(replayed, "--cases", "--limit", "1")) == 2


def test_json_holds_an_output_as_it_was(replayed: Project) -> None:
    (_, case) = cases(replayed, "--item", "a")
    trace = cast("dict[str, object]", case["trace"])
    (score,) = cast("list[dict[str, object]]", case["scores"])
    assert trace["output"] == WRONG
    assert (score["scorer"], score["status"]) == ("correct", "scored")
    assert case["item"] == {"id": "a", "fields": {"id": "a", "question": "1 + 1", "sum": 2}}


def test_one_run_is_shown_by_the_beginning_of_its_id(replayed: Project) -> None:
    runs = cast("list[dict[str, str]]", replayed.rejudge("show", "sums", "--json").document["runs"])
    shown = replayed.rejudge("show", runs[1]["id"], "--json").document
    assert shown["runs"] == runs[1:]
    assert replayed.rejudge("show", runs[1]["id"][:-1]).code == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("sumz",), "did you mean 'sums'?"),
        (("sums", "--item", "aa"), "'a'"),
        (("sums", "--item", "a", "--trial", "7"), "trial 7"),
    ],
)
def test_what_is_not_there_is_told_with_what_is_near(replayed: Project, arguments: tuple[str, ...], told: str) -> None:
    said = replayed.rejudge("show", *arguments)
    assert (said.code, said.out) == (2, "")
    assert told in said.err
