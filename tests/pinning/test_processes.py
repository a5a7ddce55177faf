"""One digest for the same code, wherever and however it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

PROJECT = {
    "tasks.py": """
        import enum, functools, logging, pathlib, re
        from dataclasses import dataclass, field
        from typing import NamedTuple
        import msgspec
        from pydantic import BaseModel
        import helpers
        from app.prompts import Prompts

        log = logging.getLogger(__name__)
        FOLDER = pathlib.Path(__file__).resolve().parent / "prompts"
        WORDS = {"one", "two", "three", ("four", 4)}
        HANDLERS = frozenset({len, helpers.ask, helpers.Size.BIG})
        NUMBER = re.compile("[0-9]+")

        @dataclass
        class Config:
            model: str
            sizes: set[str] = field(default_factory=lambda: set(WORDS))

        class Answer(BaseModel):
            text: str = "none"

        class Row(msgspec.Struct):
            text: str = "none"

        class Pair(NamedTuple):
            first: int

        class Task:
            def __init__(self, config): self.config, self.words = config, set(WORDS)
            def __call__(self, question: str) -> Answer:
                log.info("%s in %s", __name__, __file__)
                import late
                pick = lambda word: word[0]
                return Answer(text=late.N + helpers.ask(pick(WORDS), FOLDER, HANDLERS, Row(), Pair(1), NUMBER))

        task = functools.partial(Task(Config("m")), extra=Prompts())

        if __name__ == "__main__":
            from rejudge.pinning import pin
            print(pin(task).digest.hex(), pin(Prompts().ask, version="1").digest.hex(), pin(task).unpinnable)
            print(pin(Task.__call__, version="1").digest.hex())
    """,
    "helpers.py": """
        import enum
        class Size(enum.Enum):
            BIG = {"a", "b", "c"}
        def ask(*given): return {"a", "b"} & {str(one) for one in given}
    """,
    "late.py": "N = 'late'\n",
    "app/__init__.py": "",
    "app/prompts.py": """
        class Prompts:
            SYSTEM = "Be brief."
            def ask(self, q): return self.SYSTEM + q
    """,
    "pyproject.toml": "",
}

IMPORTED = """
from tasks import Prompts, Task, task
from rejudge.pinning import pin
print(pin(task).digest.hex(), pin(Prompts().ask, version="1").digest.hex(), pin(task).unpinnable)
print(pin(Task.__call__, version="1").digest.hex())
"""


def _clone(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text))
    return folder


def _python(*arguments: str, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=os.environ | environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_digest_is_the_same_in_every_process_folder_and_clone(tmp_path: Path) -> None:
    one = _clone(tmp_path / "one", PROJECT)
    two = _clone(tmp_path / "deep" / "er" / "two", PROJECT)
    printed = [
        _python("-c", IMPORTED, cwd=one, PYTHONHASHSEED="1"),
        _python("-c", IMPORTED, cwd=one, PYTHONHASHSEED="2"),
        _python("-c", IMPORTED, cwd=two, PYTHONHASHSEED="3"),
        _python("-c", f"import sys; sys.path.insert(0, {str(two)!r})" + IMPORTED, cwd=tmp_path),
        _python("tasks.py", cwd=one),
        _python(str(two / "tasks.py"), cwd=tmp_path, PYTHONHASHSEED="4"),
        _python("-m", "tasks", cwd=two),
        _python("-OO", "tasks.py", cwd=one),
        _python("-X", "no_debug_ranges", "tasks.py", cwd=one),
    ]
    assert printed[0].count("()") == 1
    assert set(printed) == {printed[0]}


def test_a_change_of_any_file_changes_the_digest(tmp_path: Path) -> None:
    before = _python("tasks.py", cwd=_clone(tmp_path / "before", PROJECT))
    edits = {"late.py": ("late'", "later'"), "app/prompts.py": ("brief", "long"), "helpers.py": ('"a", "b"}', '"a"}')}
    for name, (old, new) in edits.items():
        assert old in PROJECT[name]
        changed = _clone(tmp_path / name, PROJECT | {name: PROJECT[name].replace(old, new)})
        assert _python("tasks.py", cwd=changed).split()[0] != before.split()[0]


def test_code_typed_at_a_prompt_is_pinned_alike_in_two_processes(tmp_path: Path) -> None:
    text = (
        "from rejudge.pinning import pin\nimport dataclasses\n@dataclasses.dataclass\nclass C:\n  n: int = {n}\n"
        "make = lambda n: lambda q: (q, n, C(), [c for c in q if c in {{'a', 'b', 'c'}}])\n"
        "def task(q): return C(), make\nprint(pin(make(1)).digest.hex(), pin(task).digest.hex(), pin(task).unpinnable)"
    )
    one, same, other = (
        _python("-c", text.format(n=n), cwd=tmp_path, PYTHONHASHSEED=seed) for n, seed in ((1, "1"), (1, "2"), (2, "3"))
    )
    assert one == same
    assert not {*one.split()[:2]} & {*other.split()[:2]}


SCHEMAS = [
    "class S(BaseModel): n: int = Field({n}, gt=0)",
    "class S(BaseModel): n: int = Field(1, gt=-{n})",
    "class S(Struct):\n  m: list[int] = []\n  n: int = {n}",
    "@dataclass\nclass S: n: int = field(default_factory=lambda: {n})",
    "class S(Enum): n = {n}",
    "class S(NamedTuple): n: int = {n}",
    "class S:\n  def __init__(self): self.n = {n}",
    "class S:\n  __slots__ = ()\n  @property\n  def n(self): return {n}",
]


def test_classes_typed_at_a_prompt_count_in_full(tmp_path: Path) -> None:
    head = """
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple
from msgspec import Struct
from pydantic import BaseModel, Field
from rejudge.pinning import pin
def task(q): return S()
"""
    text = head + "\n".join(schema + "\nprint(pin(task).digest.hex(), pin(task).reason())" for schema in SCHEMAS)
    one, same, other = (_python("-c", text.format(n=n), cwd=tmp_path).splitlines() for n in (1, 1, 2))
    assert one == same
    assert [line.split()[1:] for line in one] == [[]] * len(SCHEMAS)
    assert all(before != after for before, after in zip(one, other, strict=True))


PinInstalled = Callable[..., str]


@pytest.fixture
def pin_installed(tmp_path: Path) -> PinInstalled:
    """The digest of a task that calls `lib.ask`, with `lib` laid out as an installer would."""
    count = iter(range(100))

    def pinned(*, source: str, release: str = "1.0", editable: bool = False, distribution: str = "lib") -> str:
        folder = tmp_path / f"environment {next(count)}"
        site = folder / "site-packages"
        lib = folder / "work" if editable else site
        record = "" if editable else "lib/__init__.py,,\n"
        information = f"site-packages/{distribution}-{release}.dist-info"
        _clone(
            folder,
            {
                f"{information}/METADATA": f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {release}\n",
                f"{information}/RECORD": f"{record}{distribution}-{release}.dist-info/METADATA,,\n",
                f"{lib.relative_to(folder)}/lib/__init__.py": source,
                "tasks.py": "import lib\ndef task(q): return lib.ask(q)\n",
            },
        )
        script = f"import sys; sys.path[:0] = {[str(lib), str(site)]}; import tasks; from rejudge.pinning import pin"
        return _python("-c", f"{script}; print(pin(tasks.task).digest.hex())", cwd=folder)

    return pinned


def test_an_installed_package_counts_by_its_version_alone(pin_installed: PinInstalled) -> None:
    one = pin_installed(source="def ask(q): return q")
    assert one == pin_installed(source="def ask(q): return q + '!'")
    assert one != pin_installed(source="def ask(q): return q", release="1.1")


def test_a_module_is_found_in_a_distribution_of_another_name(pin_installed: PinInstalled) -> None:
    one = pin_installed(source="def ask(q): return q", distribution="py_lib")
    assert one == pin_installed(source="def ask(q): return q + '!'", distribution="py_lib")
    assert one != pin_installed(source="def ask(q): return q", distribution="py_lib", release="1.1")


def test_an_editable_package_is_the_users_own_code(pin_installed: PinInstalled) -> None:
    one = pin_installed(source="def ask(q): return q", editable=True)
    assert one == pin_installed(source="def ask(q): return q", editable=True, release="1.1")
    assert one != pin_installed(source="def ask(q): return q + '!'", editable=True)
