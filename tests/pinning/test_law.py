"""The law: changing any one thing that a function depends on changes its digest, and changing nothing keeps it."""

from __future__ import annotations

import importlib.util
import itertools
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.pinning import pin

TEXT = """
import functools

SYSTEM = {a global!r}

def helper(q):
    return (q, {a helper!r})

def make(cell):
    def task(bound, q, default={a default!r}):
        return helper(q), SYSTEM, cell, bound, default, {the source!r}
    return task

task = functools.partial(make({a closure cell!r}), {a bound argument!r})
"""

KINDS = ("a global", "a helper", "a default", "the source", "a closure cell", "a bound argument")
values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
    st.binary(),
    st.lists(st.integers() | st.text(), max_size=3),
    st.dictionaries(st.text(), st.integers(), max_size=3),
    st.tuples(st.integers()),
)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


numbers = itertools.count()


def _loaded(folder: Path, parts: dict[str, object]) -> ModuleType:
    name = f"law_{next(numbers)}"
    file = folder / f"{name}.py"
    file.write_text(TEXT.format(**parts), encoding="utf-8", errors="surrogatepass")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@given(parts=st.fixed_dictionaries(dict.fromkeys(KINDS, values)), changed=st.sampled_from(KINDS), other=values)
def test_one_change_is_always_seen_and_none_is_never(
    folder: Path, parts: dict[str, object], changed: str, other: object
) -> None:
    one = pin(_loaded(folder, parts).task)
    assert one.pinned
    assert one == pin(_loaded(folder, parts).task)
    differs = repr(parts[changed]) != repr(other)
    assert (one.digest != pin(_loaded(folder, parts | {changed: other}).task).digest) is differs
