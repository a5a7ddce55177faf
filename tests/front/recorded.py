"""Results made by hand: a store in memory, filled with what an evaluation would have written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rejudge.datasets.rows import RowSpec
from rejudge.domain.case import Attempt, ExecutionErrorType, ExecutionStatus
from rejudge.domain.experiment import Experiment
from rejudge.domain.ids import digest
from rejudge.domain.payload import encode
from rejudge.domain.run import Run, RunState
from rejudge.domain.run_config import RunConfig
from rejudge.domain.scale import ScoreSpec, ScoreType
from rejudge.domain.score import ScoreStatus
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.trace import Produced, trace_digest
from rejudge.domain.usage import Usage
from rejudge.domain.verdict import Verdict
from rejudge.files.row import Row
from rejudge.front.result import Result
from rejudge.runner.snapshot import snapshot
from rejudge.scorers.record import scored_values
from rejudge.storage.memory import MemoryStore
from rejudge.storage.records import Batch, NewCase, NewScore, NewTrace, ScoreHit, StoredItem
from rejudge.wiring import this_owner

START = 1_750_000_000.0
"""2025-06-15T15:06:40Z"""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A scorer error."""

    reason: str


Given: TypeAlias = "Verdict | Fault | float | int | bool | str"


@dataclass(frozen=True, kw_only=True)
class Case:
    """What one item came to; a value per scorer: a verdict, a bare value, or a fault."""

    output: object = None
    scores: Mapping[str, Given] = field(default_factory=dict)
    messages: list[object] | None = None
    usage: Usage | None = None
    error: str | None = None
    error_type: ExecutionErrorType = ExecutionErrorType.SYSTEM_ERROR
    attempts: tuple[Attempt, ...] = ()
    skip: str | None = None


@dataclass(frozen=True, kw_only=True)
class Made:
    """One run: a task, its scorers and its cases in the order of items and trials; None for a pending one."""

    cases: Sequence[Case | None]
    task: str = "answer"
    scorers: Sequence[ScorerConfig] = ()
    config: RunConfig | None = None
    state: RunState = RunState.COMPLETED
    reason: str | None = None
    seconds: float = 2.0
    added_later: tuple[bytes, ...] = ()

    @property
    def run_config(self) -> RunConfig:
        return self.config or RunConfig(
            name=self.task, kind="function", settings={"source": self.task}, given=("question",)
        )


def pass_fail(name: str = "correct") -> ScorerConfig:
    return ScorerConfig(name=name, type="function", scores=(ScoreSpec(name=name, required=True),))


def label(name: str = "topic", labels: tuple[str, ...] | None = None) -> ScorerConfig:
    return ScorerConfig(name=name, type="function", scores=(ScoreSpec(name=name, type=ScoreType.LABEL, labels=labels),))


def number(name: str = "length") -> ScorerConfig:
    return ScorerConfig(name=name, type="function", scores=(ScoreSpec(name=name, type=ScoreType.NUMBER),))


def recorded(
    items: Sequence[dict[str, object]],
    *made: Made,
    name: str = "capitals/answer",
    dataset: str = "capitals",
    reference: tuple[str, ...] = (),
    trials: int = 1,
) -> Result:
    """The result of an experiment with these runs."""
    store = MemoryStore()
    rows = [Row(item, line) for line, item in enumerate(items, start=1)]
    version = snapshot(store, rows, dataset=dataset, spec=RowSpec(reference=reference))
    experiment = store.save_experiment(
        Experiment(
            name=name,
            dataset=dataset,
            dataset_version=version.id,
            run_configs=tuple(run.run_config.digest() for run in made),
            trials=trials,
            created_at=START,
        )
    )
    owner = store.enter(this_owner(), lease_seconds=3600)
    stored = store.items(version.id, start=0, count=version.count)
    units = [(item, trial) for item in stored for trial in range(trials)]
    ids = [
        _record(store, owner, experiment, run, units, id=f"01977420-0000-7000-8000-{place:012d}")
        for place, run in enumerate(made, start=1)
    ]
    return Result(store, experiment, tuple(ids))


def _record(
    store: MemoryStore, owner: int, experiment: Experiment, made: Made, units: list[tuple[StoredItem, int]], *, id: str
) -> str:
    config = store.save_run_config(made.run_config)
    scorers = list(zip(made.scorers, store.save_scorers(made.scorers), strict=True))
    run = Run(
        id=id,
        experiment=experiment.id,
        run_config=made.run_config.digest(),
        scorers=tuple(scorer.digest() for scorer in made.scorers),
        added_later=made.added_later,
        planned=len(units),
        created_at=START,
    )
    ref = store.save_run(run, owner=owner)
    store.move_run(id, old=RunState.CREATED, new=RunState.QUEUED, at=START)
    store.move_run(id, old=RunState.QUEUED, new=RunState.RUNNING, at=START)
    for (item, trial), case in zip(units, made.cases, strict=True):
        if case is not None:
            _commit(store, owner, case, item, trial, run=ref, config=config, scorers=scorers)
    if made.state.terminal:
        store.move_run(id, old=RunState.RUNNING, new=made.state, at=START + made.seconds, reason=made.reason)
    return id


def _commit(
    store: MemoryStore,
    owner: int,
    case: Case,
    item: StoredItem,
    trial: int,
    *,
    run: int,
    config: int,
    scorers: list[tuple[ScorerConfig, int]],
) -> None:
    key = digest("trace-key", [item.item_id, config, trial])
    found = store.find_traces([key]).get(key)
    status = ExecutionStatus.COMPLETED
    if case.error is not None:
        status = ExecutionStatus.ERROR
    elif case.skip is not None:
        status = ExecutionStatus.SKIPPED
    done = status is ExecutionStatus.COMPLETED
    new = NewCase(
        run,
        item.position,
        trial,
        item.ref,
        status,
        trace=found.ref if done and found else None,
        fresh=0 if done and not found else None,
        error_type=ExecutionErrorType.NONE if case.error is None else case.error_type,
        message=case.error or case.skip,
        attempts=encode(list(case.attempts)) if case.attempts else None,
        completed_at=START + 1,
    )
    traces = [_trace(case, key, item, trial, run=run, config=config)] if done and not found else []
    made = store.commit(Batch(traces=traces, cases=[new]), owner=owner).traces
    for ref in [found] if done and found else made:
        known = {one.scorer: one.ref for one in store.find_scores([ref.ref], [scorer for _, scorer in scorers])}
        batch = Batch()
        for scorer, place in scorers:
            if place in known:
                batch.hits.append(ScoreHit(run, known[place], START + 1))
            elif scorer.name in case.scores:
                batch.scores.append(_score(case.scores[scorer.name], scorer, run=run, trace=ref.ref, ref=place))
        store.commit(batch, owner=owner)


def _trace(case: Case, key: bytes, item: StoredItem, trial: int, *, run: int, config: int) -> NewTrace:
    produced = Produced(output=case.output, messages=case.messages)
    usage = case.usage
    return NewTrace(
        key,
        trace_digest(key, produced),
        item.ref,
        config,
        trial,
        run,
        encode(produced),
        None,
        None if usage is None else (usage.input_tokens, usage.output_tokens, usage.cost),
        START,
        0.5,
    )


def _score(given: Given, scorer: ScorerConfig, *, run: int, trace: int, ref: int) -> NewScore:
    if isinstance(given, Fault):
        return NewScore(run, trace, ref, b"s" * 32, ScoreStatus.ERROR, (), START + 1, given.reason, "KeyError")
    verdict = given if isinstance(given, Verdict) else Verdict.of(given)
    status = ScoreStatus.SCORED if verdict.skip is None else ScoreStatus.SKIPPED
    values = scored_values(verdict, scorer)
    return NewScore(run, trace, ref, b"s" * 32, status, values, START + 1, verdict.reason, verdict.skip)
