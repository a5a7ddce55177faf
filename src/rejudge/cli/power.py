"""`rejudge power`: how many items and trials a comparison needs, and what those at hand can show."""

from __future__ import annotations

from typing import Annotated

import typer

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import Clusters, Html, Json, Level, ScorerName, Store, Traceback, Value
from rejudge.wiring import DEFAULT_STORE

Runs = Annotated[
    list[str] | None,
    typer.Argument(metavar="[RUN…]", help="None to assume everything, one to plan from, two that were compared."),
]
Size = Annotated[
    float | None,
    typer.Option("--difference", metavar="SIZE", help="What is to be found, second − first, in the score's unit."),
]
Items = Annotated[
    int | None,
    typer.Option("--items", metavar="N", min=1, help="How many items there are.  [default: those of the runs]"),
]
Trials = Annotated[
    int | None,
    typer.Option("--trials", metavar="N", min=1, help="Trials of each item.  [default: those of the runs, or 1]"),
]
Rate = Annotated[
    float | None, typer.Option("--rate", metavar="SHARE", help="The first one's pass rate, where no run tells it.")
]
Std = Annotated[
    float | None,
    typer.Option("--std", metavar="SIZE", help="The standard deviation of scores over items, where no run tells it."),
]
Correlation = Annotated[
    float | None,
    typer.Option(
        "--correlation",
        metavar="SHARE",
        help="How alike both do on the same items.  [default: 0.5, between the items' true means]",
    ),
]
Reliability = Annotated[
    float | None,
    typer.Option(
        "--reliability",
        metavar="SHARE",
        help="The share of the variance that is not chance of trials.  [default: that of a run with trials]",
    ),
]
Wanted = Annotated[float, typer.Option("--power", metavar="SHARE", help="How surely it is to be found.")]
Effect = Annotated[
    float | None,
    typer.Option("--design-effect", metavar="TIMES", help="By how much clusters multiply the items.  [default: 1]"),
]


@command
def power(
    runs: Runs = None,
    *,
    difference: Size = None,
    items: Items = None,
    trials: Trials = None,
    rate: Rate = None,
    std: Std = None,
    correlation: Correlation = None,
    reliability: Reliability = None,
    wanted: Wanted = 0.8,
    level: Level = 0.95,
    design_effect: Effect = None,
    clusters: Clusters = None,
    scorer: ScorerName = None,
    value: Value = None,
    store: Store = DEFAULT_STORE,
    html: Html = None,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Tell how many items (and trials) find a difference, or what those at hand can find."""
    from rejudge.cli.output import columns, put_finding
    from rejudge.cli.store import opened
    from rejudge.front.power import power as planned
    from rejudge.front.power_text import power_text

    result = planned(
        *(runs or ()),
        store=opened(store).store if runs else store,
        difference=difference,
        items=items,
        trials=trials,
        rate=rate,
        std=std,
        correlation=correlation,
        reliability=reliability,
        power=wanted,
        level=level,
        design_effect=design_effect,
        clusters=clusters,
        scorer=scorer,
        value=value,
    )
    put_finding(result, lambda: power_text(result, columns=columns()), page=html, json=json)
    return ExitCode.DONE
