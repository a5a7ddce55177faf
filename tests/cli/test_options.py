"""Options that several commands have mean the same in all of them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

COMMANDS = ("compare", "leaderboard", "describe", "power", "explain", "calibrate", "correct", "ratings show")
SHARED = ("--value", "--clusters", "--by", "--level", "--seed", "--limit", "--task", "--html", "--json", "--store")

TOLD = """
import json, sys, typer
from rejudge.cli.app import app

def options(name):
    command = typer.main.get_command(app)
    for part in name.split():
        command = command.commands[part]
    return {flag: one.help for one in command.params for flag in one.opts if flag.startswith("--")}

print(json.dumps({name: options(name) for name in sys.argv[1:]}))
"""


@pytest.fixture(scope="module")
def told() -> dict[str, dict[str, str]]:
    """What each command that gives a finding says of each of its options."""
    done = subprocess.run([sys.executable, "-c", TOLD, *COMMANDS], capture_output=True, text=True, check=True)
    found: dict[str, dict[str, str]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("flag", SHARED)
def test_an_option_is_explained_in_the_same_words_everywhere(told: dict[str, dict[str, str]], flag: str) -> None:
    words = [options[flag] for options in told.values() if flag in options]
    assert len(words) > 1
    assert len(set(words)) == 1
