"""`rejudge score --import`: take over scores that were given elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from rejudge.cli.output import tell
from rejudge.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from rejudge.front.score_import import ScoreImport
    from rejudge.storage.store import Store

Import: TypeAlias = Annotated[
    Path | None,
    typer.Option("--import", metavar="FILE", help="Take over scores that this file records, as those of --scorer."),
]
Task: TypeAlias = Annotated[
    str | None, typer.Option("--task", metavar="NAME", help="With --import: the task whose outputs were judged.")
]
Id: TypeAlias = Annotated[
    str | None, typer.Option("--id", metavar="PATH", help="With --import: the item's id in a record.  [default: id]")
]
Value: TypeAlias = Annotated[
    str | None, typer.Option("--value", metavar="PATH", help="With --import: the value.  [default: value]")
]
Reason: TypeAlias = Annotated[
    str | None, typer.Option("--reason", metavar="PATH", help="With --import: the reason in words.")
]
Trial: TypeAlias = Annotated[
    str | None,
    typer.Option("--trial", metavar="PATH", help="With --import: the trial; else the records of an id in order."),
]
Cost: TypeAlias = Annotated[
    str | None, typer.Option("--cost", metavar="PATH", help="With --import: what the judgement cost, in US dollars.")
]

EXAMPLE = "--scorer NAME, or --scorer '{name: NAME, type: number, low: 0, high: 1}'"


def ready_import(
    store: Store,
    experiment: str,
    file: Path,
    scorers: Sequence[str],
    *,
    task: str | None,
    paths: Mapping[str, str | None],
) -> ScoreImport:
    """The import that a command line describes; what of the file has no place is told at once."""
    from rejudge.front.evaluation_file import mapping_in
    from rejudge.front.recorded_scores import Fields
    from rejudge.front.score_import import score_import

    if len(scorers) != 1:
        said = f"--scorer is given {len(scorers)} times" if scorers else "nothing says whose scores these are"
        raise ConfigurationError(f"{said}, and --import takes over those of one scorer", fix=f"give {EXAMPLE}")
    fields = Fields(**{name: path for name, path in paths.items() if path is not None})
    scorer = mapping_in(scorers[0], called="--scorer")
    ready = score_import(store, experiment, file, scorer, fields=fields, task=task)
    for remark in ready.remarks():
        tell(remark)
    return ready


def refuse_beside_import(**said: object) -> None:
    """Raise for an option that an import has no use for."""
    for name, value in said.items():
        if value:
            raise ConfigurationError(f"--{name} says nothing about scores that are imported", fix="leave it out")


def refuse_without_import(**said: object) -> None:
    """Raise for an option that only an import has."""
    for name, value in said.items():
        if value is not None:
            raise ConfigurationError(f"--{name} is of use with --import only", fix="name the file: --import FILE")
