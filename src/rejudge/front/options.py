"""What may be said about an evaluation, once for every verb that makes one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

import msgspec

from rejudge.datasets.rows import RowSpec
from rejudge.datasets.selection import selection_of
from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.front.evaluation import Evaluation
from rejudge.front.inputs import TaskOptions, isolation_of, scorers_of, stop_of, tasks_of
from rejudge.front.run_scoring import run_scorers_of
from rejudge.front.wish import Wish
from rejudge.runner.settings import Settings
from rejudge.wiring import DEFAULT_STORE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from rejudge.datasets.samplers import Sampler
    from rejudge.front.evaluation import Wanted
    from rejudge.front.inputs import DatasetLike, ScorerLike, TaskLike
    from rejudge.front.run_scoring import RunFunctions
    from rejudge.runner.settings import Stop
    from rejudge.scorers.mapping import Source
    from rejudge.wiring import Address, PricesLike, ProviderLike


class Options(TypedDict, total=False):
    """The keywords of `evaluate`, which says what they mean."""

    store: Address
    name: str | None
    trials: int
    concurrency: int
    timeout: float | None
    retries: int
    stop: Stop | str | int | float | None
    isolation: str
    span_wait: float
    provider: ProviderLike
    prices: PricesLike
    version: str | None
    depends_on: Mapping[str, object] | None
    scenario: str | None
    reference: Sequence[str]
    id: str | None
    fields: Mapping[str, str] | None
    outputs: Sequence[str]
    experiment_scorers: RunFunctions
    allow_tools: Sequence[str]
    progress: str
    scoring_key_mapping: Mapping[str, Source] | None
    nb_samples: int | None
    dataset_item_ids: Collection[str | int] | None
    dataset_filter_string: str | None
    dataset_sampler: Sampler | None


class _Said(msgspec.Struct, frozen=True, kw_only=True):
    """The options that are plain data, with the types that they must have."""

    name: str | None = None
    trials: int = 1
    concurrency: int = Settings().concurrency
    timeout: float | None = None
    retries: int = Settings().retries
    isolation: str = Settings().isolation.value
    span_wait: float = Settings().span_wait
    version: str | None = None
    depends_on: dict[str, object] | None = None
    scenario: str | None = None
    reference: tuple[str, ...] = ()
    id: str | None = None
    fields: dict[str, str] | None = None
    outputs: tuple[str, ...] = ()
    allow_tools: tuple[str, ...] = ()
    progress: str = "auto"
    nb_samples: int | None = None
    dataset_filter_string: str | None = None


MEANT: Final = {
    **dict.fromkeys(("filter", "where"), "dataset_filter_string"),
    **dict.fromkeys(("first", "limit", "n", "max_items"), "nb_samples"),
    **dict.fromkeys(("ids", "item_ids"), "dataset_item_ids"),
    **dict.fromkeys(("sample", "sampler"), "dataset_sampler"),
    **dict.fromkeys(("repeats", "runs", "trial_count"), "trials"),
    **dict.fromkeys(("max_workers", "parallel", "task_threads", "threads", "workers"), "concurrency"),
    **dict.fromkeys(("metrics", "scorer", "scoring_metrics"), "scorers"),
    "experiment_name": "name",
    "verbose": "progress",
}
"""What options are called elsewhere."""

KNOWN = frozenset(Options.__annotations__)
_PLAIN = frozenset(_Said.__struct_fields__)


def wish_of(dataset: DatasetLike, task: TaskLike, scorers: ScorerLike | Sequence[ScorerLike], options: Options) -> Wish:
    """The wish that these arguments say; raises ConfigurationError for an option of another name or type."""
    said = _said(options)
    task_options = TaskOptions(version=said.version, depends_on=dict(said.depends_on or {}), scenario=said.scenario)
    return Wish(
        dataset=dataset,
        tasks=tasks_of(task, task_options),
        scorers=scorers_of(scorers, options.get("scoring_key_mapping")),
        spec=RowSpec(id=said.id, fields=said.fields, reference=said.reference),
        name=said.name,
        trials=said.trials,
        outputs=said.outputs,
        selection=selection_of(
            ids=options.get("dataset_item_ids"),
            condition=said.dataset_filter_string,
            sampler=options.get("dataset_sampler"),
            first=said.nb_samples,
        ),
        settings=Settings(
            concurrency=said.concurrency,
            timeout=said.timeout,
            retries=said.retries,
            stop=stop_of(options.get("stop")),
            isolation=isolation_of(said.isolation),
            allow_tools=said.allow_tools,
            span_wait=said.span_wait,
        ),
    )


def evaluation_of(wanted: Wanted, options: Options, *, store: Address | None = None) -> Evaluation:
    """What is wanted, with everything that the options say beside the wish; in this store or the one that they name."""
    said = _said(options)
    return Evaluation(
        wanted,
        store=options.get("store", DEFAULT_STORE) if store is None else store,
        provider=options.get("provider"),
        prices=options.get("prices"),
        retries=said.retries,
        run_scorers=run_scorers_of(options.get("experiment_scorers", ())),
    )


def _said(options: Options) -> _Said:
    plain: dict[str, object] = {}
    for name, value in options.items():
        if name not in KNOWN:
            if name in ("policy", "threshold"):
                raise UnknownName(
                    f"unknown option {name!r}",
                    fix="what has to pass is said of a suite: run_tests(…, policy={'runs': 3, 'threshold': 2})",
                )
            if name in MEANT:
                raise UnknownName(f"unknown option {name!r}", fix=f"what is meant is called {MEANT[name]}=")
            raise UnknownName.among("option", name, KNOWN)
        if name in _PLAIN:
            plain[name] = list(value) if isinstance(value, set | frozenset | tuple) else value
    for name in ("reference", "outputs", "allow_tools"):
        if isinstance(plain.get(name), str):
            raise ConfigurationError(
                f"{name}={plain[name]!r} is one text", fix=f"give a list: {name}=[{plain[name]!r}]"
            )
    try:
        return msgspec.convert(plain, _Said, strict=True)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$.")
        raise ConfigurationError(f"{path.rstrip('`') or 'an option'}: {message}") from None
