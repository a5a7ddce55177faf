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
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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

NAMED = 30
"""The most columns of the name of a task or a scorer."""


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
    from rejudge.cli.output import columns, put, put_json
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
        put("\n\n".join("\n".join(_lines(result, known, columns())) for result in results))
    else:
        put("no such experiment" if known else "no experiments yet")
    return ExitCode.DONE


def _lines(result: Result, known: Mapping[str, Experiment], columns: int) -> Iterator[str]:
    from rejudge.front.lines import broken

    yield from map(str.rstrip, broken(_head(result, known, columns), columns))
    yield from _runs(result.runs, columns)


def _head(result: Result, known: Mapping[str, Experiment], columns: int) -> Iterator[str]:
    """What the experiment is, before its runs."""
    from rejudge.domain.protocol import is_explanation, optimization_of, type_of
    from rejudge.front.amounts import counted
    from rejudge.front.lines import NAME, clipped
    from rejudge.front.overview import short

    experiment = result.experiment
    version = result.store.find_version(experiment.dataset_version)
    name = clipped(experiment.name, min(2 * NAME, columns))
    yield f"{name}  {short(experiment.id)}  {_minute(experiment.created_at)}"
    yield f"  {clipped(version.dataset, NAME)} version {version.number}, {counted(version.count, 'item')}"
    if is_explanation(experiment):
        yield "  made for an explanation: stored traces, judged as in another run; no measurement of its own"
    if (optimization := optimization_of(experiment)) is not None:
        yield f"  {type_of(experiment)} of optimization {clipped(optimization, NAME)}"
    if experiment.successor_of is not None:
        yield f"  was {short(experiment.successor_of)} before: {_changed(experiment, known[experiment.successor_of])}"


def _runs(runs: Sequence[RunResult], columns: int) -> Iterator[str]:
    """The runs, a line each where they all fit; else the estimates of each stand below it."""
    from rejudge.front.lines import padded, width

    cells = [_cells(run) for run in runs]
    estimates = [_estimates(run) for run in runs]
    rooms = [max(map(width, column)) for column in zip(*cells, strict=True)]
    lines = ["  " + "  ".join(map(padded, line, rooms)) for line in cells]
    beside = [f"{line}  {' · '.join(told)}" for line, told in zip(lines, estimates, strict=True)]
    if all(width(line) <= columns for line in beside):
        yield from beside
        return
    for facts, told in zip(cells, estimates, strict=True):
        first, *more = _filled(facts, columns - 4, between="  ")
        yield f"  {first}"
        yield from (f"    {line}" for line in (*more, *_filled(told, columns - 4, between=" · ")))


def _filled(parts: Iterable[str], limit: int, *, between: str) -> Iterator[str]:
    """The parts on as few lines of at most so many columns as hold them whole; a longer part is broken at blanks."""
    from rejudge.front.lines import width, wrapped

    line = ""
    for part in parts:
        joined = f"{line}{between}{part}" if line else part
        if width(joined) <= limit:
            line = joined
            continue
        yield from filter(None, [line])
        *full, line = wrapped(part, limit)
        yield from full
    yield line


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
    return run.id, _minute(started), clipped(run.run_config.name, NAMED), run.state.value, cases


def _estimates(run: RunResult) -> list[str]:
    """The main estimate of each scorer, of the first few."""
    from rejudge.front.amounts import counted
    from rejudge.front.lines import clipped
    from rejudge.stats.render import render_estimate

    main: dict[str, str] = {}
    for scorer, summary in run.summaries:
        main.setdefault(scorer, f"{clipped(scorer, NAMED)} {render_estimate(summary)}")
    told = list(main.values())[:ESTIMATES]
    if len(main) > ESTIMATES:
        told.append(counted(len(main) - ESTIMATES, "more scorer"))
    return told or ["no scorer"]


def _minute(seconds: float) -> str:
    """A time in seconds since 1970 as the clock on the wall told it."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")
