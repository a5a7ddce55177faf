"""The packages that are measured beside rejudge, each in an environment of its own outside the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

PINNED = {"pydantic-evals": "2.62.0", "inspect-ai": "0.3.285"}
"""Which release of each package is measured."""


def python_of(package: str) -> Path:
    """The interpreter of the package's environment, which is made if there is none."""
    folder = place_of(package)
    python = folder / "bin" / "python"
    complete = folder / "complete"
    if not complete.is_file():
        shutil.rmtree(folder, ignore_errors=True)
        _make(folder, f"{package}=={PINNED[package]}")
        complete.touch()
    return python


def is_there(package: str) -> bool:
    """Whether the package's environment has been made already."""
    return (place_of(package) / "complete").is_file()


def place_of(package: str) -> Path:
    """Where the package's environment is or will be, in the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return cache / "rejudge-benchmarks" / f"{package}-{PINNED[package]}-{python}"


def _make(folder: Path, requirement: str) -> None:
    """With uv where it is at hand, else with the standard library and pip."""
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.is_file() else shutil.which("uv")
    python = folder / "bin" / "python"
    if uv is None:
        _call(sys.executable, "-m", "venv", folder)
        _call(python, "-m", "pip", "install", "--quiet", requirement)
        return
    _call(uv, "venv", "--quiet", "--python", sys.executable, folder)
    _call(uv, "pip", "install", "--quiet", "--python", python, requirement)


def _call(*command: str | Path) -> None:
    subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr)
