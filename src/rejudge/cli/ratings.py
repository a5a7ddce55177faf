"""`rejudge ratings`: what people said of traces, from a file to gold labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import Drawn, Json, Listed, Store, Task, Traceback
from rejudge.wiring import DEFAULT_STORE

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="One record for each rater and trace: CSV, JSONL, JSON, YAML or Parquet.")
]
Experiment = Annotated[
    str,
    typer.Option(
        "--experiment",
        "-e",
        metavar="NAME",
        help="Whose traces were rated: EXPERIMENT, EXPERIMENT:TASK, or how an id begins.",
    ),
]
SetName = Annotated[str, typer.Option("--set", metavar="NAME", help="The rating set: what people were asked.")]
Score = Annotated[
    str | None,
    typer.Option(
        "--score",
        metavar="YAML",
        help="What they gave, for a new set: pass_fail, five_star, or '{type: number, low: 0, high: 10}'.",
    ),
]
Rubric = Annotated[
    Path | None, typer.Option("--rubric", metavar="FILE", help="A text file with the words that the raters were given.")
]
Blind = Annotated[
    Literal["yes", "no", "unknown"],
    typer.Option("--blind", help="Whether the raters did not see what scorers had said."),
]
Id = Annotated[str, typer.Option("--id", metavar="PATH", help="The item's id in a record.")]
Value = Annotated[str, typer.Option("--value", metavar="PATH", help="The value.")]
Rater = Annotated[str, typer.Option("--rater", metavar="PATH", help="Who rated.")]
By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who rated everything, where no field says so.")]
Reason = Annotated[str | None, typer.Option("--reason", metavar="PATH", help="The reason in words.")]
Trial = Annotated[str | None, typer.Option("--trial", metavar="PATH", help="The trial, from 0.")]
Trace = Annotated[
    str | None, typer.Option("--trace", metavar="PATH", help="The trace's id, in place of the item's id and the trial.")
]
Set = Annotated[str, typer.Argument(metavar="SET", help="A rating set: its name, or how its id begins.")]
Rule = Annotated[
    Literal["majority", "unanimous", "mean", "median", "adjudicator"],
    typer.Option("--rule", help="How ratings become a label; mean and median are for numbers and stars."),
]
Adjudicator = Annotated[
    str | None,
    typer.Option("--adjudicator", metavar="NAME", help="The rater whose word counts over the others'."),
]


@command
def import_ratings(
    file: File,
    *,
    experiment: Experiment,
    rating_set: SetName,
    score: Score = None,
    rubric: Rubric = None,
    blind: Blind = "unknown",
    drawn: Drawn = None,
    task: Task = None,
    id: Id = "id",
    value: Value = "value",
    rater: Rater = "rater",
    by: By = None,
    reason: Reason = None,
    trial: Trial = None,
    trace: Trace = None,
    store: Store = DEFAULT_STORE,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Take over what people said of the traces of an experiment.

    A record about no trace is counted and left out. Importing the same again stores nothing; a rater's later word
    supersedes the earlier one, which stays readable. No score and no run is changed.
    """
    from rejudge.cli.output import put, put_json, tell
    from rejudge.cli.store import opened
    from rejudge.files.source import whole_text
    from rejudge.front import ratings
    from rejudge.front.evaluation_file import mapping_in

    done = ratings.import_ratings(
        experiment,
        file,
        rating_set,
        score=None if score is None else mapping_in(score, called="--score"),
        rubric=None if rubric is None else whole_text(rubric),
        blind={"yes": True, "no": False, "unknown": None}[blind],
        drawn=drawn,
        store=opened(store).store,
        task=task,
        id=id,
        value=value,
        rater=rater,
        by=by,
        reason=reason,
        trial=trial,
        trace=trace,
    )
    for remark in done.remarks():
        tell(remark)
    if json:
        put_json(done.to_dict())
    else:
        put(done.told())
    return ExitCode.DONE


@command
def show_ratings(
    name: Set,
    *,
    limit: Listed = 20,
    store: Store = DEFAULT_STORE,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Show a rating set: its raters, how far they agree, its gold labels, and what is still open."""
    from rejudge.cli.output import columns, put, put_json
    from rejudge.cli.store import opened
    from rejudge.front.rating_report import rating_report, report_lines

    report = rating_report(name, store=opened(store).store)
    if json:
        put_json(report.to_dict())
    else:
        put("\n".join(report_lines(report, limit=limit, columns=columns())))
    return ExitCode.DONE


@command
def adjudicate(
    name: Set,
    *,
    rule: Rule = "majority",
    adjudicator: Adjudicator = None,
    limit: Listed = 20,
    store: Store = DEFAULT_STORE,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Make gold labels of a rating set, as a new version.

    Ties and disagreements that the rule does not decide stay open and are listed; the exit code is 4 then.
    """
    from rejudge.cli.output import columns, put, put_json
    from rejudge.cli.store import opened
    from rejudge.front import ratings
    from rejudge.front.rating_report import rating_report, report_lines

    workspace = opened(store)
    gold = ratings.adjudicate(name, rule, adjudicator=adjudicator, store=workspace.store)
    report = rating_report(name, store=workspace.store)
    if json:
        put_json(report.to_dict())
    else:
        put("\n".join(report_lines(report, limit=limit, columns=columns())))
    return ExitCode.REVIEW if gold.open else ExitCode.DONE
