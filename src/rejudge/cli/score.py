"""`rejudge score`: judge what is stored with further scorers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rejudge.cli.command import command
from rejudge.cli.importing import (
    Cost,
    Id,
    Import,
    Reason,
    Task,
    Trial,
    Value,
    ready_import,
    refuse_beside_import,
    refuse_without_import,
)
from rejudge.cli.options import Json, JudgedAtOnce, MaxErrors, ProviderName, Quiet, Store, Traceback
from rejudge.wiring import DEFAULT_STORE

if TYPE_CHECKING:
    from rejudge.scorers.scorer import Scorer

Experiment = Annotated[str, typer.Argument(metavar="EXPERIMENT", help="An experiment: its name, or how its id begins.")]
Scorers = Annotated[
    Path | None,
    typer.Option("--file", "-f", metavar="FILE", help="A list of scorers, or an evaluation file with scorers."),
]
Inline = Annotated[
    list[str] | None,
    typer.Option(
        "--scorer",
        metavar="YAML",
        help="A scorer, such as '{type: contains, substring: sorry}'; with --import, a name or a score, such as "
        "'{name: judge, type: number, low: 1, high: 5}'.",
    ),
]
Outputs = Annotated[
    list[str] | None,
    typer.Option("--output", metavar="KEY", help="Another key of a returned mapping that scorers ask for by name."),
]


@command
def score(
    experiment: Experiment,
    *,
    file: Scorers = None,
    scorer: Inline = None,
    output: Outputs = None,
    provider: ProviderName = None,
    import_: Import = None,
    task: Task = None,
    id: Id = None,
    value: Value = None,
    reason: Reason = None,
    trial: Trial = None,
    cost: Cost = None,
    store: Store = DEFAULT_STORE,
    max_errors: MaxErrors = 0,
    concurrency: JudgedAtOnce = None,
    json: Json = False,
    quiet: Quiet = False,
    traceback: Traceback = False,
) -> int:
    """Judge what is stored with further scorers, or import scores that were given elsewhere.

    No task is called, and no score that is there already is changed. Python scorers are looked for among what is
    installed, then in the folder of `--file`, or else in the working directory, and at last in the folder of the
    experiment's evaluation file.

    An import matches records with traces by item id: a trace without a record is a skip, a record without a trace is
    counted and left out. Importing the same records again stores nothing.
    """
    from rejudge.cli.evaluating import finished
    from rejudge.cli.store import opened
    from rejudge.front.answering import answering, may_ask
    from rejudge.front.verbs import rescoring
    from rejudge.runner.settings import Settings

    workspace = opened(store)
    shown = partial(finished, store=store, max_errors=max_errors, json=json, quiet=quiet)
    paths = {"id": id, "value": value, "reason": reason, "trial": trial, "cost": cost}
    if import_ is not None:
        refuse_beside_import(file=file, output=output, provider=provider, concurrency=concurrency)
        ready = ready_import(workspace.store, experiment, import_, scorer or (), task=task, paths=paths)
        return shown(ready.evaluation(), scorers=[ready.scores.scorer], also=ready.estimates)
    refuse_without_import(task=task, **paths)
    scored = workspace.store.experiment(experiment)
    origin = None if scored.source is None else Path(scored.source).parent
    scorers = _scorers(file, scorer or (), further=origin)
    answers = answering([] if file is None else [file], origins=[scored] if may_ask(scorers) else (), provider=provider)
    evaluation = rescoring(
        scored.id,
        scorers,
        store=workspace.store,
        concurrency=concurrency or Settings().concurrency,
        outputs=output or (),
        provider=answers.provider,
        prices=answers.prices,
    )
    return shown(evaluation, scorers=scorers)


def _scorers(file: Path | None, inline: Sequence[str], *, further: Path | None) -> list[Scorer]:
    from rejudge.domain.errors import ConfigurationError
    from rejudge.front.evaluation_file import load_scorers, scorers_in

    scorers = [] if file is None else list(load_scorers(file, further=further))
    for text in inline:
        scorers += scorers_in(text, called="--scorer", further=further)
    if not scorers:
        raise ConfigurationError(
            "there is no scorer to judge with", fix="name one with --scorer, or several with --file"
        )
    return scorers
