"""Judge what is stored: new scorers on the traces of an experiment, with no task call at all."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from rejudge.domain.case import ExecutionStatus
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.payload import encode
from rejudge.domain.run import RunState
from rejudge.domain.scale import normalised
from rejudge.domain.way import Way
from rejudge.runner.assignment import Assignment, assignment_in
from rejudge.runner.collecting import rare_collection
from rejudge.runner.evaluate import Engine, Evaluated
from rejudge.runner.first_look import FirstLook
from rejudge.runner.judge import Judge
from rejudge.runner.judging import Judges, Prepared
from rejudge.runner.needs import Outputs, unmet
from rejudge.runner.paging import Paging
from rejudge.runner.preflight import check_answers, check_code, check_paths, check_scorers
from rejudge.runner.request import Request
from rejudge.runner.span_reader import SpanReader
from rejudge.runner.work import Judged, Unit, Work
from rejudge.runner.writer import Writer
from rejudge.storage.records import Inheritance, NewCase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.case import CaseResult
    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run import Run
    from rejudge.domain.trace import Produced
    from rejudge.runner.generate import Generated
    from rejudge.runner.settings import Settings
    from rejudge.scorers.scorer import Scorer
    from rejudge.storage.records import StoredItem, UnitTrace
    from rejudge.storage.store import Store

PAGE = 1024
"""Cases of an earlier run that are read at a time."""


async def rescore(
    engine: Engine,
    experiment: Experiment,
    scorers: Sequence[Scorer],
    *,
    settings: Settings,
    outputs: Sequence[str] = (),
    run_config: bytes | None = None,
) -> Evaluated:
    """One new run per run config of the experiment, or for the one that is named, whose traces are all reused.

    A run takes over what the scorers of the run before it said. Raises ConfigurationError where there is nothing to
    judge or a scorer cannot be supplied.
    """
    version = version_of(engine.store, experiment)
    known = Outputs(names=frozenset(outputs), is_open=not outputs)
    check_scorers(scorers, version=version, outputs=known)
    check_answers(scorers, engine.ports.answer)
    await check_code(scorers, engine.ports.sandboxes)
    if not scorers:
        raise ConfigurationError("no scorer is given", fix="name at least one scorer to judge with")
    earlier = engine.store.runs(experiment.id)
    if not earlier:
        raise ConfigurationError(f"experiment {experiment.name!r} has no run yet", fix="run it first: rejudge run")
    look = FirstLook([need for scorer in scorers for need in unmet(scorer, version, known)])
    if look.pending:
        _look_at_stored(engine.store, experiment, look, earlier)
    prepared = engine.prepare(scorers, experiment)
    request = Request(
        name=experiment.name,
        version=version,
        tasks=(),
        scorers=tuple(scorers),
        trials=experiment.trials,
        settings=settings,
    )
    check_paths(engine.store, request)
    configs = dict.fromkeys(run.run_config for run in earlier)
    for config in configs if run_config is None else (run_config,):
        own = [run for run in earlier if run.run_config == config]
        engine.note(experiment, await rescore_config(engine, experiment, request, prepared, earlier=own))
        if engine.control.cancelled:
            break
    return engine.begun or Evaluated(experiment=experiment, runs=())


def _look_at_stored(store: Store, experiment: Experiment, look: FirstLook, runs: Sequence[Run]) -> None:
    """Raise where the first stored trace shows that its task does not return what the scorers need."""
    for config in dict.fromkeys(run.run_config for run in runs):
        for unit in store.latest_traces(experiment.id, config, start=0, count=PAGE)[:1]:
            for trace in store.load_traces([unit.trace.ref]).values():
                look.see(trace.produced)
                look.check()


def version_of(store: Store, experiment: Experiment) -> DatasetVersion:
    """The dataset version of an experiment: equal content may stand under another dataset's name as well."""
    own = [version for version in store.versions(experiment.dataset) if version.id == experiment.dataset_version]
    return own[-1] if own else store.find_version(experiment.dataset_version)


async def rescore_config(
    engine: Engine,
    experiment: Experiment,
    request: Request,
    scorers: Sequence[Prepared],
    *,
    earlier: Sequence[Run],
    opponent: Run | None = None,
) -> Run:
    """One new run of a config; with an `opponent`, each of its traces is compared with that run's of the same unit."""
    last = earlier[-1]
    if opponent is None and _is_judged(engine, last, scorers):
        return last
    config = engine.store.run_config(last.run_config)
    scorers = [*_remembered(engine, last, scorers), *scorers]
    assignment = assignment_in(engine.store, request.version, experiment)
    planned = assignment.planned
    run, ref = engine.lifecycle.begin(
        experiment, run_config=last.run_config, scorers=scorers, planned=planned, earlier=earlier, opponent=opponent
    )
    engine.note(experiment, run)
    work = engine.work(run, ref, config, request)
    sources = [source for source in reversed(earlier) if source.id != run.id]

    async def execute() -> None:
        rescoring = _Rescoring(work, scorers, executed=engine.store.executed(run.id), opponent=opponent)
        ours = all(one.scorer is None or one.way is Way.INLINE for one in scorers)
        with rare_collection() if ours else nullcontext():  # a user's function may leave circles of any size
            await rescoring.run(experiment, request.version, assignment, sources=sources, run_config=run.run_config)
        if rescoring.ended < planned:
            work.stop.stop(
                f"{planned - rescoring.ended} cases have no trace to judge; evaluate or resume the experiment first"
            )

    return await engine.lifecycle.finish(run, work, execute)


def _is_judged(engine: Engine, last: Run, scorers: Sequence[Prepared]) -> bool:
    """Whether the last run holds a score or a skip of each of these scorers for everything that was executed."""
    wanted = {prepared.config.digest() for prepared in scorers}
    if last.state is not RunState.COMPLETED or not wanted.issubset(last.scorers):
        return False
    counts = engine.store.counts(last.id)
    judged = {one.scorer: one.scored + one.skipped for one in counts.scores}
    return all(judged.get(scorer) == counts.cases.completed for scorer in wanted)


def _remembered(engine: Engine, last: Run, scorers: Sequence[Prepared]) -> list[Prepared]:
    """The scorers of the last run, whose scores the new run takes over; one of the same name takes its place."""
    names = {normalised(prepared.config.name) for prepared in scorers}
    configs = [engine.store.scorer(digest) for digest in last.scorers]
    kept = [config for config in configs if normalised(config.name) not in names]
    refs = engine.store.save_scorers(kept)
    return [Prepared(config, ref=ref, scorer=None) for config, ref in zip(kept, refs, strict=True)]


class _Rescoring:
    """Reads stored traces page by page and hands them to the judge; `ended` counts the cases it has an end for."""

    def __init__(
        self, work: Work, scorers: Sequence[Prepared], *, executed: set[tuple[int, int]], opponent: Run | None = None
    ) -> None:
        run_id = work.progress.run_id
        self._work = work
        self._executed = executed
        self._opponent = opponent
        at_work = {scorer for run in work.store.runs() for scorer in run.scorers if executed or run.id != run_id}
        self._known = [one.ref for one in scorers if one.scorer is not None and one.config.digest() in at_work]
        self._ended: set[tuple[int, int]] = set()
        self._writer: Writer[Generated] = Writer(
            work.store,
            owner=work.owner,
            on_traces=lambda stored: None,
            on_failure=lambda error: work.stop.stop(str(error)),
        )
        self._inherited = [prepared.ref for prepared in scorers if prepared.scorer is None]
        self._judge = Judge(work, Judges([one for one in scorers if one.scorer is not None]), writer=self._writer)

    @property
    def ended(self) -> int:
        """Cases that were judged, skipped or failed."""
        return len(self._ended)

    async def run(
        self,
        experiment: Experiment,
        version: DatasetVersion,
        assignment: Assignment,
        *,
        sources: Sequence[Run],
        run_config: bytes,
    ) -> None:
        """Judge every stored trace; what the sources (newest first) skipped or failed on stays so."""
        store = self._work.store
        try:
            if self._inherited and sources:
                self._writer.inherit(
                    Inheritance(self._work.run, sources[0].id, tuple(self._inherited), self._work.ports.clock.now())
                )
            paging, start = Paging(trials=assignment.most_trials), 0
            while start < version.count and not self._work.stop.raised:
                count = paging.count
                read = store.items(version.id, start=start, count=count)
                items = {item.position: item for item in read}
                others = self._others(items, start, count)
                found = store.latest_traces(experiment.id, run_config, start=start, count=count)
                paging.saw(read, self._page(items, found, others))
                start += count
                await self._judge.room()
                await self._writer.room()
            for source in sources:
                if len(self._ended) < assignment.planned:
                    await self._take_over_failures(source, version)
            await self._judge.finish()
        except BaseException:
            await self._judge.abort()
            raise
        finally:
            await self._writer.close()

    def _others(self, items: dict[int, StoredItem], start: int, count: int) -> dict[tuple[int, int], Judged]:
        """The traces of the opponent by their units; none where there is no opponent."""
        if self._opponent is None:
            return {}
        store, opponent = self._work.store, self._opponent
        found = store.latest_traces(opponent.experiment, opponent.run_config, start=start, count=count)
        others = self._loaded(items, found)
        reader = SpanReader(store, [one.ref.ref for one in others], task=store.run_config(opponent.run_config).name)
        for one in others:
            one.spans = reader
        return {(one.unit.position, one.unit.trial): one for one in others}

    def _loaded(self, items: dict[int, StoredItem], found: Sequence[UnitTrace]) -> list[Judged]:
        traces = self._work.store.load_traces([unit.trace.ref for unit in found])
        return [
            Judged(
                Unit(one.position, one.trial, items[one.position], one.trace.key),
                one.trace,
                trace.produced,
                trace.usage,
                trace.seconds,
            )
            for one in found
            if (trace := traces.get(one.trace.ref)) is not None
        ]

    def _page(
        self, items: dict[int, StoredItem], found: Sequence[UnitTrace], others: dict[tuple[int, int], Judged]
    ) -> list[Produced]:
        """Judge the traces of a page; returns what they hold."""
        work = self._work
        judged = self._loaded(items, found)
        known = work.store.find_scores([one.ref.ref for one in judged], self._known) if self._known else []
        now = work.ports.clock.now()
        cases: list[NewCase] = []
        for one in judged:
            unit = one.unit
            one.other = others.get((unit.position, unit.trial))
            cases.append(
                NewCase(
                    work.run,
                    unit.position,
                    unit.trial,
                    unit.item.ref,
                    ExecutionStatus.COMPLETED,
                    trace=one.ref.ref,
                    completed_at=now,
                )
            )
        self._end(cases)
        work.progress.completed += len(judged)
        work.progress.reused += len(judged)
        self._judge.take(judged, known=known)
        return [one.produced for one in judged]

    def _end(self, cases: list[NewCase]) -> None:
        self._ended.update([(case.position, case.trial) for case in cases])
        executed = self._executed
        self._writer.put_cases(
            [case for case in cases if (case.position, case.trial) not in executed] if executed else cases
        )

    async def _take_over_failures(self, source: Run, version: DatasetVersion) -> None:
        """Note the cases that a run skipped or failed on, so that nothing leaves the denominator."""
        store = self._work.store
        ended = store.counts(source.id).cases
        if not ended.skipped and not ended.errors:
            return
        start = 0
        while page := store.cases(source.id, start=start, count=PAGE):
            start += len(page)
            for row in page:
                case = row.case
                if case.trace is None and (case.position, case.trial) not in self._ended:
                    (item,) = store.items(version.id, start=case.position, count=1)
                    self._take_over(case, item)
            await self._writer.room()

    def _take_over(self, case: CaseResult, item: StoredItem) -> None:
        progress = self._work.progress
        if case.execution_status is ExecutionStatus.SKIPPED:
            progress.skipped += 1
        else:
            progress.task_errors += 1
        self._end(
            [
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
            ]
        )
