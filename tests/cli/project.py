"""A folder with an evaluation in it, and the command run there as a person would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from typer.testing import CliRunner

from rejudge.cli.app import app

QUESTIONS = {"a": "1 + 1", "b": "2 + 2", "c": "3 + 3"}

TASK = """
def answer(question):
    with open(__file__ + ".log", "a") as log:
        log.write(question + "\\n")
    return f"It is {eval(question)}."
"""

SCORER = "{type: exact_match, name: correct, reference_key: sum, value_expression: final_message | final_number}"


@dataclass(frozen=True, slots=True)
class Said:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, object]:
        """The one JSON document on stdout."""
        return cast("dict[str, object]", json.loads(self.out))


@dataclass(frozen=True, slots=True)
class Project:
    """The folder, and the name of the module with its task."""

    folder: Path
    module: str

    def write(self, name: str, text: str) -> Path:
        """Write a file into the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def evaluation(self, *more: str, task: str = TASK, scorers: str = SCORER) -> None:
        """Write an evaluation of the questions: its items, its task, and `eval.yaml` with `more` lines."""
        rows = [{"id": id, "question": text, "sum": eval(text)} for id, text in QUESTIONS.items()]
        self.write("items.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        self.write(f"{self.module}.py", task)
        lines = (
            "name: sums",
            "dataset: {path: items.jsonl, reference: [sum]}",
            f"task: {{python: '{self.module}:answer'}}",
            f"scorers: [{scorers}]",
            *more,
        )
        self.write("eval.yaml", "\n".join(lines) + "\n")

    def calls(self) -> list[str]:
        """The questions that the task was asked, in any order."""
        log = self.folder / f"{self.module}.py.log"
        return sorted(log.read_text(encoding="utf-8").splitlines()) if log.exists() else []

    def rejudge(self, *arguments: str) -> Said:
        """The command in this process; the folder is the working directory."""
        ended = CliRunner().invoke(app, arguments, prog_name="rejudge")
        return Said(ended.exit_code, ended.stdout, ended.stderr)

    def process(self, *arguments: str, **variables: str) -> subprocess.Popen[bytes]:
        """The command in a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "rejudge", *arguments],
            cwd=self.folder,
            env=os.environ | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def ended(self, *arguments: str, **variables: str) -> Said:
        """The command in a process of its own, once it has ended."""
        process = self.process(*arguments, **variables)
        out, err = process.communicate(timeout=60)
        return Said(process.returncode, out.decode(), err.decode())
