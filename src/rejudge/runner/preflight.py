"""What is wrong with an evaluation, found before the first task call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.demands import NOTHING, Demands
from rejudge.domain.errors import ConfigurationError, MissingField, NameClash, UnknownName
from rejudge.domain.path import ABSENT, value_at
from rejudge.domain.payload import decode
from rejudge.domain.scale import normalised
from rejudge.domain.way import Way
from rejudge.runner.needs import Need, Outputs, nested_paths, unmet
from rejudge.runner.settings import Isolation
from rejudge.scorers.mapping import MappedScorer
from rejudge.scorers.pairwise import PairwiseScorer
from rejudge.tasks.function import FunctionTask
from rejudge.tasks.returned import Shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.runner.drive import CheckedAnswer
    from rejudge.runner.request import Request
    from rejudge.runner.sandboxes import Asking, Sandboxes
    from rejudge.scorers.scorer import Scorer
    from rejudge.storage.store import DatasetStore
    from rejudge.tasks.task import Task

PAGE = 512
"""Items that are read at a time."""


def check_request(request: Request) -> None:
    """Raise for what an evaluation of this would refuse, but for the provider, which a plan does not need."""
    check_tasks(request.tasks, version=request.version, isolation=request.settings.isolation)
    check_tools(request.tasks, allowed=request.settings.allow_tools)
    check_scorers(request.scorers, version=request.version, outputs=outputs_of(request, *request.tasks))


def check_answers(asking: Iterable[Task | Scorer], answer: CheckedAnswer | None) -> None:
    """Raise where something yields calls and nobody answers them, or a model cannot do what a scorer demands."""
    for one in asking:
        demands: Demands = getattr(one, "demands", NOTHING)
        if getattr(one, "way", Way.INLINE) is not Way.STEPS and demands == NOTHING:
            continue
        if answer is None:
            if _asks_for_code_alone(demands):
                continue
            raise ConfigurationError(
                f"{one.config.name!r} yields model calls and nobody answers them", fix="give provider="
            )
        answer.check(one.config.name, demands)


def check_tools(tasks: Sequence[Task], *, allowed: Sequence[str]) -> None:
    """Raise where an agent has a tool that would really act and the run does not allow it by name."""
    real = {tool: task.config.name for task in tasks for tool in getattr(task, "real_tools", ())}
    for tool, name in sorted(real.items()):
        if tool not in allowed:
            raise ConfigurationError(
                f"the tool {tool!r} of {name!r} is neither simulated nor in a sandbox, so it could act for real",
                fix=f"simulate it: tool(…, simulated=…), or let it act: allow_tools=[{tool!r}]",
            )
    for tool in allowed:
        if tool not in real:
            raise UnknownName.among("tool in allow_tools", tool, real)


async def check_code(scorers: Iterable[Asking], sandboxes: Sandboxes | None) -> None:
    """Raise where code of a scorer or tool may not run, its sandbox is missing, or the sandbox has no form for it."""
    asking = [scorer for scorer in scorers if scorer.demands.sandbox is not None]
    if asking and sandboxes is None:
        raise ConfigurationError(f"{asking[0].config.name!r} runs code, and there is no sandbox here")
    if sandboxes is not None:
        await sandboxes.check(asking)


def _asks_for_code_alone(demands: Demands) -> bool:
    return demands.sandbox is not None and not demands.models and not demands.embedding_models


def outputs_of(request: Request, *tasks: Task) -> Outputs:
    """What each of these tasks is known or declared to return beside the output."""
    known = [task.outputs for task in tasks]
    every = frozenset.intersection(*known) if known else frozenset[str]()
    shown = {task.shown if isinstance(task, FunctionTask) else Shown.KEYS for task in tasks}
    return Outputs(
        names=every.union(request.outputs),
        is_open=Shown.NOTHING in shown and not request.outputs,
        has_parts=shown != {Shown.PLAIN},
    )


def needs_of_task(request: Request, task: Task) -> list[Need]:
    """What scorers need of what a task returns and only its first result can tell."""
    outputs = outputs_of(request, task)
    return [need for scorer in request.scorers for need in unmet(scorer, request.version, outputs)]


def check_paths(store: DatasetStore, request: Request) -> None:
    """Raise where a mapping reads a path into an item's field at which no item has anything."""
    mapped = [scorer for scorer in request.scorers if isinstance(scorer, MappedScorer)]
    missing = dict(nested_paths(mapped, request.version))
    start = 0
    while missing and start < request.version.count:
        page = store.items(request.version.id, start=start, count=PAGE)
        start += PAGE
        for item in page:
            fields = decode(item.body)
            missing = {path: need for path, need in missing.items() if value_at(fields, path) is ABSENT}
    for need in missing.values():
        raise need.error(request.version.fields)


def check_tasks(tasks: Sequence[Task], *, version: DatasetVersion, isolation: Isolation = Isolation.THREAD) -> None:
    """Raise unless every task can be given what it asks for and no two are the same."""
    seen: dict[bytes, str] = {}
    for task in tasks:
        name = task.config.name
        digest = task.config.digest()
        if digest in seen:
            raise NameClash(
                f"tasks {seen[digest]!r} and {name!r} are the same run config",
                fix="remove one, or tell them apart: recorded outputs by name=, functions by a default or version=",
            )
        seen[digest] = name
        if lacking := getattr(task, "lacking", ""):
            raise ConfigurationError(f"task {name!r} {lacking}")
        if version.count:
            _check_task_fields(task, version)
        if isolation is Isolation.PROCESS and task.way not in (Way.THREAD, Way.INLINE):
            raise ConfigurationError(
                f"task {name!r} is not a synchronous function", fix="isolation='process' is for those; leave it out"
            )


def check_scorers(scorers: Sequence[Scorer], *, version: DatasetVersion, outputs: Outputs) -> None:
    """Raise unless every scorer has a name of its own and what it requires can be supplied.

    What a task may return and nobody knows is left to the first result.
    """
    seen: dict[str, str] = {}
    for scorer in scorers:
        name = scorer.config.name
        key = normalised(name)
        if key in seen:
            raise NameClash(
                f"two scorers are named {name!r}",
                fix="give one of them another name: name=…, or for a function `def` with a name of its own",
            )
        seen[key] = name
        if isinstance(scorer, PairwiseScorer):
            raise ConfigurationError(f"{name!r} compares two traces", fix="use rejudge.compare_pairwise")
        if not all(scorer.demands.models):
            raise ConfigurationError(f"scorer {name!r} asks a model, and none is named", fix="say which: model=")
        if version.count:
            _check_references(scorer, version)
            _check_needs(scorer, version, outputs)


def check_own_scorers(scorers: Iterable[Sequence[Scorer]], request: Request) -> None:
    """Raise unless what the scorers of single items require exists on some item."""
    known, checked = outputs_of(request, *request.tasks), set[bytes]()
    for scorer in (one for own in scorers for one in own):
        digest = scorer.config.digest()
        if digest not in checked:
            checked.add(digest)
            _check_needs(scorer, request.version, known)


def _check_needs(scorer: Scorer, version: DatasetVersion, outputs: Outputs) -> None:
    for need in unmet(scorer, version, outputs):
        if not need.may_be_met(outputs):
            raise need.error([*version.fields, *outputs.names])


def _check_task_fields(task: Task, version: DatasetVersion) -> None:
    hidden = sorted(task.needs.intersection(version.reference))
    if hidden:
        raise ConfigurationError(
            f"task {task.config.name!r} asks for {hidden[0]!r}, which the dataset declares as reference",
            fix="reference fields are for scorers; let the task ask for another field",
        )
    _check(f"task {task.config.name!r}", task.needs, [name for name in version.fields if name not in version.reference])


def _check_references(scorer: Scorer, version: DatasetVersion) -> None:
    settings = scorer.config.settings
    listed = settings.get("reference_keys")
    mapped = scorer.paths if isinstance(scorer, MappedScorer) else {}
    for key in (settings.get("reference_key"), *(listed if isinstance(listed, list | tuple) else ())):
        if key in mapped:
            continue
        if version.reference and key in version.fields and key not in version.reference:
            raise ConfigurationError(
                f"scorer {scorer.config.name!r} compares with {key!r}, which is not declared as reference",
                fix=f"add it: reference={[*version.reference, key]}",
            )


def _check(who: str, needs: frozenset[str], known: Sequence[str]) -> None:
    for name in sorted(needs.difference(known)):
        raise MissingField.among(who, name, known)
