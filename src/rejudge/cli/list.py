"""`rejudge list`: the experiments of a store and their runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import Json, Store, Traceback
from rejudge.wiring import DEFAULT_STORE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.result import Result, RunResult


@command
def list_experiments(*, store: Store = DEFAULT_STORE, json: Json = False, traceback: Traceback = False) -> int:
    """List the experiments and their runs.

    Oldest first, with the state, the cases and the first estimate of each run.
    """
    from rejudge.cli.output import put, put_json
    from rejudge.cli.store import opened
    from rejudge.front.result import Result

    workspace = opened(store)
    results = [
        Result(workspace.store, experiment, tuple(run.id for run in workspace.runs(experiment.id)))
        for experiment in workspace.experiments()
    ]
    if json:
        put_json({"experiments": [result.to_dict() for result in results]})
    elif results:
        put("\n\n".join("\n".join(_lines(result)) for result in results))
    else:
        put("no experiments yet")
    return ExitCode.DONE


def _lines(result: Result) -> Iterator[str]:
    from rejudge.front.lines import clipped, padded, width
    from rejudge.front.overview import short

    experiment = result.experiment
    version = result.store.find_version(experiment.dataset_version)
    successor = f", after {short(experiment.successor_of)}" if experiment.successor_of else ""
    yield (
        f"{clipped(experiment.name, 80)}  {short(experiment.id)}{successor}"
        f"\n  {clipped(version.dataset, 40)} version {version.number}, {version.count} items"
    )
    cells = [_cells(run) for run in result.runs]
    columns = [max(map(width, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        yield "  " + "  ".join(map(padded, line, columns)).rstrip()


def _cells(run: RunResult) -> tuple[str, ...]:
    from rejudge.front.lines import clipped
    from rejudge.stats.render import render_estimate

    ended = run.run.planned - run.pending
    estimate = next((f"{scorer} {render_estimate(summary)}" for scorer, summary in run.summaries), "no scorer")
    return run.id, clipped(run.task, 30), run.state.value, f"{ended}/{run.run.planned} cases", clipped(estimate, 60)
