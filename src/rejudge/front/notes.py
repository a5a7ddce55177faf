"""What has to be known to read the numbers of a result right, in sentences."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from rejudge.datasets.selection import told
from rejudge.domain.protocol import ACCEPTED, SELECTION, allowed_tools, optimization_of, type_of
from rejudge.domain.run import RunState
from rejudge.domain.run_config import UNDECLARED
from rejudge.front.collisions import LOOKED_AT, collisions
from rejudge.front.collisions import told as collisions_told
from rejudge.front.lines import NAME, TEXT, clipped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.experiment import Experiment
    from rejudge.front.result import Result, RunResult
    from rejudge.front.skips import Skips


def notes_on(result: Result, version: DatasetVersion, skips: Sequence[Skips]) -> Iterator[str]:
    """What is to be known about an experiment, and about each of its runs, whose skips are counted already."""
    yield from _on_experiment(result.experiment, version)
    if not result.runs:
        yield "nothing has been run yet"
    elif not any(run.run.scorers for run in result.runs):
        yield "no scorers: the outputs are stored and can be scored at any time, without a task call"
    for run, skipped in zip(result.runs, skips, strict=True):
        yield from _on_run(run, skipped)
        yield from _more_scorers(run, result)


def shared_names(run: RunResult) -> Iterator[str]:
    """Names that both items and outputs have, among the first cases of a run that anybody judges."""
    if run.run.scorers:
        yield from collisions_told(collisions(islice(run.cases(), LOOKED_AT)))


def _on_experiment(experiment: Experiment, version: DatasetVersion) -> Iterator[str]:
    protocol = experiment.protocol
    if SELECTION in protocol:
        yield f"selected: {clipped(told(protocol[SELECTION]), TEXT)}"
    if not version.count:
        nothing = "nothing is selected" if SELECTION in protocol else "the dataset is empty"
        yield f"{nothing}: nothing was run, so nothing can be said"
    if (optimization := optimization_of(experiment)) is not None:
        yield f"{type_of(experiment)} of optimization {clipped(optimization, NAME)}"
    if tools := allowed_tools(experiment):
        yield f"tools that were allowed to act for real: {clipped(', '.join(tools), TEXT)}"
    accepted = protocol.get(ACCEPTED)
    if isinstance(accepted, dict):
        for kind, change in accepted.items():
            yield f"gone on with although its {clipped(kind, NAME)} changed: {clipped(str(change), TEXT)}"


def _on_run(run: RunResult, skipped: Skips) -> Iterator[str]:
    config, scorers, task = run.run_config, run.scorers, clipped(run.task, NAME)
    if skipped.count and not skipped.are_all:
        yield f"{task}: {skipped.note()}"
    for name in shared_names(run):
        yield f"{task}: {clipped(name, TEXT)}"
    if config.unpinned is not None:
        yield f"{task} is {clipped(config.unpinned, TEXT)} (its traces serve this experiment only)"
    undeclared = [name for name, value in config.dimensions().items() if value == UNDECLARED]
    if config.scenario is not None and undeclared:
        yield f"{task} does not declare {', '.join(undeclared)}, which a gate asks for"
    for scores in run.counts.scores:
        if scores.skipped and scores.scorer in scorers:
            causes = ", ".join(f"{number} {clipped(cause, NAME)}" for cause, number in scores.causes.items())
            yield f"{clipped(scorers[scores.scorer].name, NAME)} skipped on {task}: {causes}"
    for digest in run.run.added_later:
        yield f"{clipped(scorers[digest].name, NAME)} was added after results of {task} had been seen"


def _more_scorers(run: RunResult, result: Result) -> Iterator[str]:
    """A later run of the same task that has scores which this one lacks."""
    later = [
        one
        for one in result.store.runs(result.experiment.id)
        if one.run_config == run.run.run_config and one.created_at > run.run.created_at
    ]
    for one in reversed(later):
        more = [result.store.scorer(digest).name for digest in one.scorers if digest not in run.run.scorers]
        if more and one.state is RunState.COMPLETED:
            names = clipped(", ".join(dict.fromkeys(more)), TEXT)
            yield f"a later run of {clipped(run.task, NAME)} also has scores of {names}: rejudge show {one.id}"
            return
