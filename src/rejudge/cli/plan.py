"""`rejudge plan`: what a run would reuse, do and do again, without doing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import EvaluationPath, FileStore, Json, Traceback

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.runner.plan import Plan, TaskPlan


@command
def plan(
    file: EvaluationPath,
    *,
    store: FileStore = None,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Say what `run` would reuse and do, and why.

    Nothing is called, scored or spent. What would be done again because something changed is counted by its reasons.
    """
    from msgspec import to_builtins

    from rejudge.cli.output import put, put_json
    from rejudge.cli.store import store_or_empty
    from rejudge.front.evaluation_file import load_evaluation

    loaded = load_evaluation(file)
    planned = loaded.wish.plan(store_or_empty(store or loaded.store))
    if json:
        put_json(to_builtins(planned))
    else:
        put("\n".join(_lines(planned)))
    return ExitCode.DONE


def _lines(planned: Plan) -> Iterator[str]:
    trials = "" if planned.trials == 1 else f" × {planned.trials} trials"
    yield f"{planned.experiment}: {planned.items} items{trials}, {planned.dataset_version[:16]}"
    for task in planned.tasks:
        yield from _task_lines(task)


def _task_lines(task: TaskPlan) -> Iterator[str]:
    parts = {"reuse": task.reuse, "run": task.run, "run again": task.stale, "skip": task.skip}
    told = ", ".join(f"{what} {count}" for what, count in parts.items() if count)
    yield f"\n{task.task}: {told or 'nothing'} (of {task.planned})"
    for reason, count in task.reasons.items():
        yield f"  {count} × {reason}"
    for scorer in task.scorers:
        later = f", {scorer.after_generation} once generated" if scorer.after_generation else ""
        yield f"  scorer {scorer.scorer}: reuse {scorer.reuse}, score {scorer.score}{later}"
    for note in task.notes:
        yield f"  note: {note}"
