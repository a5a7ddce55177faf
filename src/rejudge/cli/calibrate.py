"""`rejudge calibrate`: how far a scorer agrees with people, or with another scorer."""

from __future__ import annotations

from typing import Annotated

import typer

from rejudge.cli.command import command, in_words
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import (
    Html,
    Json,
    Level,
    Listed,
    OneRun,
    ResamplingSeed,
    Scorer,
    Store,
    Task,
    Traceback,
    Value,
)
from rejudge.wiring import DEFAULT_STORE

Against = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="SET|SCORER",
        help="A rating set with gold labels, or another scorer; ratings:NAME and scorer:NAME tell them apart.",
    ),
]
MakeDefault = Annotated[
    bool, typer.Option("--make-default", help="Let the scorer stand in for people on this question, if that may be.")
]
Minimum = Annotated[
    int | None,
    typer.Option(
        "--minimum",
        metavar="N",
        min=1,
        help="With --make-default: how many items both must have judged.  [default: 50]",
    ),
]
EachOutcome = Annotated[
    int | None,
    typer.Option(
        "--each-outcome",
        metavar="N",
        min=0,
        help="With --make-default: how many items people must have passed, and how many failed.  [default: 10]",
    ),
]


@command
def calibrate(
    run: OneRun,
    scorer: Scorer,
    *,
    against: Against = None,
    value: Value = None,
    task: Task = None,
    seed: ResamplingSeed = 0,
    level: Level = 0.95,
    limit: Listed = 10,
    make_default: MakeDefault = False,
    minimum: Minimum = None,
    each_outcome: EachOutcome = None,
    store: Store = DEFAULT_STORE,
    html: Html = None,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Compare what a scorer said with what people said of the same traces, or with another scorer.

    Nothing is generated or judged. The calibration that is stored holds until the scorer, a rubric, the dataset or the
    labels change. A scorer becomes the default judge only on enough pairs with both outcomes; else the exit code is 4.
    """
    from rejudge.cli.output import columns, put_finding, tell
    from rejudge.cli.store import opened
    from rejudge.domain.errors import ConfigurationError
    from rejudge.front import calibrating
    from rejudge.front.calibration_report import calibration_lines

    least = {"minimum": minimum, "each_outcome": each_outcome}
    said = {name: count for name, count in least.items() if count is not None}
    if said and not make_default:
        option = f"--{next(iter(said)).replace('_', '-')}"
        raise ConfigurationError(
            f"{option} says what --make-default takes, and that is not asked for",
            fix=f"add --make-default, or leave {option} out",
        )
    workspace = opened(store)
    found = calibrating.calibrate(
        run, scorer, against=against, value=value, task=task, store=workspace.store, seed=seed, level=level
    )
    code = ExitCode.DONE
    if make_default:
        try:
            found.make_default(**said)
        except ConfigurationError as error:
            tell(f"refused: {in_words(error, calibrate)}")
            code = ExitCode.REVIEW
    put_finding(
        found, lambda: "\n".join(calibration_lines(found, limit=limit, columns=columns())), page=html, json=json
    )
    return code
