"""Judge what is stored: new scorers on the traces of an experiment, with no task call at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.case import ExecutionStatus
from rejudge.domain.errors import ConfigurationError
from rejudge.runner.evaluate import Engine, Evaluated
from rejudge.runner.judge import Judge
from rejudge.runner.preflight import check_scorers
from rejudge.runner.progress import Progress
from rejudge.runner.work import Judged, Shape, Unit, Work
from rejudge.runner.writer import Writer
from rejudge.storage.records import NewCase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run import Run
    from rejudge.runner.generate import Generated
    from rejudge.runner.judging import Prepared
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
    answer = engine.ports.answer
    check_scorers(scorers, version=version, outputs=outputs, answer=answer)
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
    digest = earlier[-1].run_config
    config = engine.store.run_config(digest)
    run, ref = engine.begin(
        experiment,
        run_config=digest,
        scorers=tuple(prepared.scorer.config.digest() for prepared in scorers),
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
        await _Rescoring(work, scorers, executed=executed).run(experiment, version, digest)

    return await engine.finish(run, work, execute)


class _Rescoring:
    """Reads stored traces page by page and hands them to the judge."""

    def __init__(self, work: Work, scorers: Sequence[Prepared], *, executed: set[tuple[int, int]]) -> None:
        self._work = work
        self._executed = executed
        self._writer: Writer[Generated] = Writer(
            work.store,
            owner=work.owner,
            on_traces=lambda stored: None,
            on_failure=lambda error: work.stop.stop(str(error)),
        )
        self._judge = Judge(work, scorers, writer=self._writer)

    async def run(self, experiment: Experiment, version: DatasetVersion, run_config: bytes) -> None:
        """Judge every stored trace of the run config."""
        store = self._work.store
        try:
            for start in range(0, version.count, PAGE):
                if self._work.stop.raised:
                    break
                items = {item.position: item for item in store.items(version.id, start=start, count=PAGE)}
                self._page(items, store.latest_traces(experiment.id, run_config, start=start, count=PAGE))
                await self._judge.room()
                await self._writer.room()
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
