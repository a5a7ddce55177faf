"""Spans of OpenTelemetry, from a real SDK: filed under the item in whose task call they began, and read."""

from __future__ import annotations

import asyncio
import json
from threading import Thread

import pytest

import rejudge
from rejudge import track
from rejudge.domain.span import Span, SpanTree
from rejudge.domain.usage import Usage
from rejudge.tasks.otel import listen

pytest.importorskip("opentelemetry.sdk.trace", reason="the extra rejudge[otel] is not installed")

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.trace import Status, StatusCode

TRACER = trace.get_tracer("an instrumentation")
"""Made before any provider is set, as a library makes it."""

FEW = [{"id": f"i{place}", "question": f"q{place}"} for place in range(4)]


class Exporting(SpanProcessor):
    """What the user's own processor sees."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def on_end(self, span: ReadableSpan) -> None:
        self.names.append(span.name)


@pytest.fixture(scope="module")
def exporting() -> Exporting:
    """The user's own provider, which is used where one is set; the process has one for good."""
    seen = Exporting()
    listen()
    provider = trace.get_tracer_provider()
    assert isinstance(provider, TracerProvider)
    provider.add_span_processor(seen)
    return seen


def chat(question: str) -> str:
    """What an instrumented SDK does."""
    with TRACER.start_as_current_span("chat gpt-x") as span:
        span.set_attributes(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": "gpt-x",
                "gen_ai.response.model": "gpt-x-2026",
                "gen_ai.usage.input_tokens": 7,
                "gen_ai.usage.output_tokens": 9,
                "gen_ai.input.messages": json.dumps([{"role": "user", "content": question}]),
                "gen_ai.output.messages": json.dumps([{"role": "assistant", "content": question.upper()}]),
                "server.address": "example.org",
            }
        )
        return question.upper()


def spans_of(result: rejudge.Result, item: str = "i0") -> tuple[Span, ...]:
    run = result.runs[0]
    found = run.spans(run.case(item))
    assert found is not None
    return found.spans


def how_many(task_span: SpanTree) -> float:
    return float(len([*task_span.find_all()]))


def evaluated(task: object) -> rejudge.Result:
    result = rejudge.evaluate(FEW, task, how_many, store="memory:", progress="silent")  # type: ignore[arg-type]
    assert result.runs[0].complete
    return result


def test_a_model_call_of_an_instrumented_library_is_read(exporting: Exporting) -> None:
    def task(question: str) -> str:
        return chat(question)

    (span,) = spans_of(evaluated(task), "i2")
    assert (span.name, span.kind, span.model) == ("chat gpt-x", "model", "gpt-x-2026")
    assert span.usage == Usage(input_tokens=7, output_tokens=9)
    assert span.input == [{"role": "user", "content": "q2"}]
    assert span.output == [{"role": "assistant", "content": "Q2"}]
    assert span.attributes["server.address"] == "example.org"
    assert "gen_ai.input.messages" not in span.attributes
    assert span.seconds is not None
    assert 0 <= span.started < 60
    assert exporting.names.count("chat gpt-x") >= len(FEW)


def test_tracked_functions_and_their_spans_nest_both_ways(exporting: Exporting) -> None:
    @track
    def inner(question: str) -> str:
        return chat(question)

    @track
    async def outer(question: str) -> str:
        with TRACER.start_as_current_span("between"):
            return await asyncio.to_thread(inner, question)

    async def task(question: str) -> str:
        found = await asyncio.gather(outer(question), outer(question))
        return found[0]

    spans = spans_of(evaluated(task))
    names = {span.id: span.name for span in spans} | {0: "task"}
    pairs = sorted((names[span.parent], span.name) for span in spans)
    assert pairs == sorted(2 * [("task", "outer"), ("outer", "between"), ("between", "inner"), ("inner", "chat gpt-x")])


def test_spans_begun_in_plain_threads_are_filed_under_the_item(exporting: Exporting) -> None:
    def task(question: str) -> str:
        threads = [Thread(target=chat, args=(question,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return question

    result = evaluated(task)
    for row in FEW:
        found = spans_of(result, row["id"])
        assert [span.input for span in found] == 3 * [[{"role": "user", "content": row["question"]}]]


def test_openinference_attributes_are_read(exporting: Exporting) -> None:
    def task(question: str) -> str:
        with TRACER.start_as_current_span("ChatCompletion") as span:
            span.set_attributes(
                {
                    "openinference.span.kind": "LLM",
                    "llm.model_name": "small",
                    "llm.token_count.prompt": 5,
                    "input.value": question,
                    "llm.output_messages.0.message.role": "assistant",
                    "llm.output_messages.0.message.content": "yes",
                }
            )
        with TRACER.start_as_current_span("lookup") as span:
            span.set_attributes({"openinference.span.kind": "RETRIEVER", "input.value": "x", "output.value": '["d"]'})
        return question

    model, retrieval = spans_of(evaluated(task))
    assert (model.kind, model.model, model.input) == ("model", "small", "q0")
    assert model.usage == Usage(input_tokens=5)
    assert model.output == [{"role": "assistant", "content": "yes"}]
    assert (retrieval.kind, retrieval.input, retrieval.output) == ("retrieval", "x", ["d"])


def test_what_failed_says_with_what(exporting: Exporting) -> None:
    def task(question: str) -> str:
        with pytest.raises(ValueError, match="broken"), TRACER.start_as_current_span("call"):
            raise ValueError("broken")
        with TRACER.start_as_current_span("status") as span:
            span.set_status(Status(StatusCode.ERROR, "refused"))
        return question

    assert [span.error for span in spans_of(evaluated(task))] == ["ValueError: broken", "refused"]


def test_spans_of_scorers_and_of_everything_else_are_not_filed(exporting: Exporting) -> None:
    def task(question: str) -> str:
        return chat(question)

    def scorer(output: str) -> bool:
        with TRACER.start_as_current_span("chat gpt-x"):
            return bool(output)

    with TRACER.start_as_current_span("around everything"):
        first = rejudge.evaluate(FEW, task, scorer, store="memory:", name="e")
        again = rejudge.evaluate_experiment("e", [how_many, scorer], store=first.store)
    assert again.summary("how_many").mean == 1.0


def test_hostile_attributes_are_bounded(exporting: Exporting) -> None:
    def task(question: str) -> str:
        with TRACER.start_as_current_span("n" * 10_000) as span:
            for number in range(1_000):
                span.set_attribute(f"a{number}", "x" * 5_000)
            span.set_attribute("gen_ai.input.messages", "[" * 5_000)
            span.set_attribute("gen_ai.usage.input_tokens", -4)
            span.set_attribute("gen_ai.usage.output_tokens", 2**62)
        return question

    (span,) = spans_of(evaluated(task))
    assert len(span.name) == 200
    assert len(span.attributes) <= 130
    assert len(str(span)) < 2_000_000


def test_the_processor_is_added_once(exporting: Exporting) -> None:
    def task(question: str) -> str:
        return chat(question)

    for _ in range(3):
        assert len(spans_of(evaluated(task))) == 1
