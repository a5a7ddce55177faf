"""An evaluation from its wish to its runs: freeze the experiment, then one run for each run config."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.experiment import Experiment
from rejudge.domain.run import RunState
from rejudge.runner.assignment import Assignment, assignment_of
from rejudge.runner.execute import Execution
from rejudge.runner.first_look import FirstLook
from rejudge.runner.judging import Judges, Prepared
from rejudge.runner.lifecycle import Control, Lifecycle
from rejudge.runner.plan import is_done
from rejudge.runner.preflight import (
    check_answers,
    check_code,
    check_own_scorers,
    check_paths,
    check_request,
    needs_of_task,
)
from rejudge.runner.progress import Progress
from rejudge.runner.work import Ports, Shape, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rejudge.domain.run import Run
    from rejudge.domain.run_config import RunConfig
    from rejudge.runner.request import Request
    from rejudge.scorers.scorer import Scorer
    from rejudge.storage.records import StoredItem, TraceRef
    from rejudge.storage.store import Store
    from rejudge.tasks.task import Task


class Evaluated(Struct, frozen=True, kw_only=True):
    """Which experiment it was and which runs hold its results, in the order of the tasks."""

    experiment: Experiment
    runs: tuple[str, ...]


class Engine:
    """Executes requests against one store on behalf of one owner of claims.

    `begun` says what there is so far, for whoever is interrupted.
    """

    def __init__(
        self, store: Store, *, owner: int, ports: Ports, control: Control, listen: Callable[[Progress], None]
    ) -> None:
        self.store = store
        self.owner = owner
        self.ports = ports
        self.control = control
        self.lifecycle = Lifecycle(store, owner=owner, ports=ports, control=control, listen=listen)
        self.begun: Evaluated | None = None

    async def evaluate(self, request: Request) -> Evaluated:
        """Do what is wanted and not stored yet. Raises ConfigurationError before the first task call."""
        check_request(request)
        check_paths(self.store, request)
        assignment = assignment_of(
            self.store, request.version, request.scorers, trials=request.trials, rules=request.rules
        )
        check_own_scorers(assignment.own.values(), request)
        scorers = assignment.all_scorers
        asking = [part for task in request.tasks for part in getattr(task, "parts", (task,))]
        check_answers([*asking, *scorers], self.ports.answer)
        tools = [tool for task in request.tasks for tool in getattr(task, "sandboxed", ())]
        await check_code([*scorers, *tools], self.ports.sandboxes)
        experiment = self.store.save_experiment(request.wish(at=self.ports.clock.now(), scorers=scorers))
        judges = self.judges(assignment, experiment)
        stopped: Run | None = None
        for task in request.tasks:
            one = _OneTask(self, task, request, experiment, assignment, judges)
            if stopped is None:
                run = await one.run()
                stopped = None if run.state is RunState.COMPLETED else run
            else:
                run = one.left_out(after=stopped)
            self.note(experiment, run)
        return self.begun or Evaluated(experiment=experiment, runs=())

    def note(self, experiment: Experiment, run: Run) -> None:
        """Remember a run as part of what there is so far."""
        runs = () if self.begun is None else self.begun.runs
        self.begun = Evaluated(experiment=experiment, runs=(*(known for known in runs if known != run.id), run.id))

    def prepare(self, scorers: Sequence[Scorer], experiment: Experiment) -> list[Prepared]:
        """Store the scorers' configs, bound to the experiment where they are unpinned, and make them ready to judge."""
        configs = [scorer.config.bound_to(experiment.id) for scorer in scorers]
        return [
            Prepared(config, ref=ref, scorer=scorer)
            for config, ref, scorer in zip(configs, self.store.save_scorers(configs), scorers, strict=True)
        ]

    def judges(self, assignment: Assignment, experiment: Experiment) -> Judges:
        """`prepare` for scorers that do not judge every item: the same scorer is prepared once."""
        scorers = assignment.all_scorers
        digests = [scorer.config.digest() for scorer in scorers]
        ready = dict(zip(digests, self.prepare(scorers, experiment), strict=True))
        own = {
            position: [ready[scorer.config.digest()] for scorer in scorers]
            for position, scorers in assignment.own.items()
        }
        return Judges([ready[scorer.config.digest()] for scorer in assignment.scorers], own)

    def work(self, run: Run, ref: int, config: RunConfig, request: Request) -> Work:
        """The run at work, with its place in the store and the request's limits."""
        return Work(
            store=self.store,
            owner=self.owner,
            run=ref,
            run_config=self.store.save_run_config(config),
            settings=request.settings,
            ports=self.ports,
            shape=Shape.of(config, reference=request.version.reference),
            progress=Progress(run_id=run.id, task=config.name, planned=run.planned, started_at=self.ports.clock.now()),
        )


class _OneTask:
    """One task of a request: its run."""

    def __init__(
        self,
        engine: Engine,
        task: Task,
        request: Request,
        experiment: Experiment,
        assignment: Assignment,
        judges: Judges,
    ) -> None:
        self._engine = engine
        self._task = task
        self._request = request
        self._experiment = experiment
        self._assignment = assignment
        self._judges = judges
        self._scorers = judges.all
        self._config = task.config.bound_to(experiment.id)
        self._digest = self._config.digest()
        self._known = [run for run in engine.store.runs() if run.run_config == self._digest]
        self._earlier = [run for run in self._known if run.experiment == experiment.id]

    async def run(self) -> Run:
        """The run that holds what is wanted: one that has it all already, or one that is executed now.

        Where the process of the last run died, that run is executed to its end, though another may have it all.
        """
        attached = self._engine.lifecycle.attach(self._earlier, scorers=self._scorers)
        if attached is None:
            for earlier in reversed(self._earlier):
                if self._is_done(earlier):
                    return earlier
        run, ref = attached or self._begin()
        self._engine.note(self._experiment, run)
        work = self._engine.work(run, ref, self._config, self._request)
        work.look = FirstLook(needs_of_task(self._request, self._task))

        async def execute() -> None:
            execution = Execution(
                work,
                self._task,
                self._judges,
                run_config=self._digest,
                assignment=self._assignment,
                executed=self._executed(run),
                find=None if self._known else _nothing,
            )
            await execution.run(self._items, count=self._request.version.count)

        return await self._engine.lifecycle.finish(run, work, execute)

    def left_out(self, *, after: Run) -> Run:
        """The newest run there is of a task that was not begun; one that says so where there is none."""
        if self._earlier:
            return self._earlier[-1]
        run, _ = self._begin()
        return self._engine.lifecycle.end_unbegun(run, after=after)

    def _begin(self) -> tuple[Run, int]:
        self._engine.store.save_run_config(self._config)
        return self._engine.lifecycle.begin(
            self._experiment,
            run_config=self._digest,
            scorers=self._scorers,
            planned=self._assignment.planned,
            earlier=self._earlier,
        )

    def _is_done(self, run: Run) -> bool:
        configs = [prepared.config for prepared in self._scorers]
        same = run.state is RunState.COMPLETED and run.scorers == tuple(config.digest() for config in configs)
        return same and is_done(self._engine.store, run, self._task, request=self._request, assignment=self._assignment)

    def _executed(self, run: Run) -> set[tuple[int, int]]:
        attached = any(run.id == earlier.id for earlier in self._earlier)
        return self._engine.store.executed(run.id) if attached else set()

    def _items(self, start: int, count: int) -> list[StoredItem]:
        return self._engine.store.items(self._request.version.id, start=start, count=count)


def _nothing(keys: Sequence[bytes]) -> dict[bytes, TraceRef]:
    """What is found of a run config that no run has ever had."""
    return {}
