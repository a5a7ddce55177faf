"""What people read of ratings, calibrations and corrections fits their terminal, a narrow one and a wide one."""

from __future__ import annotations

import json
import sys

import pytest

from rejudge.front.lines import width
from tests.cli.project import Project

COUNT = 60
LONG = "an item whose id is longer than any line of a narrow terminal would be, as it happens"
EVALUATION = """
name: an experiment with a name that takes its time to be read
dataset: items.jsonl
task: {{python: '{module}:answer'}}
scorers:
  - {{python: '{module}:passes_for_the_judge'}}
  - {{python: '{module}:tone'}}
  - {{python: '{module}:certainty'}}
"""
TASK = """
from rejudge import ScoreSpec, ScoreType

def answer(number):
    return number

def passes_for_the_judge(output):
    return output % 3 != 0, "because of a reason that is told in many words, " * 3

def tone(output):
    return ("friendly", "indifferent", "hostile beyond measure", "absent-minded")[output % 4]

def certainty(output):
    return (output % 10) / 10

certainty.scores = [ScoreSpec(name="certainty", type=ScoreType.NUMBER, low=0, high=1)]
"""
TONES = ("friendly", "indifferent", "hostile beyond measure", "absent-minded")
RATERS = ("ann", "a rater with a long name", "宽宽宽")
COMMANDS = {
    "calibrate": "passes_for_the_judge --against polite",
    "calibrate ": "tone --against tones",
    "calibrate  ": "certainty --against polite",
    "correct": "passes_for_the_judge --against polite --drawn at_random",
    "ratings show": "polite",
    "ratings show ": "tones",
}


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A store with two rating sets of sixty traces: three raters who differ now and then."""
    with pytest.MonkeyPatch.context() as patch:
        project = Project(tmp_path_factory.mktemp("widths"), "task_of_widths")
        patch.chdir(project.folder)
        patch.setattr(sys, "path", [*sys.path])
        ids = [LONG if number == 7 else f"i{number}" for number in range(COUNT)]
        project.write("items.jsonl", "".join(f"{json.dumps({'id': id, 'number': n})}\n" for n, id in enumerate(ids)))
        project.write(f"{project.module}.py", TASK)
        project.write("eval.yaml", EVALUATION.format(module=project.module))
        project.write("rubric.txt", "Is it polite? " * 12)
        for name, values in (("polite", (0, 1)), ("tones", TONES)):
            said = [
                {"id": id, "rater": rater, "value": values[(n + (n % (7 + at) == 0)) % len(values)]}
                for n, id in enumerate(ids)
                for at, rater in enumerate(RATERS)
            ]
            project.write(f"{name}.jsonl", "".join(f"{json.dumps(one)}\n" for one in said))
        for arguments in (
            ("run", "eval.yaml", "--quiet"),
            *(
                ("ratings", "import", f"{name}.jsonl", "-e", NAME, "--set", name, "--score", score, *RUBRIC)
                for name, score in (("polite", "pass_fail"), ("tones", "label"))
            ),
        ):
            done = project.rejudge(*arguments)
            assert done.code == 0, done.err
        for name in ("polite", "tones"):
            assert project.rejudge("ratings", "adjudicate", name, "--rule", "unanimous").code == 4
    return project


NAME = "an experiment with a name that takes its time to be read"
RUBRIC = ("--rubric", "rubric.txt")


def told(rated: Project, command: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(rated.folder)
    monkeypatch.setenv("COLUMNS", str(columns))
    named = [] if "show" in command else [NAME]
    said = rated.rejudge(*command.split(), *named, *COMMANDS[command].split())
    assert said.code == 0, said.err
    return said.out.splitlines()


@pytest.mark.parametrize("columns", [50, 80, 130])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_is_wider_than_the_terminal(
    rated: Project, command: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = told(rated, command, columns, monkeypatch)
    assert [line for line in lines if width(line) > columns] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_wide_terminal_is_used(rated: Project, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    narrow, usual, wide = (told(rated, command, columns, monkeypatch) for columns in (50, 80, 130))
    assert len(narrow) > len(usual) > len(wide)
    assert max(map(width, wide)) > 100


def test_who_said_what_of_an_open_trace_stands_on_one_line_where_it_fits(
    rated: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = told(rated, "ratings show", 130, monkeypatch)
    (line,) = [line for line in wide if line.startswith("  i9: ")]
    assert line == "  i9: ann pass, a rater with a long… pass, 宽宽宽 fail (the raters differ)"
    narrow = told(rated, "ratings show", 50, monkeypatch)
    start = narrow.index("  i9: the raters differ")
    assert narrow[start + 1 : start + 3] == ["    ann pass, a rater with a long… pass, 宽宽宽", "    fail"]


def test_a_matrix_that_does_not_fit_says_where_it_is(rated: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    assert any(line.startswith("friendly ") for line in told(rated, "calibrate ", 80, monkeypatch))
    narrow = told(rated, "calibrate ", 50, monkeypatch)
    place = next(at for at, line in enumerate(narrow) if line.startswith("confusion matrix"))
    assert narrow[place : place + 2] == ["confusion matrix of 4 categories: too wide for", "  50 columns, see --json"]
