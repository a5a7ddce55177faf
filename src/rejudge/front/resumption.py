"""Going on with an experiment, from the file that it came from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rejudge.datasets.rows import RowSpec
from rejudge.domain.arguments import text_in
from rejudge.domain.errors import ConfigurationError, Place
from rejudge.domain.protocol import ACCEPTED, SELECTION
from rejudge.front.differences import (
    KINDS,
    checked_kinds,
    dataset_difference,
    protocol_differences,
    refuse,
    scorer_differences,
    task_differences,
)
from rejudge.front.evaluation import Evaluation
from rejudge.front.inputs import version_on_loop
from rejudge.front.options import evaluation_of, wish_of
from rejudge.front.result import Result
from rejudge.front.watching import shown
from rejudge.runner.rescore import version_of
from rejudge.wiring import DEFAULT_STORE, existing

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Unpack

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.experiment import Experiment
    from rejudge.front.evaluation_file import EvaluationFile
    from rejudge.front.inputs import DatasetLike, ScorerLike, TaskLike
    from rejudge.front.options import Options
    from rejudge.front.wish import Wish
    from rejudge.runner.evaluate import Engine, Evaluated
    from rejudge.runner.request import Request
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
    selected = SELECTION in experiment.protocol or not Path(str(wish.dataset)).exists()

    async def wanted(engine: Engine) -> Evaluated:
        if selected:
            # What was selected is stored; no file can say it again, and none is needed.
            request = replace(wish.request(version_of(engine.store, experiment)), protocol=experiment.protocol)
        else:
            version = await version_on_loop(wish.dataset, engine.store, wish.spec, control=engine.control)
            request = wish.request(version)
        if selected and wish.name is None:
            request = replace(request, name=experiment.name)
        _refuse_another(request.wish(), experiment, wish)
        return await engine.evaluate(request)

    return Evaluation(wanted, store=store, provider=file.provider, prices=file.prices, retries=wish.settings.retries)


_HELD = frozenset(
    {"name", "trials", "id", "fields", "reference", "nb_samples", "dataset_item_ids", "dataset_filter_string"}
    | {"dataset_sampler"}
)


def evaluate_resume(
    experiment: str,
    task: TaskLike,
    scorers: ScorerLike | Sequence[ScorerLike] = (),
    *,
    dataset: DatasetLike | None = None,
    accept_changes: Collection[str] = (),
    **options: Unpack[Options],
) -> Result:
    """Go on with an experiment (by name or id) on any machine that reaches its store: run what is pending or failed.

    The items, the trials and what was selected come from the store. Anything that is complete is not run again.

    Args:
        experiment: the experiment, by name or id.
        task: the task or tasks that it was begun with.
        scorers: the scorers that it was begun with, and `scoring_key_mapping=` where there was one.
        dataset: only to have it compared with the items that the experiment was begun with.
        accept_changes: which of "task", "scorers", "mapping" and "dataset" may differ from the first run. The
            experiment then gets a successor of the same name, which records what was accepted; whatever still fits is
            reused, so that other scorers cost no generation and another task generates everything anew.
        options: those of `evaluate` that do not say what is evaluated, such as `store` and `concurrency`.

    Raises ConfigurationError before the first task call, saying what differs and how, where that was not accepted.
    """
    name = text_in("experiment", experiment)
    accepted = checked_kinds(accept_changes)
    for option in options:
        if option in _HELD:
            raise ConfigurationError(f"{option}= was said when the experiment was begun", fix="leave it out")
    wish = wish_of(dataset, task, scorers, options)

    async def wanted(engine: Engine) -> Evaluated:
        then = engine.store.experiment(name)
        return await engine.evaluate(await _rest(engine, then, wish, accepted))

    store = existing(options.get("store", DEFAULT_STORE))
    with shown(options.get("progress", "auto")) as display:
        return evaluation_of(wanted, options, store=store).listen(display).run()


async def _rest(engine: Engine, then: Experiment, wish: Wish, accepted: Collection[str]) -> Request:
    """What is wanted of an experiment, as a wish of now says it; raises ConfigurationError where the two differ."""
    store = engine.store
    version = version_of(store, then)
    changes: dict[str, list[str]] = {kind: [] for kind in KINDS}
    changes["task"] += task_differences(store, then, [one.config for one in wish.tasks])
    if store.runs(then.id):
        for kind, told in scorer_differences(store, then, [one.config for one in wish.scorers]):
            changes[kind].append(told)
    if wish.dataset is not None:
        now = await _compared(wish.dataset, engine, then, version)
        difference = dataset_difference(store, version, now)
        changes["dataset"] += [] if difference is None else [difference]
        version = now if "dataset" in accepted else version
    refuse(then, changes, accepted=accepted)
    taken = {kind: "; ".join(told) for kind, told in changes.items() if told}
    return replace(
        wish.request(version),
        name=then.name,
        trials=then.trials,
        protocol=then.protocol | wish.granted() | ({ACCEPTED: taken} if taken else {}),
        source=then.source,
    )


async def _compared(dataset: DatasetLike, engine: Engine, then: Experiment, version: DatasetVersion) -> DatasetVersion:
    """The version that `dataset` is now; what the experiment declares as reference is declared of it as well."""
    if SELECTION in then.protocol:
        raise ConfigurationError(
            f"experiment {then.name!r} is about a selection, which is stored", fix="leave dataset= out"
        )
    spec = RowSpec(reference=version.reference)
    return await version_on_loop(dataset, engine.store, spec, control=engine.control)


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
    changed += protocol_differences(then, now)
    raise ConfigurationError(
        f"the file wishes something else by now: {'; '.join(changed)}",
        where=Place(file=wish.source or ""),
        fix="restore it, or start a new experiment with `rejudge run`: what still fits is reused",
    )
