"""What it takes to summarise a million scores and to compare them with as many others, from an SQLite store.

Two runs over the same items have a score of each, in one store a pass or a failure and in another a number. The clock
runs from opening the store to the summary's or the comparison's last number, so that reading is inside; making the
stores is not.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct

import rejudge
from benchmarks.process import peak_megabytes, show
from rejudge.domain.case import ExecutionStatus
from rejudge.domain.experiment import Experiment
from rejudge.domain.ids import digest
from rejudge.domain.item import Item, content_digest
from rejudge.domain.payload import encode
from rejudge.domain.run import Run, RunState
from rejudge.domain.run_config import RunConfig
from rejudge.domain.scale import Outcome, ScoreSpec, ScoreType
from rejudge.domain.score import ScoreStatus, ScoreValue
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.trace import Produced, TraceKey, trace_digest
from rejudge.storage.liveness import this_process
from rejudge.storage.records import Batch, NewCase, NewItem, NewScore, NewTrace, StoredItem
from rejudge.wiring import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rejudge.storage.store import Store

BATCH: Final = 50_000
"""Cases in one transaction."""

RATES: Final = {"baseline": 0.60, "candidate": 0.61}
"""The tasks, and how often each passes."""

SPECS: Final = {
    "passes": ScoreSpec(name="judge"),
    "numbers": ScoreSpec(name="judge", type=ScoreType.NUMBER, low=0, high=1),
}
"""The kinds of score, each in a store of its own."""


class Read(Struct, kw_only=True):
    """The medians of reading scores of one kind; a summary is wanted within 2 seconds, a comparison within 5."""

    kind: str
    seconds_to_make: float
    megabytes: float
    summary_seconds: float
    comparison_seconds: float


class Million(Struct, kw_only=True):
    """So many scores of each of two runs, summarised and compared so often."""

    scores: int
    runs_of_each: int
    read: list[Read]
    peak_megabytes: float


def million(count: int, *, repeats: int) -> Million:
    """Make two runs of `count` scores of each kind, and read them `repeats` times."""
    with TemporaryDirectory(prefix="rejudge-benchmark-") as scratch:
        found = [_read(Path(scratch) / f"{kind}.db", kind, count, repeats=repeats) for kind in SPECS]
    return Million(scores=count, runs_of_each=repeats, read=found, peak_megabytes=peak_megabytes())


def _read(path: Path, kind: str, count: int, *, repeats: int) -> Read:
    begun = perf_counter()
    make(path, count, SPECS[kind])
    made = perf_counter() - begun
    found = Read(
        kind=kind,
        seconds_to_make=made,
        megabytes=path.stat().st_size / 2**20,
        summary_seconds=median([_summarised(path, count) for _ in range(repeats)]),
        comparison_seconds=median([_compared(path, count) for _ in range(repeats)]),
    )
    path.unlink()
    return found


def make(path: Path, count: int, spec: ScoreSpec) -> None:
    """A store with two completed runs over `count` items, written in large batches."""
    store = open_store(path)
    owner = store.enter(this_process(), lease_seconds=3600.0)
    draft = store.draft("million")
    for start in range(0, count, BATCH):
        draft.add([_item(number) for number in range(start, min(count, start + BATCH))])
    version = draft.commit(fields=["question"])
    configs = {name: RunConfig(name=name, kind="function", settings={"digest": name}) for name in RATES}
    judge = ScorerConfig(name="judge", type="function", scores=(spec,))
    (scorer,) = store.save_scorers([judge])
    experiment = store.save_experiment(
        Experiment(
            name="million",
            dataset="million",
            dataset_version=version.id,
            run_configs=tuple(config.digest() for config in configs.values()),
            scorers=(judge.digest(),),
            created_at=1.0,
        )
    )
    for number, (name, config) in enumerate(configs.items()):
        run = Run(
            id=f"0000000{number}-0000-7000-8000-000000000000",
            experiment=experiment.id,
            run_config=config.digest(),
            scorers=(judge.digest(),),
            planned=count,
            created_at=1.0,
        )
        config_ref = store.save_run_config(config)
        refs = _Refs(run=store.save_run(run, owner=owner), config=config_ref, scorer=scorer, owner=owner)
        store.move_run(run.id, old=RunState.CREATED, new=RunState.QUEUED, at=1.0)
        store.move_run(run.id, old=RunState.QUEUED, new=RunState.RUNNING, at=1.0)
        value = _value(spec, Random(number), RATES[name])
        for items in _pages(store, version.id, count):
            _judge(store, items, refs, config.digest(), value)
        store.move_run(run.id, old=RunState.RUNNING, new=RunState.COMPLETED, at=2.0)
    store.leave(owner)
    store.close()


class _Refs(Struct):
    run: int
    config: int
    scorer: int
    owner: int


def _pages(store: Store, version: str, count: int) -> Iterator[list[StoredItem]]:
    for start in range(0, count, BATCH):
        yield store.items(version, start=start, count=BATCH)


def _judge(store: Store, items: list[StoredItem], refs: _Refs, config: bytes, value: Callable[[], ScoreValue]) -> None:
    """Commit a trace, a case and a score for each item."""
    given, seen = digest("given", {}), digest("seen", {})
    produced = Produced(output="out")
    body = encode(produced)
    traces = []
    for item in items:
        key = TraceKey(item_id=item.item_id, given=given, run_config=config, trial=0).digest()
        traces.append(
            NewTrace(
                key=key,
                digest=trace_digest(key, produced),
                item=item.ref,
                run_config=refs.config,
                trial=0,
                run=refs.run,
                body=body,
                calls=None,
                usage=(100, 20, 0.001),
                started_at=1.0,
                seconds=0.5,
            )
        )
    cases = [
        NewCase(refs.run, item.position, 0, item.ref, ExecutionStatus.COMPLETED, fresh=index, completed_at=2.0)
        for index, item in enumerate(items)
    ]
    stored = store.commit(Batch(traces=traces, cases=cases), owner=refs.owner).traces
    scores = [
        NewScore(
            run=refs.run,
            trace=trace.ref,
            scorer=refs.scorer,
            seen=seen,
            status=ScoreStatus.SCORED,
            values=(value(),),
            at=2.0,
        )
        for trace in stored
    ]
    store.commit(Batch(scores=scores), owner=refs.owner)


def _value(spec: ScoreSpec, random: Random, rate: float) -> Callable[[], ScoreValue]:
    """A way to draw values that pass as often as said, or numbers whose mean is as said."""
    if spec.type is ScoreType.NUMBER:
        return lambda: ScoreValue(name=spec.key, number=random.betavariate(10 * rate, 10 * (1 - rate)))
    good = ScoreValue(name=spec.key, number=1.0, outcome=Outcome.PASSED)
    bad = ScoreValue(name=spec.key, number=0.0, outcome=Outcome.FAILED)
    return lambda: good if random.random() < rate else bad


def _item(number: int) -> NewItem:
    fields: dict[str, object] = {"question": number}
    item_id = f"q{number}"
    return NewItem(item_id, content_digest(Item(id=item_id, fields=fields)), encode(fields))


def _summarised(path: Path, count: int) -> float:
    begun = perf_counter()
    workspace = rejudge.open(path)
    summary = workspace.result("million").summary("judge", task="baseline")
    seconds = perf_counter() - begun
    workspace.close()
    if summary.n != count:
        raise SystemExit(f"{summary.n} of {count} scores were summarised")
    return seconds


def _compared(path: Path, count: int) -> float:
    begun = perf_counter()
    store = open_store(path)
    found = rejudge.compare("million:baseline", "million:candidate", store=store)
    seconds = perf_counter() - begun
    store.close()
    if found.score().comparison.n != count:
        raise SystemExit(f"{found.score().comparison.n} of {count} scores were compared")
    return seconds


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scores", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    show(million(asked.scores, repeats=asked.repeats))
