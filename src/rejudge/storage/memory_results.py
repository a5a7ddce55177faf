"""What a result object reads from a store in memory: rows, counts and hits, computed whenever they are asked for."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import islice
from math import fsum
from typing import TYPE_CHECKING

from rejudge.domain.case import ExecutionStatus, HitRecord
from rejudge.domain.errors import NotFound
from rejudge.domain.judged_trace import JudgedTrace, Judgement
from rejudge.domain.scale import Outcome
from rejudge.domain.score import ScoreStatus
from rejudge.storage.known import known_sum
from rejudge.storage.lookup import missing
from rejudge.storage.memory_counts import label_counts, moments, score_counts
from rejudge.storage.records import (
    CaseCounts,
    CaseOrder,
    CaseRow,
    RunCounts,
    RunUsage,
    SpendingColumns,
    TraceValueColumns,
    UnitTrace,
    ValueColumns,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from rejudge.domain.score import ScoreValue
    from rejudge.storage.memory_rows import Rows
    from rejudge.storage.memory_runs import MemoryRuns
    from rejudge.storage.memory_work import Case, MemoryWork
    from rejudge.storage.records import NewCase, NewScore


class MemoryResults:
    """Reads what runs made; its caller holds the lock."""

    def __init__(self, rows: Rows, runs: MemoryRuns, work: MemoryWork) -> None:
        self._rows = rows
        self._runs = runs
        self._work = work

    def executed(self, run_id: str) -> set[tuple[int, int]]:
        """The units that a run has a case for."""
        return {(case.new.position, case.new.trial) for case in self._work.cases(self._runs.ref(run_id))}

    def latest_traces(self, experiment: str, run_config: bytes, start: int, count: int) -> list[UnitTrace]:
        """The trace of each unit of a page in the newest run that has one."""
        latest: dict[tuple[int, int], int] = {}
        for run in sorted(self._runs.refs(experiment, run_config)):
            for position in range(start, start + count):
                for trial, case in self._work.cases_at(run, position).items():
                    if case.trace is not None:
                        latest[position, trial] = case.trace
        return [UnitTrace(*unit, self._work.ref(latest[unit])) for unit in sorted(latest)]

    def counts(self, run_id: str) -> RunCounts:
        """The numbers of a run's summary."""
        run = self._runs.ref(run_id)
        scorers = self._runs.scorers.digests
        judged: dict[bytes, list[NewScore]] = {scorer: [] for scorer in self._runs.run(run_id).scorers}
        for score in self._work.scores(run):
            judged.setdefault(scorers[score.scorer - 1], []).append(score)
        made_by: defaultdict[bytes, list[NewScore]] = defaultdict(list)
        for score in self._work.scores_made(run):
            made_by[scorers[score.scorer - 1]].append(score)
        ended = Counter(case.new.status for case in self._work.cases(run))
        return RunCounts(
            cases=CaseCounts(
                completed=ended[ExecutionStatus.COMPLETED],
                skipped=ended[ExecutionStatus.SKIPPED],
                errors=ended[ExecutionStatus.ERROR],
            ),
            scores=tuple(score_counts(scorer, scores, made=made_by[scorer]) for scorer, scores in judged.items()),
            moments=tuple(
                row
                for scorer, scores in judged.items()
                for row in moments(scorer, scores, item_of=self._rows.item_of_trace)
            ),
            labels=tuple(row for scorer, scores in judged.items() for row in label_counts(scorer, scores)),
        )

    def usage(self, run_id: str) -> RunUsage:
        """What generating the outputs of a run took."""
        run = self._runs.ref(run_id)
        traces = [self._work.trace(case.trace) for case in self._work.cases(run) if case.trace is not None]
        made = [trace for trace in traces if trace.run == run]
        usages = [trace.usage or (None, None, None) for trace in made]
        return RunUsage(
            reused=len(traces) - len(made),
            cost=known_sum(cost for _, _, cost in usages),
            known_costs=sum(cost is not None for _, _, cost in usages),
            input_tokens=known_sum(tokens for tokens, _, _ in usages),
            output_tokens=known_sum(tokens for _, tokens, _ in usages),
            seconds=fsum(trace.seconds for trace in made),
        )

    def values(self, run_id: str, scorers: Collection[bytes], name: str) -> ValueColumns:
        """What counts of the values that these scorers gave under a name in a run."""
        rows = [
            (case.position, value.number, value.label, value.outcome)
            for case, _, value in self._values(run_id, scorers, name)
        ]
        return ValueColumns(*(zip(*rows, strict=True) if rows else ((),) * 4))

    def trace_values(self, run_id: str, scorers: Collection[bytes], name: str) -> TraceValueColumns:
        """The same values with the trial and the trace of each."""
        rows = [
            (case.position, case.trial, trace, value.number, value.label)
            for case, trace, value in self._values(run_id, scorers, name)
        ]
        return TraceValueColumns(*(zip(*rows, strict=True) if rows else ((),) * 5))

    def _values(self, run_id: str, scorers: Collection[bytes], name: str) -> Iterator[tuple[NewCase, int, ScoreValue]]:
        run = self._runs.ref(run_id)
        digests = self._runs.scorers.digests
        for case in self._work.cases(run):
            for score in () if case.trace is None else self._work.scores_of(case.trace, run=run):
                if digests[score.scorer - 1] in scorers:
                    yield from ((case.new, score.trace, value) for value in score.values if value.name == name)

    def spending(self, run_id: str) -> SpendingColumns:
        """What the traces of a run took."""
        made = [
            (case.new.position, case.new.trial, self._work.trace(case.trace))
            for case in self._work.cases(self._runs.ref(run_id))
            if case.trace is not None
        ]
        rows = [(position, trial, one.seconds, *(one.usage or (None,) * 3)) for position, trial, one in made]
        return SpendingColumns(*(zip(*rows, strict=True) if rows else ((),) * 6))

    def cases(self, run_id: str, start: int, count: int, order: CaseOrder) -> list[CaseRow]:
        """A page of a run's cases."""
        cases = self._work.cases(self._runs.ref(run_id))
        if order is CaseOrder.FAILURES_FIRST:
            cases = iter(sorted(cases, key=self._rank))
        return [self._rows.row(case) for case in islice(cases, start, start + count)]

    def case(self, run_id: str, item_id: str, trial: int) -> CaseRow:
        """One case of a run."""
        cases = list(self._work.cases(self._runs.ref(run_id)))
        trials = {case.new.trial: case for case in cases if self._rows.item_id(case.new.item) == item_id}
        if trial in trials:
            return self._rows.row(trials[trial])
        if trials:
            known = ", ".join(map(str, trials))
            raise NotFound(f"run {run_id!r} has no trial {trial} of item {item_id!r}", fix=f"it has {known}")
        raise missing(f"case in run {run_id!r} of item", item_id, {self._rows.item_id(case.new.item) for case in cases})

    def judged(self, run_id: str, scorers: Collection[bytes]) -> list[JudgedTrace]:
        """The cases of a run that have a trace, with what these scorers said of each."""
        run = self._runs.ref(run_id)
        return [
            JudgedTrace(
                trace=self._work.trace(case.trace).digest,
                item_id=self._rows.item_id(case.new.item),
                trial=case.new.trial,
                said=self._said(case.trace, run, scorers),
            )
            for case in self._work.cases(run)
            if case.trace is not None
        ]

    def _said(self, trace: int, run: int, scorers: Collection[bytes]) -> dict[bytes, Judgement]:
        digests = self._runs.scorers.digests
        said: dict[bytes, Judgement] = {}
        for score in sorted(self._work.scores_of(trace, run=run), key=lambda one: one.draw):
            digest = digests[score.scorer - 1]
            if digest in scorers and not score.rest:
                said.setdefault(digest, Judgement(score.status, tuple(score.values), score.reason))
        return said

    def hits(self, run_id: str) -> Iterator[HitRecord]:
        """The hit records of a run: traces by position, then scores in the order of their reuse."""
        run = self._runs.ref(run_id)
        for case in self._work.cases(run):
            if case.trace is not None and self._rows.reused(case):
                trace = self._work.trace(case.trace)
                yield HitRecord(
                    object_type="model_output",
                    key=trace.key,
                    source_run=self._runs.id(trace.run),
                    result_hash=trace.digest,
                    hit_at=case.new.completed_at or 0.0,
                )
        for ref, at in self._work.hits(run).items():
            stored = self._work.score(ref)
            score = self._rows.score(stored)
            yield HitRecord(
                object_type="judge_score",
                key=score.digest(),
                source_run=self._runs.id(stored.run),
                result_hash=score.result_hash(),
                hit_at=at,
            )

    def _rank(self, case: Case) -> int:
        if case.new.status is ExecutionStatus.ERROR:
            return 0
        scores = [] if case.trace is None else self._work.scores_of(case.trace, run=case.new.run)
        if any(score.status is ScoreStatus.ERROR for score in scores):
            return 1
        if any(value.outcome is Outcome.FAILED for score in scores for value in score.values):
            return 2
        skipped = case.new.status is ExecutionStatus.SKIPPED
        return 3 if skipped or any(score.status is ScoreStatus.SKIPPED for score in scores) else 4
