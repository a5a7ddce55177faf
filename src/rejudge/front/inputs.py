"""What people hand in, as what the engine works on: paths, lists, frames, functions and catalog entries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from msgspec import Struct

from rejudge.datasets.rows import RowSpec, stored_entry
from rejudge.datasets.selection import Selection
from rejudge.datasets.source import Source as RowSource
from rejudge.datasets.source import source_of
from rejudge.domain.dataset import DatasetVersion
from rejudge.domain.errors import ConfigurationError, NotFound, UnknownName
from rejudge.files.rows import READERS
from rejudge.front.dataset import DatasetHandle, stored_items
from rejudge.runner.settings import Isolation, Stop
from rejudge.runner.snapshot import ALL, Snapshot, snapshot, snapshot_on_loop
from rejudge.scorers.catalog import create
from rejudge.scorers.function import function_scorer, has_score
from rejudge.scorers.kind import MAKES
from rejudge.scorers.mapping import mapped
from rejudge.tasks.function import FunctionTask

if TYPE_CHECKING:
    from rejudge.files.row import Row
    from rejudge.runner.lifecycle import Control
    from rejudge.scorers.mapping import Source
    from rejudge.scorers.scorer import Scorer
    from rejudge.storage.store import Store
    from rejudge.tasks.task import Task

DatasetLike: TypeAlias = "str | Path | DatasetHandle | DatasetVersion | Iterable[Mapping[str, object]] | object"
TaskLike: TypeAlias = "Callable[..., object] | Task | Sequence[Callable[..., object] | Task]"
ScorerLike: TypeAlias = "Callable[..., object] | Scorer | Mapping[str, object] | object"

UNNAMED = "items"
"""The name of a dataset that was handed in as a list or a frame."""


SELECTED = " (selection)"
"""What follows the name of a dataset of which items were selected."""


class TaskOptions(Struct, frozen=True, kw_only=True):
    """What a caller says about its task functions beside their code."""

    version: str | None = None
    depends_on: dict[str, object] = {}
    scenario: str | None = None

    def refuse_for(self, task: str) -> None:
        """Raise ConfigurationError where anything is said here, which a task that is no function would never hear."""
        for name in self.__struct_fields__:
            if getattr(self, name):
                raise ConfigurationError(
                    f"{name}= is said of functions, and the task {task!r} is none",
                    fix=f"say it where the task is made, such as agent(…, {name}=…)"
                    if name != "version"
                    else "leave it out: such a task is recognised by what it is made of",
                )


async def version_on_loop(
    dataset: DatasetLike, store: Store, spec: RowSpec, *, control: Control, selection: Selection = ALL
) -> DatasetVersion:
    """The stored version of what was handed in, or of what is selected of it.

    A path, list or frame is stored first, unless that is cancelled. A selection is stored under a name of its own, so
    that the dataset stays whole.
    """
    found = _version(dataset, store)
    if found is not None:
        return await _selected(found, store, selection).store_on_loop(store) if selection.selects else found
    source = source_of(dataset)
    rows = _until_cancelled(source.rows(), control)
    name = _name(source, selection)
    return await snapshot_on_loop(store, rows, dataset=name, spec=spec, selection=selection, file=source.file)


def version_of(dataset: DatasetLike, store: Store, spec: RowSpec, *, selection: Selection = ALL) -> DatasetVersion:
    """`version_on_loop` for callers without a loop."""
    found = _version(dataset, store)
    if found is not None:
        return _selected(found, store, selection).store(store) if selection.selects else found
    source = source_of(dataset)
    name = _name(source, selection)
    return snapshot(store, source.rows(), dataset=name, spec=spec, selection=selection, file=source.file)


def _selected(version: DatasetVersion, store: Store, selection: Selection) -> Snapshot:
    entries = (stored_entry(item.item_id, item.body) for item in stored_items(store, version))
    name = f"{version.dataset}{SELECTED}"
    return Snapshot(entries, dataset=name, reference=version.reference, selection=selection)


def _until_cancelled(rows: Iterable[Row], control: Control) -> Iterator[Row]:
    for row in rows:
        if control.cancelled:
            raise asyncio.CancelledError
        yield row


def _name(source: RowSource, selection: Selection) -> str:
    name = Path(source.file).stem if source.file else UNNAMED
    return f"{name}{SELECTED}" if selection.selects else name


def _version(dataset: DatasetLike, store: Store) -> DatasetVersion | None:
    match dataset:
        case DatasetVersion():
            return store.version(dataset.dataset, dataset.number)
        case DatasetHandle():
            return dataset.version()
        case str() if not names_a_file(Path(dataset)):
            return _stored(dataset, store)
    return None


def names_a_file(path: Path) -> bool:
    """Whether a text stands for a file rather than for something in the store, whose name may have a dot as well."""
    return path.suffix.lower() in READERS or path.exists()


def _stored(name: str, store: Store) -> DatasetVersion:
    try:
        return store.version(name)
    except NotFound:
        raise ConfigurationError(
            f"{name!r} is neither a file nor a dataset of this store", fix="give the path of a file with its suffix"
        ) from None


def tasks_of(task: TaskLike, options: TaskOptions) -> tuple[Task, ...]:
    """Tasks with labels of their own; functions become function tasks."""
    given = list(task) if isinstance(task, Sequence) else [task]
    if not given:
        raise ConfigurationError("no task is given", fix="give a function that takes an item and returns an output")
    if options.version is not None and len(given) > 1:
        raise ConfigurationError("version= pins one task", fix="set .version on each function instead")
    tasks = [_task(one, options) for one in given]
    return tuple(tasks)


def _task(task: object, options: TaskOptions) -> Task:
    if hasattr(task, "given") and hasattr(task, "config") and not isinstance(task, type):
        made = cast("Task", task)
        options.refuse_for(made.config.name)
        return made
    if not callable(task):
        raise ConfigurationError(f"a task is a function, not a {type(task).__name__}")
    return FunctionTask(task, version=options.version, depends_on=options.depends_on or None, scenario=options.scenario)


def scorers_of(
    scorers: ScorerLike | Sequence[ScorerLike], mapping: Mapping[str, Source] | None = None
) -> tuple[Scorer, ...]:
    """Scorers from catalog entries, dicts with a `type`, functions, and objects with a method `score`.

    `mapping` says where in the item and the output they find what they ask for.
    """
    one = callable(scorers) or isinstance(scorers, Mapping) or hasattr(scorers, "judge") or has_score(scorers)
    given: object = [scorers] if one else scorers
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise ConfigurationError(
            f"scorers are functions and catalog entries, not a {type(given).__name__}", fix="give a list of scorers"
        )
    return mapped([_scorer(one) for one in given], mapping)


def _scorer(scorer: object) -> Scorer:
    if hasattr(scorer, "judge") and hasattr(scorer, "config"):
        return cast("Scorer", scorer)
    if isinstance(scorer, Mapping):
        parameters = {str(name): value for name, value in scorer.items()}
        kind = parameters.pop("type", None)
        if not isinstance(kind, str):
            raise ConfigurationError("a scorer given as a dict says what it is", fix='add "type": "exact_match"')
        return create(kind, parameters)
    if (kind := getattr(scorer, MAKES, None)) is not None:
        raise ConfigurationError(
            f"{kind} makes scorers and is none itself", fix=f"call it with its parameters: {kind}(…)"
        )
    if callable(scorer) or has_score(scorer):
        return function_scorer(cast("Callable[..., object]", scorer))
    raise ConfigurationError(f"a scorer is a function or a catalog entry, not a {type(scorer).__name__}")


def stop_of(stop: Stop | str | int | float | None) -> Stop:
    """A stop rule: None or "never", "first error", a number of errors, or a rate between 0 and 1."""
    match stop:
        case Stop():
            return stop
        case None | "never":
            return Stop()
        case "first error" | "first_error":
            return Stop(errors=1)
        case bool() | str():
            raise ConfigurationError(
                f"stop={stop!r} is no stop rule", fix='give "never", "first error", a number of errors or a rate'
            )
        case int():
            return Stop(errors=stop)
        case float():
            return Stop(rate=stop)
    raise ConfigurationError(f"a stop rule is a text or a number, not a {type(stop).__name__}")


def isolation_of(isolation: str) -> Isolation:
    """Where synchronous tasks run: "thread" or "process"."""
    if isolation not in tuple(Isolation):
        raise UnknownName.among("isolation", isolation, [one.value for one in Isolation])
    return Isolation(isolation)
