"""Runs the examples of one Markdown page, top to bottom, as a reader would.

    python tests/docs/page.py PAGE [FOLDER]     FOLDER: where to run them (default: a new temporary one)

What a fenced block means is written on its fence:

- `python`          runs; the blocks of a page share their names, and `await` works as in a notebook
- `output`          lines that the `python` blocks before it printed, since the last `output`
- `console`         each line `$ command` runs in a shell and must end with status 0, or with the status that
                    a comment at its end gives (`# exit 3`); a command ending in a backslash goes on in the
                    next line; the lines below it appear in what it prints, in this order
- `yaml eval.yaml`  (any language and a file name) becomes that file; it does not run
- anything else is only shown, and so is a block below the line `<!-- no-run: reason -->`

In expected lines `...` stands for anything, alone for any lines. The shipped examples are at hand as `examples/`.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import io
import linecache
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120

FENCE = re.compile(r"(?P<indent> *)(?P<fence>`{3,}|~{3,}) *(?P<info>[^`\n]*)")
NO_RUN = re.compile(r"<!-- no-run: \S.* -->")
EXIT = re.compile(r"\s# exit (\d+)$")


class PageError(Exception):
    """An example does not do what its page says."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block that means something: its language, the file it becomes if any, and its first line's number."""

    language: str
    file: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Command:
    """One `$` line of a console block with what is expected of it."""

    line: int
    text: str
    status: int
    expected: list[str] = field(default_factory=list)


def blocks_of(markdown: str) -> list[Block]:
    """The blocks of a page that run or become files, in order."""
    blocks, above = [], ""
    lines = iter(enumerate(markdown.splitlines(), 1))
    for number, line in lines:
        if opened := FENCE.fullmatch(line):
            body = []
            for _, inner in lines:
                if inner.strip() == opened["fence"]:
                    break
                body.append(inner)
            else:
                raise PageError(f"line {number}: the block is never closed")
            language, _, file = opened["info"].strip().partition(" ")
            runs = file or language in {"python", "output", "console"}
            if runs and not NO_RUN.fullmatch(above):
                text = textwrap.dedent("\n".join(body)) + "\n"
                blocks.append(Block(language, file.strip(), text, number + 1))
        above = line.strip() or above
    return blocks


def commands_of(block: Block) -> list[Command]:
    """The commands of a console block."""
    commands: list[Command] = []
    lines = iter(enumerate(block.text.splitlines(), block.line))
    for number, line in lines:
        if line.startswith("$ "):
            text = line.removeprefix("$ ")
            while text.endswith("\\"):
                text += "\n" + next(lines)[1]
            status = EXIT.search(text)
            commands.append(Command(number, text, int(status[1]) if status else 0))
        elif commands:
            commands[-1].expected.append(line)
        elif line.strip():
            raise PageError(f"line {number}: output stands before the first command")
    return commands


def missing_line(expected: list[str], printed: str) -> str | None:
    """The first expected line that does not follow the ones before it in `printed`."""
    rest = iter(printed.splitlines())
    for line in expected:
        pattern = re.compile(".*".join(map(re.escape, line.rstrip().split("..."))))
        if line.strip() not in {"", "..."} and not any(pattern.fullmatch(found.rstrip()) for found in rest):
            return line
    return None


class Reader:
    """Does in one folder what a page says, and remembers what its Python named and printed."""

    def __init__(self, page: str, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.printed = ""

    def follow(self, block: Block) -> None:
        """Do one block, or raise PageError with the place."""
        if block.file:
            self._write(block)
        elif block.language == "python":
            self._execute(block)
        elif block.language == "output":
            self._compare(block.line, block.text.splitlines(), self.printed)
            self.printed = ""
        else:
            for command in commands_of(block):
                self._call(command)

    def _write(self, block: Block) -> None:
        target = (self.folder / block.file).resolve()
        if not target.is_relative_to(self.folder.resolve()):
            raise PageError(f"{self.page}:{block.line}: {block.file} lies outside the page's folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text, encoding="utf-8")

    def _execute(self, block: Block) -> None:
        # The lines stand where they stand on the page, for tracebacks and for `inspect.getsource`.
        source = "\n" * (block.line - 1) + block.text
        name = f"{self.page}:{block.line}"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        printed = io.StringIO()
        try:
            code = compile(source, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
            with contextlib.redirect_stdout(printed):
                result = eval(code, self.names)
                if result is not None:
                    asyncio.run(cast("Coroutine[object, object, None]", result))
        except (Exception, SystemExit) as error:
            raise PageError(f"{name}: {type(error).__name__}: {error}") from error
        finally:
            self.printed += printed.getvalue()

    def _call(self, command: Command) -> None:
        ran = subprocess.run(
            command.text,
            shell=True,
            cwd=self.folder,
            env=environment(self.folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
        )
        if ran.returncode != command.status:
            what = f"{command.text!r} ended with {ran.returncode}, not {command.status}"
            raise PageError(f"{self.page}:{command.line}: {what}\n{ran.stdout}")
        self._compare(command.line, command.expected, ran.stdout)

    def _compare(self, line: int, expected: list[str], printed: str) -> None:
        if (missing := missing_line(expected, printed)) is not None:
            raise PageError(
                f"{self.page}:{line}: {missing!r} is not, or not in this order, in what was printed:\n{printed}"
            )


def environment(home: Path) -> dict[str, str]:
    """The variables of a reader with an empty home, this environment's programs and no way out to a network."""
    nowhere = "http://127.0.0.1:9"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    plain = {"HOME": str(home), "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "120", "PYTHONUNBUFFERED": "1"}
    proxies = {"HTTP_PROXY": nowhere, "HTTPS_PROXY": nowhere, "ALL_PROXY": nowhere, "NO_PROXY": "localhost,127.0.0.1"}
    return os.environ | plain | {"PATH": path} | proxies | {name.lower(): value for name, value in proxies.items()}


def run_page(page: Path, folder: Path) -> int:
    """Follow a page in `folder`, which becomes the working directory; returns how many blocks it has."""
    blocks = blocks_of(page.read_text(encoding="utf-8"))
    if (ROOT / "examples").is_dir():
        shutil.copytree(ROOT / "examples", folder / "examples", dirs_exist_ok=True)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    reader = Reader(page.name, folder)
    for block in blocks:
        reader.follow(block)
    return len(blocks)


def main(arguments: list[str]) -> int:
    """Run the page named first and say how it went."""
    page, *folders = map(Path, arguments)
    folder = folders[0] if folders else Path(tempfile.mkdtemp(prefix="page-"))
    try:
        print(f"{page.name}: {run_page(page.resolve(), folder.resolve())} blocks in {folder}")
    except PageError as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
