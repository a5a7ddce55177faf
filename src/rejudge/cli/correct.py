"""`rejudge correct`: what people would say of a whole run, of which they labelled a part."""

from __future__ import annotations

from typing import Annotated

import typer

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import Drawn, Html, Json, Level, OneRun, Scorer, Store, Task, Traceback, Value
from rejudge.wiring import DEFAULT_STORE

Against = Annotated[str | None, typer.Option("--against", metavar="SET", help="A rating set with gold labels.")]


@command
def correct(
    run: OneRun,
    scorer: Scorer,
    *,
    against: Against = None,
    drawn: Drawn = None,
    value: Value = None,
    task: Task = None,
    level: Level = 0.95,
    store: Store = DEFAULT_STORE,
    html: Html = None,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Correct the pass rate that a judge gave to a run by the traces that people labelled.

    Nothing is generated, judged or stored. Where the labels allow no correction every refusal has its reason, and the
    exit code is 4.
    """
    from rejudge.cli.output import columns, put_finding
    from rejudge.cli.store import opened
    from rejudge.front import correcting
    from rejudge.front.correction_report import correction_lines

    workspace = opened(store)
    found = correcting.correct(
        run, scorer, against=against, drawn=drawn, value=value, task=task, store=workspace.store, level=level
    )
    put_finding(found, lambda: "\n".join(correction_lines(found, columns=columns())), page=html, json=json)
    return ExitCode.REVIEW if found.advice.use is None else ExitCode.DONE
