"""Every example of the documentation runs, offline, with an empty home."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.page import environment

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
NEEDS = re.compile(r"<!-- needs: (\w+) -->")
"""How a page names a package that its examples use and that may be missing."""


def _from_root(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _expect_success(command: list[str | Path], folder: Path, home: Path) -> None:
    ran = subprocess.run(
        command, cwd=folder, env=environment(home), stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=_from_root)
def test_the_examples_of_a_page_do_what_it_says(page: Path, tmp_path: Path) -> None:
    for package in NEEDS.findall(page.read_text(encoding="utf-8")):
        pytest.importorskip(package)
    _expect_success([sys.executable, Path(__file__).with_name("page.py"), page, tmp_path], ROOT, tmp_path)


def test_the_readme_begins_with_the_two_commands() -> None:
    blocks = re.findall(
        r"^```[^\n]*\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert [block.strip() for block in blocks[:2]] == ["make demo", "make test"]


def test_the_demo_runs_a_shipped_example() -> None:
    planned = subprocess.run(["make", "--dry-run", "demo"], cwd=ROOT, capture_output=True, text=True, check=True)
    named = re.findall(r"\bexamples/\S+", planned.stdout)
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []
