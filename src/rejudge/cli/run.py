"""`rejudge run`: evaluate what a file describes."""

from __future__ import annotations

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


@command
def run(
    file: EvaluationPath,
    *,
    ids: ItemIds = None,
    condition: Filter = None,
    sample: Sample = None,
    stratify: Stratify = None,
    seed: Seed = None,
    limit: ItemLimit = None,
    store: FileStore = None,
    concurrency: Concurrency = None,
    max_errors: MaxErrors = 0,
    json: Json = False,
    quiet: Quiet = False,
    traceback: Traceback = False,
) -> int:
    """Evaluate what a file describes.

    What is stored already is neither generated nor judged again, so the same command goes on after an interruption.
    """
    from rejudge.cli.evaluating import finished
    from rejudge.cli.selecting import selecting
    from rejudge.front.evaluation_file import load_evaluation

    said = selecting(ids=ids, condition=condition, sample=sample, stratify=stratify, seed=seed, limit=limit)
    loaded = load_evaluation(file).at_once(concurrency).selecting(said)
    return finished(
        loaded.evaluation(store),
        scorers=loaded.wish.scorers,
        store=store or loaded.store,
        max_errors=max_errors,
        json=json,
        quiet=quiet,
    )
