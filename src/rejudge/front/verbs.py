"""The verbs. Each turns what people hand in into one wish and passes it down."""

from __future__ import annotations

from logging import getLogger
from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.domain.arguments import list_in, mapping_in, optional_text_in, text_in, whole_in
from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.front.evaluation import Evaluation
from rejudge.front.inputs import names_a_file, scorers_of
from rejudge.front.options import KNOWN, MEANT, evaluation_of, wish_of
from rejudge.front.recorded_scores import Fields
from rejudge.front.run_scoring import run_scorers_of
from rejudge.front.score_import import score_import
from rejudge.front.threads import MOST_TURNS, Threads, recorded_conversation, run_of, thread_task, threads_of
from rejudge.front.watching import shown
from rejudge.front.workspace import Workspace
from rejudge.runner.rescore import rescore
from rejudge.runner.settings import Settings
from rejudge.scorers.assertions import merged
from rejudge.wiring import DEFAULT_STORE, Address, PricesLike, ProviderLike, existing, open_store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from rejudge.domain.scale import ScoreSpec
    from rejudge.front.inputs import DatasetLike, ScorerLike, TaskLike
    from rejudge.front.options import Options
    from rejudge.front.result import Result
    from rejudge.front.run_scoring import RunFunctions
    from rejudge.front.threads import Reading
    from rejudge.runner.evaluate import Engine, Evaluated
    from rejudge.runner.plan import Plan
    from rejudge.scorers.mapping import Source


def evaluate(
    dataset: DatasetLike,
    task: TaskLike,
    scorers: ScorerLike | Sequence[ScorerLike] = (),
    **options: Unpack[Options],
) -> Result:
    """Evaluate a dataset: run the task on every item, keep every output as a trace, and score it.

    What is stored is not generated or judged again: a second call continues, adds a scorer, or does nothing.

    Args:
        dataset: a list of dicts, a data frame, the path of a CSV, JSONL, JSON, YAML or Parquet file, a dataset
            handle or version, or the name of a dataset of the store.
        task: a function (sync, async, or a generator that yields `ModelCall`), a `replay(...)`, `prompt(...)`,
            `http(...)`, `agent(...)` or `conversation(...)`, or several.
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
        span_wait: seconds to wait for spans that are still open after a task has returned.
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
        experiment_scorers: functions of a whole run's result, asked when it is completed; what they return, or the
            error that escapes one, is stored and shown.
        allow_tools: names of agents' tools that may run though they are neither simulated nor in a sandbox.
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
    with shown(options.get("progress", "auto")) as display:
        return evaluation(dataset, task, scorers, **options).listen(display).run()


def evaluate_prompt(
    dataset: DatasetLike,
    messages: str | Sequence[Mapping[str, object]],
    model: str,
    scorers: ScorerLike | Sequence[ScorerLike] = (),
    *,
    temperature: float | None = None,
    max_tokens: int | None = None,
    parameters: Mapping[str, object] | None = None,
    **options: Unpack[Options],
) -> Result:
    """Evaluate a prompt: fill every item into the messages, ask the model, and score what it answers.

    Args:
        dataset: as for `evaluate`.
        messages: a text for one message of the user, or a list of messages with a role and content. `{{ question }}`
            stands for an item's field; one that no item has is refused before the first call.
        model: PROVIDER/MODEL, such as openai/gpt-4o-mini.
        scorers: as for `evaluate`.
        temperature, max_tokens: as the model is to be asked.
        parameters: further parameters of `prompt`: top_p, seed, stop, response_schema, extra.
        options: the options of `evaluate`.

    It is `evaluate(dataset, prompt(messages, model=model), scorers)`, and raises as that does.
    """
    from rejudge.tasks.prompt import PromptTask  # the template library loads with the first prompt
    from rejudge.tasks.sampling import Sampling, sampling_of

    for name in options:
        if name in Sampling.__struct_fields__:
            raise UnknownName(f"unknown option {name!r}", fix=f"say it as one of parameters={{{name!r}: …}}")
        if name not in KNOWN and name not in MEANT:
            raise UnknownName.among("option", name, {*KNOWN, "temperature", "max_tokens", "parameters"})
    chosen = {"temperature": temperature, "max_tokens": max_tokens, **mapping_in("parameters", parameters)}
    task = PromptTask(
        messages,
        model=model,
        sampling=sampling_of({name: value for name, value in chosen.items() if value is not None}),
        depends_on=mapping_in("depends_on", options.pop("depends_on", None)),
        scenario=optional_text_in("scenario", options.pop("scenario", None)),
    )
    if options.get("version") is not None:
        raise ConfigurationError("version= pins a function", fix="leave it out; a prompt is recognised by its text")
    with shown(options.get("progress", "auto")) as display:
        return evaluation(dataset, task, scorers, **options).listen(display).run()


def evaluate_experiment(
    experiment: str,
    scorers: ScorerLike | Sequence[ScorerLike],
    *,
    store: Address = DEFAULT_STORE,
    concurrency: int = 16,
    provider: ProviderLike = None,
    prices: PricesLike = None,
    outputs: Sequence[str] = (),
    experiment_scorers: RunFunctions = (),
    scoring_key_mapping: Mapping[str, Source] | None = None,
) -> Result:
    """Judge the stored traces of an experiment (by name or id) with these scorers; no task is called."""
    return rescoring(
        experiment,
        scorers,
        store=existing(store),
        concurrency=concurrency,
        provider=provider,
        prices=prices,
        outputs=outputs,
        experiment_scorers=experiment_scorers,
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
    experiment_scorers: RunFunctions = (),
    scoring_key_mapping: Mapping[str, Source] | None = None,
) -> Evaluation:
    """`evaluate_experiment` as an object that has not begun."""
    name = text_in("experiment", experiment)
    judges = merged(scorers_of(scorers, scoring_key_mapping))
    settings = Settings(concurrency=concurrency)
    returned = tuple(text_in("outputs", one) for one in list_in("outputs", outputs))

    async def wanted(engine: Engine) -> Evaluated:
        return await rescore(engine, engine.store.experiment(name), judges, settings=settings, outputs=returned)

    run_scorers = run_scorers_of(experiment_scorers)
    return Evaluation(wanted, store=store, provider=provider, prices=prices, run_scorers=run_scorers)


def evaluate_threads(
    threads: DatasetLike,
    scorers: ScorerLike | Sequence[ScorerLike],
    *,
    by: str = "thread_id",
    order: str | None = None,
    task: str | None = None,
    trace_input_transform: Reading | None = None,
    trace_output_transform: Reading | None = None,
    trace_context_transform: Reading | None = None,
    max_traces_per_thread: int = MOST_TURNS,
    **options: Unpack[Options],
) -> Result:
    """Judge whole conversations: the traces of an experiment that belong together, or recorded messages.

    Args:
        threads: an experiment of the store (by name or id) whose items are turns; or a dataset in any form that
            `evaluate` takes, whose items hold a conversation as `messages`.
        scorers: they see the conversation as `trace`; judges such as `conversation_coherence` read all of it.
        by: the item field that holds the conversation's id; items without it are left out.
        order: the item field that puts the turns of a conversation in order; else the dataset's order counts.
        task: whose outputs, where the experiment has several tasks.
        trace_input_transform: from the fields that a turn was given to the user's message; by default the only field,
            or all as JSON. None leaves the message out.
        trace_output_transform: from a turn's output to the assistant's message.
        trace_context_transform: from the fields that a turn was given to a context, kept with the assistant's message.
        max_traces_per_thread: a conversation of more turns is refused.
        options: those of `evaluate`; `store` holds the experiment.

    Nothing is generated. Each conversation is one item and one trace of a new experiment, judged and resumed like any
    other. A turn without an output, and a transform that raises, are errors of their conversation alone.
    """
    if not isinstance(threads, str) or names_a_file(Path(threads)):
        return evaluate(threads, recorded_conversation, scorers, **options)
    store = options["store"] = open_store(existing(options.get("store", DEFAULT_STORE)))
    how = Threads(by=by, order=order, most=whole_in("max_traces_per_thread", max_traces_per_thread))
    run = run_of(Workspace(store).result(threads), task)
    found = threads_of(store, run, store.experiment(threads).name, how)
    layout = thread_task(trace_input_transform, trace_output_transform, trace_context_transform)
    return evaluate(found, layout, scorers, **options)


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
    ready = score_import(open_store(existing(store)), experiment, file, scorer, fields=fields, task=task)
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
    return evaluation_of(wish.evaluate, options)


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
