from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from importlib.metadata import version

import pytest

from rejudge.cli.app import COMMANDS
from rejudge.cli.exit_code import MEANINGS, ExitCode
from tests.cli.project import Project


def test_the_version_is_that_of_the_package(project: Project) -> None:
    assert project.rejudge("--version").out == f"rejudge {version('rejudge')}\n"


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_command_documents_its_options_and_the_exit_codes(project: Project, command: str) -> None:
    said = project.rejudge(*command.split(), "--help")
    assert said.code == 0
    for code, meaning in MEANINGS.items():
        assert re.search(rf"^ *{code.value}  {re.escape(meaning)}$", said.out, re.MULTILINE)
    if command:
        assert "--json" in said.out
        assert "--traceback" in said.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("run",), "Missing argument"),
        (("run", "eval.yaml", "--concurency", "3"), "No such option: --concurency"),
        (("run", "eval.yaml", "--concurrency", "0"), "--concurrency"),
        (("run", "eval.yaml", "--max-errors", "few"), "--max-errors"),
        (("run", "eval.yaml", "and.yaml"), "and.yaml"),
        (("resum",), "Did you mean 'resume'?"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what_is_wrong(
    project: Project, arguments: tuple[str, ...], told: str
) -> None:
    said = project.rejudge(*arguments)
    assert (said.code, said.out) == (2, "")
    assert told in said.err


@pytest.mark.parametrize(
    ("store", "told"),
    [
        ("folder", "is a folder"),
        ("eval.yaml", "eval.yaml is no store of rejudge"),
        ("other.db", "an SQLite file of another program"),
        ("nowhere/store.db", "the folder nowhere does not exist"),
        ("eval.yaml/store.db", "the folder eval.yaml does not exist"),
        ("x" * 300, "cannot be opened: File name too long"),
    ],
)
def test_a_store_that_is_none_is_wrong_input_for_every_command(project: Project, store: str, told: str) -> None:
    project.evaluation()
    (project.folder / "folder").mkdir()
    with closing(sqlite3.connect(project.folder / "other.db")) as other:
        other.execute("CREATE TABLE theirs (id)")
    there = not store.startswith("nowhere") and not store.startswith("eval.yaml/")
    for arguments in (("run", "eval.yaml"), *((("list",), ("show", "sums")) if there else ())):
        said = project.rejudge(*arguments, "--store", store)
        assert (said.code, said.out) == (2, "")
        assert said.err.startswith("error: ")
        assert told in said.err
        assert "next: " in said.err
    assert project.calls() == []


def test_the_commands_are_also_a_module_and_a_program(project: Project) -> None:
    module = project.ended("--version")
    assert (module.code, module.out) == (0, f"rejudge {version('rejudge')}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "eval.yaml"),
        ("plan", "eval.yaml"),
        ("score", "sums", "--scorer", "{type: contains, substring: is}"),
        ("resume", "sums"),
        ("list",),
        ("show", "sums"),
        ("show", "sums", "--item", "a"),
        ("show", "sums", "--failures"),
        ("schema",),
    ],
    ids=" ".join,
)
def test_every_command_prints_one_json_document(project: Project, arguments: tuple[str, ...]) -> None:
    project.evaluation()
    project.rejudge("run", "eval.yaml", "--quiet")
    said = project.rejudge(*arguments, "--json")
    assert said.code == ExitCode.DONE
    assert isinstance(json.loads(said.out), dict)


def test_codes_are_those_that_are_documented() -> None:
    assert {code.value for code in ExitCode} == {0, 1, 2, 3, 4, 130}
    assert set(MEANINGS) == set(ExitCode)


def test_help_has_a_short_name_and_is_what_one_gets_for_nothing(project: Project) -> None:
    assert project.rejudge("run", "-h").out == project.rejudge("run", "--help").out
    assert project.rejudge().code == 2
