"""What is listed, planned and shown fits the terminal, whatever things are called."""

from __future__ import annotations

import json
import sys

import pytest

from rejudge.front.lines import width
from tests.cli.project import Project

WIDE = "幅の広い文字で書かれたとても長い名前" * 3
LONG = "a_name_without_any_blank_that_is_longer_than_the_line_of_a_narrow_terminal_would_be_"
STEERING = "red \x1b[31m\x07 and \u202e turned"
NAMES = {"wide": WIDE, "long": LONG, "steering": STEERING}
COMMANDS = (
    "list",
    "plan eval.yaml",
    "show NAME",
    "show NAME --cases",
    "show NAME --failures",
    "compare NAME",
    "leaderboard NAME",
    "explain NAME --no-judging",
    "describe TASK",
    "scorers list",
)


def evaluation(project: Project, name: str, more: str = "") -> None:
    said = {
        "name": name,
        "dataset": {"path": "items.jsonl", "reference": ["expected"]},
        "tasks": [{"name": f"{name} {n}", "replay": f"made{n}.jsonl"} for n in range(2)],
        "scorers": [
            {"type": "contains", "name": f"{name[:50]} {text}{more}", "substring": text}
            for text in ("a", "b", "c", "d")
        ],
    }
    project.write("eval.yaml", json.dumps(said))


@pytest.fixture(scope="module", params=NAMES)
def named(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, str]:
    """A store in which everything has such a name, and the next evaluation would change some of it."""
    name = NAMES[request.param]
    with pytest.MonkeyPatch.context() as patch:
        project = Project(tmp_path_factory.mktemp("lists"), "task_of_lists")
        patch.chdir(project.folder)
        patch.setattr(sys, "path", [*sys.path])
        rows = [{"id": f"{name} {n}", "expected": name, name: name} for n in range(3)]
        project.write("items.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
        for task in range(2):
            made = [{"id": row["id"], "output": f"{name} {task}"} for row in rows[task:]]
            project.write(f"made{task}.jsonl", "".join(f"{json.dumps(row)}\n" for row in made))
        evaluation(project, name)
        assert project.rejudge("run", "eval.yaml", "--quiet").code == 0
        project.write("items.jsonl", "".join(f"{json.dumps(row | {name: 'else'})}\n" for row in rows))
        evaluation(project, name, more=" too")
        assert project.rejudge("plan", "eval.yaml").code == 0
    return project, name


@pytest.mark.parametrize("columns", [40, 80, 130])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_is_wider_than_the_terminal_and_none_steers_it(
    named: tuple[Project, str], command: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, name = named
    monkeypatch.chdir(project.folder)
    monkeypatch.setenv("COLUMNS", str(columns))
    named_so = {"NAME": name, "TASK": f"{name}:{name} 0"}
    said = project.rejudge(*(named_so.get(word, word) for word in command.split()))
    assert (said.code, said.err) == (0, "")
    assert [line for line in said.out.splitlines() if width(line) > columns] == []
    assert all(mark.isprintable() for line in said.out.split("\n") for mark in line)


@pytest.mark.parametrize("columns", [40, 80, 130])
def test_of_one_case_only_texts_from_outside_stand_as_they_are(
    named: tuple[Project, str], columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, name = named
    monkeypatch.chdir(project.folder)
    monkeypatch.setenv("COLUMNS", str(columns))
    said = project.rejudge("show", name, "--item", f"{name} 2")
    assert said.code == 0
    assert [line for line in said.out.splitlines() if width(line) > columns and not line.startswith("  │ ")] == []
    assert name in said.out or name is STEERING


@pytest.mark.parametrize("columns", [40, 80, 130])
def test_every_estimate_is_listed_whole(
    named: tuple[Project, str], columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, _ = named
    monkeypatch.chdir(project.folder)
    monkeypatch.setenv("COLUMNS", str(columns))
    told = " ".join(project.rejudge("list").out.split())
    assert told.count(" n=3") == 3
    assert told.count(" n=2") == 3
    assert told.count("1 more scorer") == 2


def test_a_run_is_one_line_where_that_fits(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.evaluation()
    assert project.rejudge("run", "eval.yaml", "--quiet").code == 0
    lengths = []
    for columns in (40, 80, 130):
        monkeypatch.setenv("COLUMNS", str(columns))
        lengths.append(len(project.rejudge("list").out.splitlines()))
    assert lengths[2] == 3
    assert lengths[0] > lengths[1] >= lengths[2]
