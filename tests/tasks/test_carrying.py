"""Threads that are begun inside a task call know which one it was, and stay what they were in every other respect."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from queue import SimpleQueue

import pytest

from rejudge.tasks.carrying import carry_into_threads

CARRIED: ContextVar[str | None] = ContextVar("carried by this test", default=None)


@pytest.fixture(autouse=True)
def inside() -> Iterator[None]:
    """Code that runs where the variable is set."""
    carry_into_threads(CARRIED)
    before = CARRIED.set("item 1")
    yield
    CARRIED.reset(before)


@pytest.fixture
def found() -> SimpleQueue[str | None]:
    """What threads found."""
    return SimpleQueue()


def test_a_thread_that_could_not_be_started_is_started_later(found: SimpleQueue[str | None]) -> None:
    thread = threading.Thread(target=lambda: found.put(CARRIED.get()))
    before = threading.stack_size(1 << 46)
    try:
        with pytest.raises(RuntimeError, match="can't start new thread"):
            thread.start()
    finally:
        threading.stack_size(before)
    assert "run" not in vars(thread)
    thread.start()
    thread.join()
    assert found.get() == "item 1"


def test_a_thread_that_is_started_twice_is_left_as_it_was(found: SimpleQueue[str | None]) -> None:
    thread = threading.Thread(target=lambda: found.put(CARRIED.get()))
    thread.start()
    thread.join()
    with pytest.raises(RuntimeError, match="only be started once"):
        thread.start()
    assert "run" not in vars(thread)


def test_a_thread_with_a_run_of_its_own_keeps_it(found: SimpleQueue[str | None]) -> None:
    class Counting(threading.Thread):
        def run(self) -> None:
            found.put(CARRIED.get())

    counting, assigned = Counting(), threading.Thread()
    own = assigned.run = lambda: found.put(CARRIED.get())  # type: ignore[method-assign]
    for thread in (counting, assigned):
        thread.start()
        thread.join()
        assert found.get() == "item 1"
    assert assigned.run is own


def test_where_the_variable_is_not_set_nothing_is_done(found: SimpleQueue[str | None]) -> None:
    CARRIED.set(None)
    thread = threading.Thread(target=lambda: found.put(CARRIED.get()))
    thread.start()
    thread.join()
    assert found.get() is None


ALONE = """
import threading
from concurrent.futures import ThreadPoolExecutor

before = threading.Thread.start, ThreadPoolExecutor.submit
import rejudge

rejudge.evaluation, rejudge.track, rejudge.run_tests
assert (threading.Thread.start, ThreadPoolExecutor.submit) == before
rejudge.evaluate([{"q": "a"}], lambda q: q, store="memory:")
assert threading.Thread.start is not before[0]
from opentelemetry import trace
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

exporter = InMemorySpanExporter()
trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(exporter))
with trace.get_tracer("mine").start_as_current_span("outside"):
    pass
print([span.name for span in exporter.get_finished_spans()])
"""


def test_importing_changes_nothing_and_the_provider_that_is_set_takes_an_exporter(tmp_path: Path) -> None:
    pytest.importorskip("opentelemetry.sdk")
    ended = subprocess.run([sys.executable, "-c", ALONE], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (ended.stdout, ended.stderr) == ("['outside']\n", "")
