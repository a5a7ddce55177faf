"""`rejudge test`: run a suite, and end as it did."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rejudge.cli.command import command
from rejudge.cli.options import (
    Concurrency,
    EvaluationPath,
    FileStore,
    Filter,
    ItemIds,
    ItemLimit,
    Json,
    MaxErrors,
    Quiet,
    Sample,
    Seed,
    Stratify,
    Traceback,
)

Reports = Annotated[
    list[Path] | None,
    typer.Option(
        "--report",
        metavar="PATH",
        help="Write a report: .json, .html, or .xml for JUnit. May be given several times.",
    ),
]


@command
def run_suite(
    file: EvaluationPath,
    *,
    ids: ItemIds = None,
    condition: Filter = None,
    sample: Sample = None,
    stratify: Stratify = None,
    seed: Seed = None,
    limit: ItemLimit = None,
    report: Reports = None,
    store: FileStore = None,
    concurrency: Concurrency = None,
    max_errors: MaxErrors = 0,
    json: Json = False,
    quiet: Quiet = False,
    traceback: Traceback = False,
) -> int:
    """Run the suite that an evaluation file describes: passed, failed, incomplete or in need of review.

    What is stored already is neither run nor judged again, so the same command goes on after an interruption.
    """
    from rejudge.cli.evaluating import tested
    from rejudge.cli.selecting import selecting
    from rejudge.front.evaluation_file import load_suite
    from rejudge.front.suite_file import check_paths

    reports = check_paths(report)
    said = selecting(ids=ids, condition=condition, sample=sample, stratify=stratify, seed=seed, limit=limit)
    loaded = load_suite(file).at_once(concurrency).selecting(said)
    return tested(
        loaded.evaluation(store),
        scorers=loaded.wish.scorers,
        reports=reports,
        max_errors=max_errors,
        json=json,
        quiet=quiet,
    )
