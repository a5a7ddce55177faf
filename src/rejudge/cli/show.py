"""`rejudge show`: a stored result, down to one item's input, output, scores and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import Json, Named, Store, Traceback
from rejudge.domain.errors import ConfigurationError, NotFound, UnknownName
from rejudge.wiring import DEFAULT_STORE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.result import Result, RunResult
    from rejudge.storage.records import CaseRow

ItemId = Annotated[
    str | None,
    typer.Option("--item", metavar="ID", help="Show one item in full: its id, or how an id begins that was derived."),
]
Trial = Annotated[int | None, typer.Option("--trial", metavar="N", min=0, help="Of that item one trial, from 0.")]
Cases = Annotated[bool, typer.Option("--cases", help="List the cases, in the order of the dataset.")]
Failures = Annotated[bool, typer.Option("--failures", help="List the cases with an error, a fail or a skip.")]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        metavar="N",
        min=1,
        help="How many cases of each task to list; 20 if left out, and all with --json.",
    ),
]

LISTED = 20
"""So many cases of a task are listed for people where nobody says how many."""

PAGE = 1000
"""So many items are read at once to find the id of one."""


class Found(NamedTuple):
    """Cases of one run that are to be shown, and how many there are of their kind."""

    run: RunResult
    rows: Sequence[CaseRow]
    total: int


@command
def show(
    name: Named,
    *,
    item: ItemId = None,
    trial: Trial = None,
    cases: Cases = False,
    failures: Failures = False,
    limit: Limit = None,
    store: Store = DEFAULT_STORE,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Show a report, its cases, or one item in full."""
    from rejudge.cli.evaluating import show_stored
    from rejudge.cli.store import opened
    from rejudge.front.run_names import result_named

    if trial is not None and item is None:
        raise ConfigurationError("--trial says which trial of an item, and there is no item", fix="name it with --item")
    result = result_named(opened(store), name)
    most = LISTED if limit is None and not json else limit
    if item is not None:
        _show_items(result, _of_item(result, item, trial), json=json)
    elif failures:
        _show_cases(result, [_failed(result, run, most) for run in result.runs], json=json)
    elif cases:
        _show_cases(result, [_in_order(run, most) for run in result.runs], json=json)
    else:
        show_stored(result, json=json)
    return ExitCode.DONE


def _of_item(result: Result, item: str, trial: int | None) -> list[Found]:
    """The trials of an item that have ended; raises UnknownName or NotFound where there is none."""
    found = _ended(result, item, trial)
    if not any(one.rows for one in found):
        item = _item_id(result, item)
        found = _ended(result, item, trial)
    if not any(one.rows for one in found):
        ended = (
            f"no trial {trial} of item {item!r}" if trial is not None else f"no case of item {item!r} that has ended"
        )
        raise NotFound(f"{result.name} has {ended}", fix=f"it tries each item {_times(_most_trials(result))}")
    return found


def _ended(result: Result, item: str, trial: int | None) -> list[Found]:
    trials = range(_most_trials(result)) if trial is None else [trial]
    found = []
    for run in result.runs:
        rows = []
        for number in trials:
            try:
                rows.append(run.case(item, trial=number))
            except NotFound:
                continue
        found.append(Found(run, rows, len(rows)))
    return found


def _most_trials(result: Result) -> int:
    """How often the item is tried that is tried the most."""
    return max([result.experiment.trials, *(run.reaches.assignment.most_trials for run in result.runs)])


def _times(trials: int) -> str:
    return "once, as trial 0" if trials == 1 else f"{trials} times, as trial 0 to {trials - 1}"


def _item_id(result: Result, item: str) -> str:
    """The id of an item that is named by it, or by a beginning of an id that was derived from its content."""
    from rejudge.front.lines import is_derived

    known = list(_item_ids(result))
    if item in known:
        return item
    beginning = item.removesuffix("…")
    begun = [one for one in known if is_derived(one) and one.startswith(beginning)]
    if beginning and len(begun) == 1:
        return begun[0]
    raise UnknownName.among("item", item, known)


def _item_ids(result: Result) -> Iterator[str]:
    version = result.store.find_version(result.experiment.dataset_version)
    for start in range(0, version.count, PAGE):
        for item in result.store.items(version.id, start=start, count=PAGE):
            yield item.item_id


def _in_order(run: RunResult, limit: int | None) -> Found:
    return Found(run, list(islice(run.cases(), limit)), run.run.planned - run.pending)


def _failed(result: Result, run: RunResult, limit: int | None) -> Found:
    from rejudge.front.cases import CaseKind, kind_of
    from rejudge.front.failures import failures_in
    from rejudge.storage.records import CaseOrder

    rows = run.cases(order=CaseOrder.FAILURES_FIRST)
    found = list(islice(takewhile(lambda row: kind_of(row) is not CaseKind.OTHER, rows), limit))
    return Found(
        run, found, len(found) if limit is None or len(found) < limit else failures_in(run, store=result.store)
    )


def _show_items(result: Result, found: Sequence[Found], *, json: bool) -> None:
    from rejudge.cli.output import columns, put
    from rejudge.front.overview import scorers_of
    from rejudge.front.report import case_report

    if json:
        _put_cases({}, result, found)
        return
    room = columns()
    put(
        "\n\n".join(
            f"{_heading(one, room)}\n"
            + case_report(row, scorers_of(one.run, result), one.run.spans(row), of=one.run.run_config, columns=room)
            for one in found
            for row in one.rows
        )
    )


def _show_cases(result: Result, found: Sequence[Found], *, json: bool) -> None:
    from rejudge.cli.output import columns, put
    from rejudge.front.overview import scorers_of
    from rejudge.front.report import cases_table

    if json:
        _put_cases(result.to_dict(), result, found)
        return
    room = columns()
    put(
        "\n\n".join(
            f"{_heading(one, room)}\n{cases_table(one.rows, scorers_of(one.run, result), columns=room)}"
            for one in found
        )
    )


def _heading(found: Found, columns: int) -> str:
    from rejudge.front.lines import NAME, clipped, wrapped

    shown = f", {len(found.rows)} of {found.total} (more with --limit)" if found.total > len(found.rows) else ""
    return "\n".join(wrapped(f"task {clipped(found.run.task, NAME)}, run {found.run.id}{shown}", columns))


def _put_cases(document: dict[str, object], result: Result, found: Sequence[Found]) -> None:
    from rejudge.cli.output import put_json
    from rejudge.front.case_document import case_dict
    from rejudge.front.overview import scorers_of

    cases = [case_dict(row, one.run, scorers_of(one.run, result)) for one in found for row in one.rows]
    put_json(document | {"cases_total": sum(one.total for one in found), "cases": cases})
