"""`rejudge trust`: code in an evaluation file runs once it was approved, and again not once it was changed."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from rejudge.sandbox.trust import code_hash
from tests.cli.project import Project

CODE = 'def score(output, reference_data):\n    return 1.0 if str(reference_data["sum"]) in output else 0.0\n'


@pytest.fixture(autouse=True)
def settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for settings that is nobody's."""
    folder = tmp_path_factory.mktemp("settings")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    return folder


def scorer_of(code: str) -> str:
    """The scorer in a file."""
    quoted = code.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'{{type: code_eval, name: right, reference_keys: [sum], code: "{quoted}"}}'


def test_code_in_a_file_is_refused_before_the_first_task_call_with_its_hash(project: Project) -> None:
    project.evaluation(scorers=scorer_of(CODE))
    said = project.rejudge("run", "eval.yaml")
    assert said.code == 2
    assert "'right' runs code from eval.yaml that was not approved here" in said.err
    assert f"rejudge trust {code_hash(CODE)}" in said.err
    assert project.calls() == []


def test_code_of_a_suite_is_refused_until_it_was_approved_by_its_file(project: Project) -> None:
    project.evaluation(f"suite: {{scorers: [{scorer_of(CODE)}]}}", scorers="")
    for command in ("test", "run"):
        said = project.rejudge(command, "eval.yaml")
        assert said.code == 2
        assert "'right' runs code from eval.yaml that was not approved here" in said.err
    assert project.calls() == []
    pytest.importorskip("pydantic_monty")
    assert f"approved {code_hash(CODE)}  right, 2 lines" in project.rejudge("trust", "eval.yaml").out
    assert project.rejudge("test", "eval.yaml").code == 0


def test_once_approved_it_runs_and_once_changed_it_does_not(project: Project) -> None:
    pytest.importorskip("pydantic_monty")
    project.evaluation(scorers=scorer_of(CODE))
    assert project.rejudge("trust", code_hash(CODE)).code == 0
    assert project.rejudge("run", "eval.yaml").code == 0
    assert len(project.calls()) == 3
    project.evaluation(scorers=scorer_of(CODE + "# changed\n"))
    assert project.rejudge("run", "eval.yaml").code == 2


def test_a_file_is_approved_as_it_is_and_nothing_of_it_is_run(project: Project, settings: Path) -> None:
    project.write("evil.py", "raise SystemExit('was imported')\n")
    scorers = f"{{python: 'evil:judge'}}, {scorer_of(CODE)}"
    project.evaluation(scorers=scorers)
    said = project.rejudge("trust", "eval.yaml")
    assert said.code == 0
    assert f"approved {code_hash(CODE)}  right, 2 lines" in said.out
    assert code_hash(CODE) in (settings / "rejudge" / "trusted-code").read_text()


@pytest.mark.parametrize(
    ("grants", "told"),
    [
        ("tools: [llm]", "the tools llm, 10 seconds and 256 MB"),
        ("tools: {llm: llm}", "the tools llm, 10 seconds and 256 MB"),
        ("timeout_seconds: 300", "no tools, 300 seconds and 256 MB"),
        ("megabytes: 4096", "no tools, 10 seconds and 4096 MB"),
    ],
)
def test_code_that_was_approved_runs_with_nothing_more_than_it_had_then(
    project: Project, grants: str, told: str
) -> None:
    project.evaluation(scorers=scorer_of(CODE))
    assert project.rejudge("trust", "eval.yaml").code == 0
    project.evaluation(scorers=scorer_of(CODE).replace("{type", f"{{{grants}, type"))
    said = project.rejudge("run", "eval.yaml")
    assert said.code == 2
    assert f"that was not approved here with {told}: " in said.err
    assert project.calls() == []
    found = said.err.split()[-1]
    approved = project.rejudge("trust", "eval.yaml")
    assert f"approved {found}  right, 2 lines, with {told}\n" in approved.out
    assert "not approved" not in project.rejudge("plan", "eval.yaml").err
    project.evaluation(scorers=scorer_of(CODE + "# changed\n").replace("{type", f"{{{grants}, type"))
    assert "not approved here" in project.rejudge("run", "eval.yaml").err


def test_limits_that_are_the_usual_ones_written_out_are_no_other_grant(project: Project) -> None:
    usual = "timeout_seconds: 10, megabytes: 256, tools: [], type"
    project.evaluation(scorers=scorer_of(CODE).replace("type", usual, 1))
    assert f"approved {code_hash(CODE)}  right, 2 lines\n" in project.rejudge("trust", "eval.yaml").out
    project.evaluation(scorers=scorer_of(CODE))
    assert "not approved" not in project.rejudge("run", "eval.yaml").err


def test_a_grant_that_cannot_be_read_is_said(project: Project) -> None:
    project.evaluation(scorers=scorer_of(CODE).replace("{type", "{megabytes: lots, type"))
    said = project.rejudge("trust", "eval.yaml")
    assert said.code == 2
    assert "what the code of 'right' is granted cannot be read" in said.err


def test_it_says_so_in_json(project: Project, settings: Path) -> None:
    project.evaluation(scorers=scorer_of(CODE))
    document = project.rejudge("trust", "eval.yaml", "--json").document
    assert document == {
        "approved": [{"hash": code_hash(CODE), "scorer": "right", "lines": 2, "key": None, "address": None}],
        "kept_in": str(settings / "rejudge" / "trusted-code"),
    }
    project.evaluation(scorers=scorer_of(CODE).replace("{type", "{timeout_seconds: 60, tools: [llm], type"))
    document = project.rejudge("trust", "eval.yaml", "--json").document
    (approved,) = cast("list[dict[str, object]]", document["approved"])
    assert approved["granted"] == {"seconds": 60.0, "megabytes": 256, "tools": ["llm"]}


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("eval.yaml", "there is no code_eval scorer in it"),
        ("nothing.yaml", "nothing.yaml"),
        ("abc", "'abc' is no hash"),
    ],
)
def test_what_cannot_be_approved_is_said(project: Project, what: str, said: str) -> None:
    project.evaluation()
    ended = project.rejudge("trust", what)
    assert ended.code == 2
    assert said in ended.err


def test_a_scorer_that_is_typed_on_the_command_line_is_the_users_own(project: Project) -> None:
    pytest.importorskip("pydantic_monty")
    project.evaluation()
    assert project.rejudge("run", "eval.yaml").code == 0
    assert project.rejudge("score", "sums", "--scorer", scorer_of(CODE)).code == 0


def test_code_that_could_never_judge_is_told_with_its_place(project: Project) -> None:
    project.evaluation(scorers=scorer_of("def score(answer):\n    return 1\n"))
    said = project.rejudge("run", "eval.yaml")
    assert said.code == 2
    assert "eval.yaml:4:" in said.err
    assert "code:1: score asks for 'answer'" in said.err
