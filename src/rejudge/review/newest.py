"""What stands now under a name: the newest runs of an experiment, the scorers in them, the labels of a rating set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.calibration import HumanSet, Judged, OtherScorer, Present
from rejudge.domain.errors import NotFound
from rejudge.domain.run import RunState

if TYPE_CHECKING:
    from rejudge.domain.calibration import CalibrationRecord
    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run import Run
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.storage.store import Store


def newest_runs(store: Store, experiment: Experiment) -> list[Run]:
    """For each run config of an experiment its last run that was begun."""
    newest = {run.run_config: run for run in store.runs(experiment.id) if run.state is not RunState.CREATED}
    return list(newest.values())


def scorers_named(store: Store, runs: list[Run], name: str) -> list[ScorerConfig]:
    """The scorers of some runs with this name, or with this id or beginning of it; each once."""
    digests = dict.fromkeys(digest for run in runs for digest in run.scorers)
    configs = [store.scorer(digest) for digest in digests]
    named = [config for config in configs if config.name == name]
    return named or [config for config in configs if name.startswith("scorer-") and config.id.startswith(name)]


def human_set(store: Store, name: str) -> HumanSet | None:
    """The newest labels of the newest rating set of a name; None where there are none."""
    try:
        rating_set = store.rating_set(name)
    except NotFound:
        return None
    versions = store.gold_versions(rating_set.digest())
    if not versions:
        return None
    return HumanSet(
        rating_set=rating_set.digest(),
        name=rating_set.name,
        rubric=rating_set.rubric,
        gold=versions[-1].digest(),
        gold_number=versions[-1].number,
    )


def present(store: Store, record: CalibrationRecord) -> Present:
    """What stands now under the names that a calibration used."""
    experiment = store.experiment(store.experiment(record.experiment).name)
    runs = newest_runs(store, experiment)
    judged = _same_or_other(scorers_named(store, runs, record.judged.name), record.judged.scorer)
    against: HumanSet | OtherScorer | None
    if isinstance(record.against, HumanSet):
        against = human_set(store, record.against.name)
    else:
        other = _same_or_other(scorers_named(store, runs, record.against.name), record.against.scorer)
        against = None
        if other is not None:
            against = OtherScorer(scorer=other.digest(), name=other.name, value=record.against.value)
    return Present(
        judged=None if judged is None else judged_of(judged, record.judged.value),
        dataset_version=experiment.dataset_version,
        against=against,
    )


def judged_of(config: ScorerConfig, value: str) -> Judged:
    """A scorer as a calibration names it."""
    return Judged(
        scorer=config.digest(), name=config.name, type=config.type, settings=dict(config.settings), value=value
    )


def _same_or_other(found: list[ScorerConfig], digest: bytes) -> ScorerConfig | None:
    """Of the scorers of one name the one with the digest, else the last."""
    same = [config for config in found if config.digest() == digest]
    return same[0] if same else found[-1] if found else None
