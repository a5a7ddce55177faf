"""What it costs to judge by code in a sandbox: scores a second of trivial code over stored traces.

The clock runs from the call of `evaluate_experiment` to its return: starting the sandbox, every call, and every
durable write are inside.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final, Literal, TypeAlias

from msgspec import Struct

import rejudge
from benchmarks.process import show
from benchmarks.workload import give_answer, write_items

Name: TypeAlias = Literal["monty", "bubblewrap"]

CODE: Final = """
def score(output, reference_data):
    return 1.0 if output == reference_data["answer"] else 0.0
"""

WANTED: Final[dict[Name, float]] = {"monty": 1000.0, "bubblewrap": 200.0}
"""Scores a second on two cores that have nothing else to do."""


class Judged(Struct, kw_only=True):
    """One sandbox: the median of its runs beside what is wanted of it."""

    sandbox: str
    scores_per_second: float
    wanted: float


class Sandboxes(Struct, kw_only=True):
    """Every sandbox that works here; `missing` says why another does not."""

    traces: int
    runs_of_each: int
    judged: list[Judged]
    missing: dict[str, str] = {}


def sandboxes(count: int, *, repeats: int) -> Sandboxes:
    """Judge `count` traces `repeats` times in each sandbox, in turns, each time in a store of its own."""
    seconds: dict[Name, list[float]] = {name: [] for name in WANTED}
    missing: dict[str, str] = {}
    with TemporaryDirectory(prefix="rejudge-benchmark-") as scratch:
        file = write_items(Path(scratch) / "items.jsonl", count)
        for number in range(repeats):
            for name in WANTED:
                if name not in missing:
                    try:
                        seconds[name].append(_seconds(name, file, store=Path(scratch) / f"{name}{number}.db"))
                    except rejudge.ConfigurationError as error:
                        missing[name] = error.what
    judged = [
        Judged(sandbox=name, scores_per_second=count / median(found), wanted=WANTED[name])
        for name, found in seconds.items()
        if found
    ]
    return Sandboxes(traces=count, runs_of_each=repeats, judged=judged, missing=missing)


def _seconds(name: Name, file: Path, *, store: Path) -> float:
    """The time of one rescoring; every trace must get its score."""
    evaluated = rejudge.evaluate(file, give_answer, [], store=store, progress="silent")
    judge = rejudge.code_eval(name="same", code=CODE, sandbox=name, reference_keys=("answer",))
    begun = perf_counter()
    result = rejudge.evaluate_experiment(evaluated.name, judge, store=store)
    seconds = perf_counter() - begun
    if result.summary("same").mean != 1.0 or result.errors:
        raise SystemExit(f"{name} judged wrongly: {result}")
    return seconds


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=2_000)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    show(sandboxes(asked.traces, repeats=asked.repeats))
