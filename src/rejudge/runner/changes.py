"""Why a unit has no stored trace: what changed since the last experiment of the same name."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rejudge.domain.item import content
from rejudge.domain.payload import decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run_config import RunConfig
    from rejudge.runner.request import Request
    from rejudge.scorers.scorer import Scorer
    from rejudge.storage.store import Store

PAGE = 512
NEW = "no trace yet"


class Changes:
    """What differs from the experiment before: the task, or single items of the dataset."""

    def __init__(self, *, task: str | None, fields: dict[str, frozenset[str]], added: frozenset[str]) -> None:
        self._task = task
        self._fields = fields
        self._added = added

    @classmethod
    def since(cls, store: Store, request: Request, experiment: Experiment, config: RunConfig) -> Changes:
        """The changes since the newest other experiment of this name; none where there is none."""
        before = [one for one in store.experiments() if one.name == experiment.name and one.id != experiment.id]
        if not before or any(one.id == experiment.id and store.runs(one.id) for one in store.experiments()):
            return cls(task=None, fields={}, added=frozenset())
        last = before[-1]
        task = task_change(store, last, config)
        if task is not None:
            return cls(task=task, fields={}, added=frozenset())
        changes = list(store.changes(last.dataset_version, request.version.id))
        modified = {change.item_id for change in changes if change.kind == "modified"}
        added = frozenset(change.item_id for change in changes if change.kind == "added")
        return cls(task=None, fields=_changed_fields(store, last, request, modified), added=added)

    def reason(self, item_id: str) -> tuple[bool, str]:
        """Whether the unit is stale, and why it would run."""
        if self._task is not None and item_id not in self._added:
            return True, self._task
        changed = self._fields.get(item_id)
        if changed:
            return True, f"item changed: {', '.join(sorted(changed))}"
        return False, "new item" if item_id in self._added else NEW

    def advice(self, scorers: Sequence[Scorer]) -> list[str]:
        """Say that declaring a changed field as reference would have cost no generation."""
        changed = frozenset[str]().union(*self._fields.values()) if self._fields else frozenset()
        read = frozenset[str]().union(*(scorer.needs for scorer in scorers)) if scorers else frozenset()
        return [
            f"only scorers read {name!r}: declare it as reference and its correction costs no generation"
            for name in sorted(changed & read)
        ]


def task_change(store: Store, last: Experiment, config: RunConfig) -> str | None:
    """What is another about a task than about the one of its name in an experiment; None where there is none."""
    stored = {run.run_config: store.run_config(run.run_config) for run in store.runs(last.id)}
    if config.digest() in stored or not stored:
        return None
    named = [old for old in stored.values() if old.name == config.name]
    if not named:
        return None
    old = named[-1]
    parts = [
        part
        for part, before, after in (
            ("its code or a value it uses", old.settings, config.settings),
            ("depends_on", old.depends_on, config.depends_on),
            ("the fields it asks for", old.given, config.given),
        )
        if before != after
    ]
    return f"task changed: {', '.join(parts)}" if parts else "the task is unpinned and belongs to another experiment"


def _changed_fields(store: Store, last: Experiment, request: Request, modified: set[str]) -> dict[str, frozenset[str]]:
    if not modified:
        return {}
    old = dict(_contents(store, last.dataset_version, modified))
    hidden = set(request.version.reference)
    changed: dict[str, frozenset[str]] = {}
    for item_id, new in _contents(store, request.version.id, modified):
        before = old.get(item_id, {})
        names = {
            name
            for name in {*before, *new}
            if before.get(name) != new.get(name) or type(before.get(name)) is not type(new.get(name))
        }
        changed[item_id] = frozenset(names - hidden)
    return changed


def _contents(store: Store, version: str, wanted: set[str]) -> Iterable[tuple[str, dict[str, object]]]:
    start = 0
    while items := store.items(version, start=start, count=PAGE):
        start += len(items)
        for item in items:
            if item.item_id in wanted:
                yield item.item_id, content(item.item_id, cast("dict[str, object]", decode(item.body)))
