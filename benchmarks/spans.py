"""What recording spans costs: a task that calls five functions, once as they are and once tracked.

The clock runs from the call of `evaluate` to its return, so that telling the inputs and outputs, storing the spans with
the traces, and every durable write are inside.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct

import rejudge
from benchmarks.process import show
from benchmarks.workload import write_items

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

SPANS: Final = 5
"""Of each item."""


class SpanCost(Struct, kw_only=True):
    """The medians of both, and what they differ by for each span; wanted are at most 60 microseconds."""

    items: int
    spans_per_item: int
    runs_of_each: int
    plain_items_per_second: float
    tracked_items_per_second: float
    microseconds_per_span: float


def step(question: str, place: int) -> str:
    """One step of the task: a text in, a text out."""
    return question[place:]


tracked_step = rejudge.track(kind="tool")(step)


async def plain(item: dict[str, str]) -> str:
    """The task without spans."""
    for place in range(SPANS):
        step(item["question"], place)
    return item["answer"]


async def tracked(item: dict[str, str]) -> str:
    """The same task, of which each step is a span."""
    for place in range(SPANS):
        tracked_step(item["question"], place)
    return item["answer"]


def span_cost(count: int, *, repeats: int) -> SpanCost:
    """Evaluate `count` items `repeats` times with each task, in turns, each time in a store of its own."""
    seconds: dict[str, list[float]] = {"plain": [], "tracked": []}
    with TemporaryDirectory(prefix="rejudge-benchmark-") as scratch:
        folder = Path(scratch)
        warm_up = write_items(folder / "one.jsonl", 1)
        rejudge.evaluate(warm_up, tracked, rejudge.exact_match(reference_key="answer"), store=folder / "one.db")
        items = write_items(folder / "items.jsonl", count)
        for number in range(repeats):
            for task in (plain, tracked):
                store = folder / f"{task.__name__}{number}.db"
                seconds[task.__name__].append(_seconds(items, task, store=store, count=count))
                store.unlink()
    without, within = median(seconds["plain"]), median(seconds["tracked"])
    return SpanCost(
        items=count,
        spans_per_item=SPANS,
        runs_of_each=repeats,
        plain_items_per_second=count / without,
        tracked_items_per_second=count / within,
        microseconds_per_span=1e6 * (within - without) / (count * SPANS),
    )


def _seconds(items: Path, task: Callable[[dict[str, str]], Awaitable[str]], *, store: Path, count: int) -> float:
    scorer = rejudge.exact_match(reference_key="answer")
    begun = perf_counter()
    result = rejudge.evaluate(items, task, scorer, store=store, progress="silent")
    seconds = perf_counter() - begun
    last = next(result.cases())
    found = result.runs[0].spans(last)
    wanted = SPANS if task is tracked else 0
    if result.runs[0].counts.cases.completed != count or found is None or len(found.spans) != wanted:
        raise SystemExit(f"{task.__name__}: not every item has its {wanted} spans")
    return seconds


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    show(span_cost(asked.items, repeats=asked.repeats))
