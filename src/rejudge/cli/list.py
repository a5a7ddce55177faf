"""`rejudge list`: the experiments of a store and their runs."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import Json, Store, Traceback
from rejudge.wiring import DEFAULT_STORE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rejudge.domain.experiment import Experiment
    from rejudge.front.result import Result, RunResult

Type = Annotated[
    Literal["regular", "trial", "mini-batch"] | None, typer.Option("--type", help="Only experiments of this type.")
]
Optimization = Annotated[
    str | None, typer.Option("--optimization", metavar="ID", help="Only the experiments of this optimisation.")
]

ESTIMATES = 3
"""Of so many scorers the estimate stands beside a run."""


@command
def list_experiments(
    *,
    experiment_type: Type = None,
    optimization: Optimization = None,
    store: Store = DEFAULT_STORE,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """List the experiments and their runs.

    Oldest first, with the time of its start, the state, the cases and up to three estimates of each run.
    """
    from rejudge.cli.output import put, put_json
    from rejudge.cli.store import opened
    from rejudge.front.result import Result

    workspace = opened(store)
    known = {one.id: one for one in workspace.experiments()}
    listed = workspace.experiments(optimization_id=optimization, experiment_type=experiment_type)
    results = [
        Result(workspace.store, experiment, tuple(run.id for run in workspace.runs(experiment.id)))
        for experiment in listed
    ]
    if json:
        put_json({"experiments": [result.to_dict() for result in results]})
    elif results:
        put("\n\n".join("\n".join(_lines(result, known)) for result in results))
    else:
        put("no such experiment" if known else "no experiments yet")
    return ExitCode.DONE


def _lines(result: Result, known: Mapping[str, Experiment]) -> Iterator[str]:
    from rejudge.domain.protocol import is_explanation, optimization_of, type_of
    from rejudge.front.lines import clipped, padded, width
    from rejudge.front.overview import short

    experiment = result.experiment
    version = result.store.find_version(experiment.dataset_version)
    yield f"{clipped(experiment.name, 80)}  {short(experiment.id)}  {_minute(experiment.created_at)}"
    yield f"  {clipped(version.dataset, 40)} version {version.number}, {version.count} items"
    if is_explanation(experiment):
        yield "  made for an explanation: stored traces, judged as in another run; no measurement of its own"
    if (optimization := optimization_of(experiment)) is not None:
        yield f"  {type_of(experiment)} of optimization {clipped(optimization, 40)}"
    if experiment.successor_of is not None:
        yield f"  was {short(experiment.successor_of)} before: {_changed(experiment, known[experiment.successor_of])}"
    cells = [_cells(run) for run in result.runs]
    columns = [max(map(width, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        yield "  " + "  ".join(map(padded, line, columns)).rstrip()


def _changed(now: Experiment, before: Experiment) -> str:
    """What is another about an experiment than about the one before it under the same name."""
    changes = {
        "the dataset": now.dataset_version != before.dataset_version,
        "the tasks": set(now.run_configs) != set(before.run_configs),
        "the number of trials": now.trials != before.trials,
    }
    changed = [what for what, is_new in changes.items() if is_new]
    return f"{' and '.join(changed or ['the settings'])} changed"


def _cells(run: RunResult) -> tuple[str, ...]:
    from rejudge.front.lines import clipped

    ended = run.run.planned - run.pending
    started = run.run.started_at or run.run.created_at
    cases = f"{ended}/{run.run.planned} cases"
    return run.id, _minute(started), clipped(run.run_config.name, 30), run.state.value, cases, _estimates(run)


def _estimates(run: RunResult) -> str:
    """The main estimate of each scorer, of the first few."""
    from rejudge.front.amounts import counted
    from rejudge.front.lines import clipped
    from rejudge.stats.render import render_estimate

    main: dict[str, str] = {}
    for scorer, summary in run.summaries:
        main.setdefault(scorer, clipped(f"{scorer} {render_estimate(summary)}", 60))
    told = list(main.values())[:ESTIMATES]
    if len(main) > ESTIMATES:
        told.append(counted(len(main) - ESTIMATES, "more scorer"))
    return " · ".join(told) or "no scorer"


def _minute(seconds: float) -> str:
    """A time in seconds since 1970 as the clock on the wall told it."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")
