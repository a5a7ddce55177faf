"""A task that waits, as one that calls a model does: how close the wall time comes to the ideal."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from msgspec import Struct

import rejudge
from benchmarks.process import show
from benchmarks.workload import give_answer, write_items


class IoBound(Struct, kw_only=True):
    """The median of the runs; `ideal_seconds` is what the waiting alone takes."""

    items: int
    wait_seconds: float
    concurrency: int
    ideal_seconds: float
    seconds: float
    above_ideal: float
    cpu_seconds: float


def io_bound(count: int, *, wait: float, concurrency: int, repeats: int) -> IoBound:
    """Evaluate `count` items, each time into a store that does not exist yet; the start-up is apart."""

    async def wait_and_answer(item: dict[str, str]) -> str:
        await asyncio.sleep(wait)
        return item["answer"]

    scorers = [rejudge.exact_match(reference_key="answer"), rejudge.contains(reference_key="answer")]
    seconds: list[float] = []
    with TemporaryDirectory(prefix="rejudge-benchmark-") as scratch:
        folder = Path(scratch)
        rejudge.evaluate(write_items(folder / "one.jsonl", 1), give_answer, scorers, store=folder / "one.db")
        items = write_items(folder / "items.jsonl", count)
        cpu = process_time()
        for turn in range(repeats):
            begun = perf_counter()
            rejudge.evaluate(items, wait_and_answer, scorers, store=folder / f"{turn}.db", concurrency=concurrency)
            seconds.append(perf_counter() - begun)
        cpu = (process_time() - cpu) / repeats
    ideal = -(-count // concurrency) * wait
    return IoBound(
        items=count,
        wait_seconds=wait,
        concurrency=concurrency,
        ideal_seconds=ideal,
        seconds=median(seconds),
        above_ideal=median(seconds) / ideal - 1,
        cpu_seconds=cpu,
    )


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--wait", type=float, default=0.2)
    parser.add_argument("--concurrency", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    show(io_bound(asked.items, wait=asked.wait, concurrency=asked.concurrency, repeats=asked.repeats))
