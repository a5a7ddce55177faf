"""`rejudge explain`: why the number of one run is another than that of the other."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import (
    Clusters,
    Html,
    Json,
    JudgedAtOnce,
    Level,
    Listed,
    MaxErrors,
    ProviderName,
    Quiet,
    ResamplingSeed,
    Store,
    Traceback,
    Value,
)
from rejudge.domain.errors import ConfigurationError, Interrupted
from rejudge.wiring import DEFAULT_STORE

if TYPE_CHECKING:
    from rejudge.front.answering import Answering
    from rejudge.front.explaining import Ahead
    from rejudge.front.explanation import Explanation
    from rejudge.front.progress import Display
    from rejudge.scorers.scorer import Scorer

Runs = Annotated[
    list[str],
    typer.Argument(metavar="RUN…", help="Two runs, before and after: EXPERIMENT:TASK, or how an id begins."),
]
Scorers = Annotated[
    list[str] | None,
    typer.Option("--scorer", metavar="NAME", help="Which scorer; twice for that of the first run and of the second."),
]
Files = Annotated[
    list[Path] | None,
    typer.Option(
        "--file",
        "-f",
        metavar="FILE",
        help="Scorers that are Python functions, and who answers models: a list of scorers, or an evaluation file.",
    ),
]
NoJudging = Annotated[bool, typer.Option("--no-judging", help="Ask no judge; only scores that are stored count.")]


@command
def explain(
    runs: Runs,
    *,
    scorer: Scorers = None,
    value: Value = None,
    file: Files = None,
    provider: ProviderName = None,
    no_judging: NoJudging = False,
    clusters: Clusters = None,
    level: Level = 0.95,
    seed: ResamplingSeed = 0,
    limit: Listed = 5,
    store: Store = DEFAULT_STORE,
    max_errors: MaxErrors = 0,
    concurrency: JudgedAtOnce = None,
    html: Html = None,
    json: Json = False,
    quiet: Quiet = False,
    traceback: Traceback = False,
) -> int:
    """Say why a number moved: what differs between two runs, and what judge, task and data each did.

    Each run's judge judges the other run's stored traces where that is not stored yet; it is said beforehand how many
    judgements that takes. No task is called, and neither run changes.
    """
    from rejudge.cli.output import columns, put_finding, tell
    from rejudge.cli.store import opened
    from rejudge.front.answering import answering
    from rejudge.front.explain_text import explanation_text
    from rejudge.front.explaining import Ahead
    from rejudge.front.progress import progress_for
    from rejudge.runner.settings import Settings

    ahead = Ahead(
        *_two(runs),
        scorers=_scorers(file or []),
        judging="stored" if no_judging else "new",
        store=opened(store).store,
        concurrency=concurrency or Settings().concurrency,
        scorer=_named(scorer or []),
        value=value,
        clusters=clusters,
        level=level,
        seed=seed,
        listed=limit,
    )
    answers = answering(file or [], origins=ahead.asking(), provider=provider)
    for line in ahead.words():
        tell(line)
    with progress_for(None if quiet else sys.stderr) as progress, redirect_stdout(sys.stderr):
        result = _ran(ahead, progress, answers)
    if result is None:
        tell("interrupted; what was judged is kept\n  next: the same command goes on from here")
        return ExitCode.INTERRUPTED
    put_finding(result, lambda: explanation_text(result, columns=columns(), listed=limit), page=html, json=json)
    stopped = result.spent.stopped is not None or result.spent.errors > max_errors
    return ExitCode.INCOMPLETE if stopped else ExitCode.DONE


def _ran(ahead: Ahead, progress: Display, answers: Answering) -> Explanation | None:
    """The explanation; None where somebody interrupted it."""
    try:
        return ahead.run(progress, answers)
    except Interrupted:
        return None


def _two(runs: list[str]) -> tuple[str, str | None]:
    if len(runs) > 2:
        raise ConfigurationError(f"{len(runs)} runs are named", fix="name two: the one before and the one after")
    return runs[0], runs[1] if len(runs) == 2 else None


def _named(scorers: list[str]) -> str | tuple[str, str] | None:
    if len(scorers) > 2:
        raise ConfigurationError(
            f"{len(scorers)} scorers are named", fix="name one, or that of the first run and that of the second"
        )
    if len(scorers) == 2:
        return scorers[0], scorers[1]
    return scorers[0] if scorers else None


def _scorers(files: list[Path]) -> list[Scorer]:
    from rejudge.front.evaluation_file import load_scorers

    return [scorer for file in files for scorer in load_scorers(file)]
