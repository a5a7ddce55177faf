from __future__ import annotations

import re
from typing import cast

import pytest

from tests.cli.project import Project


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal with room for everything about a run on one line."""
    monkeypatch.setenv("COLUMNS", "200")


def test_experiments_are_listed_with_their_runs(project: Project) -> None:
    project.evaluation()
    project.rejudge("run", "eval.yaml")
    project.rejudge("score", "sums", "--scorer", "{type: contains, name: said, substring: is}")
    said = project.rejudge("list")
    lines = said.out.splitlines()
    assert said.code == 0
    assert lines[0].startswith("sums  experiment-")
    assert lines[1] == "  items version 1, 3 items"
    assert [line.split()[3:6] for line in lines[2:]] == [["answer", "completed", "3/3"]] * 2
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", " ".join(line.split()[1:3])) for line in lines[2:])
    assert "correct 100 % [44, 100] n=3" in lines[2]
    assert "said 100 % [44, 100] n=3" in lines[3]


def test_up_to_three_scorers_stand_beside_a_run(project: Project) -> None:
    names = ("one", "two", "three", "four")
    project.evaluation(scorers=", ".join(f"{{type: contains, name: {name}, substring: is}}" for name in names))
    project.rejudge("run", "eval.yaml")
    line = project.rejudge("list").out.splitlines()[2]
    assert line.endswith(
        "one 100 % [44, 100] n=3 · two 100 % [44, 100] n=3 · three 100 % [44, 100] n=3 · 1 more scorer"
    )


def test_a_new_wish_under_an_old_name_is_listed_as_the_successor(project: Project) -> None:
    project.evaluation()
    project.rejudge("run", "eval.yaml")
    items = (project.folder / "items.jsonl").read_text()
    project.write("items.jsonl", items + '{"id": "d", "question": "4 + 4", "sum": 8}\n')
    project.rejudge("run", "eval.yaml")
    out = project.rejudge("list").out
    first = out.splitlines()[0].split()[1]
    assert f"\n  was {first} before: the dataset changed\n" in out
    listed = cast("list[dict[str, dict[str, object]]]", project.rejudge("list", "--json").document["experiments"])
    assert listed[1]["experiment"]["successor_of"] == listed[0]["experiment"]["id"]


def test_a_store_without_experiments_says_so(project: Project) -> None:
    said = project.rejudge("list", "--store", "memory:")
    assert (said.code, said.out) == (0, "no experiments yet\n")
    assert project.rejudge("list", "--store", "memory:", "--json").document == {"experiments": []}


def test_looking_makes_no_store(project: Project) -> None:
    assert project.rejudge("list").code == 2
    assert list(project.folder.iterdir()) == []
