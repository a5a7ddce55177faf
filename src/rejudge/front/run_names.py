"""Runs as people name them: a result, a run, or words such as `experiment`, `experiment:task` and the id of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rejudge.domain.errors import ConfigurationError, NotFound, UnknownName
from rejudge.domain.protocol import refuse_explanation
from rejudge.front.result import Result, RunResult
from rejudge.front.workspace import Workspace
from rejudge.wiring import open_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.storage.store import Store
    from rejudge.wiring import Address

RunLike = Result | RunResult | str
"""A result counts as all of its runs; text names an experiment, `experiment:task`, or a run by its id."""


LISTED = 10
"""So many ids that begin alike are listed."""


class NamedRuns(NamedTuple):
    """Runs of one store, each with a name that tells it from the others."""

    store: Store
    runs: tuple[RunResult, ...]
    labels: tuple[str, ...]


def runs_named(given: Sequence[RunLike], store: Address) -> NamedRuns:
    """The runs that are meant, in their order, each once.

    Raises NotFound and UnknownName for what is not there, ConfigurationError for what names no run, and for a run that
    was made for an explanation: it is no run of the experiment that it explains.
    """
    opened = next((_store_of(one) for one in given if not isinstance(one, str)), None) or open_store(store)
    found: dict[str, RunResult] = {}
    for one in given:
        for run in _runs(one, Workspace(opened)):
            found.setdefault(run.id, run)
    runs = tuple(found.values())
    for run in runs:
        refuse_explanation(run.id, opened.experiment(run.run.experiment))
    return NamedRuns(opened, runs, _labels(runs))


def result_of(given: RunLike, store: Address) -> Result:
    """All runs that one name means, as the runs of one experiment; raises as `runs_named` does.

    Raises ConfigurationError for an experiment that has no run yet.
    """
    if isinstance(given, str):
        found = _result(given, Workspace(open_store(store)))
    elif isinstance(given, RunResult):
        found = Workspace(_store_of(given)).run(given.id)
    else:
        _store_of(given)
        found = given
    if not found.runs:
        raise ConfigurationError(f"experiment {found.name!r} has no run yet", fix="run it first: rejudge run")
    return found


def result_named(workspace: Workspace, name: str) -> Result:
    """The newest result of an experiment, or one run; raises NotFound where the name is that of neither."""
    try:
        return workspace.result(name)
    except NotFound as no_experiment:
        try:
            return workspace.run(name)
        except NotFound as no_run:
            ids = [run.id for run in workspace.runs()] + [one.id for one in workspace.experiments()]
            several = [one for one in ids if one.startswith(name)]
            if len(several) > 1:
                listed = "".join(f"\n    {one}" for one in several[:LISTED])
                more = f"\n    … and {len(several) - LISTED} more" if len(several) > LISTED else ""
                raise NotFound(
                    f"{len(several)} ids begin with {name!r}", fix=f"type more of it:{listed}{more}"
                ) from None
            what = f"{no_experiment.what}, and {no_run.what}"
            raise NotFound(what, fix=no_experiment.fix or no_run.fix) from None


def _store_of(one: Result | RunResult) -> Store:
    if not isinstance(one, Result | RunResult):
        raise ConfigurationError(f"a {type(one).__name__} names no run", fix="give a result, or the name of a run")
    return one.store


def _runs(one: RunLike, workspace: Workspace) -> tuple[RunResult, ...]:
    if isinstance(one, RunResult):
        return (one,)
    return (one if isinstance(one, Result) else _result(one, workspace)).runs


def _result(name: str, workspace: Workspace) -> Result:
    try:
        return result_named(workspace, name)
    except NotFound:
        experiment, colon, task = name.rpartition(":")
        if not colon:
            raise
        return _task(workspace.result(experiment), task)


def _task(result: Result, task: str) -> Result:
    try:
        run = result.run(task)
    except UnknownName as error:
        raise UnknownName(f"{error.what} in experiment {result.name!r}", fix=error.fix) from None
    return Result(result.store, result.experiment, (run.id,))


def _labels(runs: Sequence[RunResult]) -> tuple[str, ...]:
    """Tasks where they tell the runs apart, else experiments with them, else the beginnings of ids as well."""
    for labels in (
        tuple(run.task for run in runs),
        tuple(run.experiment for run in runs),
        tuple(f"{run.experiment}:{run.task}" for run in runs),
    ):
        if len(set(labels)) == len(runs):
            return labels
    return tuple(f"{run.experiment}:{run.task} ({run.id[-8:]})" for run in runs)
