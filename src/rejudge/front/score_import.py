"""Importing scores: recorded verdicts on the traces that an experiment has, as if one of its scorers had given them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.errors import ConfigurationError, Place
from rejudge.domain.scale import ScoreSpec, ScoreType
from rejudge.front.amounts import counted
from rejudge.front.evaluation import Evaluation
from rejudge.front.lines import NAME, clipped
from rejudge.front.recorded_scores import Fields, RecordedScores, recorded_scores
from rejudge.front.workspace import Workspace
from rejudge.runner.rescore import rescore, version_of
from rejudge.runner.settings import Settings
from rejudge.stats.render import render_standard_error
from rejudge.stats.scale import Scale

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rejudge.domain.experiment import Experiment
    from rejudge.front.result import Result, RunResult
    from rejudge.runner.evaluate import Engine, Evaluated
    from rejudge.storage.store import Store

PAGE = 1024

NAMED = 5
"""So many ids are named in a message."""


class ScoreImport(Struct, frozen=True, kw_only=True):
    """Scores that are ready to be imported: onto which task's traces, and which records match none of them."""

    store: Store
    experiment: Experiment
    run: RunResult
    file: Path
    scores: RecordedScores
    strangers: tuple[tuple[str, int], ...]

    def evaluation(self) -> Evaluation:
        """The import that has not begun: a run that calls nothing and stores a score or a skip for every trace.

        Importing the same records again makes no run and stores nothing.
        """

        async def wanted(engine: Engine) -> Evaluated:
            return await rescore(
                engine,
                self.experiment,
                (self.scores.scorer,),
                settings=Settings(),
                run_config=self.run.run.run_config,
            )

        return Evaluation(wanted, store=self.store)

    def remarks(self) -> list[str]:
        """What of the file has no place in the experiment, in words."""
        told = []
        if self.strangers:
            ids = list(dict.fromkeys(item_id for item_id, _ in self.strangers))
            named = ", ".join(repr(clipped(item_id, NAME)) for item_id in ids[:NAMED])
            more = ", …" if len(ids) > NAMED else ""
            count = counted(len(self.strangers), "record")
            told.append(f"{count} of {self.file.name} without a trace of {self.run.task}, left out: {named}{more}")
        if self.scores.unvalued:
            count = counted(self.scores.unvalued, "record")
            told.append(f"{count} of {self.file.name} without a value, stored as skips")
        return told

    def estimates(self, result: Result) -> list[str]:
        """The mean of the imported scores in the result, with its standard error; nothing for labels."""
        name = self.scores.scorer.config.name
        summary = result.summary(name, task=result.runs[0].id)
        if summary.kind == "label":
            return []
        spec = self.scores.spec or ScoreSpec(name=name, type=ScoreType(summary.kind))
        low, high = spec.range
        told = render_standard_error(summary, scale=Scale(low=low, high=high))
        on = "" if low is None or high is None or (low, high) == (0, 1) else f" on its scale from {low:g} to {high:g}"
        return [f"{clipped(name, NAME)}: {told} (mean ± standard error){on}, n={summary.n}"]


def score_import(
    store: Store,
    experiment: str,
    file: str | Path,
    scorer: str | ScoreSpec | Mapping[str, object],
    *,
    fields: Fields,
    task: str | None = None,
) -> ScoreImport:
    """Read the records of a file and match them with the traces of one task of an experiment, by item id and trial.

    Nothing is stored yet. Raises InputError for a file or record that cannot be read, and ConfigurationError where the
    experiment has several tasks and none is named, has no run yet, or has no trace of any id in the file.
    """
    path = Path(file)
    result = Workspace(store).result(experiment)
    if not result.runs:
        raise ConfigurationError(f"experiment {result.name!r} has no run yet", fix="run it first: rejudge run")
    run = result.run(task)
    scores = recorded_scores(path, scorer, fields=fields, trials=run.reaches.assignment.most_trials)
    known = _traced(store, result.experiment, run.run.run_config)
    strangers = tuple(unit for unit in scores.lines if unit not in known)
    if len(strangers) == len(scores.lines):
        names = ", ".join(repr(clipped(item_id, NAME)) for item_id, _ in sorted(known)[:NAMED])
        raise ConfigurationError(
            f"no id at {fields.id!r} is that of an item which {run.task} has a trace of",
            where=Place(file=str(path)),
            fix=f"name the field of the item's id with id= (a dotted path); there are traces of {names or 'none'}",
        )
    return ScoreImport(
        store=store, experiment=result.experiment, run=run, file=path, scores=scores, strangers=strangers
    )


def _traced(store: Store, experiment: Experiment, run_config: bytes) -> set[tuple[str, int]]:
    """The (item id, trial) pairs that the experiment has a trace for."""
    version = version_of(store, experiment)
    found: set[tuple[str, int]] = set()
    for start in range(0, version.count, PAGE):
        ids = {item.position: item.item_id for item in store.items(version.id, start=start, count=PAGE)}
        traces = store.latest_traces(experiment.id, run_config, start=start, count=PAGE)
        found.update((ids[one.position], one.trial) for one in traces)
    return found
