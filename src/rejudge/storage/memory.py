"""A store in memory: quick, thread-safe, and gone with the process. It keeps encoded bytes, never a caller's object."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING

from rejudge.domain.errors import StoreError
from rejudge.domain.ids import id_of
from rejudge.domain.payload import decode_as
from rejudge.domain.run_config import RunConfig
from rejudge.domain.run_score import RunScore
from rejudge.domain.scorer import ScorerConfig
from rejudge.storage.memory_claims import MemoryClaims
from rejudge.storage.memory_datasets import MemoryDatasets, MemoryDraft
from rejudge.storage.memory_ratings import MemoryRatings
from rejudge.storage.memory_results import MemoryResults
from rejudge.storage.memory_rows import Rows
from rejudge.storage.memory_runs import MemoryRuns
from rejudge.storage.memory_work import MemoryWork
from rejudge.storage.records import CaseOrder, EvaluationMade

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from rejudge.domain.case import HitRecord
    from rejudge.domain.dataset import Change, DatasetVersion
    from rejudge.domain.experiment import Experiment
    from rejudge.domain.judged_trace import JudgedTrace
    from rejudge.domain.run import Run, RunState
    from rejudge.domain.span import Spans
    from rejudge.domain.trace import Trace
    from rejudge.storage.records import (
        Batch,
        CaseRow,
        Committed,
        Owner,
        RunCounts,
        RunUsage,
        ScoreRef,
        SpendingColumns,
        StoredItem,
        TraceRef,
        TraceValueColumns,
        UnitTrace,
        ValueColumns,
    )


class MemoryStore(MemoryRatings):
    """The whole bundle in this process. One lock makes every call a transaction."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open = True
        self._datasets = MemoryDatasets()
        self._claims = MemoryClaims()
        self._runs = MemoryRuns(alive=self._claims.alive)
        self._work = MemoryWork(self._datasets, self._runs, self._claims)
        super().__init__(self._turn, runs=self._runs, work=self._work)
        self._results = MemoryResults(Rows(self._datasets, self._runs, self._work), self._runs, self._work)

    def close(self) -> None:
        with self._lock:
            self._open = False

    def draft(self, dataset: str, *, reference: Sequence[str] = (), parent: int | None = None) -> MemoryDraft:
        def commit(draft: MemoryDraft, fields: Sequence[str]) -> DatasetVersion:
            with self._turn():
                return self._datasets.commit(draft, fields)

        with self._turn():
            return MemoryDraft(dataset, reference=reference, parent=parent, commit=commit)

    def version(self, dataset: str, number: int | None = None) -> DatasetVersion:
        with self._turn():
            return self._datasets.version(dataset, number)

    def find_version(self, version_id: str) -> DatasetVersion:
        with self._turn():
            return self._datasets.find(version_id)

    def versions(self, dataset: str | None = None) -> list[DatasetVersion]:
        with self._turn():
            return self._datasets.versions(dataset)

    def items(self, version_id: str, *, start: int, count: int) -> list[StoredItem]:
        with self._turn():
            return self._datasets.items(version_id, start, count)

    def changes(self, older: str, newer: str) -> Iterator[Change]:
        with self._turn():
            return iter(self._datasets.changes(older, newer))

    def enter(self, owner: Owner, *, lease_seconds: float) -> int:
        with self._turn():
            return self._claims.enter(owner, lease_seconds)

    def leave(self, owner: int) -> None:
        with self._turn():
            self._claims.leave(owner)

    def holders(self, keys: Sequence[bytes]) -> list[Owner]:
        with self._turn():
            return self._claims.holders(keys)

    def commit(self, batch: Batch, *, owner: int) -> Committed:
        with self._turn():
            return self._work.commit(batch, owner)

    def find_traces(self, keys: Sequence[bytes]) -> dict[bytes, TraceRef]:
        with self._turn():
            return self._work.find_traces(keys)

    def load_traces(self, refs: Sequence[int]) -> dict[int, Trace]:
        with self._turn():
            return self._work.load_traces(refs)

    def find_scores(self, traces: Sequence[int], scorers: Sequence[int]) -> list[ScoreRef]:
        with self._turn():
            return self._work.find_scores(traces, scorers)

    def executed(self, run_id: str) -> set[tuple[int, int]]:
        with self._turn():
            return self._results.executed(run_id)

    def latest_traces(self, experiment: str, run_config: bytes, *, start: int, count: int) -> list[UnitTrace]:
        with self._turn():
            return self._results.latest_traces(experiment, run_config, start, count)

    def save_experiment(self, experiment: Experiment) -> Experiment:
        with self._turn():
            return self._runs.save_experiment(experiment)

    def save_run_config(self, config: RunConfig) -> int:
        with self._turn():
            return self._runs.run_configs.save(config)

    def save_scorers(self, configs: Sequence[ScorerConfig]) -> list[int]:
        with self._turn():
            return [self._runs.scorers.save(config) for config in configs]

    def save_run(self, run: Run, *, owner: int) -> int:
        with self._turn():
            return self._runs.save_run(run, owner)

    def move_run(self, run_id: str, *, old: RunState, new: RunState, at: float, reason: str | None = None) -> None:
        with self._turn():
            self._runs.move(run_id, old, new, at, reason)

    def adopt_run(self, run_id: str, *, owner: int) -> int | None:
        with self._turn():
            return self._runs.adopt(run_id, owner)

    def experiments(self) -> list[Experiment]:
        with self._turn():
            return self._runs.experiments()

    def experiment(self, name: str) -> Experiment:
        with self._turn():
            return self._runs.experiment(name)

    def runs(self, experiment: str | None = None) -> list[Run]:
        with self._turn():
            return self._runs.runs(experiment)

    def run(self, run_id: str) -> Run:
        with self._turn():
            return self._runs.run(run_id)

    def run_config(self, digest: bytes) -> RunConfig:
        with self._turn():
            return decode_as(self._runs.run_configs.body(digest), RunConfig)

    def scorer(self, digest: bytes) -> ScorerConfig:
        with self._turn():
            return decode_as(self._runs.scorers.body(digest), ScorerConfig)

    def save_run_scores(self, run_id: str, scores: Sequence[RunScore]) -> None:
        with self._turn():
            self._runs.save_scores(run_id, scores)

    def run_scores(self, run_id: str) -> list[RunScore]:
        with self._turn():
            return self._runs.scores(run_id)

    def counts(self, run_id: str) -> RunCounts:
        with self._turn():
            return self._results.counts(run_id)

    def usage(self, run_id: str) -> RunUsage:
        with self._turn():
            return self._results.usage(run_id)

    def values(self, run_id: str, *, scorers: Collection[bytes], name: str) -> ValueColumns:
        with self._turn():
            return self._results.values(run_id, scorers, name)

    def trace_values(self, run_id: str, *, scorers: Collection[bytes], name: str) -> TraceValueColumns:
        with self._turn():
            return self._results.trace_values(run_id, scorers, name)

    def spending(self, run_id: str) -> SpendingColumns:
        with self._turn():
            return self._results.spending(run_id)

    def cases(
        self, run_id: str, *, start: int = 0, count: int = 500, order: CaseOrder = CaseOrder.POSITION
    ) -> list[CaseRow]:
        with self._turn():
            return self._results.cases(run_id, start, count, order)

    def case(self, run_id: str, item_id: str, *, trial: int = 0) -> CaseRow:
        with self._turn():
            return self._results.case(run_id, item_id, trial)

    def judged(self, run_id: str, *, scorers: Collection[bytes]) -> list[JudgedTrace]:
        with self._turn():
            return self._results.judged(run_id, scorers)

    def load_spans(self, traces: Sequence[int]) -> dict[int, Spans]:
        with self._turn():
            return self._work.load_spans(traces)

    def hits(self, run_id: str, *, start: int = 0, count: int = 500) -> list[HitRecord]:
        with self._turn():
            return list(islice(self._results.hits(run_id), start, start + count))

    def listed_traces(self, *, evaluation_made: EvaluationMade) -> list[str]:
        with self._turn():
            # Every trace so far was made by the run that committed it.
            made = self._work.filed() if evaluation_made is EvaluationMade.INCLUDED else []
            return [id_of("trace", digest) for digest in made]

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with self._lock:
            if not self._open:
                raise StoreError("this store is closed", fix="open it again")
            yield
