"""A part of a dataset from the command line and from an evaluation file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.project import Project

PYTHON = "python: '{module}:matches'"

MATCHES = """

class Matches:
    name = "matches"

    def score(self, output, reference):
        return str(reference) in output


matches = Matches()
"""


def asked(project: Project, *options: str) -> list[str]:
    """The questions of the items that `rejudge run` evaluates in a store of its own."""
    name = f"store-{len(list(project.folder.glob('store-*')))}.db"
    said = project.rejudge("run", "eval.yaml", "--store", name, "--json", *options)
    assert said.code == 0, said.err
    shown = project.rejudge("show", "sums", "--store", name, "--cases", "--json")
    cases = shown.document["cases"]
    assert isinstance(cases, list)
    return [case["item"]["id"] for case in cases]


def test_the_options_select_items(project: Project) -> None:
    project.evaluation()
    assert asked(project, "--limit", "2") == ["a", "b"]
    assert asked(project, "--ids", "c,a", "--ids", "a") == ["a", "c"]
    assert asked(project, "--ids", "") == []
    assert asked(project, "--filter", 'sum >= 4 and question contains "3"') == ["c"]
    assert len(asked(project, "--sample", "2", "--seed", "4")) == 2
    assert len(asked(project, "--sample", "2", "--stratify", "question")) == 2


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--filter", "sum >> 4"], "at column 6"),
        (["--ids", "d"], "unknown item 'd'"),
        (["--seed", "4"], "the seed is for a sample"),
        (["--sample", "1", "--stratify", "sumn"], "no item has the field 'sumn'"),
    ],
)
def test_a_selection_that_cannot_be_is_a_mistake_of_use(project: Project, options: list[str], told: str) -> None:
    project.evaluation()
    said = project.rejudge("run", "eval.yaml", *options)
    assert (said.code, told in said.err) == (2, True)
    assert project.calls() == []


def test_a_file_selects_and_the_command_line_comes_before_it(project: Project) -> None:
    project.evaluation("select: {filter: sum >= 4, limit: 1}")
    assert asked(project) == ["b"]
    assert asked(project, "--limit", "2") == ["b", "c"]
    assert asked(project, "--filter", "sum > 4") == ["c"]
    said = project.rejudge("plan", "eval.yaml")
    assert "1 items" in said.out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("select: {filter: sum ~ 4}", "at column 5"),
        ("select: {limt: 4}", "limit"),
        ("select: {seed: 4}", "the seed is for a sample"),
        ("scoring_key_mapping: {reference: smu}", "did you mean 'sum'"),
        ("scoring_key_mapping: [reference]", "scoring_key_mapping"),
    ],
)
def test_what_a_file_says_wrongly_is_told_with_its_place(project: Project, line: str, told: str) -> None:
    project.evaluation(line, task=MENDABLE + MATCHES, scorers=f"{{{PYTHON.format(module=project.module)}}}")
    said = project.rejudge("run", "eval.yaml")
    assert (said.code, told in said.err) == (2, True), said.err
    assert "smu" in line or "eval.yaml:" in said.err
    assert project.calls() == []


def test_the_mapping_of_a_file_holds_for_run_and_score(project: Project) -> None:
    scorer = f"{{{PYTHON.format(module=project.module)}}}"
    project.evaluation("scoring_key_mapping: {reference: sum}", task=MENDABLE + MATCHES, scorers=scorer)
    project.write("mended", "")
    assert project.rejudge("run", "eval.yaml").code == 0
    said = project.rejudge("score", "sums", "--file", "eval.yaml")
    assert (said.code, "matches" in said.out) == (0, True)
    assert len(project.calls()) == 3


MENDABLE = """
import os


def answer(question):
    with open(__file__ + ".log", "a") as log:
        log.write(question + "\\n")
    if question == "2 + 2" and not os.path.exists("mended"):
        raise ValueError("no idea")
    return f"It is {eval(question)}."
"""


def test_a_selection_is_resumed_from_the_store_and_shown(project: Project) -> None:
    project.evaluation(task=MENDABLE)
    assert project.rejudge("run", "eval.yaml", "--filter", "sum <= 4").code == 3
    project.write("mended", "")
    (project.folder / "items.jsonl").unlink()
    said = project.rejudge("resume", "sums")
    assert said.code == 0, said.err
    assert project.calls() == ["1 + 1", "2 + 2", "2 + 2"]
    assert "selected: where sum <= 4" in project.rejudge("show", "sums").out


def test_resuming_needs_no_file_of_items(project: Project, tmp_path: Path) -> None:
    project.evaluation(task=MENDABLE)
    assert project.rejudge("run", "eval.yaml").code == 3
    project.write("mended", "")
    (project.folder / "items.jsonl").unlink()
    assert project.rejudge("resume", "sums").code == 0
    assert project.calls().count("2 + 2") == 2


def test_experiments_are_listed_by_type(project: Project) -> None:
    project.evaluation()
    project.rejudge("run", "eval.yaml")
    assert "sums" in project.rejudge("list", "--type", "regular").out
    assert "no such experiment" in project.rejudge("list", "--type", "trial", "--optimization", "x").out
