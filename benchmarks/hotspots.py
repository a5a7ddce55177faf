"""Where the time of an evaluation and of a rescoring goes: which thread, which stage, which functions.

The split between the threads is measured without a profiler; the table of functions with one, which makes small
functions look dearer than they are: read it as an order, not as figures.
"""

from __future__ import annotations

import cProfile
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time, thread_time
from types import CodeType
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

import rejudge
from benchmarks.process import ROOT, show
from benchmarks.workload import give_answer, write_items

if TYPE_CHECKING:
    from rejudge import Result

Work: TypeAlias = "Callable[[], Result]"

_WAITING = ("method 'poll' of 'select.", "method 'control' of 'select.")
"""What the event loop does while it has nothing to do."""


class Spot(Struct, kw_only=True):
    """One function in the main thread, its own time in microseconds per item under the profiler."""

    function: str
    calls_per_item: float
    own: float
    with_what_it_calls: float


class Spent(Struct, kw_only=True):
    """Microseconds per item: on the clock, and of processor time in the main thread and in the writer's."""

    wall: float
    main: float
    writer: float
    spots: list[Spot]


class Hotspots(Struct, kw_only=True):
    """The two halves of the main job."""

    items: int
    evaluation: Spent
    rescoring: Spent


def hotspots(count: int, *, rows: int) -> Hotspots:
    """Do both twice, without a profiler and with one, each time on a store of its own."""
    scorers = [rejudge.exact_match(reference_key="answer"), rejudge.contains(reference_key="answer")]
    added = rejudge.pattern_match(pattern="^[0-9]+$")
    with TemporaryDirectory(prefix="rejudge-benchmark-") as scratch:
        folder = Path(scratch)
        rejudge.evaluate(write_items(folder / "one.jsonl", 1), give_answer, scorers, store=folder / "one.db")
        items = write_items(folder / "items.jsonl", count)

        def evaluate(store: str) -> Work:
            return lambda: rejudge.evaluate(items, give_answer, scorers, store=folder / store, name="measured")

        def rescore(store: str) -> Work:
            return lambda: rejudge.evaluate_experiment("measured", added, store=folder / store)

        evaluation, rescoring = _timed(evaluate("timed.db"), count), _timed(rescore("timed.db"), count)
        evaluation.spots = _profiled(evaluate("profiled.db"), count, rows=rows)
        rescoring.spots = _profiled(rescore("profiled.db"), count, rows=rows)
    return Hotspots(items=count, evaluation=evaluation, rescoring=rescoring)


def _timed(work: Work, count: int) -> Spent:
    wall, everywhere, here = perf_counter(), process_time(), thread_time()
    result = work()
    wall, everywhere, here = perf_counter() - wall, process_time() - everywhere, thread_time() - here
    result.store.close()
    each = 1e6 / count
    return Spent(wall=wall * each, main=here * each, writer=(everywhere - here) * each, spots=[])


def _profiled(work: Work, count: int, *, rows: int) -> list[Spot]:
    with cProfile.Profile() as profile:
        result = work()
    result.store.close()
    each = 1e6 / count
    ranked = sorted(profile.getstats(), key=lambda entry: -entry.inlinetime)
    spots = [
        Spot(
            function=_named(entry.code),
            calls_per_item=entry.callcount / count,
            own=entry.inlinetime * each,
            with_what_it_calls=entry.totaltime * each,
        )
        for entry in ranked
    ]
    return [spot for spot in spots if not spot.function.startswith(_WAITING)][:rows]


def _named(code: CodeType | str) -> str:
    """A function and the file it is in, without the machine's own paths."""
    if isinstance(code, str):
        return code.strip("<>")
    path = Path(code.co_filename)
    package = ROOT / "src" / "rejudge"
    place = path.relative_to(package) if path.is_relative_to(package) else Path(*path.parts[-2:])
    return f"{place}: {code.co_name}"


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--rows", type=int, default=15)
    asked = parser.parse_args()
    show(hotspots(asked.items, rows=asked.rows))
