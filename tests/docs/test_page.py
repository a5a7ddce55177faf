"""The runner of documentation examples notices when a page and the program disagree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.page import PageError, blocks_of, environment, missing_line


def _read(text: str, folder: Path) -> tuple[int, str]:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, Path(__file__).with_name("page.py"), page, folder],
        env=environment(folder),
        capture_output=True,
        text=True,
    )
    return ran.returncode, ran.stdout + ran.stderr


GOOD = {
    "Python blocks share their names": "```python\nx = 2\n```\nthen\n```python\nassert x == 2\n```\n",
    "await works as in a notebook": "```python\nimport asyncio\nx = await asyncio.sleep(0, 7)\nassert x == 7\n```\n",
    "a function's source can be read": (
        "```python\nimport inspect\ndef f():\n    return 1\nassert 'return 1' in inspect.getsource(f)\n```\n"
    ),
    "what Python prints is compared": "```python\nprint('a')\nprint('took 3 s')\n```\n```output\na\ntook ... s\n```\n",
    "a file is written and read by the shell": "```csv in/a.csv\nid\n1\n```\n```console\n$ cat in/a.csv\nid\n1\n```\n",
    "a module can be written and imported": "```python task.py\nX = 1\n```\n```python\nfrom task import X\n```\n",
    "lines may be left out": "```console\n$ printf 'a\\nb\\nc\\n'\na\n...\nc\n```\n",
    "a status can be expected": "```console\n$ exit 3  # exit 3\n```\n",
    "a command may go on": "```console\n$ echo one \\\n    two\none two\n```\n",
    "an indented block is a block": "- item\n\n  ```python\n  x = 1\n  if x:\n      y = 2\n  ```\n",
    "a block may say why it is not run": "<!-- no-run: needs a key -->\n```python\n1 / 0\n```\n",
    "other languages are only shown": "```sh\nfalse\n```\n```yaml\n- : -\n```\n",
    "a fence may hold fences": "````markdown\n```python\n1 / 0\n```\n````\n",
}

BAD = {
    "Python that raises": ("text\n\n```python\nx = 1\nx / 0\n```\n", "page.md:4: ZeroDivisionError"),
    "Python that does not parse": ("```python\nx =\n```\n", "page.md:2: SyntaxError"),
    "output that Python did not print": ("```python\nprint('a')\n```\n```output\nb\n```\n", "page.md:5: 'b'"),
    "a command that fails": ("```console\n$ true\n$ exit 4\n```\n", "page.md:3: 'exit 4' ended with 4, not 0"),
    "a command that does not fail": ("```console\n$ true  # exit 3\n```\n", "ended with 0, not 3"),
    "output that the shell did not print": ("```console\n$ echo one\ntwo\n```\n", "page.md:2: 'two'"),
    "lines in another order": ("```console\n$ printf 'a\\nb\\n'\nb\na\n```\n", "page.md:2: 'a'"),
    "a file outside the folder": ("```csv ../a.csv\nid\n```\n", "page.md:2: ../a.csv lies outside"),
    "no reason for not running": ("<!-- no-run: -->\n```python\n1 / 0\n```\n", "ZeroDivisionError"),
    "a block that never ends": ("```python\nx = 1\n", "line 1: the block is never closed"),
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_a_true_page_passes(text: str, tmp_path: Path) -> None:
    status, said = _read(text, tmp_path)
    assert status == 0, said


@pytest.mark.parametrize(("text", "complaint"), BAD.values(), ids=BAD)
def test_a_false_page_fails_at_its_line(text: str, complaint: str, tmp_path: Path) -> None:
    status, said = _read(text, tmp_path)
    assert status == 1
    assert complaint in said


def test_only_blocks_that_mean_something_are_kept() -> None:
    blocks = blocks_of("```sh\nls\n```\n\n```yaml eval.yaml\na: 1\n```\n~~~python\nx\n~~~\n")
    assert [(block.language, block.file, block.line) for block in blocks] == [
        ("yaml", "eval.yaml", 6),
        ("python", "", 9),
    ]


def test_a_block_that_is_open_is_an_error() -> None:
    with pytest.raises(PageError):
        blocks_of("```text\n")


def test_dots_stand_for_anything_in_a_line_and_for_any_lines() -> None:
    printed = "run-12ab done\nnoise\n5 of 5 scored\n"
    assert missing_line(["run-... done", "...", "5 of 5 scored"], printed) is None
    assert missing_line(["run-... failed"], printed) == "run-... failed"
