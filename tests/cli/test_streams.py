from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.cli.project import Project

SAYING = "def answer(question):\n    return 'größer: ' + chr(0x1F600) + chr(0xDC80)[:0] + str(eval(question))\n"


@pytest.fixture
def foreign(project: Project) -> Project:
    """A project whose outputs are not ASCII, evaluated once."""
    project.evaluation(task=SAYING)
    assert project.rejudge("run", "eval.yaml", "--quiet").code == 0
    return project


def test_a_terminal_that_lacks_a_character_gets_its_escape(foreign: Project) -> None:
    said = foreign.ended("show", "sums", "--item", "a", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert said.code == 0
    assert "gr\\xf6\\xdfer: \\U0001f6002" in said.out


def test_json_is_utf_8_in_any_locale(foreign: Project) -> None:
    said = foreign.ended("show", "sums", "--item", "a", "--json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert said.code == 0
    (case,) = json.loads(said.out)["cases"]
    assert case["trace"]["output"] == "größer: 😀2"


def test_a_reader_that_has_seen_enough_is_no_error(foreign: Project) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "rejudge", "show", "sums"], stdout=writing, stderr=subprocess.PIPE, timeout=60
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_nothing_waits_for_input_and_nothing_needs_a_terminal(foreign: Project) -> None:
    said = foreign.ended("run", "eval.yaml", "--quiet", TERM="dumb")
    assert (said.code, said.err) == (0, "")
