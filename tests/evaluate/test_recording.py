"""What is recorded inside a task call, how long it is waited for, and that recording never disturbs the task."""

from __future__ import annotations

import logging
import time
from collections.abc import Generator
from threading import Event, Thread

import pytest

import rejudge
from rejudge import ModelCall, Reply, ScriptedProvider, Transient, Usage, track
from rejudge.front.report import case_report
from rejudge.storage.memory import MemoryStore
from rejudge.wiring import Address
from tests.evaluate.span_tasks import FEW, how_many, look, spans_of, strangers, sync_task, values


def test_a_retried_try_starts_clean() -> None:
    tries: dict[str, int] = {}

    def task(question: str) -> str:
        tries[question] = tries.get(question, 0) + 1
        look(f"try {tries[question]}")
        if tries[question] == 1:
            raise Transient("once more")
        return question

    task.version = "1"  # type: ignore[attr-defined]
    result = rejudge.evaluate(FEW[:2], task, [how_many], store="memory:")
    assert values(result, "how_many") == {1.0}
    assert {span.input["question"] for span in spans_of(result, "i0") if isinstance(span.input, dict)} == {"try 2"}


def test_spans_that_end_a_little_late_are_waited_for() -> None:
    def task(question: str) -> str:
        begun = Event()

        def late() -> None:
            with track("late") as span:
                begun.set()
                time.sleep(0.1)
                span.output = "done"

        Thread(target=late).start()
        begun.wait()
        return question

    result = rejudge.evaluate(FEW[:2], task, how_many, store="memory:")
    assert [span.output for span in spans_of(result, "i0")] == ["done"]


def test_the_wait_ends_and_says_what_was_still_open(caplog: pytest.LogCaptureFixture) -> None:
    release = Event()
    ended = Event()

    def task(question: str) -> str:
        begun = Event()

        def late() -> None:
            with track("endless"):
                begun.set()
                release.wait(20)
            ended.set()

        Thread(target=late, daemon=True).start()
        begun.wait()
        return question

    task.version = "1"  # type: ignore[attr-defined]
    begun = time.perf_counter()
    with caplog.at_level(logging.WARNING):
        result = rejudge.evaluate(FEW[:1], task, how_many, store="memory:", span_wait=0.2)
    assert 0.2 <= time.perf_counter() - begun < 10
    assert "1 spans were still open 0.2 s after the task had returned" in caplog.text
    row = result.runs[0].case("i0")
    spans = result.runs[0].spans(row)
    assert spans is not None
    assert (spans.unended, [(span.name, span.seconds) for span in spans.spans]) == (1, [("endless", None)])
    assert spans.waited >= 0.2
    assert row.trace is not None
    assert row.trace.seconds < 0.15  # waiting is no part of what the task took
    shown = case_report(row, {}, spans)
    assert "1 span; 1 still open when the task had returned after a wait of" in shown
    assert "endless · general · still open" in shown
    release.set()
    assert ended.wait(10)
    again = result.runs[0].spans(row)
    assert again == spans


def model_task(question: str) -> Generator[ModelCall | list[ModelCall], Reply, str]:
    reply = yield ModelCall(model="m/small", messages=[{"role": "user", "content": question}])
    with track("after"):
        return reply.text


def test_the_model_calls_of_a_generator_are_spans() -> None:
    provider = ScriptedProvider(lambda call: Reply(text="hi", usage=Usage(input_tokens=3, output_tokens=4)))
    result = rejudge.evaluate(FEW[:1], model_task, how_many, store="memory:", provider=provider)
    asked, after = spans_of(result, "i0")
    assert (asked.name, asked.kind, asked.output) == ("m/small", "model", "hi")
    assert asked.input == [{"role": "user", "content": "q0"}]
    assert asked.usage == Usage(input_tokens=3, output_tokens=4)
    assert after.name == "after"


def test_a_task_in_a_process_of_its_own_records_too(store: Address) -> None:
    result = rejudge.evaluate(FEW[:3], sync_task, [strangers, how_many], store=store, isolation="process")
    assert values(result, "strangers") == {1.0}
    assert values(result, "how_many") == {3.0}


def test_an_evaluation_inside_a_task_keeps_its_spans_to_itself() -> None:
    store = MemoryStore()

    def outer(question: str) -> str:
        result = rejudge.evaluate(
            [{"id": "x", "question": f"inner {question}"}], sync_task, own_steps, store=store, progress="silent"
        )
        return look(question) if result.runs[0].complete else "incomplete"

    outer.version = "1"  # type: ignore[attr-defined]
    result = rejudge.evaluate(FEW[:3], outer, [how_many, strangers], store="memory:")
    assert values(result, "how_many") == {1.0}
    assert values(result, "strangers") == {1.0}


def own_steps(output: str) -> bool:
    return bool(look(output))


class Hostile:
    def __repr__(self) -> str:
        raise SystemExit("never mind")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]


def test_whatever_is_recorded_never_disturbs_the_task(store: Address) -> None:
    @track
    def takes(anything: object, **more: object) -> object:
        return anything

    def task(question: str) -> str:
        circle: list[object] = []
        circle.append(circle)
        deep: object = "end"
        for _ in range(500):
            deep = [deep]
        for value in (
            Hostile(),
            circle,
            deep,
            float("nan"),
            {1: Hostile()},
            "\ud800",
            10**5000,
            b"x" * 10**6,
            {}.items,
        ):
            takes(value, more=value)
        takes("x" * 10**7)
        takes([[number] * 50 for number in range(5_000)])
        with track("attributes") as span:
            span.attributes.update({f"a{number}": "x" * 1_000 for number in range(500)})
        return question

    task.version = "1"  # type: ignore[attr-defined]
    result = rejudge.evaluate(FEW[:1], task, how_many, store=store)
    assert result.runs[0].complete
    spans = spans_of(result, "i0")
    assert len(spans) == 12
    assert "Hostile" in str(spans[0].output)
    assert len(str(spans)) < 2_000_000
    assert len(spans[-1].attributes) <= 129


def test_a_wait_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(rejudge.ConfigurationError, match="span_wait"):
        rejudge.evaluate(FEW, sync_task, how_many, store="memory:", span_wait=-1)
