"""Going on with an experiment, from the file that it came from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError, Place
from rejudge.front.evaluation import Evaluation
from rejudge.front.inputs import version_on_loop
from rejudge.front.result import Result

if TYPE_CHECKING:
    from rejudge.domain.experiment import Experiment
    from rejudge.front.evaluation_file import EvaluationFile
    from rejudge.front.wish import Wish
    from rejudge.runner.evaluate import Engine, Evaluated
    from rejudge.storage.store import Store
    from rejudge.wiring import Address


def is_finished(store: Store, experiment: Experiment) -> bool:
    """Whether each task has done all that was planned without an error, in its last run and with the first scorers."""
    declared = set(experiment.scorers)
    last: dict[bytes, str] = {}
    first: dict[bytes, str] = {}
    for run in store.runs(experiment.id):
        last[run.run_config] = run.id
        if declared.issubset(run.scorers):
            first[run.run_config] = run.id
    count = len(experiment.run_configs)
    runs = {*last.values(), *first.values()}
    return len(last) == len(first) == count and Result(store, experiment, tuple(runs)).complete


def source_of(experiment: Experiment) -> Path:
    """The file that an experiment came from; raises ConfigurationError where it came from none."""
    if experiment.source is None:
        raise ConfigurationError(
            f"experiment {experiment.name!r} was not started from an evaluation file",
            fix="call evaluate() as before, which goes on; or name a file that wishes the same with --file",
        )
    return Path(experiment.source)


def resumption(experiment: Experiment, file: EvaluationFile, *, store: Address) -> Evaluation:
    """The rest of an experiment, as an evaluation that has not begun.

    It raises ConfigurationError before the first task call where the file wishes something else by now.
    """
    wish = file.wish

    async def wanted(engine: Engine) -> Evaluated:
        version = await version_on_loop(wish.dataset, engine.store, wish.spec, control=engine.control)
        request = wish.request(version)
        _refuse_another(request.wish(), experiment, wish)
        return await engine.evaluate(request)

    return Evaluation(wanted, store=store, provider=file.provider, prices=file.prices, retries=wish.settings.retries)


def _refuse_another(now: Experiment, then: Experiment, wish: Wish) -> None:
    if now.id == then.id:
        return
    changed = []
    if now.name != then.name:
        changed.append(f"its name is {now.name!r}, not {then.name!r}")
    if now.dataset_version != then.dataset_version:
        changed.append(f"the dataset {wish.dataset} or what it declares as reference has changed")
    if now.trials != then.trials:
        changed.append(f"it wishes {now.trials} trials, not {then.trials}")
    others = [task.config.name for task in wish.tasks if task.config.digest() not in then.run_configs]
    if others:
        changed.append(f"experiment {then.name!r} knows no such task as {', '.join(others)} is now")
    elif len(now.run_configs) < len(then.run_configs):
        changed.append(f"it names {len(now.run_configs)} of {len(then.run_configs)} tasks")
    raise ConfigurationError(
        f"the file wishes something else by now: {'; '.join(changed)}",
        where=Place(file=wish.source or ""),
        fix="restore it, or start a new experiment with `rejudge run`: what still fits is reused",
    )
