from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.project import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """An empty folder, which becomes the working directory. Its module has a name that no other test imports."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return Project(tmp_path, f"task_of_{tmp_path.name}")
