"""What an evaluation costs beside the task itself: speed, memory and disk at several sizes, and of rescoring."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from msgspec import Struct

from benchmarks.process import measured, middle, module, show
from benchmarks.run_rejudge import RejudgeRun
from benchmarks.workload import write_items

if TYPE_CHECKING:
    from collections.abc import Sequence


class Size(Struct, kw_only=True):
    """The medians of the runs at one size. The start-up is apart, except in `items_per_second_from_the_start`.

    `peak_megabytes` is the evaluation's, `last_peak_megabytes` that of the summaries and of the rescoring as well.
    """

    items: int
    items_per_second: float
    items_per_second_from_the_start: float
    scores_added_per_second: float
    microseconds_per_item: float
    cpu_microseconds_per_item: float
    cpu_microseconds_per_score_added: float
    start_up_seconds: float
    peak_megabytes: float
    last_peak_megabytes: float
    bytes_per_item: float


class Overhead(Struct, kw_only=True):
    """Every size, and how the largest compares with the one before it."""

    runs_of_each: int
    sizes: list[Size]
    time_per_item_growth: float | None = None
    bytes_per_item_growth: float | None = None
    bytes_per_item_spread: float | None = None


def overhead(counts: Sequence[int], *, repeats: int) -> Overhead:
    """Measure every size `repeats` times, in turns, each time in a fresh process."""
    runs: dict[int, list[RejudgeRun]] = {count: [] for count in counts}
    with TemporaryDirectory(prefix="rejudge-benchmark-") as scratch:
        files = {count: write_items(Path(scratch) / f"{count}.jsonl", count) for count in counts}
        for _ in range(repeats):
            for count, file in files.items():
                runs[count].append(measured(RejudgeRun, module("run_rejudge", file)))
    sizes = [_size(middle(found)) for found in runs.values()]
    found = Overhead(runs_of_each=repeats, sizes=sizes)
    if len(sizes) > 1:
        before, last = sizes[-2:]
        each = [size.bytes_per_item for size in sizes]
        found.time_per_item_growth = last.microseconds_per_item / before.microseconds_per_item
        found.bytes_per_item_growth = last.bytes_per_item / before.bytes_per_item
        found.bytes_per_item_spread = max(each) / min(each)
    return found


def _size(run: RejudgeRun) -> Size:
    start_up = run.import_seconds + run.first_seconds
    return Size(
        items=run.items,
        items_per_second=run.items / run.evaluate_seconds,
        items_per_second_from_the_start=run.items / (start_up + run.evaluate_seconds),
        scores_added_per_second=run.items / run.rescore_seconds,
        microseconds_per_item=1e6 * run.evaluate_seconds / run.items,
        cpu_microseconds_per_item=1e6 * run.evaluate_cpu_seconds / run.items,
        cpu_microseconds_per_score_added=1e6 * run.rescore_cpu_seconds / run.items,
        start_up_seconds=start_up,
        peak_megabytes=run.peak_megabytes,
        last_peak_megabytes=run.last_peak_megabytes,
        bytes_per_item=run.bytes_on_disk / run.items,
    )


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[2_000, 20_000, 200_000])
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    show(overhead(asked.items, repeats=asked.repeats))
