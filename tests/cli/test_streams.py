from __future__ import annotations

import contextlib
import json
import os
import re
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


@pytest.mark.skipif(sys.platform == "win32", reason="terminals are those of POSIX")
def test_on_a_terminal_the_report_stands_where_the_bar_was(foreign: Project) -> None:
    controlling, terminal = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "rejudge", "run", "eval.yaml", "--store", "fresh.db"],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(terminal)
    shown = bytearray()
    with contextlib.suppress(OSError):  # the other end has closed
        while part := os.read(controlling, 4096):
            shown += part
    os.close(controlling)
    assert process.wait(60) == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert "answer: 3/3 (100 %)" in text
    assert "correct  100 % [44, 100] wilson n=3" in text
