"""A cloned folder is somebody else's: until its owner says so, nothing in it runs and no key leaves for its servers."""

from __future__ import annotations

from pathlib import Path

import pytest

from rejudge.providers.fake_server import FakeModelServer
from tests.cli.project import Project

KEY = "ghp_0123456789abcdef0123456789abcdef"

HOSTILE = """
from pathlib import Path

Path(__file__).with_suffix(".ran").touch()
raise ImportError("the wrong module was imported")
"""

SHADOWED = ("sqlite3", "sqlalchemy", "pydantic_monty", "uuid", "csv", "zstandard", "jinja2", "keyring", "llama_cpp")
"""Modules that are loaded late, some of which are installed nowhere."""

REPLAY = """
name: replayed
dataset: rows.jsonl
task: {replay: rows.jsonl}
scorers: [{type: contains, substring: tea}]
"""

ELSEWHERE = "https://models.invalid/v1"


@pytest.fixture
def clone(project: Project) -> Project:
    """A folder with an evaluation that names no Python, and with modules that bear the names of installed ones."""
    project.write("rows.jsonl", '{"id": "1", "question": "What?", "output": "tea"}\n')
    project.write("eval.yaml", REPLAY)
    for name in SHADOWED:
        project.write(f"{name}.py", HOSTILE)
    return project


def ran(project: Project) -> list[str]:
    """The hostile modules that were imported."""
    return sorted(path.stem for path in project.folder.glob("**/*.ran"))


def test_modules_beside_an_evaluation_file_take_nobodys_place(clone: Project) -> None:
    for arguments in (("run", "eval.yaml"), ("resume", "replayed")):
        said = clone.ended(*arguments)
        assert (said.code, ran(clone)) == (0, []), said.err


def test_judging_what_is_stored_runs_nothing_beside_the_file_that_it_came_from(clone: Project) -> None:
    assert clone.ended("run", "eval.yaml").code == 0
    elsewhere = Project(clone.write("elsewhere/nothing", "").parent, clone.module)
    scorer = ("--scorer", "{type: contains, name: leaves, substring: leaves}")
    said = elsewhere.ended("score", "replayed", *scorer, "--store", "../rejudge.db")
    assert (said.code, ran(clone)) == (0, []), said.err


def test_a_module_beside_the_file_takes_no_installed_ones_place_when_python_is_named(project: Project) -> None:
    project.evaluation(task="import beside_it\nimport colorsys\n\ndef answer(question):\n    return beside_it.text()\n")
    project.write("beside_it.py", "def text():\n    import told_late\n    return told_late.TEXT\n")
    project.write("told_late.py", 'TEXT = "It is 2."\n')
    for name in ("sqlite3", "colorsys"):
        project.write(f"{name}.py", HOSTILE)
    said = project.ended("run", "eval.yaml")
    assert (said.code, ran(project)) == (0, []), said.err
    assert "correct" in said.out


def asking(project: Project, server: str) -> None:
    """Write an evaluation whose judge asks a server of the file's."""
    project.write("rows.jsonl", '{"id": "1", "question": "What?", "output": "tea"}\n')
    judge = "{type: llm_judge, name: judged, judge_instructions: ['Is it tea?'], model: x/m}"
    text = f"dataset: rows.jsonl\ntask: {{replay: rows.jsonl}}\nscorers: [{judge}]\nproviders:\n  x: {server}\n"
    project.write("eval.yaml", text)


@pytest.fixture
def settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for settings that is nobody's, and keys in the environment."""
    folder = tmp_path_factory.mktemp("settings")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    monkeypatch.setenv("GITHUB_TOKEN", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return folder


@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize("command", ["run", "plan"])
def test_a_file_may_not_send_a_key_to_a_server_that_was_not_approved(project: Project, command: str) -> None:
    asking(project, f"{{url: '{ELSEWHERE}', key_from: GITHUB_TOKEN}}")
    said = project.rejudge(command, "eval.yaml")
    assert said.code == 2
    assert "eval.yaml:5:" in said.err
    assert f"the key GITHUB_TOKEN would be sent to {ELSEWHERE}, which was not approved here" in said.err
    assert "rejudge trust" in said.err
    assert KEY not in said.out + said.err


@pytest.mark.usefixtures("settings")
def test_a_file_of_scorers_may_not_either(project: Project) -> None:
    project.evaluation()
    assert project.rejudge("run", "eval.yaml").code == 0
    asking(project, f"{{url: '{ELSEWHERE}', key_from: GITHUB_TOKEN}}")
    said = project.rejudge("score", "sums", "--file", "eval.yaml")
    assert (said.code, "which was not approved here" in said.err) == (2, True)


@pytest.mark.usefixtures("settings")
def test_a_key_is_approved_for_one_address_alone(project: Project) -> None:
    asking(project, f"{{url: '{ELSEWHERE}/', key_from: GITHUB_TOKEN}}")
    said = project.rejudge("trust", "eval.yaml")
    assert (said.code, f"GITHUB_TOKEN for {ELSEWHERE}\n" in said.out) == (0, True)
    assert project.rejudge("plan", "eval.yaml").code == 0
    for other in (
        "{url: 'https://models.invalid/v2', key_from: GITHUB_TOKEN}",
        "{url: 'https://models.invalid.evil.tld/v1', key_from: GITHUB_TOKEN}",
        f"{{url: '{ELSEWHERE}', key_from: OPENAI_API_KEY}}",
    ):
        asking(project, other)
        assert project.rejudge("plan", "eval.yaml").code == 2


@pytest.mark.usefixtures("settings")
def test_the_hash_in_the_refusal_approves_what_it_tells(project: Project) -> None:
    asking(project, f"{{url: '{ELSEWHERE}', key_from: GITHUB_TOKEN, api: anthropic}}")
    told = project.rejudge("plan", "eval.yaml").err
    found = told.split()[-1]
    assert project.rejudge("trust", found).code == 0
    assert project.rejudge("plan", "eval.yaml").code == 0


@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize("host", ["models.invalid", "127.0.0.1.models.invalid", "localhost.models.invalid", "10.0.0.1"])
def test_a_key_that_a_file_names_goes_to_no_other_machine_in_clear_text(project: Project, host: str) -> None:
    asking(project, f"{{url: 'http://{host}/v1', key_from: GITHUB_TOKEN}}")
    assert project.rejudge("trust", "eval.yaml").code == 2
    said = project.rejudge("run", "eval.yaml")
    assert (said.code, "in clear text" in said.err) == (2, True)


@pytest.mark.usefixtures("settings")
def test_a_server_on_this_machine_needs_no_approval_and_one_without_a_key_neither(project: Project) -> None:
    with FakeModelServer(lambda asked: "yes") as server:
        asking(project, f"{{url: '{server.url}', key_from: GITHUB_TOKEN}}")
        project.rejudge("run", "eval.yaml")
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    for said in ("'http://localhost:1/v1', key_from: GITHUB_TOKEN", "'http://[::1]:1/v1', key_from: GITHUB_TOKEN"):
        asking(project, f"{{url: {said}}}")
        assert project.rejudge("plan", "eval.yaml").code == 0
    asking(project, f"{{url: '{ELSEWHERE}'}}")
    assert project.rejudge("plan", "eval.yaml").code == 0
