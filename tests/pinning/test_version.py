"""A stated version stands for the function instead of its code."""

from __future__ import annotations

from functools import partial

import pytest

from rejudge.domain.errors import ConfigurationError
from rejudge.pinning import pin
from tests.pinning.conftest import Load

CLIENT = "import threading\nclient = threading.Lock()\n"


def test_a_stated_version_replaces_everything(load: Load) -> None:
    one = pin(load(CLIENT + "def task(q): return client, 1").task, version="1")
    assert one == pin(load(CLIENT + "def task(q): return client, 2").task, version="1")
    assert one.pinned
    assert one.version == "1"
    assert one.reason() == ""
    assert one.digest != pin(load(CLIENT + "def task(q): return client, 1").task, version="2").digest


def test_a_version_attribute_is_a_stated_version(load: Load) -> None:
    module = load(CLIENT + "def task(q): return client\ntask.version = '1'")
    assert pin(module.task) == pin(load("def task(q): return 2").task, version="1")
    assert pin(module.task, version="2").version == "2"


def test_two_functions_of_one_version_stay_two(load: Load) -> None:
    module = load("def task(q): return 1\ndef other(q): return 1")
    assert pin(module.task, version="1").digest != pin(module.other, version="1").digest


def test_a_callable_object_may_state_its_version(load: Load) -> None:
    module = load(
        CLIENT
        + """
class Task:
    def __init__(self, version): self.version, self.client = version, client
    def __call__(self, q): return q
class Slotted:
    __slots__ = ("version",)
    def __init__(self, version): self.version = version
    def __call__(self, q): return q
class Fixed:
    version = "1"
    def __call__(self, q): return client
"""
    )
    for made in (module.Task, module.Slotted):
        assert pin(made("1")).version == "1"
        assert pin(made("1")).digest != pin(made("2")).digest
    assert pin(module.Fixed()).version == "1"


def test_a_versioned_function_with_bound_arguments_is_pinned_by_both(load: Load) -> None:
    module = load(CLIENT + "def task(q, model): return client\ntask.version = '1'")
    one = pin(partial(module.task, model="a"))
    assert one.pinned
    assert one.version is None
    assert one.digest != pin(partial(module.task, model="b")).digest
    module.task.version = "2"
    assert one.digest != pin(partial(module.task, model="a")).digest


def test_a_versioned_helper_counts_by_its_version(load: Load) -> None:
    text = CLIENT + "def ask(q): return client, {n}\nask.version = '{v}'\ndef task(q): return ask(q)"
    one = pin(load(text.format(n=1, v=1)).task)
    assert one.pinned
    assert one == pin(load(text.format(n=2, v=1)).task)
    assert one.digest != pin(load(text.format(n=1, v=2)).task).digest


@pytest.mark.parametrize("version", ["", "  ", 1, ("1",)])
def test_a_version_that_says_nothing_is_refused(load: Load, version: object) -> None:
    module = load("def task(q): return q")
    with pytest.raises(ConfigurationError, match=r"version of `tasks.task` is"):
        pin(module.task, version=version)  # type: ignore[arg-type]
    module.task.version = version
    with pytest.raises(ConfigurationError, match="state it as text"):
        pin(module.task)


def test_a_version_that_would_have_to_be_computed_is_refused(load: Load) -> None:
    module = load("""
        class Task:
            @property
            def version(self): raise SystemExit
            def __call__(self, q): return q
        task = Task()
    """)
    with pytest.raises(ConfigurationError, match="of type property"):
        pin(module.task)
    assert pin(module.task, version="1").pinned
