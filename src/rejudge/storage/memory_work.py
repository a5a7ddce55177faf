"""Traces, cases, scores and hits in memory: what a running evaluation commits and looks up."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rejudge.domain.call import CallRecord
from rejudge.domain.case import ExecutionErrorType, ExecutionStatus
from rejudge.domain.errors import NotFound, RecordError
from rejudge.domain.payload import decode_as
from rejudge.domain.span import Spans
from rejudge.domain.trace import Produced, Trace
from rejudge.domain.usage import Usage
from rejudge.storage.records import Committed, ScoreRef, TraceRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rejudge.storage.memory_claims import MemoryClaims
    from rejudge.storage.memory_datasets import MemoryDatasets
    from rejudge.storage.memory_runs import MemoryRuns
    from rejudge.storage.records import Batch, Inheritance, NewCase, NewScore, NewTrace

ScoreKey: TypeAlias = "tuple[int, bytes, int, bytes, int]"


class Case(NamedTuple):
    """A stored case with the ref of its trace; `lost` is its own trace where another was stored first."""

    new: NewCase
    trace: int | None
    lost: NewTrace | None


class MemoryWork:
    """What the runs of one store made; its caller holds the lock."""

    def __init__(self, datasets: MemoryDatasets, runs: MemoryRuns, claims: MemoryClaims) -> None:
        self._datasets = datasets
        self._runs = runs
        self._claims = claims
        self._filed: dict[bytes, int] = {}
        self._traces: list[NewTrace] = []
        self._cases: dict[int, dict[int, dict[int, Case]]] = {}
        self._scores: list[NewScore] = []
        self._late: list[NewScore] = []
        self._score_refs: dict[tuple[ScoreKey, int], int] = {}
        self._scores_of_trace: dict[int, list[int]] = {}
        self._scores_of_run: dict[int, list[int]] = {}
        self._hits: dict[int, dict[int, float]] = {}

    def commit(self, batch: Batch, owner: int) -> Committed:
        """Write a batch, checked as a whole before anything of it is kept."""
        self._check(batch, owner)
        self._claims.release(batch.releases, owner)
        for ref in batch.dropped:
            if self._filed.get(self._traces[ref - 1].key) == ref:
                del self._filed[self._traces[ref - 1].key]
        refs, lost = self._write_traces(batch.traces)
        self._write_cases(batch, refs, lost)
        self._write_scores(batch.scores)
        for hit in batch.hits:
            self._hits.setdefault(hit.run, {}).setdefault(hit.score, hit.at)
        for inherited in batch.inherited:
            self._inherit(inherited)
        granted = self._claims.take((key for key in batch.claims if key not in self._filed), owner)
        return Committed(granted, tuple(map(self.ref, refs)), frozenset(lost))

    def find_traces(self, keys: Sequence[bytes]) -> dict[bytes, TraceRef]:
        """The filed traces among these keys."""
        return {key: self.ref(self._filed[key]) for key in keys if key in self._filed}

    def load_traces(self, refs: Sequence[int]) -> dict[int, Trace]:
        """The readable traces among these."""
        loaded = ((ref, self.load(ref)) for ref in refs if 0 < ref <= len(self._traces))
        return {ref: trace for ref, trace in loaded if trace is not None}

    def find_scores(self, traces: Sequence[int], scorers: Sequence[int]) -> list[ScoreRef]:
        """The scores of these traces by these scorers."""
        wanted = frozenset(scorers)
        found = []
        for trace in traces:
            for ref in self._scores_of_trace.get(trace, ()):
                score = self._scores[ref - 1]
                if score.scorer in wanted:
                    found.append(ScoreRef(ref, trace, score.scorer, score.seen, score.attempt, score.status, score.run))
        return found

    def load(self, ref: int) -> Trace | None:
        """One trace, or None where its bytes cannot be read."""
        new = self._traces[ref - 1]
        try:
            produced = decode_as(new.body, Produced)
            calls = () if new.calls is None else decode_as(new.calls, tuple[CallRecord, ...])
        except ValueError:
            return None
        return Trace(
            key=new.key,
            produced=produced,
            calls=calls,
            usage=usage_of(new),
            started_at=new.started_at,
            seconds=new.seconds,
        )

    def load_spans(self, refs: Sequence[int]) -> dict[int, Spans]:
        """The readable spans that were recorded with these traces."""
        known = [self._traces[ref - 1] if 0 < ref <= len(self._traces) else None for ref in refs]
        found = ((ref, read_spans(new.spans)) for ref, new in zip(refs, known, strict=True) if new is not None)
        return {ref: spans for ref, spans in found if spans is not None}

    def ref(self, ref: int) -> TraceRef:
        """The reference of a trace."""
        new = self._traces[ref - 1]
        return TraceRef(ref, new.key, new.digest, new.run)

    def trace(self, ref: int) -> NewTrace:
        """A trace as it was stored."""
        return self._traces[ref - 1]

    def digest(self, ref: int) -> bytes | None:
        """The digest of the trace with this ref, if there is one."""
        return self._traces[ref - 1].digest if 0 < ref <= len(self._traces) else None

    def score(self, ref: int) -> NewScore:
        """A score as it was stored."""
        return self._scores[ref - 1]

    def filed(self) -> list[bytes]:
        """The digests of all filed traces."""
        return [self._traces[ref - 1].digest for ref in self._filed.values()]

    def cases(self, run: int) -> Iterator[Case]:
        """The cases of a run by position and trial."""
        cases = self._cases.get(run, {})
        return (cases[position][trial] for position in sorted(cases) for trial in sorted(cases[position]))

    def cases_at(self, run: int, position: int) -> dict[int, Case]:
        """The cases of a run at one position, by trial."""
        return self._cases.get(run, {}).get(position, {})

    def hits(self, run: int) -> dict[int, float]:
        """The scores that a run reuses, with the time."""
        return self._hits.get(run, {})

    def scores(self, run: int) -> list[NewScore]:
        """What counts in a run of its own scores and those that it reuses."""
        return self._current([*self._scores_of_run.get(run, ()), *self.hits(run)])

    def scores_made(self, run: int) -> list[NewScore]:
        """The scores that the run made itself, every attempt of them, and those that came too late to be stored."""
        return [score for score in [*self._scores, *self._late] if score.run == run]

    def scores_of(self, trace: int, *, run: int) -> list[NewScore]:
        """What counts in a run of the scores of one trace."""
        hits = self.hits(run)
        refs = self._scores_of_trace.get(trace, ())
        return self._current(ref for ref in refs if ref in hits or self._scores[ref - 1].run == run)

    def _inherit(self, inherited: Inheritance) -> None:
        source = self._runs.ref(inherited.source)
        hits = self._hits.setdefault(inherited.run, {})
        for ref in [*self._scores_of_run.get(source, ()), *self.hits(source)]:
            if self._scores[ref - 1].scorer in inherited.scorers:
                hits.setdefault(ref, inherited.at)

    def _current(self, refs: Iterable[int]) -> list[NewScore]:
        last: dict[ScoreKey, NewScore] = {}
        for ref in refs:
            score = self._scores[ref - 1]
            other = last.setdefault(_key(score), score)
            if score.attempt > other.attempt:
                last[_key(score)] = score
        return list(last.values())

    def _write_traces(self, traces: Sequence[NewTrace]) -> tuple[list[int], set[int]]:
        refs, lost = [], set()
        for index, trace in enumerate(traces):
            ref = self._filed.setdefault(trace.key, len(self._traces) + 1)
            if ref > len(self._traces):
                self._traces.append(trace)
                self._claims.settle(trace.key)
            else:
                lost.add(index)
            refs.append(ref)
        return refs, lost

    def _write_cases(self, batch: Batch, refs: Sequence[int], lost: set[int]) -> None:
        for case in batch.cases:
            trace, spent = case.trace, None
            if case.fresh is not None:
                trace = refs[case.fresh]
                spent = batch.traces[case.fresh] if case.fresh in lost else None
            trials = self._cases.setdefault(case.run, {}).setdefault(case.position, {})
            trials.setdefault(case.trial, Case(case, trace, spent))

    def _write_scores(self, scores: Sequence[NewScore]) -> None:
        for score in scores:
            ref = self._score_refs.setdefault((_key(score), score.attempt), len(self._scores) + 1)
            if ref > len(self._scores):
                self._scores.append(score)
                self._scores_of_trace.setdefault(score.trace, []).append(ref)
                self._scores_of_run.setdefault(score.run, []).append(ref)
                continue
            if self._scores[ref - 1].run != score.run:
                self._hits.setdefault(score.run, {}).setdefault(ref, score.at)
            if score.asked_somebody:
                self._late.append(score)

    def _check(self, batch: Batch, owner: int) -> None:
        if batch.claims:
            self._claims.check(owner)
        known, items, scorers = self._runs.knows, self._datasets.knows, self._runs.scorers.knows
        traces = len(self._traces)
        for trace in batch.traces:
            if not (known(trace.run) and items(trace.item) and self._runs.run_configs.knows(trace.run_config)):
                raise _stranger("a trace", trace)
        for case in batch.cases:
            _check_case(case)
            fresh = case.fresh is None or 0 <= case.fresh < len(batch.traces)
            if not (
                fresh and known(case.run) and items(case.item) and (case.trace is None or 0 < case.trace <= traces)
            ):
                raise _stranger("a case", case)
        for score in batch.scores:
            if not (known(score.run) and 0 < score.trace <= traces and scorers(score.scorer)):
                raise _stranger("a score", score)
        for hit in batch.hits:
            if not (known(hit.run) and 0 < hit.score <= len(self._scores)):
                raise _stranger("a hit", hit)
        for ref in batch.dropped:
            if not 0 < ref <= traces:
                raise _stranger("a dropped trace", ref)


def read_spans(stored: bytes | None) -> Spans | None:
    """The spans in these bytes, or None where none were recorded or can be read."""
    if stored is None:
        return None
    try:
        return decode_as(stored, Spans)
    except ValueError:
        return None


def usage_of(trace: NewTrace) -> Usage | None:
    """What a trace cost, where that is known."""
    if trace.usage is None:
        return None
    input_tokens, output_tokens, cost = trace.usage
    return Usage(input_tokens=input_tokens, output_tokens=output_tokens, cost=cost)


def _key(score: NewScore) -> ScoreKey:
    return (score.trace, score.rest, score.scorer, score.seen, score.draw)


def _check_case(case: NewCase) -> None:
    if (case.status is ExecutionStatus.ERROR) != (case.error_type is not ExecutionErrorType.NONE):
        raise RecordError("a case has an error type exactly when its status is error")
    if case.trace is not None and case.fresh is not None:
        raise RecordError("a case has a stored trace or a fresh one, not both")


def _stranger(what: str, record: object) -> NotFound:
    return NotFound(f"{what} refers to a record that this store does not hold: {record!r:.200}")
