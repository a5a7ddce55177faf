"""Findings written as pages from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.project import Project

TWO = """
name: sums
dataset: {path: questions.jsonl, reference: [expected]}
tasks:
  - {name: rough, replay: rough.jsonl}
  - {name: fine, replay: fine.jsonl}
scorers:
  - {type: exact_match, name: right, reference_key: expected}
"""


@pytest.fixture
def compared(project: Project) -> Project:
    project.write("rough.jsonl", '{"id": "a", "output": "2"}\n{"id": "b", "output": "<script>5</script>"}\n')
    project.write("fine.jsonl", '{"id": "a", "output": "2"}\n{"id": "b", "output": "4"}\n')
    project.write("questions.jsonl", '{"id": "a", "expected": "2"}\n{"id": "b", "expected": "4"}\n')
    project.write("eval.yaml", TWO)
    assert project.rejudge("run", "eval.yaml", "--quiet").code == 0
    return project


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("compare", "sums:rough", "sums:fine"), "What it means"),
        (("leaderboard", "sums"), "ranked by"),
        (("compare", "sums"), "What it means"),
        (("describe", "sums:rough"), "What it does not mean"),
        (("explain", "sums:rough", "sums:fine"), "Everything that differs"),
        (("power", "sums:rough", "--difference", "0.2"), "What so many items find"),
        (("power", "--rate", "0.5", "--items", "200"), "What it rests on"),
    ],
    ids=["compare", "leaderboard", "compare of a whole experiment", "describe", "explain", "power", "power assumed"],
)
def test_a_finding_is_written_as_a_page_that_loads_nothing(
    compared: Project, command: tuple[str, ...], says: str
) -> None:
    said = compared.rejudge(*command, "--html", "out/page.html")
    assert (said.code, said.err.splitlines()[-1]) == (0, "page written to out/page.html")
    page = (compared.folder / "out/page.html").read_text(encoding="utf-8")
    assert says in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")


LABELLED = "id,rater,value\na,ann,pass\nb,ann,fail\n"


@pytest.mark.parametrize(
    ("command", "says", "code"),
    [
        (("correct", "sums", "right", "--task", "rough", "--drawn", "at_random"), "corrected by", 0),
        (("correct", "sums", "right", "--task", "rough", "--drawn", "by_human_outcome"), "use none of them", 4),
        (("calibrate", "sums", "right", "--task", "rough"), "What it does not mean", 0),
    ],
    ids=["correct", "refused", "calibrate"],
)
def test_a_page_of_what_people_said_is_written_whether_it_helps_or_not(
    compared: Project, command: tuple[str, ...], says: str, code: int
) -> None:
    compared.write("said.csv", LABELLED)
    asked = ("ratings", "import", "said.csv", "-e", "sums", "--set", "tone", "--task", "rough", "--score", "pass_fail")
    assert compared.rejudge(*asked).code == 0
    assert compared.rejudge("ratings", "adjudicate", "tone").code == 0
    said = compared.rejudge(*command, "--against", "tone", "--html", "out/page.html")
    assert (said.code, said.err.splitlines()[-1]) == (code, "page written to out/page.html")
    page = (compared.folder / "out/page.html").read_text(encoding="utf-8")
    assert says in page
    assert "<script" not in page


def test_a_page_that_cannot_be_written_is_said_in_words(compared: Project) -> None:
    compared.write("taken", "")
    said = compared.rejudge("compare", "sums:rough", "sums:fine", "--html", "taken/page.html")
    assert said.code == 2
    assert "taken/page.html: the page cannot be written" in said.err


def test_a_page_overwrites_a_page_and_nothing_else(compared: Project) -> None:
    compare = ("compare", "sums:rough", "sums:fine", "--html")
    compared.write("notes.md", "# mine\n")
    stored = compared.rejudge("list").out
    for taken in ("rejudge.db", "notes.md"):
        said = compared.rejudge(*compare, taken)
        assert (said.code, "is no HTML page" in said.err) == (2, True)
    assert (compared.folder / "notes.md").read_text(encoding="utf-8") == "# mine\n"
    assert compared.rejudge("list").out == stored
    for _ in range(2):
        assert compared.rejudge(*compare, "page.html").code == 0
