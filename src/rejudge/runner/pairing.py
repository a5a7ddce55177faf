"""Two runs compared trace by trace: each trace of the first with that of the second for the same item and trial."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError
from rejudge.runner.evaluate import Engine, Evaluated
from rejudge.runner.preflight import check_answers
from rejudge.runner.request import Request
from rejudge.runner.rescore import rescore_config, version_of

if TYPE_CHECKING:
    from rejudge.domain.run import Run
    from rejudge.runner.settings import Settings
    from rejudge.scorers.pairwise import PairwiseScorer


async def pair_up(engine: Engine, first: Run, second: Run, scorer: PairwiseScorer, *, settings: Settings) -> Evaluated:
    """A new run of the first one's experiment, whose scores have both traces as their subject.

    Raises ConfigurationError where the runs have no items in common, or are the same.
    """
    store = engine.store
    experiment = store.experiment(first.experiment)
    version = version_of(store, experiment)
    if store.experiment(second.experiment).dataset_version != version.id:
        raise ConfigurationError(
            "the two runs are over different dataset versions", fix="evaluate both tasks on the same version"
        )
    if (first.experiment, first.run_config) == (second.experiment, second.run_config):
        raise ConfigurationError("the two runs are of one task in one experiment", fix="compare two tasks")
    if not all(scorer.demands.models):
        raise ConfigurationError(f"{scorer.config.name!r} asks a model, and none is named", fix="say which: model=")
    check_answers([scorer], engine.ports.answer)
    request = Request(
        name=experiment.name,
        version=version,
        tasks=(),
        scorers=(scorer,),
        trials=experiment.trials,
        settings=settings,
    )
    earlier = [run for run in store.runs(experiment.id) if run.run_config == first.run_config]
    prepared = engine.prepare([scorer], experiment)
    engine.note(
        experiment, await rescore_config(engine, experiment, request, prepared, earlier=earlier, opponent=second)
    )
    assert engine.begun is not None
    return engine.begun
