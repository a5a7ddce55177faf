"""The verbs. Each turns what people hand in into one wish and passes it down."""

from __future__ import annotations

from logging import getLogger
from typing import TYPE_CHECKING

from rejudge.front.evaluation import Evaluation
from rejudge.front.inputs import scorers_of
from rejudge.front.options import wish_of
from rejudge.front.recorded_scores import Fields
from rejudge.front.score_import import score_import
from rejudge.front.watching import shown
from rejudge.front.workspace import Workspace
from rejudge.runner.rescore import rescore
from rejudge.runner.settings import Settings
from rejudge.wiring import DEFAULT_STORE, Address, PricesLike, ProviderLike, open_store

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path
    from typing import Unpack

    from rejudge.datasets.samplers import Sampler
    from rejudge.domain.scale import ScoreSpec
    from rejudge.front.inputs import DatasetLike, ScorerLike, TaskLike
    from rejudge.front.options import Options
    from rejudge.front.result import Result
    from rejudge.runner.evaluate import Engine, Evaluated
    from rejudge.runner.plan import Plan
    from rejudge.runner.settings import Stop
    from rejudge.scorers.mapping import Source


def evaluate(
    dataset: DatasetLike,
    task: TaskLike,
    scorers: ScorerLike | Sequence[ScorerLike] = (),
    *,
    store: Address = DEFAULT_STORE,
    name: str | None = None,
    trials: int = 1,
    concurrency: int = 16,
    timeout: float | None = None,
    retries: int = 2,
    stop: Stop | str | int | float | None = None,
    isolation: str = "thread",
    provider: ProviderLike = None,
    prices: PricesLike = None,
    version: str | None = None,
    depends_on: Mapping[str, object] | None = None,
    scenario: str | None = None,
    reference: Sequence[str] = (),
    id: str | None = None,
    fields: Mapping[str, str] | None = None,
    outputs: Sequence[str] = (),
    progress: str = "auto",
    scoring_key_mapping: Mapping[str, Source] | None = None,
    nb_samples: int | None = None,
    dataset_item_ids: Collection[str | int] | None = None,
    dataset_filter_string: str | None = None,
    dataset_sampler: Sampler | None = None,
) -> Result:
    """Evaluate a dataset: run the task on every item, keep every output as a trace, and score it.

    What is stored is not generated or judged again: a second call continues, adds a scorer, or does nothing.

    Args:
        dataset: a list of dicts, a data frame, the path of a CSV, JSONL, JSON, YAML or Parquet file, a dataset
            handle or version, or the name of a dataset of the store.
        task: a function (sync, async, or a generator that yields `ModelCall`), a `replay(...)`, or several.
            A function asks by parameter name: `item` for the whole item, single fields, `trial`.
        scorers: functions and catalog entries such as `exact_match(reference_key="answer")`.
        store: the path of an SQLite file, `memory:`, or an open store.
        name: of the experiment; `<dataset>/<task>` by default. The same name and wish is the same experiment.
        trials: how often each item is tried.
        concurrency: how many task calls run at once.
        timeout: seconds for one try of a task; None for no limit.
        retries: further tries after a transient error (connection, HTTP 408, 425, 429, 5xx, `Transient`).
        stop: when to give up: None, "first error", a number of errors, or an error rate between 0 and 1.
        isolation: "process" runs a synchronous task in processes that are killed when they take too long; the
            function must be importable by name. "thread" leaves a hanging thread behind.
        provider: who answers the model calls of generator tasks and judges: one provider for everything, or providers
            by the name that models have before the slash (`{"local": openai_compatible(…)}`). Without it, the models
            of `openai/…`, `anthropic/…` and other providers that are known by name are asked with the key that the
            environment holds.
        prices: a price table of one's own, as a mapping or the path of a YAML or JSON file, in US dollars for a
            million tokens: `{"local/small": {"input": 0.1, "output": 0.4}}`. It comes before the list that is
            installed; a model that neither knows has no cost.
        version: pins one task function in place of its source, so that a changed source is no new task.
        depends_on: what the output depends on beyond the task's code, such as the version of a knowledge index.
        scenario: "agent", "tool" or "rag", which makes the versions that such a task depends on required.
        reference: fields that only scorers see; correcting one never costs a generation.
        id: the field (a dotted path) that holds an item's id; else `id`, else the id is derived from the content.
        fields: which fields an item has, by new name, as dotted paths into a row; all of them by default.
        outputs: other keys of a returned dict that scorers may ask for by name.
        progress: "auto" shows a bar on a terminal and nothing elsewhere; "plain" a line every few seconds; "silent".
        scoring_key_mapping: where scorers find what they ask for by another name: `{"reference": "expected"}`. A source
            is a field, a dotted path (`meta.gold`, `output.answer`), or a function of the item and what the task
            returned as one dict. A mapping is part of a scorer's identity.
        nb_samples: the first so many of the items that the following leave.
        dataset_item_ids: only the items with these ids; an empty list selects nothing.
        dataset_filter_string: only items that fit, as in `level >= 3 and topic = "history"`.
        dataset_sampler: a sample of these: `random_sampler(20, seed=1)`, `stratified_sampler(20, by="topic")`, or an
            object with the methods of `datasets.samplers.Sampler`.

    Returns a result in any case, also when items failed. Raises ConfigurationError or InputError before the first
    task call, Interrupted (with `.result`) on Ctrl-C.
    """
    wanted = evaluation(
        dataset,
        task,
        scorers,
        store=store,
        name=name,
        trials=trials,
        concurrency=concurrency,
        timeout=timeout,
        retries=retries,
        stop=stop,
        isolation=isolation,
        provider=provider,
        prices=prices,
        version=version,
        depends_on=depends_on,
        scenario=scenario,
        reference=reference,
        id=id,
        fields=fields,
        outputs=outputs,
        scoring_key_mapping=scoring_key_mapping,
        nb_samples=nb_samples,
        dataset_item_ids=dataset_item_ids,
        dataset_filter_string=dataset_filter_string,
        dataset_sampler=dataset_sampler,
    )
    with shown(progress) as display:
        return wanted.listen(display).run()


def evaluate_experiment(
    experiment: str,
    scorers: ScorerLike | Sequence[ScorerLike],
    *,
    store: Address = DEFAULT_STORE,
    concurrency: int = 16,
    provider: ProviderLike = None,
    prices: PricesLike = None,
    outputs: Sequence[str] = (),
    scoring_key_mapping: Mapping[str, Source] | None = None,
) -> Result:
    """Judge the stored traces of an experiment (by name or id) with these scorers; no task is called."""
    return rescoring(
        experiment,
        scorers,
        store=store,
        concurrency=concurrency,
        provider=provider,
        prices=prices,
        outputs=outputs,
        scoring_key_mapping=scoring_key_mapping,
    ).run()


def rescoring(
    experiment: str,
    scorers: ScorerLike | Sequence[ScorerLike],
    *,
    store: Address = DEFAULT_STORE,
    concurrency: int = 16,
    provider: ProviderLike = None,
    prices: PricesLike = None,
    outputs: Sequence[str] = (),
    scoring_key_mapping: Mapping[str, Source] | None = None,
) -> Evaluation:
    """`evaluate_experiment` as an object that has not begun."""
    judges = scorers_of(scorers, scoring_key_mapping)
    settings = Settings(concurrency=concurrency)

    async def wanted(engine: Engine) -> Evaluated:
        return await rescore(
            engine, engine.store.experiment(experiment), judges, settings=settings, outputs=tuple(outputs)
        )

    return Evaluation(wanted, store=store, provider=provider, prices=prices)


def import_scores(
    experiment: str,
    file: str | Path,
    scorer: str | ScoreSpec | Mapping[str, object],
    *,
    store: Address = DEFAULT_STORE,
    task: str | None = None,
    id: str = "id",
    value: str = "value",
    reason: str | None = None,
    trial: str | None = None,
    cost: str | None = None,
) -> Result:
    """Take over scores that were given elsewhere, onto the stored traces of an experiment (by name or id).

    Args:
        experiment: the experiment, by name or id.
        file: a CSV, JSONL, JSON, YAML or Parquet file with one record per item (and trial).
        scorer: the scorer's name, or a score with its type, range and what passes; without that, values are typed by
            what they are.
        store: the path of an SQLite file, or an open store.
        task: whose outputs were judged; need not be named where the experiment has one task.
        id, value, reason, trial, cost: where in a record these are, as dotted paths. The cost of a judgement is in US
            dollars. Without `trial`, the records of one id are its trials in order.

    Records without a trace are left out, and counted in a warning of the log; a trace without a record is a skip.
    Importing the same records again stores nothing. Raises InputError with line and field for a record that cannot be
    read, ConfigurationError where no record has a trace.
    """
    fields = Fields(id=id, value=value, reason=reason, trial=trial, cost=cost)
    ready = score_import(open_store(store), experiment, file, scorer, fields=fields, task=task)
    for remark in ready.remarks():
        getLogger(__name__).warning(remark)
    return ready.evaluation().run()


def open(store: Address = DEFAULT_STORE) -> Workspace:
    """Open a store to look at it and to edit its datasets."""
    return Workspace(open_store(store))


def evaluation(
    dataset: DatasetLike,
    task: TaskLike,
    scorers: ScorerLike | Sequence[ScorerLike] = (),
    **options: Unpack[Options],
) -> Evaluation:
    """`evaluate` as an object that has not begun: await it, iterate over its events, or call `run()`."""
    wish = wish_of(dataset, task, scorers, options)
    return Evaluation(
        wish.evaluate,
        store=options.get("store", DEFAULT_STORE),
        provider=options.get("provider"),
        prices=options.get("prices"),
        retries=wish.settings.retries,
    )


def plan(
    dataset: DatasetLike,
    task: TaskLike,
    scorers: ScorerLike | Sequence[ScorerLike] = (),
    **options: Unpack[Options],
) -> Plan:
    """What `evaluate` with these arguments would reuse, run, and run again because something changed, with reasons.

    Nothing is called or scored; the dataset's snapshot is stored.
    """
    return wish_of(dataset, task, scorers, options).plan(open_store(options.get("store", DEFAULT_STORE)))
