"""The shipped examples run as they are, offline, and leave nothing but a store behind."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from tests.cli.project import Project

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def quickstart(project: Project) -> Project:
    shutil.copytree(EXAMPLES / "quickstart", project.folder, dirs_exist_ok=True)
    return project


def test_the_quickstart_tells_two_models_apart_and_shows_what_is_missing(quickstart: Project) -> None:
    said = quickstart.rejudge("run", "eval.yaml")
    assert said.code == 0
    estimates = re.findall(r"(small-model|large-model) +([\d.]+) % \[([\d.]+), ([\d.]+)\] wilson", said.out)
    small, large = estimates[:2]
    assert (small[0], large[0]) == ("small-model", "large-model")
    assert float(small[3]) < float(large[2]), "the intervals overlap"
    assert "40 cases: 39 completed (none reused), 1 skipped" in said.out
    assert "names the unit skipped on large-model: 5 missing_reference_key" in said.out


def test_the_quickstart_can_be_judged_again_without_generating_again(quickstart: Project) -> None:
    quickstart.rejudge("run", "eval.yaml")
    said = quickstart.rejudge(
        "score", "quickstart", "--scorer", "{type: pattern_match, name: shows its work, pattern: '='}", "--json"
    )
    runs = cast("list[dict[str, dict[str, int]]]", said.document["runs"])
    assert [(run["counts"]["completed"], run["counts"]["reused"]) for run in runs] == [(39, 39), (40, 40)]


def test_the_python_example_adds_a_scorer_without_calling_the_task(project: Project) -> None:
    script = EXAMPLES / "python/evaluate.py"
    assert len(script.read_text(encoding="utf-8").splitlines()) < 40
    first, again = (
        subprocess.run([sys.executable, script], cwd=project.folder, capture_output=True, text=True) for _ in range(2)
    )
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.endswith("100% of 6 stored outputs name a known team\n")
    assert "6 completed (none reused)" in first.stdout
    assert again.stdout.endswith("100% of 6 stored outputs name a known team\n"), "the same runs are shown again"
    assert [path.name for path in project.folder.iterdir() if path.suffix not in {".db-wal", ".db-shm"}] == [
        "tickets.db"
    ]


def test_no_example_reaches_outside_its_folder() -> None:
    texts = [
        path.read_text(encoding="utf-8") for path in EXAMPLES.rglob("*") if path.suffix in {".py", ".yaml", ".jsonl"}
    ]
    assert len(texts) >= 5
    assert not [text for text in texts if "shared" in text]
