"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from rejudge.wiring import DEFAULT_STORE

Store: TypeAlias = Annotated[
    str, typer.Option("--store", metavar="PATH", help="Where records are kept: the path of an SQLite file.")
]
FileStore: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="PATH",
        help=f"Where records are kept: an SQLite file.  [default: what the file says, or {DEFAULT_STORE}]",
    ),
]
Concurrency: TypeAlias = Annotated[
    int | None, typer.Option("--concurrency", metavar="N", min=1, help="How many task calls run at once.")
]
MaxErrors: TypeAlias = Annotated[
    int,
    typer.Option("--max-errors", metavar="N", min=0, help="Errors of tasks and scorers that still count as done."),
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Html: TypeAlias = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write a page with plots too, which loads nothing.")
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Traceback: TypeAlias = Annotated[bool, typer.Option("--traceback", help="Show where an error came from.")]
EvaluationPath: TypeAlias = Annotated[Path, typer.Argument(metavar="FILE", help="An evaluation file: YAML or JSON.")]
ItemIds: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--ids", metavar="ID,…", help="Only the items with these ids; may be given several times."),
]
Filter: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--filter", metavar="EXPR", help="Only the items that fit, as in 'level >= 3 and topic = \"history\"'."
    ),
]
Sample: TypeAlias = Annotated[
    int | None, typer.Option("--sample", metavar="N", min=1, help="Only so many of these items, at random.")
]
Stratify: TypeAlias = Annotated[
    str | None, typer.Option("--stratify", metavar="FIELD", help="Keep the shares of a field's values in the sample.")
]
Seed: TypeAlias = Annotated[int | None, typer.Option("--seed", metavar="N", help="What the sample depends on.")]
ItemLimit: TypeAlias = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="Only the first so many of these items.")
]
Named: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="RUN|EXPERIMENT", help="A run or an experiment: its name, or how its id begins."),
]
