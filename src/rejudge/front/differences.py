"""How what is to be resumed differs from what was begun: its task, scorers, mapping, or dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rejudge.domain.arguments import list_in
from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.policy import merged
from rejudge.domain.protocol import ACCEPTED
from rejudge.domain.suite import SUITE, rules_in
from rejudge.runner.changes import task_change
from rejudge.scorers.mapping import SETTING
from rejudge.scorers.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run_config import RunConfig
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.domain.suite import SuiteRules
    from rejudge.storage.store import Store

KINDS = ("task", "scorers", "mapping", "dataset")
"""What may differ, as `accept_changes` names it."""

_FIXES = {
    "task": "accepting it generates every output anew",
    "scorers": "accepting it judges again what is stored",
    "mapping": "accepting it judges again what is stored",
    "dataset": "accepting it generates what has changed and is new",
}


def checked_kinds(said: Collection[str]) -> frozenset[str]:
    """The kinds of changes to accept; raises ConfigurationError for a text or an unknown one."""
    if isinstance(said, str):
        raise ConfigurationError(f"accept_changes={said!r} is one text", fix=f"give a list: [{said!r}]")
    kinds = list_in("accept_changes", said)
    for kind in kinds:
        if kind not in KINDS:
            raise UnknownName.among("kind of change", str(kind), KINDS)
    return frozenset(map(str, kinds))


def task_differences(store: Store, then: Experiment, now: Sequence[RunConfig]) -> Iterator[str]:
    """How the tasks differ from those that the experiment was begun with."""
    known = {config.digest() for config in now}
    for config in now:
        if config.digest() not in then.run_configs:
            changed = task_change(store, then, config)
            yield f"{config.name!r}: {changed}" if changed else f"the experiment knows no task {config.name!r}"
    if known.issubset(then.run_configs) and (missing := len(set(then.run_configs) - known)):
        yield f"{missing} of {len(then.run_configs)} tasks {'is' if missing == 1 else 'are'} left out"


def scorer_differences(store: Store, then: Experiment, now: Sequence[ScorerConfig]) -> Iterator[tuple[str, str]]:
    """How the scorers differ from those that were declared at the start: the kind of change, and it in words."""
    declared = {config.name: config for config in _declared(store, then)}
    named = {config.name: config for config in now}
    for name in declared:
        if name not in named:
            yield "scorers", f"{name!r} is missing"
    for name, config in named.items():
        before = declared.get(name)
        if before is None:
            yield "scorers", f"{name!r} is new"
        elif config.digest() != before.digest():
            yield from _changed(before, config)


def dataset_difference(store: Store, then: DatasetVersion, now: DatasetVersion) -> str | None:
    """How many items differ; None where the versions are one."""
    if then.id == now.id:
        return None
    changes = list(store.changes(then.id, now.id))
    counted = {kind: sum(change.kind == kind for change in changes) for kind in ("added", "modified", "deleted")}
    told = ", ".join(f"{count} {kind}" for kind, count in counted.items() if count)
    return f"items: {told}" if told else "the order of its items, or what it declares as reference"


def protocol_differences(then: Experiment, now: Experiment) -> Iterator[str]:
    """What else of the wish differs: each part of a suite, what was selected, the tools that may act."""
    was, wishes = rules_in(then.protocol), rules_in(now.protocol)
    if (was is None) != (wishes is None):
        yield "it is no suite any more" if wishes is None else "it is a suite now"
    elif was is not None and wishes is not None:
        yield from _suite_differences(was, wishes)
    for name in sorted({*then.protocol, *now.protocol} - {SUITE, ACCEPTED}):
        if then.protocol.get(name) != now.protocol.get(name):
            yield f"its {name} changed"


def _suite_differences(was: SuiteRules, wishes: SuiteRules) -> Iterator[str]:
    if was.policy != wishes.policy:
        yield f"the policy of the suite is {_policy(wishes)}, not {_policy(was)}"
    for text in wishes.assertions:
        if text not in was.assertions:
            yield f"the assertion {quoted(text)} is new"
    for text in was.assertions:
        if text not in wishes.assertions:
            yield f"the assertion {quoted(text)} is missing"
    if was.model != wishes.model:
        yield f"the suite is judged by {wishes.model}, not {was.model}"
    if was.scorers != wishes.scorers and (was.assertions, was.model) == (wishes.assertions, wishes.model):
        yield "the scorers of the suite changed"


def _policy(rules: SuiteRules) -> str:
    policy = merged(rules.policy, None)
    return f"{policy.runs} runs with threshold {policy.threshold}"


def refuse(then: Experiment, changes: dict[str, list[str]], *, accepted: Collection[str]) -> None:
    """Raise ConfigurationError for changes that nobody accepted."""
    left = {kind: told for kind, told in changes.items() if told and kind not in accepted}
    if not left:
        return
    words = "; ".join(f"its {kind} changed ({', '.join(told)})" for kind, told in left.items())
    kinds = ", ".join(f'"{kind}"' for kind in left)
    consequences = ", and ".join(dict.fromkeys(_FIXES[kind] for kind in left))
    raise ConfigurationError(
        f"experiment {then.name!r} cannot be gone on with as it was begun: {words}",
        fix=f"restore it, or say accept_changes=[{kinds}]: {consequences}",
    )


def _declared(store: Store, then: Experiment) -> Iterator[ScorerConfig]:
    wanted = dict.fromkeys(then.scorers)
    for run in store.runs(then.id):
        for digest in run.scorers:
            config = store.scorer(digest).unbound()
            if config.digest() in wanted:
                del wanted[config.digest()]
                yield config


def _changed(before: ScorerConfig, now: ScorerConfig) -> Iterator[tuple[str, str]]:
    was, read = before.settings.get(SETTING, {}), now.settings.get(SETTING, {})
    if was != read:
        yield "mapping", f"{now.name!r} read {_told(was)}, now {_told(read)}"
    if _rest(before).digest() == _rest(now).digest():
        return
    parts = [
        part
        for part, one, other in (
            ("its type", before.type, now.type),
            ("its scores", before.scores, now.scores),
            ("its code" if now.type == "function" else "its parameters", _settings(before), _settings(now)),
        )
        if one != other
    ]
    yield "scorers", f"{now.name!r}: {' and '.join(parts) or 'what it reads'}"


def _told(mapping: object) -> str:
    if not isinstance(mapping, dict) or not mapping:
        return "no mapping"
    return ", ".join(
        f"{key} from {source if isinstance(source, str) else 'a function'}" for key, source in mapping.items()
    )


def _settings(config: ScorerConfig) -> dict[str, object]:
    return {name: value for name, value in config.settings.items() if name != SETTING}


def _rest(config: ScorerConfig) -> ScorerConfig:
    """The config without its mapping and what depends on that."""
    return replace(config, settings=_settings(config), sees=())
