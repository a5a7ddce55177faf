"""An evaluation from its wish to its runs: freeze the experiment, then one run for each run config."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING
from uuid import UUID

import msgspec
from msgspec import Struct

from rejudge.domain.errors import RejudgeError, StoreError
from rejudge.domain.run import Run, RunState
from rejudge.runner.execute import Execution
from rejudge.runner.judging import Prepared
from rejudge.runner.plan import is_done
from rejudge.runner.preflight import check_answers, check_request
from rejudge.runner.progress import Progress
from rejudge.runner.request import Request
from rejudge.runner.work import Ports, Shape, StopFlag, Work

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from random import Random

    from rejudge.domain.experiment import Experiment
    from rejudge.scorers.scorer import Scorer
    from rejudge.storage.records import TraceRef
    from rejudge.storage.store import Store
    from rejudge.tasks.task import Task

TICK_SECONDS = 0.1


class Evaluated(Struct, frozen=True, kw_only=True):
    """Which experiment it was and which runs hold its results, in the order of the tasks."""

    experiment: Experiment
    runs: tuple[str, ...]


class Control:
    """The handle to stop an evaluation from outside."""

    def __init__(self) -> None:
        self.cancelled = False
        self._flag: StopFlag | None = None

    def cancel(self) -> None:
        """Begin nothing new; what is in flight is finished and kept."""
        self.cancelled = True
        if self._flag is not None:
            self._flag.cancel()

    def watch(self, flag: StopFlag) -> None:
        """Pass a cancellation on to the run that is now at work."""
        self._flag = flag
        if self.cancelled:
            flag.cancel()


class Engine:
    """Executes requests against one store on behalf of one owner of claims."""

    def __init__(
        self, store: Store, *, owner: int, ports: Ports, control: Control, listen: Callable[[Progress], None]
    ) -> None:
        self.store = store
        self.owner = owner
        self.ports = ports
        self.control = control
        self.listen = listen

    async def evaluate(self, request: Request) -> Evaluated:
        """Do what is wanted and not stored yet. Raises ConfigurationError before the first task call."""
        check_request(request)
        check_answers([*request.tasks, *request.scorers], self.ports.answer)
        experiment = self.store.save_experiment(request.wish(at=self.ports.clock.now()))
        scorers = self.prepare(request.scorers)
        runs: list[str] = []
        for task in request.tasks:
            run = await self._run(task, request, experiment, scorers)
            runs.append(run.id)
            if run.state is not RunState.COMPLETED:
                break
        return Evaluated(experiment=experiment, runs=tuple(runs))

    def prepare(self, scorers: Sequence[Scorer]) -> list[Prepared]:
        """Store the scorers' configs and make them ready to judge."""
        return [Prepared(scorer.config, ref=self.store.save_scorer(scorer.config), scorer=scorer) for scorer in scorers]

    async def _run(self, task: Task, request: Request, experiment: Experiment, scorers: Sequence[Prepared]) -> Run:
        config = task.config.bound_to(experiment.id)
        digest = config.digest()
        config_ref = self.store.save_run_config(config)
        known = [run for run in self.store.runs() if run.run_config == digest]
        earlier = [run for run in known if run.experiment == experiment.id]
        names = tuple(prepared.config.digest() for prepared in scorers)
        last = earlier[-1] if earlier else None
        reference = request.version.reference
        for run in reversed(earlier):
            if self._is_done(run, names, task, request, scorers):
                return run
        run, ref = self.begin(
            experiment,
            run_config=digest,
            scorers=names,
            planned=request.version.count * request.trials,
            earlier=earlier,
        )
        work = Work(
            store=self.store,
            owner=self.owner,
            run=ref,
            run_config=config_ref,
            settings=request.settings,
            ports=self.ports,
            shape=Shape(reference=reference, given=config.given),
            progress=Progress(run_id=run.id, task=config.name, planned=run.planned, started_at=self.ports.clock.now()),
        )
        execution = Execution(
            work,
            task,
            scorers,
            run_config=digest,
            trials=request.trials,
            executed=self.store.executed(run.id) if last is not None and run.id == last.id else set(),
            find=None if known else _nothing,
        )
        version = request.version

        async def execute() -> None:
            await execution.run(
                lambda start, count: self.store.items(version.id, start=start, count=count), count=version.count
            )

        return await self.finish(run, work, execute)

    def _is_done(
        self, run: Run, names: tuple[bytes, ...], task: Task, request: Request, scorers: Sequence[Prepared]
    ) -> bool:
        same = run.state is RunState.COMPLETED and run.scorers == names
        return same and is_done(self.store, run, task, request=request, scorers=scorers)

    def begin(
        self,
        experiment: Experiment,
        *,
        run_config: bytes,
        scorers: tuple[bytes, ...],
        planned: int,
        earlier: Sequence[Run],
    ) -> tuple[Run, int]:
        """A run in the state `running`: the last one re-attached if its process died in it, else a new one."""
        last = earlier[-1] if earlier else None
        if last is not None and not last.state.terminal:
            ref = self.store.adopt_run(last.id, owner=self.owner)
            if ref is not None:
                last = self._advance(last)
                if last.scorers == scorers:
                    return last, ref
                self._move(last, RunState.FAILED, "its process died")
        run = Run(
            id=str(new_id(self.ports.clock.now(), self.ports.random)),
            experiment=experiment.id,
            run_config=run_config,
            scorers=scorers,
            added_later=tuple(s for s in scorers if s not in experiment.scorers) if earlier else (),
            planned=planned,
            resumed_from_run_id=None if last is None else last.id,
            created_at=self.ports.clock.now(),
        )
        ref = self.store.save_run(run, owner=self.owner)
        return self._advance(run), ref

    def _advance(self, run: Run) -> Run:
        if run.state is RunState.CREATED:
            run = self._move(run, RunState.QUEUED)
        if run.state is RunState.QUEUED:
            run = self._move(run, RunState.RUNNING)
        return run

    def _move(self, run: Run, new: RunState, reason: str | None = None) -> Run:
        self.store.move_run(run.id, old=run.state, new=new, at=self.ports.clock.now(), reason=reason)
        return msgspec.structs.replace(run, state=new, reason=reason)

    async def finish(self, run: Run, work: Work, execute: Callable[[], Awaitable[None]]) -> Run:
        """Execute a running run and move it to its end, whatever that is."""
        self.control.watch(work.stop)
        ticker = asyncio.create_task(self._tick(work.progress))
        try:
            await execute()
        except BaseException as error:
            with suppress(StoreError, RejudgeError):
                cancelled = isinstance(error, asyncio.CancelledError)
                self._move(run, RunState.CANCELLED if cancelled else RunState.FAILED, str(error) or "cancelled")
            raise
        finally:
            ticker.cancel()
        if work.stop.cancelled:
            run = self._move(run, RunState.CANCELLED, "cancelled")
        elif work.stop.raised:
            run = self._move(run, RunState.FAILED, work.stop.reason)
        else:
            run = self._move(run, RunState.COMPLETED)
        self._report(work.progress)
        return run

    async def _tick(self, progress: Progress) -> None:
        while True:
            self._report(progress)
            await self.ports.clock.sleep(TICK_SECONDS)

    def _report(self, progress: Progress) -> None:
        progress.seconds = self.ports.clock.now() - progress.started_at
        self.listen(progress)


def _nothing(keys: Sequence[bytes]) -> dict[bytes, TraceRef]:
    """What is found of a run config that no run has ever had."""
    return {}


def new_id(now: float, random: Random) -> UUID:
    """A run id: a UUID version 7 (RFC 9562), so that ids sort by time."""
    milliseconds = int(now * 1000)
    value = (milliseconds & (2**48 - 1)) << 80 | 0x7 << 76 | random.getrandbits(12) << 64
    return UUID(int=value | 0b10 << 62 | random.getrandbits(62))
