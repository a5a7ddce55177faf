"""Small projects of a user's, written as real files and imported."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Protocol

import pytest

from rejudge.pinning import Pin, pin


class Load(Protocol):
    """Writes `tasks.py` and the modules beside it into a fresh folder and imports `tasks`."""

    def __call__(self, text: str, **beside: str) -> ModuleType: ...


class PinOf(Protocol):
    """The pin of the function `task` in such a project."""

    def __call__(self, text: str, **beside: str) -> Pin: ...


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    clones = itertools.count()
    written: set[str] = set()

    def load(text: str, **beside: str) -> ModuleType:
        folder = tmp_path / f"clone {next(clones)}"
        for name, content in {"tasks": text, **beside}.items():
            file = folder.joinpath(*name.split("__")).with_suffix(".py")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(dedent(content))
            written.add(name.partition("__")[0])
        _forget(written)
        monkeypatch.syspath_prepend(folder)
        importlib.invalidate_caches()
        return importlib.import_module("tasks")

    yield load
    _forget(written)


@pytest.fixture
def pin_of(load: Load) -> PinOf:
    def pin_of(text: str, **beside: str) -> Pin:
        return pin(load(text, **beside).task)

    return pin_of


def assert_mark_counts(pin_of: PinOf, text: str) -> None:
    """The pin is complete, the same for the same text, and another one where what stands for MARK is another."""
    one, same, other = (
        pin_of(text.replace("MARK", "1")),
        pin_of(text.replace("MARK", "1")),
        pin_of(text.replace("MARK", "2")),
    )
    assert one.unpinnable == ()
    assert one == same
    assert one.digest != other.digest


def _forget(names: set[str]) -> None:
    for name in [loaded for loaded in sys.modules if loaded.partition(".")[0] in names]:
        del sys.modules[name]
