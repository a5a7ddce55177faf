"""Spans of task calls: each under its own item, kept with the trace, and shown to the scorers that ask for them."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread

import pytest

import rejudge
from rejudge import ModelCall, Outcome, Reply, ScriptedProvider, Transient, Usage, Verdict, track
from rejudge.domain.score import ScoreStatus
from rejudge.domain.span import Span, SpanTree
from rejudge.front.report import case_report
from rejudge.storage.memory import MemoryStore
from rejudge.wiring import Address

ITEMS, CONCURRENCY = 200, 50
FEW = [{"id": f"i{place}", "question": f"q{place}"} for place in range(6)]


def pause() -> float:
    return random.random() / 200


@track(kind="tool")
def look(question: str) -> str:
    time.sleep(pause())
    return question.upper()


@track(kind="tool")
async def look_later(question: str) -> str:
    await asyncio.sleep(pause())
    return question.upper()


@track(kind="agent")
async def inner(question: str) -> list[str]:
    return [await look_later(question), await asyncio.to_thread(look, question)]


def sync_task(question: str) -> str:
    with track("block"):
        look(question)
    return look(question)


async def async_task(question: str) -> str:
    with track("block"):
        await look_later(question)
    return (await inner(question))[0]


def threads_task(question: str) -> str:
    threads = [Thread(target=look, args=(question,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(look, [question, question]))
    for thread in threads:
        thread.join()
    return question.upper()


async def gather_task(question: str) -> str:
    loop = asyncio.get_running_loop()
    found = await asyncio.gather(
        inner(question), asyncio.create_task(look_later(question)), loop.run_in_executor(None, look, question)
    )
    return found[1]


SPANS: dict[Callable[..., object], int] = {sync_task: 3, async_task: 5, threads_task: 4, gather_task: 5}
"""How many spans each task makes of an item."""


def strangers(task_span: SpanTree, question: str) -> Verdict:
    """Passes where every span was given and put out what belongs to the item."""
    wrong = [
        f"{span.name} of {span.input}"
        for span in task_span.find_all(kind="tool")
        if span.input != {"question": question} or span.output != question.upper()
    ]
    return Verdict.of(not wrong and task_span.output == question.upper(), ", ".join(wrong))


def how_many(spans: list[SpanTree]) -> float:
    return float(len(spans))


def tools(task_span: SpanTree) -> float:
    return float(len([*task_span.find_all(kind="tool")]))


def values(result: rejudge.Result, scorer: str) -> set[float | None]:
    digests = {
        config.digest() for config in map(result.store.scorer, result.runs[0].run.scorers) if config.name == scorer
    }
    return {score.values[0].number for row in result.cases() for score in row.scores if score.scorer in digests}


@pytest.mark.parametrize("task", SPANS, ids=lambda task: task.__name__)
def test_each_span_lands_under_its_own_item(task: Callable[..., object], store: Address) -> None:
    rows = [{"id": f"i{place}", "question": f"q{place}"} for place in range(ITEMS)]
    result = rejudge.evaluate(rows, task, [strangers, how_many], store=store, concurrency=CONCURRENCY)
    assert result.runs[0].complete
    assert values(result, "strangers") == {1.0}
    assert values(result, "how_many") == {float(SPANS[task])}


def test_two_evaluations_at_once_do_not_mix(tmp_path: Path) -> None:
    rows = [[{"id": f"i{place}", "question": f"{side}{place}"} for place in range(60)] for side in "ab"]

    def one(side: int) -> rejudge.Result:
        task = (gather_task, threads_task)[side]
        return rejudge.evaluate(
            rows[side], task, [strangers, how_many], store=tmp_path / f"{side}.db", concurrency=20, progress="silent"
        )

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(one, range(2)))
    assert [values(result, "strangers") for result in results] == [{1.0}, {1.0}]
    assert [values(result, "how_many") for result in results] == [{5.0}, {4.0}]


def test_a_span_scorer_that_is_added_later_is_told_the_same_and_nothing_is_called(store: Address) -> None:
    calls: list[str] = []

    def task(question: str) -> str:
        calls.append(question)
        return sync_task(question)

    task.version = "1"  # type: ignore[attr-defined]
    first = rejudge.evaluate(FEW, task, [], store=store, name="e")
    assert len(calls) == len(FEW)
    rescored = rejudge.evaluate_experiment("e", [how_many, strangers], store=first.store)
    again = rejudge.evaluate(FEW, task, [tools], store=first.store, name="e")
    assert len(calls) == len(FEW)
    assert values(rescored, "how_many") == {3.0}
    assert values(rescored, "strangers") == {1.0}
    assert values(again, "tools") == {2.0}


def test_span_scores_are_there_for_the_items_that_ended_though_another_failed(store: Address) -> None:
    broken = Event()
    calls: list[str] = []

    def task(item: dict[str, str]) -> str:
        calls.append(item["id"])
        if item["id"] == "i3" and not broken.is_set():
            raise ValueError("not yet")
        return look(item["question"])

    task.version = "1"  # type: ignore[attr-defined]
    first = rejudge.evaluate(FEW, task, how_many, store=store)
    assert first.runs[0].counts.cases.errors == 1
    assert first.summary("how_many").n == len(FEW) - 1
    broken.set()
    second = rejudge.evaluate(FEW, task, how_many, store=first.store)
    assert calls.count("i3") == 2
    assert len(calls) == len(FEW) + 1
    assert second.summary("how_many").n == len(FEW)


def test_the_task_span_is_the_task_itself() -> None:
    seen: list[SpanTree] = []

    def remember(task_span: SpanTree) -> bool:
        seen.append(task_span)
        return True

    remember.version = "1"  # type: ignore[attr-defined]
    rejudge.evaluate(FEW[:1], async_task, remember, store="memory:")
    (root,) = seen
    assert (root.name, root.kind, root.input, root.output) == ("async_task", "task", {"question": "q0"}, "Q0")
    assert [span.name for span in root.children] == ["block", "inner"]
    assert [span.name for span in root.children[1].children] == ["look_later", "look"]
    found = root.find("look")
    assert found is not None
    assert found.input == {"question": "q0"}
    assert root.find("nobody") is None


def test_what_one_scorer_does_to_the_spans_no_other_sees() -> None:
    def spoiling(task_span: SpanTree) -> bool:
        task_span.children.clear()
        return True

    result = rejudge.evaluate(FEW, sync_task, [spoiling, how_many], store="memory:")
    assert values(result, "how_many") == {3.0}


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


def spans_of(result: rejudge.Result, item: str) -> tuple[Span, ...]:
    run = result.runs[0]
    found = run.spans(run.case(item))
    return () if found is None else found.spans


def test_recorded_outputs_have_no_spans_so_their_scorers_skip(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text('{"id": "i0", "output": "x"}\n{"id": "i1", "output": "y"}\n')
    expression = rejudge.exact_match(value_expression="trace.spans | length | string", expected_value="0")
    result = rejudge.evaluate(
        FEW[:2], rejudge.replay(tmp_path / "out.jsonl"), [how_many, tools, expression], store="memory:"
    )
    assert result.runs[0].complete
    for row in result.cases():
        assert {(score.status, score.cause) for score in row.scores} == {(ScoreStatus.SKIPPED, "missing_spans")}
        assert all("spans" in score.reason or "task_span" in score.reason for score in row.scores)


def test_a_task_that_records_nothing_has_no_spans_and_is_judged(store: Address) -> None:
    def silent(question: str) -> str:
        return question

    assert values(rejudge.evaluate(FEW, silent, how_many, store=store), "how_many") == {0.0}


def test_expressions_read_the_spans(store: Address) -> None:
    expression = "trace.spans | selectattr('kind', 'equalto', 'tool') | map(attribute='output') | join('+')"
    scorer = rejudge.exact_match(value_expression=expression, expected_value="Q0+Q0", name="tools")
    result = rejudge.evaluate(FEW, sync_task, scorer, store=store)
    outcomes = {row.item.id: row.scores[0].values[0].outcome for row in result.cases()}
    assert outcomes["i0"] is Outcome.PASSED
    assert outcomes["i1"] is Outcome.FAILED


def test_a_judge_reads_the_spans_and_none_of_its_own(store: Address) -> None:
    provider = ScriptedProvider(lambda call: Reply(text='{"careful": true}'))
    judge = rejudge.llm_judge(
        name="careful",
        model="m",
        prompt_template="{% for span in trace.spans %}[{{ span.name }}: {{ span.output }}]{% endfor %} {{ output }}",
    )

    @track(name="block")  # a name that the task uses as well
    def own(output: str) -> bool:
        look("a scorer's own")
        return bool(output)

    first = rejudge.evaluate(FEW[:2], sync_task, [own, judge], store=store, provider=provider, name="e")
    rejudge.evaluate_experiment("e", [how_many, own], store=first.store)
    asked = [str(call.messages[1]["content"]) for call in provider.calls if isinstance(call, ModelCall)]
    assert sorted(text.split("\n")[0] for text in asked if "look" in text)
    assert all(text.count("look:") == 2 for text in asked)
    assert not any("own" in text or "scorer" in text for text in asked)
    assert len(spans_of(first, "i0")) == 3


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
    assert "endless · step · still open" in shown
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
