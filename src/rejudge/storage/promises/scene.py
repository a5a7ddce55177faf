"""A small world in a store under test: a dataset, a task, scorers, and short ways to commit what runs make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, pairwise
from typing import TypeAlias

import pytest
from msgspec.structs import replace

from rejudge.domain.case import ExecutionStatus
from rejudge.domain.dataset import DatasetVersion
from rejudge.domain.errors import StoreError
from rejudge.domain.experiment import Experiment
from rejudge.domain.ids import digest
from rejudge.domain.item import Item, content_digest
from rejudge.domain.payload import encode
from rejudge.domain.run import Run, RunState
from rejudge.domain.run_config import RunConfig
from rejudge.domain.scale import Outcome
from rejudge.domain.score import ScoreStatus, ScoreValue
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.trace import Produced, TraceKey, trace_digest
from rejudge.storage.liveness import this_process
from rejudge.storage.records import (
    Batch,
    Committed,
    NewCase,
    NewItem,
    NewScore,
    NewTrace,
    TraceRef,
)
from rejudge.storage.store import Store

Unit: TypeAlias = "tuple[int, int]"
"""A position and a trial."""

Spent: TypeAlias = "tuple[int | None, int | None, float | None]"
Reopen: TypeAlias = Callable[[], Store]

LEASE = 600.0
SEEN = digest("seen", {})


class StoreTests:
    """How the parts of the contract get a store; a subclass overrides `store` and, where it can, `reopen`."""

    @pytest.fixture
    def store(self) -> Store:
        """An empty store."""
        raise NotImplementedError("say in a fixture `store` how an empty store is opened")

    @pytest.fixture
    def reopen(self) -> Reopen:
        """A way to open another handle on the data of `store`."""
        pytest.skip("this store offers no second handle on its data")

    @pytest.fixture
    def scene(self, store: Store) -> Scene:
        """A dataset, a task and scorers in the store."""
        return Scene(store)


def new_item(item_id: str, *, line: int | None = None, **fields: object) -> NewItem:
    """An item on its way in."""
    return NewItem(item_id, content_digest(Item(id=item_id, fields=fields)), encode(fields), line)


def write(
    store: Store, dataset: str, items: Sequence[NewItem], *, reference: Sequence[str] = (), parent: int | None = None
) -> DatasetVersion:
    """A version with these items."""
    draft = store.draft(dataset, reference=reference, parent=parent)
    draft.add(items)
    return draft.commit(fields=["question"])


def passed(*, name: str = "match") -> ScoreValue:
    """A value that passes."""
    return ScoreValue(name=name, number=1.0, outcome=Outcome.PASSED)


def failed(*, name: str = "match") -> ScoreValue:
    """A value that fails."""
    return ScoreValue(name=name, number=0.0, outcome=Outcome.FAILED)


@contextmanager
def refused() -> Iterator[None]:
    """Expect a store to refuse what it cannot hold, in words of its own and not of a back end."""
    with pytest.raises(StoreError) as caught:
        yield
    assert str(caught.value)


class Scene:
    """Four items, one task, two scorers, one experiment of two trials, and an owner of claims."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._times = count(1_000)
        self.owner = self.store.enter(this_process(), lease_seconds=LEASE)
        self.version = write(self.store, "questions", [new_item(f"q{place}", question=place) for place in range(4)])
        self.items = self.store.items(self.version.id, start=0, count=4)
        self.config = RunConfig(name="task", kind="function", settings={"digest": "t"})
        self.config_ref = self.store.save_run_config(self.config)
        self.scorers = {name: ScorerConfig(name=name, type="exact_match") for name in ("match", "tone")}
        self.scorer_refs = dict(zip(self.scorers, self.store.save_scorers(list(self.scorers.values())), strict=True))
        self.experiment = self.store.save_experiment(self.wish("experiment"))

    def wish(self, name: str, **changes: object) -> Experiment:
        """An experiment that is not stored yet."""
        wish = Experiment(
            name=name,
            dataset="questions",
            dataset_version=self.version.id,
            run_configs=(self.config.digest(),),
            trials=2,
            created_at=self.now(),
        )
        return replace(wish, **changes)

    def new_run(self, run_id: str, **changes: object) -> Run:
        """A run that is not stored yet."""
        run = Run(
            id=run_id,
            experiment=self.experiment.id,
            run_config=self.config.digest(),
            scorers=tuple(config.digest() for config in self.scorers.values()),
            planned=8,
            created_at=self.now(),
        )
        return replace(run, **changes)

    def run(self, run_id: str, **changes: object) -> int:
        """A stored run; its ref."""
        return self.store.save_run(self.new_run(run_id, **changes), owner=self.owner)

    def move(self, run_id: str, *states: RunState) -> None:
        """Move a run through these states."""
        for old, new in pairwise(states):
            self.store.move_run(run_id, old=old, new=new, at=self.now())

    def now(self) -> float:
        """A later time at each call."""
        return float(next(self._times))

    def key(self, unit: Unit) -> bytes:
        """The key of the trace of a unit."""
        position, trial = unit
        given = digest("given", {"question": position})
        return TraceKey(item_id=f"q{position}", given=given, run_config=self.config.digest(), trial=trial).digest()

    def trace(
        self, run: int, unit: Unit, *, output: object = "out", usage: Spent | None = None, seconds: float = 0.5
    ) -> NewTrace:
        """A trace on its way in."""
        produced = Produced(output=output)
        key = self.key(unit)
        return NewTrace(
            key=key,
            digest=trace_digest(key, produced),
            item=self.items[unit[0]].ref,
            run_config=self.config_ref,
            trial=unit[1],
            run=run,
            body=encode(produced),
            calls=None,
            usage=usage,
            started_at=self.now(),
            seconds=seconds,
        )

    def case(self, run: int, unit: Unit, *, trace: TraceRef | None = None, **changes: object) -> NewCase:
        """A completed case on its way in, which reuses a `trace`; or another one."""
        position, trial = unit
        case = NewCase(
            run=run,
            position=position,
            trial=trial,
            item=self.items[position].ref,
            status=ExecutionStatus.COMPLETED,
            trace=None if trace is None else trace.ref,
            completed_at=self.now(),
        )
        return replace(case, **changes)

    def score(
        self, run: int, trace: TraceRef, *values: ScoreValue, scorer: str = "match", **changes: object
    ) -> NewScore:
        """A score with these values on its way in, or another one."""
        score = NewScore(
            run=run,
            trace=trace.ref,
            scorer=self.scorer_refs[scorer],
            seen=SEEN,
            status=ScoreStatus.SCORED,
            values=values,
            at=self.now(),
        )
        return replace(score, **changes)

    def skip(self, run: int, trace: TraceRef, *, cause: str, scorer: str = "match") -> NewScore:
        """A judgement that could not be made for want of data."""
        return self.score(run, trace, scorer=scorer, status=ScoreStatus.SKIPPED, cause=cause, reason="no data")

    def error(self, run: int, trace: TraceRef, *, scorer: str = "match") -> NewScore:
        """A judgement that failed."""
        return self.score(run, trace, scorer=scorer, status=ScoreStatus.ERROR, cause="ValueError", reason="broken")

    def commit(self, batch: Batch, *, owner: int | None = None) -> Committed:
        """Commit for the scene's owner or another one."""
        return self.store.commit(batch, owner=self.owner if owner is None else owner)

    def generate(self, run: int, *traces: NewTrace) -> tuple[TraceRef, ...]:
        """Commit traces with a completed case for each."""
        places = {item.ref: item.position for item in self.items}
        cases = [self.case(run, (places[trace.item], trace.trial), fresh=index) for index, trace in enumerate(traces)]
        return self.commit(Batch(traces=list(traces), cases=cases)).traces

    def made(self, run_id: str, unit: Unit) -> TraceRef:
        """A new run with a trace of one unit."""
        run = self.run(run_id)
        (trace,) = self.generate(run, self.trace(run, unit))
        return trace

    def claim(self, *units: Unit, owner: int | None = None) -> frozenset[bytes]:
        """Ask for the claims on units; what was granted."""
        return self.commit(Batch(claims=[self.key(unit) for unit in units]), owner=owner).granted
