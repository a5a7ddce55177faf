"""`rejudge compare`, `leaderboard` and `describe`: runs by their scores on the same items, and one in depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import (
    By,
    Clusters,
    Html,
    Json,
    Level,
    Listed,
    OneRun,
    ResamplingSeed,
    Runs,
    ScorerName,
    Store,
    Traceback,
    Value,
)
from rejudge.domain.errors import ConfigurationError
from rejudge.wiring import DEFAULT_STORE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rejudge.front.run_names import RunLike
    from rejudge.release.comparison import CompareQuestion
    from rejudge.release.leaderboard import RankQuestion
    from rejudge.wiring import Address

Scorers = Annotated[
    list[str] | None,
    typer.Option("--scorer", metavar="NAME", help="Which scorer; of one run two, to compare them with each other."),
]
Margin = Annotated[
    float | None,
    typer.Option("--margin", metavar="SIZE", min=0, help="How much worse is acceptable, in the score's unit."),
]
Smallest = Annotated[
    float | None,
    typer.Option("--smallest", metavar="SIZE", min=0, help="The smallest difference of interest, in the score's unit."),
]

LISTED = 5
"""So many items of each kind are listed where nobody says otherwise."""


@command
def compare(
    runs: Runs,
    *,
    scorer: Scorers = None,
    value: Value = None,
    clusters: Clusters = None,
    by: By = None,
    margin: Margin = None,
    smallest: Smallest = None,
    level: Level = 0.95,
    seed: ResamplingSeed = 0,
    limit: Listed = LISTED,
    store: Store = DEFAULT_STORE,
    html: Html = None,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Compare two runs on the same items, or two scorers of one; of more runs, every pair."""
    from rejudge.cli.output import columns, put_finding
    from rejudge.cli.store import opened
    from rejudge.front.compare_text import comparison_text
    from rejudge.front.comparing import compare as compared
    from rejudge.front.run_names import runs_named

    named = runs_named(runs, opened(store).store)
    scorers = scorer or []
    question: CompareQuestion = {
        "value": value,
        "clusters": clusters,
        "by": by,
        "margin": margin,
        "smallest": smallest,
        "level": level,
        "seed": seed,
        "listed": limit,
    }
    if len(named.runs) > 2:
        _refuse_for_many(margin=margin, by=by, limit=None if limit == LISTED else limit, scorers=scorers)
        ranked: RankQuestion = {
            "value": value,
            "clusters": clusters,
            "smallest": smallest,
            "level": level,
            "seed": seed,
        }
        asked: RankQuestion = ranked | {"scorer": next(iter(scorers), None)}
        return _show_ranking(named.runs, named.store, asked, html=html, json=json)
    _refuse_scorers(scorers, runs=len(named.runs))
    if len(named.runs) == 1:
        result = compared(named.runs[0], scorers=scorers, **question)
    else:
        question["scorer"] = next(iter(scorers), None)
        result = compared(named.runs[0], named.runs[1], **question)
    put_finding(result, lambda: comparison_text(result, columns=columns(), listed=limit), page=html, json=json)
    return ExitCode.DONE


@command
def leaderboard(
    runs: Runs,
    *,
    scorer: ScorerName = None,
    value: Value = None,
    clusters: Clusters = None,
    smallest: Smallest = None,
    level: Level = 0.95,
    seed: ResamplingSeed = 0,
    store: Store = DEFAULT_STORE,
    html: Html = None,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Rank runs by a score on the same items, or by a pairwise judge, with the ranks that the data allow."""
    from rejudge.cli.store import opened

    question: RankQuestion = {
        "scorer": scorer,
        "value": value,
        "clusters": clusters,
        "smallest": smallest,
        "level": level,
        "seed": seed,
    }
    return _show_ranking(runs, opened(store).store, question, html=html, json=json)


@command
def describe(
    run: OneRun,
    *,
    scorer: ScorerName = None,
    value: Value = None,
    clusters: Clusters = None,
    by: By = None,
    level: Level = 0.95,
    seed: ResamplingSeed = 0,
    limit: Listed = LISTED,
    store: Store = DEFAULT_STORE,
    html: Html = None,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Show one run in depth: slices, clusters, repeats, and what its traces took."""
    from rejudge.cli.output import columns, put_finding
    from rejudge.cli.store import opened
    from rejudge.front.comparing import describe as described
    from rejudge.front.describe_text import description_text

    result = described(
        run,
        store=opened(store).store,
        scorer=scorer,
        value=value,
        clusters=clusters,
        by=by,
        level=level,
        seed=seed,
        listed=limit,
    )
    put_finding(result, lambda: description_text(result, columns=columns(), listed=limit), page=html, json=json)
    return ExitCode.DONE


def _show_ranking(
    runs: Sequence[RunLike], store: Address, question: RankQuestion, *, html: Path | None, json: bool
) -> int:
    from rejudge.cli.output import columns, put_finding
    from rejudge.front.comparing import leaderboard as ranked
    from rejudge.front.ranking_text import ranking_text

    result = ranked(*runs, store=store, **question)
    put_finding(result, lambda: ranking_text(result, columns=columns()), page=html, json=json)
    return ExitCode.DONE


def _refuse_for_many(*, margin: float | None, by: str | None, limit: int | None, scorers: list[str]) -> None:
    """Raise for what is asked of two runs alone."""
    asked = (("--margin", margin), ("--by", by), ("--limit", limit))
    said = [name for name, given in asked if given is not None]
    if said or len(scorers) > 1:
        what = said[0] if said else "more than one --scorer"
        raise ConfigurationError(f"{what} is for two runs, and more are named", fix="name two, as EXPERIMENT:TASK")


def _refuse_scorers(scorers: list[str], *, runs: int) -> None:
    """Raise where so many scorers of one run, or of two, are not compared."""
    if runs == 2 and len(scorers) > 1:
        raise ConfigurationError(
            f"{len(scorers)} scorers of two runs are named", fix="name one, or one run whose two scorers to compare"
        )
    if runs == 1 and len(scorers) == 1:
        raise ConfigurationError(
            f"one scorer of one run is named: {scorers[0]}", fix="name a second --scorer, or a second run"
        )
