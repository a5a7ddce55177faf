"""What an evaluation would do, with reasons, without doing it: reuse, run, or run again because something changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from rejudge.domain.run_config import UNDECLARED
from rejudge.domain.score import ScoreStatus
from rejudge.runner.changes import Changes
from rejudge.runner.preflight import check_request
from rejudge.runner.units import Page, page_of
from rejudge.runner.views import seen_digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run import Run
    from rejudge.runner.judging import Prepared
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
        return "\n\n".join([head, *("\n".join(task.lines()) for task in self.tasks)])


def plan(store: Store, request: Request) -> Plan:
    """Subtract what is stored from what is wanted; nothing is called.

    Raises ConfigurationError for what an evaluation would refuse.
    """
    check_request(request)
    experiment = request.wish()
    return Plan(
        experiment=experiment.name,
        dataset_version=request.version.id,
        items=request.version.count,
        trials=request.trials,
        tasks=tuple(_plan_task(store, request, experiment, task) for task in request.tasks),
    )


def _plan_task(store: Store, request: Request, experiment: Experiment, task: Task) -> TaskPlan:
    config = task.config.bound_to(experiment.id)
    planned = TaskPlan(
        task=config.name, run_config=config.id, planned=request.version.count * request.trials, notes=_notes(task)
    )
    planned.scorers = [ScorerPlan(scorer=scorer.config.name) for scorer in request.scorers]
    refs = {scorer.config.digest(): index for index, scorer in enumerate(request.scorers)}
    saved = {store.save_scorer(scorer.config): refs[scorer.config.digest()] for scorer in request.scorers}
    changes = Changes.since(store, request, experiment, config)
    for page, found in pages(store, request, task, config.digest()):
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
        _plan_scores(store, request.scorers, planned, page, found, saved)
    planned.notes += changes.advice(request.scorers)
    return planned


def _plan_scores(
    store: Store,
    scorers: Sequence[Scorer],
    planned: TaskPlan,
    page: Page,
    found: dict[bytes, TraceRef],
    saved: dict[int, int],
) -> None:
    known = _usable(store.find_scores([ref.ref for ref in found.values()], list(saved)))
    for unit in page.units:
        ref = found.get(unit.key)
        fields = unit.fields()
        for scorer_ref, index in saved.items():
            counts = planned.scorers[index]
            if ref is None:
                counts.after_generation += 1
            elif (ref.ref, scorer_ref, seen_digest(fields, scorers[index].config.sees)) in known:
                counts.reuse += 1
            else:
                counts.score += 1


def pages(
    store: Store, request: Request, task: Task, run_config: bytes
) -> Iterator[tuple[Page, dict[bytes, TraceRef]]]:
    """The units of a request page by page, with the stored traces among them."""
    version = request.version
    for start in range(0, version.count, PAGE):
        items = store.items(version.id, start=start, count=PAGE)
        page = page_of(items, task, run_config=run_config, reference=version.reference, trials=request.trials)
        yield page, store.find_traces([unit.key for unit in page.units])


def is_done(store: Store, run: Run, task: Task, *, request: Request, scorers: Sequence[Prepared]) -> bool:
    """Whether a completed run already holds exactly what is wanted, so that asking again changes nothing."""
    counts = store.counts(run.id)
    ended = counts.cases.completed + counts.cases.skipped
    if ended != run.planned or any(scores.errors for scores in counts.scores):
        return False
    refs = [prepared.ref for prepared in scorers]
    for page, found in pages(store, request, task, run.run_config):
        if len(found) != len(page.units):
            return False
        start = page.first
        latest = {
            (unit.position, unit.trial): unit.trace.ref
            for unit in store.latest_traces(run.experiment, run.run_config, start=start, count=PAGE)
        }
        if any(latest.get((unit.position, unit.trial)) != found[unit.key].ref for unit in page.units):
            return False
        known = _usable(store.find_scores([ref.ref for ref in found.values()], refs))
        for unit in page.units:
            fields = unit.fields()
            for prepared in scorers:
                if (found[unit.key].ref, prepared.ref, seen_digest(fields, prepared.sees)) not in known:
                    return False
    return True


def _usable(scores: Sequence[ScoreRef]) -> set[tuple[int, int, bytes]]:
    return {(score.trace, score.scorer, score.seen) for score in scores if score.status is not ScoreStatus.ERROR}


def _notes(task: Task) -> list[str]:
    config = task.config
    notes = [] if config.unpinned is None else [config.unpinned + " (its traces serve this experiment only)"]
    undeclared = [name for name, value in config.dimensions().items() if value == UNDECLARED]
    if undeclared:
        more = f" and {len(undeclared) - 2} more" if len(undeclared) > 2 else ""
        notes.append(f"undeclared: {', '.join(undeclared[:2])}{more}; depends_on= says what an output depends on")
    return notes
