"""Conversations that are spread over many traces, judged as wholes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from rejudge.datasets.rows import RowSpec
from rejudge.datasets.source import source_of
from rejudge.domain.errors import ConfigurationError, TaskError
from rejudge.domain.ids import id_of
from rejudge.domain.item import given_to_all
from rejudge.domain.view import as_text
from rejudge.front.cases import error_of
from rejudge.front.result import Result, RunResult
from rejudge.runner.snapshot import snapshot
from rejudge.tasks.function import FunctionTask

if TYPE_CHECKING:
    from rejudge.domain.dataset import DatasetVersion
    from rejudge.storage.records import CaseRow
    from rejudge.storage.store import Store
    from rejudge.tasks.task import Task

Reading: TypeAlias = "Callable[[object], object]"
"""From what a turn was given, or gave, to the content of a message; None leaves the message out."""

MOST_TURNS = 1000
"""A conversation of more turns is refused: it is rarely one, and no judge reads it."""


class Threads(Struct, frozen=True, kw_only=True):
    """How traces make conversations: by the value of which item field, in the order of which (else the dataset's)."""

    by: str
    order: str | None = None
    most: int = MOST_TURNS


def threads_of(store: Store, run: RunResult, experiment: str, threads: Threads) -> DatasetVersion:
    """The conversations of a run as a stored dataset, one item each: `turns` with input, output and trace id.

    A turn whose task failed says so with `error`; each trial of an experiment with several is a conversation of its
    own. Raises ConfigurationError where no item has the field.
    """
    found: dict[str, list[tuple[object, dict[str, object]]]] = {}
    reference = store.find_version(store.experiment(experiment).dataset_version).reference
    trials = store.experiment(experiment).trials
    for row in run.cases():
        fields = row.item.fields
        if threads.by not in fields:
            continue
        name = as_text(fields[threads.by]) + (f", trial {row.case.trial}" if trials > 1 else "")
        if threads.order is not None and threads.order not in fields:
            raise ConfigurationError(
                f"item {row.item.id!r} of thread {name!r} has no field {threads.order!r}, so it has no place",
                fix="name a field that every item has with order=, or leave it out",
            )
        place = None if threads.order is None else fields[threads.order]
        found.setdefault(name, []).append((place, _turn(row, threads, reference)))
    if not found:
        raise ConfigurationError(
            f"no item of {experiment!r} has a field {threads.by!r} to make threads by",
            fix="name the field that holds the conversation's id: by=",
        )
    rows = [{"id": name, "turns": _ordered(name, turns, threads)} for name, turns in found.items()]
    return snapshot(store, source_of(rows).rows(), dataset=f"{experiment} by {threads.by}", spec=RowSpec(), file="")


def thread_task(read_input: Reading | None, read_output: Reading | None, read_context: Reading | None) -> Task:
    """The task that lays the turns of a thread out as messages; nothing is generated."""
    layout = partial(_conversation, read_input=read_input, read_output=read_output, read_context=read_context)
    return FunctionTask(layout, name="thread")


def recorded_conversation(messages: Sequence[object]) -> dict[str, object]:
    """A task for items that hold a whole conversation: its messages, and the last one that the assistant wrote."""
    if not isinstance(messages, list) or not all(isinstance(one, dict) and "role" in one for one in messages):
        raise TaskError("`messages` is no list of messages with a role each")
    return {"output": _last(messages), "messages": messages}


def run_of(result: Result, task: str | None) -> RunResult:
    """The run whose traces make the threads."""
    if not result.runs:
        raise ConfigurationError(f"the experiment {result.name!r} has no run yet", fix="evaluate it first")
    return result.run(task)


def _turn(row: CaseRow, threads: Threads, reference: Sequence[str]) -> dict[str, object]:
    given = given_to_all(row.item.fields, reference=reference)
    told = {name: value for name, value in given.items() if name not in ("id", threads.by, threads.order)}
    turn: dict[str, object] = {"item": row.item.id, "input": told}
    if row.trace is None:
        return turn | {"error": row.case.reason or error_of(row)}
    return turn | {"trace": id_of("trace", row.trace.digest()), "output": row.trace.produced.output}


def _ordered(name: str, turns: list[tuple[object, dict[str, object]]], threads: Threads) -> list[dict[str, object]]:
    if len(turns) > threads.most:
        raise ConfigurationError(
            f"thread {name!r} has {len(turns)} turns, more than {threads.most}", fix="raise max_traces_per_thread"
        )
    if threads.order is not None:
        try:
            turns = sorted(turns, key=lambda turn: turn[0])  # type: ignore[arg-type, return-value]
        except TypeError:
            raise ConfigurationError(
                f"the values of {threads.order!r} in thread {name!r} cannot be put in an order",
                fix="use one kind of value, numbers or text, in this field",
            ) from None
    return [turn for _, turn in turns]


def _conversation(
    turns: Iterable[dict[str, object]],
    read_input: Reading | None = None,
    read_output: Reading | None = None,
    read_context: Reading | None = None,
) -> dict[str, object]:
    messages = list(_messages(turns, read_input or _only, read_output or _as_it_is, read_context))
    if not messages:
        raise TaskError("the thread has no message", fix="look at what the transforms leave out")
    return {"output": _last(messages), "messages": messages}


def _messages(
    turns: Iterable[dict[str, object]], read_input: Reading, read_output: Reading, read_context: Reading | None
) -> Iterator[dict[str, object]]:
    for number, turn in enumerate(turns, 1):
        if "error" in turn:
            raise TaskError(f"turn {number} (item {turn['item']!r}) has no output: {turn['error']}")
        asked, said = read_input(turn["input"]), read_output(turn["output"])
        if asked is not None:
            yield {"role": "user", "content": as_text(asked)}
        if said is not None:
            message: dict[str, object] = {"role": "assistant", "content": as_text(said)}
            context = None if read_context is None else read_context(turn["input"])
            yield message if context is None else message | {"context": context}


def _only(given: object) -> object:
    """The only field that a turn was given, or all of them."""
    return next(iter(given.values())) if isinstance(given, dict) and len(given) == 1 else given


def _as_it_is(output: object) -> object:
    return output


def _last(messages: Sequence[dict[str, object]]) -> object:
    said = [one.get("content") for one in messages if one.get("role") == "assistant"]
    return said[-1] if said else None
