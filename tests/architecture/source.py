"""The project's files as the architecture tests read them."""

from __future__ import annotations

import ast
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = ("src", "tests", "examples", "benchmarks")


@dataclass(frozen=True, slots=True)
class Source:
    """One Python file: its path from the root of the repository, its text and its syntax tree."""

    path: str
    text: str
    tree: ast.Module

    @classmethod
    def of(cls, path: str, text: str) -> Source:
        return cls(path, text, ast.parse(text, filename=path))

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders on the way to the file, from `src` or `tests` downwards."""
        return tuple(self.path.split("/")[:-1])

    @property
    def stem(self) -> str:
        return self.path.rpartition("/")[2].removesuffix(".py")


@cache
def sources() -> tuple[Source, ...]:
    """Every Python file of the project, in the order of their paths."""
    paths = sorted(path for folder in CODE for path in (ROOT / folder).rglob("*.py"))
    return tuple(Source.of(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")) for path in paths)


@cache
def tracked() -> tuple[str, ...]:
    """Every file that git tracks or would track, by path."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file())


@cache
def texts() -> dict[str, str]:
    """Every text file among them, by path."""
    contents = ((name, (ROOT / name).read_bytes()) for name in tracked())
    return {name: content.decode("utf-8") for name, content in contents if b"\0" not in content}
