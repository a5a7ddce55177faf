"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

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
    int | None,
    typer.Option(
        "--concurrency",
        metavar="N",
        min=1,
        help="How many task calls run at once.  [default: what the file says, or 16]",
    ),
]
JudgedAtOnce: TypeAlias = Annotated[
    int | None,
    typer.Option("--concurrency", metavar="N", min=1, help="How many judgements run at once.  [default: 16]"),
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
Seed: TypeAlias = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="What the sample depends on.  [default: 0]")
]
ItemLimit: TypeAlias = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="Only the first so many of these items.")
]
Named: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="RUN|EXPERIMENT", help="A run or an experiment: its name, or how its id begins."),
]
Runs: TypeAlias = Annotated[
    list[str],
    typer.Argument(metavar="RUN…", help="Runs: EXPERIMENT (all of its tasks), EXPERIMENT:TASK, or how an id begins."),
]
OneRun: TypeAlias = Annotated[
    str, typer.Argument(metavar="RUN", help="A run: EXPERIMENT, EXPERIMENT:TASK, or how an id begins.")
]
Scorer: TypeAlias = Annotated[str, typer.Argument(metavar="SCORER", help="The scorer: its name, or how its id begins.")]
ScorerName: TypeAlias = Annotated[str | None, typer.Option("--scorer", metavar="NAME", help="Which scorer.")]
Value: TypeAlias = Annotated[
    str | None, typer.Option("--value", metavar="NAME", help="Which of the scorer's values, where it has several.")
]
Task: TypeAlias = Annotated[
    str | None, typer.Option("--task", metavar="NAME", help="Whose outputs, where there are several tasks.")
]
Clusters: TypeAlias = Annotated[
    str | None,
    typer.Option("--clusters", metavar="FIELD", help="A field whose equal values make items resemble each other."),
]
By: TypeAlias = Annotated[
    str | None, typer.Option("--by", metavar="FIELD", help="Slices too: the values of this field.")
]
Level: TypeAlias = Annotated[
    float, typer.Option("--level", metavar="SHARE", help="How confident intervals and verdicts are.")
]
ResamplingSeed: TypeAlias = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="What resampling depends on.")
]
Listed: TypeAlias = Annotated[
    int, typer.Option("--limit", metavar="N", min=0, help="How many items each list shows at most.")
]
Drawn: TypeAlias = Annotated[
    Literal["at_random", "by_human_outcome", "by_judge_outcome"] | None,
    typer.Option("--drawn", help="How the traces that people rated were chosen, which a correction has to know."),
]
ProviderName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--provider",
        metavar="MODULE:OBJECT",
        help="Who answers the model calls of scorers.  [default: the servers that the evaluation file names]",
    ),
]
