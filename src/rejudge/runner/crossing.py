"""The traces of one run judged as another run judged its own: the scores that tell judge and task apart.

No task is called, and nothing of either run changes: the scores go into an experiment of their own, whose protocol
names both runs and whose cases are the stored traces. A score that is stored already is reused, so the second time
costs nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from rejudge.domain.case import ExecutionStatus
from rejudge.domain.errors import RejudgeError
from rejudge.domain.experiment import Experiment
from rejudge.domain.protocol import EXPLAINS
from rejudge.domain.run import Run, RunState
from rejudge.domain.score import ScoreStatus
from rejudge.runner.judge import Judge
from rejudge.runner.judging import Judges, Prepared
from rejudge.runner.needs import Outputs
from rejudge.runner.paging import Paging
from rejudge.runner.preflight import check_answers, check_code, check_scorers
from rejudge.runner.request import Request
from rejudge.runner.rescore import version_of
from rejudge.runner.views import seen_digest
from rejudge.runner.work import Judged, Shape, Unit, Work
from rejudge.runner.writer import Writer
from rejudge.storage.records import NewCase, TraceRef

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.trace import Produced
    from rejudge.runner.evaluate import Engine
    from rejudge.runner.generate import Generated
    from rejudge.runner.settings import Settings
    from rejudge.scorers.scorer import Scorer
    from rejudge.storage.records import ScoreCounts, StoredItem
    from rejudge.storage.store import Store

PAGE: Final = 1024
"""Items that are read at a time."""

_OPEN: Final = Outputs(is_open=True)


class Crossed(NamedTuple):
    """A stored trace that is to be judged, and by which scorers."""

    position: int
    trial: int
    trace: int
    scorers: tuple[Scorer, ...]


class Crossing:
    """The traces of `run` to be judged as in the run `judged_as`; ordered by position."""

    def __init__(self, run: Run, *, judged_as: str, wanted: Sequence[Crossed]) -> None:
        self.run = run
        self.judged_as = judged_as
        self.wanted = wanted

    @property
    def scorers(self) -> list[Scorer]:
        """Every scorer that is to judge something, each once."""
        found = {id(scorer): scorer for one in self.wanted for scorer in one.scorers}
        return list({scorer.config.digest(): scorer for scorer in found.values()}.values())

    def by_position(self, count: Callable[[], int] = lambda: PAGE) -> Iterator[list[Crossed]]:
        """What is wanted, in groups that lie within `count()` positions."""
        page: list[Crossed] = []
        for one in self.wanted:
            if page and one.position >= page[0].position + count():
                yield page
                page = []
            page.append(one)
        if page:
            yield page

    def without(self, gone: frozenset[bytes]) -> Crossing:
        """The crossing without the scorers of these digests."""
        left = [
            one._replace(scorers=tuple(scorer for scorer in one.scorers if scorer.config.digest() not in gone))
            for one in self.wanted
        ]
        return Crossing(self.run, judged_as=self.judged_as, wanted=[one for one in left if one.scorers])


def unjudged(store: Store, crossing: Crossing) -> Counter[str]:
    """How many judgements each scorer would make: those of its scores that are not stored; an error is tried again.

    Nothing is written: the scorers are those of stored runs, so that the store knows each of them by its digest.
    """
    version = version_of(store, store.experiment(crossing.run.experiment))
    shape = Shape.of(store.run_config(crossing.run.run_config), reference=version.reference)
    scorers = crossing.scorers
    refs = dict(
        zip(
            (one.config.digest() for one in scorers),
            store.save_scorers([one.config for one in scorers]),
            strict=True,
        )
    )
    missing: Counter[str] = Counter()
    for page in crossing.by_position():
        items = _items(store, version, page)
        known = {
            (score.trace, score.scorer, score.seen)
            for score in store.find_scores([one.trace for one in page], list(refs.values()))
            if score.status is not ScoreStatus.ERROR
        }
        for one in page:
            fields = Unit(one.position, one.trial, items[one.position], b"").fields()
            for scorer in one.scorers:
                seen = seen_digest(fields, scorer.config.sees, shape)
                if (one.trace, refs[scorer.config.digest()], seen) not in known:
                    missing[scorer.config.name] += 1
    return missing


async def refused(engine: Engine, crossing: Crossing) -> dict[bytes, str]:
    """Why scorers cannot be asked here, by their digests: a field, provider, model or sandbox that is not there."""
    version = version_of(engine.store, engine.store.experiment(crossing.run.experiment))
    reasons: dict[bytes, str] = {}
    for scorer in crossing.scorers:
        try:
            check_scorers([scorer], version=version, outputs=_OPEN)
            check_answers([scorer], engine.ports.answer)
            await check_code([scorer], engine.ports.sandboxes)
        except RejudgeError as error:
            reasons[scorer.config.digest()] = f"{error.what}; {error.fix}" if error.fix else error.what
    return reasons


class Made(NamedTuple):
    """The run that holds what was judged, and what it had judged and spent before."""

    run: Run
    before: tuple[ScoreCounts, ...] = ()


async def cross(engine: Engine, crossing: Crossing, *, settings: Settings) -> Made:
    """Judge what is wanted, in a run that is an earlier one where nothing is left to judge or its process died."""
    store, now = engine.store, engine.ports.clock.now()
    version = version_of(store, store.experiment(crossing.run.experiment))
    scorers = crossing.scorers
    experiment = store.save_experiment(_experiment(store, crossing, version, at=now))
    earlier = store.runs(experiment.id)
    prepared = engine.prepare(scorers, experiment)
    if earlier and _is_judged(store, earlier[-1], crossing, prepared):
        engine.note(experiment, earlier[-1])
        return Made(earlier[-1], store.counts(earlier[-1].id).scores)
    run, ref = engine.lifecycle.begin(
        experiment,
        run_config=crossing.run.run_config,
        scorers=prepared,
        planned=len(crossing.wanted),
        earlier=earlier,
    )
    engine.note(experiment, run)
    before = store.counts(run.id).scores
    request = Request(
        name=experiment.name,
        version=version,
        tasks=(),
        scorers=tuple(scorers),
        trials=experiment.trials,
        settings=settings,
    )
    work = engine.work(run, ref, store.run_config(crossing.run.run_config), request)

    async def execute() -> None:
        await _Crossing(work, crossing, prepared, executed=store.executed(run.id)).run(version)

    return Made(await engine.lifecycle.finish(run, work, execute), before)


def _experiment(store: Store, crossing: Crossing, version: DatasetVersion, *, at: float) -> Experiment:
    """The experiment that holds the scores: of the same traces, and apart from the one that they were made for."""
    judged = store.experiment(crossing.run.experiment)
    config = store.run_config(crossing.run.run_config)
    return Experiment(
        name=f"explain/{judged.name}:{config.name}",
        dataset=version.dataset,
        dataset_version=version.id,
        run_configs=(crossing.run.run_config,),
        trials=judged.trials,
        protocol={EXPLAINS: {"traces_of": crossing.run.id, "judged_as": crossing.judged_as}},
        scorers=tuple(scorer.config.digest() for scorer in crossing.scorers),
        created_at=at,
    )


def _is_judged(store: Store, last: Run, crossing: Crossing, prepared: Sequence[Prepared]) -> bool:
    """Whether a run holds the scores of all that is wanted, an error not counting as one."""
    names = {one.config.digest() for one in prepared}
    if last.state is not RunState.COMPLETED or last.planned != len(crossing.wanted) or not names.issubset(last.scorers):
        return False
    return not unjudged(store, crossing)


def _items(store: Store, version: DatasetVersion, page: Sequence[Crossed]) -> dict[int, StoredItem]:
    first, last = page[0].position, page[-1].position
    return {item.position: item for item in store.items(version.id, start=first, count=last - first + 1)}


class _Crossing:
    """Reads the traces page by page and hands them to the judge."""

    def __init__(
        self, work: Work, crossing: Crossing, prepared: Sequence[Prepared], *, executed: set[tuple[int, int]]
    ) -> None:
        self._work = work
        self._crossing = crossing
        self._executed = executed
        self._writer: Writer[Generated] = Writer(
            work.store,
            owner=work.owner,
            on_traces=lambda stored: None,
            on_failure=lambda error: work.stop.stop(str(error)),
        )
        self._judge = Judge(work, _judges(crossing.wanted, prepared), writer=self._writer)
        self._refs = self._judge.scorer_refs
        self._lost = 0

    async def run(self, version: DatasetVersion) -> None:
        """Judge everything that is wanted."""
        paging = Paging(trials=1 + max((one.trial for one in self._crossing.wanted), default=0))
        try:
            for page in self._crossing.by_position(lambda: paging.count):
                if self._work.stop.raised:
                    break
                items = _items(self._work.store, version, page)
                paging.saw(list(items.values()), self._take(page, items))
                await self._judge.room()
                await self._writer.room()
            await self._judge.finish()
            if self._lost:
                self._work.stop.stop(f"{self._lost} stored traces cannot be read any more; the others were judged")
        except BaseException:
            await self._judge.abort()
            raise
        finally:
            await self._writer.close()

    def _take(self, page: Sequence[Crossed], items: Mapping[int, StoredItem]) -> list[Produced]:
        """Judge the traces of a page; returns what they hold."""
        work = self._work
        traces = work.store.load_traces([one.trace for one in page])
        judged = [
            Judged(
                Unit(one.position, one.trial, items[one.position], trace.key),
                TraceRef(one.trace, trace.key, trace.digest(), work.run),
                trace.produced,
                trace.usage,
                trace.seconds,
            )
            for one in page
            if (trace := traces.get(one.trace)) is not None
        ]
        self._lost += len(page) - len(judged)
        now = work.ports.clock.now()
        self._writer.put_cases(
            [
                NewCase(
                    work.run,
                    one.unit.position,
                    one.unit.trial,
                    one.unit.item.ref,
                    ExecutionStatus.COMPLETED,
                    trace=one.ref.ref,
                    completed_at=now,
                )
                for one in judged
                if (one.unit.position, one.unit.trial) not in self._executed
            ]
        )
        work.progress.completed += len(judged)
        work.progress.reused += len(judged)
        self._judge.take(judged, known=work.store.find_scores([one.ref.ref for one in judged], self._refs))
        return [one.produced for one in judged]


def _judges(wanted: Iterable[Crossed], prepared: Sequence[Prepared]) -> Judges:
    """The prepared scorers, by position where not all of them judge everything."""
    ready = {one.scorer.config.digest(): one for one in prepared if one.scorer is not None}
    own: dict[int, dict[bytes, Prepared]] = {}
    known: dict[int, list[bytes]] = {}
    for one in wanted:
        digests = known.get(id(one.scorers))
        if digests is None:
            digests = known[id(one.scorers)] = [scorer.config.digest() for scorer in one.scorers]
        own.setdefault(one.position, {}).update((digest, ready[digest]) for digest in digests)
    if all(len(scorers) == len(ready) for scorers in own.values()):
        return Judges(list(ready.values()))
    return Judges([], {position: list(scorers.values()) for position, scorers in own.items()})
