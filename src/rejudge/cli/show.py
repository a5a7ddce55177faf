"""`rejudge show`: a stored result, down to one item's input, output, scores and reasons."""

from __future__ import annotations

from itertools import islice, takewhile
from typing import TYPE_CHECKING, Annotated

import typer

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import Json, Named, Store, Traceback
from rejudge.domain.errors import NotFound
from rejudge.wiring import DEFAULT_STORE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.front.result import Result, RunResult
    from rejudge.storage.records import CaseRow

ItemId = Annotated[str | None, typer.Option("--item", metavar="ID", help="Show one item in full.")]
Trial = Annotated[int | None, typer.Option("--trial", metavar="N", min=0, help="Of that item one trial, from 0.")]
Cases = Annotated[bool, typer.Option("--cases", help="List the cases, in the order of the dataset.")]
Failures = Annotated[bool, typer.Option("--failures", help="List the cases with an error, a fail or a skip.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many cases of each task to list.")]


@command
def show(
    name: Named,
    *,
    item: ItemId = None,
    trial: Trial = None,
    cases: Cases = False,
    failures: Failures = False,
    limit: Limit = 20,
    store: Store = DEFAULT_STORE,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Show a report, its cases, or one item in full."""
    from rejudge.cli.evaluating import show_result
    from rejudge.cli.store import opened, result_named

    result = result_named(opened(store), name)
    if item is not None:
        found = [(run, _of_item(run, item, trial, trials=result.experiment.trials)) for run in result.runs]
        if not any(rows for _, rows in found):
            result.runs[0].case(item, trial=trial or 0)
        _show_items(result, found, json=json)
    elif failures:
        _show_cases(result, [(run, _failed(run, limit)) for run in result.runs], json=json)
    elif cases:
        _show_cases(result, [(run, list(islice(run.cases(), limit))) for run in result.runs], json=json)
    else:
        show_result(result, json=json)
    return ExitCode.DONE


def _of_item(run: RunResult, item: str, trial: int | None, *, trials: int) -> list[CaseRow]:
    """The trials of an item that have ended."""
    found = []
    for number in range(trials) if trial is None else [trial]:
        try:
            found.append(run.case(item, trial=number))
        except NotFound:
            continue
    return found


def _failed(run: RunResult, limit: int) -> list[CaseRow]:
    from rejudge.front.cases import CaseKind, kind_of
    from rejudge.storage.records import CaseOrder

    rows = run.cases(order=CaseOrder.FAILURES_FIRST)
    return list(islice(takewhile(lambda row: kind_of(row) is not CaseKind.OTHER, rows), limit))


def _show_items(result: Result, found: Sequence[tuple[RunResult, list[CaseRow]]], *, json: bool) -> None:
    from rejudge.cli.output import put
    from rejudge.front.overview import scorers_of
    from rejudge.front.report import case_report

    if json:
        _put_cases({}, result, found)
        return
    put(
        "\n\n".join(
            f"task {run.task}, run {run.id}\n{case_report(row, scorers_of(run, result))}"
            for run, rows in found
            for row in rows
        )
    )


def _show_cases(result: Result, found: Sequence[tuple[RunResult, list[CaseRow]]], *, json: bool) -> None:
    from rejudge.cli.output import put
    from rejudge.front.overview import scorers_of
    from rejudge.front.report import cases_table

    if json:
        _put_cases(result.to_dict(), result, found)
        return
    put(
        "\n\n".join(
            f"task {run.task}, run {run.id}\n{cases_table(rows, scorers_of(run, result))}" for run, rows in found
        )
    )


def _put_cases(document: dict[str, object], result: Result, found: Sequence[tuple[RunResult, list[CaseRow]]]) -> None:
    from rejudge.cli.output import put_json
    from rejudge.front.case_document import case_dict
    from rejudge.front.overview import scorers_of

    cases = [case_dict(row, run, scorers_of(run, result)) for run, rows in found for row in rows]
    put_json(document | {"cases": cases})
