"""`track`: what is recorded of functions and blocks, and that nothing else about them changes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Thread
from typing import cast

import pytest
from msgspec.structs import replace

from rejudge import track
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.payload import decode_as
from rejudge.domain.span import Span, Spans
from rejudge.tasks.function import FunctionTask
from rejudge.tasks.spans import MOST_SPANS, PLACE, Recorder, recording, stored


class Recorded:
    """What was recorded in a block."""

    def __init__(self) -> None:
        self.spans = Spans()

    @property
    def all(self) -> tuple[Span, ...]:
        return self.spans.spans

    def tree(self) -> list[tuple[str, str]]:
        """Each span with its parent, by name."""
        names = {span.id: span.name for span in self.all}
        return [(names.get(span.parent, "task"), span.name) for span in self.all]


@contextmanager
def recorded() -> Iterator[Recorded]:
    found, recorder = Recorded(), Recorder()
    with recording(recorder):
        yield found
    found.spans = recorder.seal()


@track
def double(number: int, *, note: str = "") -> int:
    return 2 * number


@track(name="search", kind="retrieval")
async def find(query: str) -> list[str]:
    await asyncio.sleep(0)
    return [query.upper()]


@track
def count(to: int) -> Generator[int, int, str]:
    given = 0
    for number in range(to):
        given += (yield number) or 0
    return f"given {given}"


@track
async def letters(text: str) -> AsyncGenerator[str, None]:
    for letter in text:
        await asyncio.sleep(0)
        double(1)
        yield letter


@track
def failing() -> None:
    raise KeyError("no such thing")


class Agent:
    @track(kind="tool")
    def look(self, where: str) -> str:
        return f"in {where}"

    @classmethod
    @track
    def make(cls, name: str) -> str:
        return name


def test_a_call_is_recorded_with_its_inputs_by_name_and_its_output() -> None:
    with recorded() as found:
        assert double(4, note="x") == 8
    (span,) = found.all
    assert (span.name, span.kind, span.input, span.output) == ("double", "general", {"number": 4, "note": "x"}, 8)
    assert span.seconds is not None
    assert 0 <= span.started < 5
    assert 0 <= span.seconds < 5


def test_without_a_recorder_a_function_is_as_if_it_were_not_tracked() -> None:
    assert (double(3), asyncio.run(find("x")), [*count(2)]) == (6, ["X"], [0, 1])
    with track("block") as span:
        span.output = 1
    assert PLACE.get() is None


def test_coroutines_have_the_name_and_kind_that_were_said() -> None:
    with recorded() as found:
        assert asyncio.run(find("q")) == ["Q"]
    assert [(span.name, span.kind, span.input, span.output) for span in found.all] == [
        ("search", "retrieval", {"query": "q"}, ["Q"])
    ]


def test_self_and_cls_are_no_inputs() -> None:
    with recorded() as found:
        Agent().look("Paris")
        Agent.make("a")
    assert [(span.name, span.kind, span.input) for span in found.all] == [
        ("look", "tool", {"where": "Paris"}),
        ("make", "general", {"name": "a"}),
    ]


def test_calls_inside_calls_are_children() -> None:
    @track
    def outer() -> int:
        with track("block", kind="agent"):
            return double(1)

    with recorded() as found:
        outer()
        double(2)
    assert found.tree() == [("task", "outer"), ("outer", "block"), ("block", "double"), ("task", "double")]


def test_what_a_function_raises_is_recorded_and_raised() -> None:
    with recorded() as found:
        with pytest.raises(KeyError):
            failing()
        with pytest.raises(ValueError, match="inside"), track("block"):
            raise ValueError("inside")
    assert [span.error for span in found.all] == ["KeyError: 'no such thing'", "ValueError: inside"]


def test_a_generator_is_one_span_and_is_driven_as_before() -> None:
    with recorded() as found:
        steps = count(3)
        assert next(steps) == 0
        double(1)  # between its steps, so not inside it
        assert steps.send(5) == 1
        assert steps.send(6) == 2
        with pytest.raises(StopIteration, match="given 11"):
            steps.send(0)
    assert found.tree() == [("task", "count"), ("task", "double")]
    assert found.all[0].output == "given 11"


def test_an_exception_thrown_into_a_generator_reaches_it() -> None:
    @track
    def patient() -> Generator[str, None, str]:
        try:
            yield "ask"
        except ValueError as error:
            return f"caught {error}"
        return "never"

    with recorded() as found:
        steps = patient()
        next(steps)
        with pytest.raises(StopIteration, match="caught too late"):
            steps.throw(ValueError("too late"))
    assert [(span.output, span.error) for span in found.all] == [("caught too late", None)]


def test_a_generator_that_is_closed_early_ends_its_span() -> None:
    with recorded() as found:
        steps = count(3)
        next(steps)
        steps.close()
    assert [(span.output, span.error) for span in found.all] == [([0], None)]


def test_an_async_generator_is_one_span_with_what_it_calls_inside() -> None:
    async def read() -> list[str]:
        return [letter async for letter in letters("ab")]

    with recorded() as found:
        assert asyncio.run(read()) == ["a", "b"]
    assert found.tree() == [("task", "letters"), ("letters", "double"), ("letters", "double")]
    assert found.all[0].output == ["a", "b"]


def in_thread() -> None:
    thread = Thread(target=double, args=(1,))
    thread.start()
    thread.join()


def in_pool() -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(double, 1).result()
        list(pool.map(double, [2]))


def in_executor() -> None:
    async def run() -> None:
        await asyncio.get_running_loop().run_in_executor(None, double, 1)
        await asyncio.gather(asyncio.to_thread(double, 2), asyncio.create_task(find("x")))

    asyncio.run(run())


@pytest.mark.parametrize(("way", "spans"), [(in_thread, 1), (in_pool, 2), (in_executor, 3)])
def test_threads_pools_and_tasks_record_where_they_were_begun(way: Callable[[], None], spans: int) -> None:
    with recorded() as found, track("outer"):
        way()
    assert found.tree()[0] == ("task", "outer")
    assert {parent for parent, _ in found.tree()[1:]} == {"outer"}
    assert len(found.all) == spans + 1


def test_a_thread_of_a_pool_that_was_begun_in_a_task_call_does_not_stay_in_it() -> None:
    with ThreadPoolExecutor(1) as pool:
        with recorded() as first:
            pool.submit(double, 1).result()
        pool.submit(double, 2).result()
        with recorded() as second:
            pool.submit(double, 3).result()
        assert pool.submit(PLACE.get).result() is None
    assert [span.input for span in first.all] == [{"number": 1}]
    assert [span.input for span in second.all] == [{"number": 3}]


def test_threads_outside_of_recordings_are_left_alone() -> None:
    with recorded():
        pass
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(PLACE.get()))
    thread.start()
    thread.join()
    assert found == [None]
    assert "run" not in vars(thread)


def test_what_comes_after_the_end_is_counted_and_not_added() -> None:
    late: list[None] = []
    recorder = Recorder(on_late=lambda: late.append(None))
    with recording(recorder):
        block = track("slow")
        block.__enter__()
        spans = recorder.seal(waited=0.5)
        block.__exit__(None, None, None)
        double(1)
    assert (spans.unended, spans.waited, [(span.name, span.seconds) for span in spans.spans]) == (
        1,
        0.5,
        [("slow", None)],
    )
    assert len(late) == 2
    assert recorder.seal() == Spans()


def test_too_many_spans_are_counted_and_left_out() -> None:
    with recorded() as found:
        for number in range(MOST_SPANS + 3):
            double(number)
    assert (len(found.all), found.spans.left_out) == (MOST_SPANS, 3)


def test_many_threads_may_record_at_once() -> None:
    with recorded() as found:
        threads = [Thread(target=lambda: [double(number) for number in range(200)]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found.all) == 1600
    assert sorted(span.id for span in found.all) == list(range(1, 1601))


def test_what_cannot_be_tracked_is_refused_in_words() -> None:
    with pytest.raises(ConfigurationError, match="no function"):
        track(cast("Callable[..., object]", property(Agent().look)))
    with pytest.raises(ConfigurationError, match="no name"), track(kind="tool"):
        pass
    with pytest.raises(ConfigurationError, match="no text"):
        track(name=7)  # type: ignore[call-overload]


def test_a_tracked_task_stays_pinned_and_its_source_counts() -> None:
    def task_of(word: str) -> Callable[[str], str]:
        @track(kind="tool")
        def inner(question: str) -> str:
            return question + word

        @track
        def task(question: str) -> str:
            return inner(question)

        return task

    first, same, other = (FunctionTask(task_of(word)).config for word in ("x", "x", "y"))
    assert first.unpinned is None
    assert first.digest() == same.digest()
    assert first.digest() != other.digest()


class Unreadable(Exception):
    def __str__(self) -> str:
        raise ValueError("not for you")


@pytest.mark.parametrize(
    ("put", "told"),
    [
        (ValueError("no luck"), "ValueError: no luck"),
        (Unreadable(), "Unreadable: (its message raised ValueError)"),
        ("no luck", "no luck"),
        (7, "7"),
    ],
)
def test_whatever_is_put_into_a_span_is_told_and_no_other_span_suffers(put: object, told: str) -> None:
    with recorded() as found:
        with track("begun") as span:
            span.error = put
            span.input = {"when": object()}
            span.output = float("nan")
        double(1)
    kept = decode_as(stored(found.spans), Spans)
    assert [span.name for span in kept.spans] == ["begun", "double"]
    assert (kept.spans[0].error, kept.spans[0].output) == (told, "nan")
    assert kept.spans[0].input == {"when": "<builtins.object>"}


def test_a_span_whose_told_input_was_changed_is_left_out_alone_and_counted() -> None:
    with recorded() as found, track("changed"):
        double(1)
    first, second = found.all
    broken = Spans(spans=(replace(first, input={"a": object()}), second))
    kept = decode_as(stored(broken), Spans)
    assert ([span.name for span in kept.spans], kept.left_out) == (["double"], 1)


@pytest.mark.parametrize("name", ["id", "parent", "begun"])
def test_where_a_span_stands_is_not_for_the_task_to_say(name: str) -> None:
    with recorded() as found, track("outer") as span, pytest.raises(AttributeError):
        setattr(span, name, "mine")
    assert [span.name for span in found.all] == ["outer"]
