"""What an evaluation would do, with reasons, without doing it: reuse, run, or run again because something changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from rejudge.domain.run_config import UNDECLARED
from rejudge.domain.score import ScoreStatus
from rejudge.runner.assignment import Assignment, assignment_of
from rejudge.runner.changes import Changes
from rejudge.runner.preflight import check_own_scorers, check_paths, check_request
from rejudge.runner.units import Page, page_of
from rejudge.runner.views import seen_digest
from rejudge.runner.work import Shape, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run import Run
    from rejudge.domain.run_config import RunConfig
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.runner.request import Request
    from rejudge.scorers.scorer import Scorer
    from rejudge.storage.records import ScoreRef, TraceRef
    from rejudge.storage.store import Store
    from rejudge.tasks.task import Task

PAGE = 512


class ScorerPlan(Struct, kw_only=True):
    """For one scorer: scores that are stored, and judgements to make, now or once the trace exists."""

    scorer: str
    reuse: int = 0
    score: int = 0
    after_generation: int = 0


class TaskPlan(Struct, kw_only=True):
    """For one task: units by what would happen to them.

    `run` is new work, `stale` work that was done before something changed; `reasons` counts both in words. `notes`
    say what keeps reuse narrow.
    """

    task: str
    run_config: str
    planned: int
    reuse: int = 0
    run: int = 0
    stale: int = 0
    skip: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    scorers: list[ScorerPlan] = field(default_factory=list)

    def count(self, reason: str, units: int = 1) -> None:
        """Count a reason."""
        self.reasons[reason] = self.reasons.get(reason, 0) + units

    def lines(self) -> Iterator[str]:
        """The plan of the task in words."""
        parts = {"reuse": self.reuse, "run": self.run, "run again": self.stale, "skip": self.skip}
        told = ", ".join(f"{what} {count}" for what, count in parts.items() if count)
        yield f"{self.task}: {told or 'nothing'} (of {self.planned})"
        for reason, count in self.reasons.items():
            yield f"  {count} × {reason}"
        for scorer in self.scorers:
            later = f", {scorer.after_generation} once generated" if scorer.after_generation else ""
            yield f"  scorer {scorer.scorer}: reuse {scorer.reuse}, score {scorer.score}{later}"
        for note in self.notes:
            yield f"  note: {note}"


class Plan(Struct, frozen=True, kw_only=True):
    """The plan of an evaluation, task by task; as text it is a report."""

    experiment: str
    dataset_version: str
    items: int
    trials: int
    tasks: tuple[TaskPlan, ...]

    def __str__(self) -> str:
        trials = "" if self.trials == 1 else f" × {self.trials} trials"
        head = f"{self.experiment}: {self.items} items{trials}, {self.dataset_version[:16]}"
        return "\n\n".join([visible(head), *("\n".join(map(visible, task.lines())) for task in self.tasks)])


def plan(store: Store, request: Request) -> Plan:
    """Subtract what is stored from what is wanted; nothing is called.

    Raises ConfigurationError for what an evaluation would refuse.
    """
    check_request(request)
    check_paths(store, request)
    assignment = assignment_of(store, request.version, request.scorers, trials=request.trials, rules=request.rules)
    check_own_scorers(assignment.own.values(), request)
    experiment = request.wish(scorers=assignment.all_scorers)
    return Plan(
        experiment=experiment.name,
        dataset_version=request.version.id,
        items=request.version.count,
        trials=request.trials,
        tasks=tuple(_plan_task(store, request, experiment, task, assignment) for task in request.tasks),
    )


def _plan_task(store: Store, request: Request, experiment: Experiment, task: Task, assignment: Assignment) -> TaskPlan:
    config = task.config.bound_to(experiment.id)
    scorers = assignment.all_scorers
    planned = TaskPlan(
        task=config.name,
        run_config=config.id,
        planned=assignment.planned,
        notes=_notes(config, [scorer.config for scorer in scorers]),
        scorers=[ScorerPlan(scorer=name) for name in dict.fromkeys(scorer.config.name for scorer in scorers)],
    )
    shape = Shape.of(config, reference=request.version.reference)
    scores = _Scores(store, assignment, experiment=experiment.id, shape=shape)
    changes = Changes.since(store, request, experiment, config)
    for page, found in pages(store, request, task, config.digest(), assignment):
        planned.skip += len(page.skipped)
        for skipped in page.skipped:
            planned.count(f"skip: {skipped.reason}")
        planned.reuse += len(found)
        for unit in page.units:
            if unit.key not in found:
                stale, reason = changes.reason(unit.item.item_id)
                planned.stale += stale
                planned.run += not stale
                planned.count(reason)
        _plan_scores(planned, page, found, scores)
    planned.notes += changes.advice(request.scorers)
    return planned


class _Scores:
    """Which judgements of traces are stored."""

    def __init__(self, store: Store, assignment: Assignment, *, experiment: str, shape: Shape) -> None:
        self._store = store
        self._shape = shape
        self._assignment = assignment
        bound = {scorer.config.digest(): scorer.config.bound_to(experiment) for scorer in assignment.all_scorers}
        self._refs = dict(zip(bound, store.save_scorers(list(bound.values())), strict=True))
        self._everywhere = self._asked(assignment.scorers)

    def names(self, position: int) -> list[str]:
        """The names of the scorers that judge the item at a position."""
        return [scorer.config.name for scorer in self._assignment.scorers_at(position)]

    def _asked(self, scorers: Sequence[Scorer]) -> list[tuple[str, int, tuple[str, ...] | None]]:
        return [(one.config.name, self._refs[one.config.digest()], one.config.sees) for one in scorers]

    def of(self, page: Page, found: dict[bytes, TraceRef]) -> Iterator[tuple[Unit, list[tuple[str, bool]]]]:
        """For each unit that has a trace, whether the score of each scorer, by its name, is stored."""
        own = self._assignment.own
        known = _usable(self._store.find_scores([ref.ref for ref in found.values()], list(self._refs.values())))
        for unit in page.units:
            if (ref := found.get(unit.key)) is not None:
                fields = unit.fields()
                asked = self._asked(own[unit.position]) if unit.position in own else self._everywhere
                yield (
                    unit,
                    [
                        (name, (ref.ref, scorer, seen_digest(fields, sees, self._shape)) in known)
                        for name, scorer, sees in asked
                    ],
                )


def _plan_scores(planned: TaskPlan, page: Page, found: dict[bytes, TraceRef], scores: _Scores) -> None:
    counts = {one.scorer: one for one in planned.scorers}
    for unit in page.units:
        if unit.key not in found:
            for name in scores.names(unit.position):
                counts[name].after_generation += 1
    for _, stored in scores.of(page, found):
        for name, there in stored:
            counts[name].reuse += there
            counts[name].score += not there


def pages(
    store: Store, request: Request, task: Task, run_config: bytes, assignment: Assignment
) -> Iterator[tuple[Page, dict[bytes, TraceRef]]]:
    """The units of a request page by page, with the stored traces among them."""
    version = request.version
    for start in range(0, version.count, PAGE):
        items = store.items(version.id, start=start, count=PAGE)
        page = page_of(items, task, run_config=run_config, reference=version.reference, trials=assignment.trials)
        yield page, store.find_traces([unit.key for unit in page.units])


def is_done(store: Store, run: Run, task: Task, *, request: Request, assignment: Assignment) -> bool:
    """Whether a completed run already holds exactly what is wanted, so that asking again changes nothing."""
    counts = store.counts(run.id)
    ended = counts.cases.completed + counts.cases.skipped
    if ended != run.planned or any(scores.errors for scores in counts.scores):
        return False
    shape = Shape.of(task.config, reference=request.version.reference)
    scores = _Scores(store, assignment, experiment=run.experiment, shape=shape)
    for page, found in pages(store, request, task, run.run_config, assignment):
        if len(found) != len(page.units):
            return False
        latest = {
            (unit.position, unit.trial): unit.trace.ref
            for unit in store.latest_traces(run.experiment, run.run_config, start=page.first, count=PAGE)
        }
        if any(latest.get((unit.position, unit.trial)) != found[unit.key].ref for unit in page.units):
            return False
        if not all(there for _, stored in scores.of(page, found) for _, there in stored):
            return False
    return True


def _usable(scores: Sequence[ScoreRef]) -> set[tuple[int, int, bytes]]:
    return {(score.trace, score.scorer, score.seen) for score in scores if score.status is not ScoreStatus.ERROR}


def _notes(config: RunConfig, scorers: Sequence[ScorerConfig]) -> list[str]:
    unpinned = [config.unpinned, *(scorer.unpinned for scorer in scorers)]
    notes = [f"{reason} (serves this experiment only)" for reason in unpinned if reason is not None]
    undeclared = [name for name, value in config.dimensions().items() if value == UNDECLARED]
    if undeclared:
        more = f" and {len(undeclared) - 2} more" if len(undeclared) > 2 else ""
        notes.append(f"undeclared: {', '.join(undeclared[:2])}{more}; depends_on says what an output depends on")
    return notes


def visible(text: str) -> str:
    """`text` with whatever could steer a terminal written as an escape; names come from data of strangers."""
    return "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in text)
