"""Judge what is stored: new scorers on the traces of an experiment, with no task call at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.case import ExecutionStatus
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.payload import encode
from rejudge.domain.run import RunState
from rejudge.domain.scale import normalised
from rejudge.runner.evaluate import Engine, Evaluated
from rejudge.runner.judge import Judge
from rejudge.runner.judging import Prepared
from rejudge.runner.preflight import check_answers, check_scorers
from rejudge.runner.progress import Progress
from rejudge.runner.work import Judged, Shape, Unit, Work
from rejudge.runner.writer import Writer
from rejudge.storage.records import NewCase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.case import CaseResult
    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run import Run
    from rejudge.runner.generate import Generated
    from rejudge.runner.settings import Settings
    from rejudge.scorers.scorer import Scorer
    from rejudge.storage.records import StoredItem, UnitTrace

PAGE = 512


async def rescore(
    engine: Engine,
    experiment: Experiment,
    scorers: Sequence[Scorer],
    *,
    settings: Settings,
    outputs: Sequence[str] = (),
) -> Evaluated:
    """One new run per run config of the experiment, whose traces are all reused.

    Raises ConfigurationError where there is nothing to judge or a scorer cannot be supplied.
    """
    version = engine.store.find_version(experiment.dataset_version)
    check_scorers(scorers, version=version, outputs=outputs)
    check_answers(scorers, engine.ports.answer)
    if not scorers:
        raise ConfigurationError("no scorer is given", fix="name at least one scorer to judge with")
    earlier = engine.store.runs(experiment.id)
    if not earlier:
        raise ConfigurationError(f"experiment {experiment.name!r} has no run yet", fix="run it first: rejudge run")
    prepared = engine.prepare(scorers)
    runs: list[str] = []
    for config in dict.fromkeys(run.run_config for run in earlier):
        own = [run for run in earlier if run.run_config == config]
        run = await _rescore_config(engine, experiment, version, prepared, earlier=own, settings=settings)
        runs.append(run.id)
        if engine.control.cancelled:
            break
    return Evaluated(experiment=experiment, runs=tuple(runs))


async def _rescore_config(
    engine: Engine,
    experiment: Experiment,
    version: DatasetVersion,
    scorers: Sequence[Prepared],
    *,
    earlier: Sequence[Run],
    settings: Settings,
) -> Run:
    last = earlier[-1]
    if _is_judged(engine, last, scorers):
        return last
    digest = last.run_config
    config = engine.store.run_config(digest)
    scorers = [*_remembered(engine, last, scorers), *scorers]
    run, ref = engine.begin(
        experiment,
        run_config=digest,
        scorers=tuple(prepared.config.digest() for prepared in scorers),
        planned=version.count * experiment.trials,
        earlier=earlier,
    )
    work = Work(
        store=engine.store,
        owner=engine.owner,
        run=ref,
        run_config=engine.store.save_run_config(config),
        settings=settings,
        ports=engine.ports,
        shape=Shape(reference=version.reference, given=config.given),
        progress=Progress(run_id=run.id, task=config.name, planned=run.planned, started_at=engine.ports.clock.now()),
    )
    executed = engine.store.executed(run.id)

    async def execute() -> None:
        await _Rescoring(work, scorers, executed=executed).run(experiment, version, last)

    return await engine.finish(run, work, execute)


def _is_judged(engine: Engine, last: Run, scorers: Sequence[Prepared]) -> bool:
    """Whether the last run holds a score or a skip of each of these scorers for everything that was executed."""
    counts = engine.store.counts(last.id)
    judged = {one.scorer: one.scored + one.skipped for one in counts.scores}
    return last.state is RunState.COMPLETED and all(
        judged.get(prepared.config.digest()) == counts.cases.completed for prepared in scorers
    )


def _remembered(engine: Engine, last: Run, scorers: Sequence[Prepared]) -> list[Prepared]:
    """The scorers of the last run, whose scores the new run takes over; one of the same name takes its place."""
    names = {normalised(prepared.config.name) for prepared in scorers}
    configs = [engine.store.scorer(digest) for digest in last.scorers]
    return [
        Prepared(config, ref=engine.store.save_scorer(config), scorer=None)
        for config in configs
        if normalised(config.name) not in names
    ]


class _Rescoring:
    """Reads stored traces page by page and hands them to the judge."""

    def __init__(self, work: Work, scorers: Sequence[Prepared], *, executed: set[tuple[int, int]]) -> None:
        self._work = work
        self._executed = executed
        self._version = ""
        self._writer: Writer[Generated] = Writer(
            work.store,
            owner=work.owner,
            on_traces=lambda stored: None,
            on_failure=lambda error: work.stop.stop(str(error)),
        )
        self._judge = Judge(work, scorers, writer=self._writer)

    async def run(self, experiment: Experiment, version: DatasetVersion, last: Run) -> None:
        """Judge every stored trace of the last run's config; what that run could not execute stays so."""
        store = self._work.store
        self._version = version.id
        try:
            for start in range(0, version.count, PAGE):
                if self._work.stop.raised:
                    break
                items = {item.position: item for item in store.items(version.id, start=start, count=PAGE)}
                self._page(items, store.latest_traces(experiment.id, last.run_config, start=start, count=PAGE))
                await self._judge.room()
                await self._writer.room()
            self._take_over_failures(last)
            await self._judge.finish()
        except BaseException:
            self._judge.abort()
            raise
        finally:
            await self._writer.close()

    def _page(self, items: dict[int, StoredItem], found: Sequence[UnitTrace]) -> None:
        work = self._work
        traces = work.store.load_traces([unit.trace.ref for unit in found])
        known = work.store.find_scores(list(traces), self._judge.scorer_refs)
        judged: list[Judged] = []
        now = work.ports.clock.now()
        for one in found:
            trace = traces.get(one.trace.ref)
            if trace is None:
                continue
            item = items[one.position]
            unit = Unit(one.position, one.trial, item, one.trace.key)
            judged.append(Judged(unit, one.trace, trace.produced, trace.usage, trace.seconds))
            if (one.position, one.trial) not in self._executed:
                self._writer.put_case(
                    NewCase(
                        work.run,
                        one.position,
                        one.trial,
                        item.ref,
                        ExecutionStatus.COMPLETED,
                        trace=one.trace.ref,
                        completed_at=now,
                    )
                )
        work.progress.completed += len(judged)
        work.progress.reused += len(judged)
        self._judge.take(judged, known=known)

    def _take_over_failures(self, last: Run) -> None:
        """Note the cases that the last run skipped or failed on, so that nothing leaves the denominator."""
        store = self._work.store
        ended = store.counts(last.id).cases
        if not ended.skipped and not ended.errors:
            return
        start = 0
        while page := store.cases(last.id, start=start, count=PAGE):
            start += len(page)
            for row in page:
                self._take_over(row.case)

    def _take_over(self, case: CaseResult) -> None:
        if case.trace is not None or (case.position, case.trial) in self._executed:
            return
        progress = self._work.progress
        if case.execution_status is ExecutionStatus.SKIPPED:
            progress.skipped += 1
        else:
            progress.task_errors += 1
        (item,) = self._work.store.items(self._version, start=case.position, count=1)
        self._writer.put_case(
            NewCase(
                self._work.run,
                case.position,
                case.trial,
                item.ref,
                case.execution_status,
                error_type=case.execution_error.type,
                message=case.reason or case.execution_error.message,
                attempts=encode(case.attempts) if case.attempts else None,
                started_at=case.started_at,
                completed_at=case.completed_at,
            )
        )
