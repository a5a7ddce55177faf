"""Tasks that open spans in every way, scorers that look at them, and what was recorded of an item."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import rejudge
from rejudge import Verdict, track
from rejudge.domain.span import Span, SpanTree

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


def spans_of(result: rejudge.Result, item: str) -> tuple[Span, ...]:
    run = result.runs[0]
    found = run.spans(run.case(item))
    return () if found is None else found.spans
