"""Everything that differs between the recorded configurations of two runs, as paths, and what nobody recorded."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, cast

import msgspec

from rejudge.domain.errors import StoreDamaged
from rejudge.domain.payload import decode
from rejudge.domain.run_config import UNDECLARED
from rejudge.release.alignment import dataset_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run import Run
    from rejudge.domain.run_config import RunConfig
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.storage.store import Store

PAGE = 1024
"""Items that are read at a time."""

LISTED = 20
"""So many items are shown with what changed in them where nobody says otherwise."""

UNRECORDED = (
    "no run records its concurrency, timeouts and retries, nor which machine and account answered for a model's name"
)


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What stands at a path on either side; of what is `added` or `removed` one side has nothing, which reads None."""

    path: str
    kind: Literal["changed", "added", "removed"]
    first: object = None
    second: object = None


class ItemDifference(msgspec.Struct, frozen=True, kw_only=True):
    """What changed in an item that both dataset versions have, field by field."""

    item_id: str
    fields: tuple[Difference, ...]


class DatasetDifference(msgspec.Struct, frozen=True, kw_only=True):
    """How two dataset versions differ: ids of items, and in how many items each field changed.

    `reference_only` are the modified items of which nothing changed but what the second version declares as reference,
    so that a task is given the same. `items` are the first few of the modified ones, with both contents.
    """

    first: str
    second: str
    count_first: int
    count_second: int
    added: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    fields: dict[str, int] = {}
    reference_only: int = 0
    declared: tuple[Difference, ...] = ()
    items: tuple[ItemDifference, ...] = ()


class ConfigDifferences(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs by what is recorded of them; what is empty is the same on both sides.

    `dataset` is None where both runs are over one dataset version. `unrecorded` says in words what nobody declared.
    """

    task: tuple[Difference, ...]
    scorers: tuple[Difference, ...]
    experiment: tuple[Difference, ...]
    dataset: DatasetDifference | None
    unrecorded: tuple[str, ...]


def config_differences(
    store: Store, first: Run, second: Run, *, judges: Sequence[tuple[str, str]] = (), listed: int = LISTED
) -> ConfigDifferences:
    """What differs between two runs; `judges` are the names of scorers that stand for each other."""
    configs = store.run_config(first.run_config), store.run_config(second.run_config)
    scorers = [[store.scorer(digest) for digest in run.scorers] for run in (first, second)]
    experiments = store.experiment(first.experiment), store.experiment(second.experiment)
    versions = dataset_of(store, first), dataset_of(store, second)
    return ConfigDifferences(
        task=tuple(differences("task", *map(msgspec.to_builtins, configs))),
        scorers=tuple(_of_scorers(scorers[0], scorers[1], dict(judges))),
        experiment=tuple(differences("experiment", *map(_wish, experiments))),
        dataset=_of_datasets(store, *versions, listed=listed),
        unrecorded=tuple(dict.fromkeys(_unrecorded(configs, scorers))),
    )


def differences(path: str, first: object, second: object) -> Iterator[Difference]:
    """Where two JSON-like values differ, each deepest place by its path; values of different types differ."""
    if isinstance(first, dict) and isinstance(second, dict):
        for name in dict.fromkeys([*first, *second]):
            inner = f"{path}.{name}"
            if name not in second:
                yield Difference(path=inner, kind="removed", first=first[name])
            elif name not in first:
                yield Difference(path=inner, kind="added", second=second[name])
            else:
                yield from differences(inner, first[name], second[name])
    elif isinstance(first, list | tuple) and isinstance(second, list | tuple):
        for place in range(max(len(first), len(second))):
            inner = f"{path}[{place}]"
            if place >= len(second):
                yield Difference(path=inner, kind="removed", first=first[place])
            elif place >= len(first):
                yield Difference(path=inner, kind="added", second=second[place])
            else:
                yield from differences(inner, first[place], second[place])
    elif type(first) is not type(second) or first != second:
        yield Difference(path=path, kind="changed", first=first, second=second)


def _wish(experiment: Experiment) -> dict[str, object]:
    """What an experiment wishes beside its tasks, scorers and dataset version, which are compared on their own."""
    return {
        "name": experiment.name,
        "dataset": experiment.dataset,
        "trials": experiment.trials,
        "source": experiment.source,
        "protocol": experiment.protocol,
    }


def _of_scorers(
    first: Sequence[ScorerConfig], second: Sequence[ScorerConfig], names: dict[str, str]
) -> Iterator[Difference]:
    """Scorers by name; of several of one name those that differ, in their order."""
    left: dict[str, list[ScorerConfig]] = {}
    for config in second:
        left.setdefault(config.name, []).append(config)
    missing: list[ScorerConfig] = []
    for config in first:
        there = left.get(names.get(config.name, config.name), [])
        same = next((one for one in there if one.digest() == config.digest()), None)
        if same is None:
            missing.append(config)
        else:
            there.remove(same)
    for config in missing:
        path, there = f"scorers.{config.name}", left.get(names.get(config.name, config.name), [])
        if there:
            yield from differences(path, _plain(config), _plain(there.pop(0)))
        else:
            yield Difference(path=path, kind="removed", first=_plain(config))
    for config in [one for rest in left.values() for one in rest]:
        yield Difference(path=f"scorers.{config.name}", kind="added", second=_plain(config))


def _plain(config: ScorerConfig) -> dict[str, object]:
    return cast("dict[str, object]", msgspec.to_builtins(config))


def _of_datasets(
    store: Store, first: DatasetVersion, second: DatasetVersion, *, listed: int
) -> DatasetDifference | None:
    if first.id == second.id:
        return None
    ids: dict[str, list[str]] = {"added": [], "modified": [], "deleted": []}
    for change in store.changes(first.id, second.id):
        ids[change.kind].append(change.item_id)
    modified = frozenset(ids["modified"])
    fields: Counter[str] = Counter()
    before = dict(_contents(store, first, modified))
    items: dict[str, ItemDifference] = {}
    reference_only = 0
    for item_id, now in _contents(store, second, modified):
        found = tuple(differences("item", before.get(item_id, {}), now))
        names = {name for name in {*before[item_id], *now} if _differ(before[item_id], now, name)}
        fields.update(names)
        reference_only += bool(names) and names.issubset(second.reference)
        if len(items) < listed:
            items[item_id] = ItemDifference(item_id=item_id, fields=found)
    return DatasetDifference(
        first=first.id,
        second=second.id,
        count_first=first.count,
        count_second=second.count,
        added=tuple(ids["added"]),
        modified=tuple(ids["modified"]),
        deleted=tuple(ids["deleted"]),
        fields=dict(sorted(fields.items())),
        reference_only=reference_only,
        declared=tuple(differences("dataset.reference", sorted(first.reference), sorted(second.reference))),
        items=tuple(items.values()),
    )


def _differ(first: dict[str, object], second: dict[str, object], name: str) -> bool:
    return (name in first) != (name in second) or any(differences("", first[name], second[name]))


def _contents(store: Store, version: DatasetVersion, wanted: frozenset[str]) -> Iterator[tuple[str, dict[str, object]]]:
    for start in range(0, version.count if wanted else 0, PAGE):
        for item in store.items(version.id, start=start, count=PAGE):
            if item.item_id in wanted:
                try:
                    yield item.item_id, cast("dict[str, object]", decode(item.body))
                except ValueError as error:
                    raise StoreDamaged.record(f"item {item.item_id!r}", error) from error


def _unrecorded(configs: Sequence[RunConfig], scorers: Sequence[Sequence[ScorerConfig]]) -> Iterator[str]:
    """What the configurations leave open, so that it may differ unseen."""
    undeclared = [[name for name, value in one.dimensions().items() if value == UNDECLARED] for one in configs]
    if undeclared[0] and undeclared[0] == undeclared[1]:
        yield f"neither run's task declares {', '.join(undeclared[0])}"
        undeclared = [[], []]
    for which, config, judges, names in zip(("first", "second"), configs, scorers, undeclared, strict=True):
        if names:
            yield f"the {which} run's task does not declare {', '.join(names)}"
        if config.unpinned is not None:
            yield f"the {which} run's task is {config.unpinned}"
        for judge in judges:
            if judge.unpinned is not None:
                yield f"the {which} run's scorer {judge.name!r} is {judge.unpinned}"
    yield UNRECORDED
