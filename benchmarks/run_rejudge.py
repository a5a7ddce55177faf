"""One evaluation and one rescoring with rejudge, measured from inside a fresh process."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from msgspec import Struct

from benchmarks.process import peak_megabytes, show
from benchmarks.workload import give_answer, write_items


class RejudgeRun(Struct, kw_only=True):
    """Seconds of each part, and what was held in memory and on disk.

    `import_seconds` and `first_seconds` are the start-up: the import, and an evaluation of one item in a store of its
    own, which loads what is loaded when it is first used. `evaluate_seconds` goes from the call of `evaluate`, with the
    paths of a JSONL file and of a store that does not exist yet, to its return; `rescore_seconds` from the call of
    `evaluate_experiment` on the closed store to its return; `summary_seconds` is the reading of the two summaries.
    `peak_megabytes` is what the process had held when `evaluate` returned, `last_peak_megabytes` after everything.
    """

    version: str
    items: int
    import_seconds: float
    first_seconds: float
    evaluate_seconds: float
    evaluate_cpu_seconds: float
    summary_seconds: float
    rescore_seconds: float
    rescore_cpu_seconds: float
    peak_megabytes: float
    last_peak_megabytes: float
    bytes_on_disk: int


def run(items: Path, folder: Path) -> RejudgeRun:
    """Evaluate the items of a file in stores in `folder`."""
    with items.open("rb") as lines:
        count = sum(1 for _ in lines)

    begun = perf_counter()
    import rejudge

    scorers = [rejudge.exact_match(reference_key="answer"), rejudge.contains(reference_key="answer")]
    added = rejudge.pattern_match(pattern="^[0-9]+$")
    imported = perf_counter() - begun

    begun = perf_counter()
    first = rejudge.evaluate(write_items(folder / "one.jsonl", 1), give_answer, scorers, store=folder / "one.db")
    first_seconds = perf_counter() - begun
    first.store.close()

    store = folder / "all.db"
    begun, cpu = perf_counter(), process_time()
    result = rejudge.evaluate(items, give_answer, scorers, store=store, name="measured")
    evaluated, evaluated_cpu = perf_counter() - begun, process_time() - cpu
    peak = peak_megabytes()
    begun = perf_counter()
    summaries = [result.summary("exact_match"), result.summary("contains")]
    summarised = perf_counter() - begun
    result.store.close()
    size = _size(store)

    begun, cpu = perf_counter(), process_time()
    rescored = rejudge.evaluate_experiment("measured", added, store=store)
    judged, judged_cpu = perf_counter() - begun, process_time() - cpu
    summaries.append(rescored.summary("pattern_match"))
    rescored.store.close()
    if [summary.n for summary in summaries] != [count] * 3:
        raise SystemExit(f"not everything was scored: {summaries}")
    return RejudgeRun(
        version=rejudge.__version__,
        items=count,
        import_seconds=imported,
        first_seconds=first_seconds,
        evaluate_seconds=evaluated,
        evaluate_cpu_seconds=evaluated_cpu,
        summary_seconds=summarised,
        rescore_seconds=judged,
        rescore_cpu_seconds=judged_cpu,
        peak_megabytes=peak,
        last_peak_megabytes=peak_megabytes(),
        bytes_on_disk=size,
    )


def _size(store: Path) -> int:
    """The bytes of a closed store, all of them in its one file after a checkpoint."""
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return sum(file.stat().st_size for file in store.parent.glob(f"{store.name}*"))


if __name__ == "__main__":
    with TemporaryDirectory(prefix="rejudge-benchmark-") as scratch:
        show(run(Path(sys.argv[1]).resolve(), Path(scratch)))
