"""`rejudge correct`: what people would say of a whole run, of which they labelled a part."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import Html, Json, Named, Store, Traceback
from rejudge.wiring import DEFAULT_STORE

Scorer = Annotated[str, typer.Argument(metavar="SCORER", help="The judge: its name, or how its id begins.")]
Against = Annotated[str, typer.Option("--against", metavar="SET", help="A rating set with gold labels.")]
Drawn = Annotated[
    Literal["at_random", "by_human_outcome", "by_judge_outcome"] | None,
    typer.Option("--drawn", help="How the labelled traces were chosen; needed where no import said it."),
]
Value = Annotated[str | None, typer.Option("--value", metavar="NAME", help="Which of several values of the scorer.")]
Task = Annotated[
    str | None, typer.Option("--task", metavar="NAME", help="Whose outputs, where there are several tasks.")
]
Level = Annotated[float, typer.Option("--level", metavar="SHARE", help="The level of the intervals.")]


@command
def correct(
    name: Named,
    scorer: Scorer,
    *,
    against: Against,
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
    from rejudge.cli.output import put_finding
    from rejudge.cli.store import opened, result_named
    from rejudge.front import correcting

    result = result_named(opened(store), name)
    found = correcting.correct(result, scorer, against=against, drawn=drawn, value=value, task=task, level=level)
    put_finding(found, lambda: str(found), page=html, json=json)
    return ExitCode.REVIEW if found.advice.use is None else ExitCode.DONE
