"""`rejudge calibrate`: how far a scorer agrees with people, or with another scorer."""

from __future__ import annotations

from typing import Annotated

import typer

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import Html, Json, Named, Store, Traceback
from rejudge.wiring import DEFAULT_STORE

Scorer = Annotated[str, typer.Argument(metavar="SCORER", help="The scorer: its name, or how its id begins.")]
Against = Annotated[
    str,
    typer.Option(
        "--against",
        metavar="SET|SCORER",
        help="A rating set with gold labels, or another scorer; ratings:NAME and scorer:NAME tell them apart.",
    ),
]
Value = Annotated[str | None, typer.Option("--value", metavar="NAME", help="Which of several values of the scorer.")]
Task = Annotated[
    str | None, typer.Option("--task", metavar="NAME", help="Whose outputs, where there are several tasks.")
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="What the intervals that are drawn depend on.")]
Level = Annotated[float, typer.Option("--level", metavar="SHARE", help="The level of the intervals.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=0, help="How many disagreements to list, worst first.")]
MakeDefault = Annotated[
    bool, typer.Option("--make-default", help="Let the scorer stand in for people on this question, if that may be.")
]
MinimumPairs = Annotated[
    int, typer.Option("--minimum", metavar="N", min=1, help="With --make-default: how many pairs that takes.")
]


@command
def calibrate(
    name: Named,
    scorer: Scorer,
    *,
    against: Against,
    value: Value = None,
    task: Task = None,
    seed: Seed = 0,
    level: Level = 0.95,
    limit: Limit = 10,
    make_default: MakeDefault = False,
    minimum: MinimumPairs = 50,
    store: Store = DEFAULT_STORE,
    html: Html = None,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Compare what a scorer said with what people said of the same traces, or with another scorer.

    Nothing is generated or judged. The calibration that is stored holds until the scorer, a rubric, the dataset or the
    labels change. A scorer becomes the default judge only on enough pairs with both outcomes; else the exit code is 4.
    """
    from rejudge.cli.output import put_finding, tell
    from rejudge.cli.store import opened, result_named
    from rejudge.domain.errors import ConfigurationError
    from rejudge.front import calibrating
    from rejudge.front.calibration_report import calibration_lines

    result = result_named(opened(store), name)
    found = calibrating.calibrate(result, scorer, against=against, value=value, task=task, seed=seed, level=level)
    code = ExitCode.DONE
    if make_default:
        try:
            found.make_default(minimum=minimum)
        except ConfigurationError as error:
            tell(f"refused: {error}")
            code = ExitCode.REVIEW
    put_finding(found, lambda: "\n".join(calibration_lines(found, limit=limit)), page=html, json=json)
    return code
