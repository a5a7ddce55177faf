"""`rejudge plan`: what a run would reuse, do and do again, without doing it."""

from __future__ import annotations

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import (
    EvaluationPath,
    FileStore,
    Filter,
    ItemIds,
    ItemLimit,
    Json,
    Sample,
    Seed,
    Stratify,
    Traceback,
)


@command
def plan(
    file: EvaluationPath,
    *,
    ids: ItemIds = None,
    condition: Filter = None,
    sample: Sample = None,
    stratify: Stratify = None,
    seed: Seed = None,
    limit: ItemLimit = None,
    store: FileStore = None,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Say what `run` would reuse and do, and why.

    Nothing is called, scored or spent. What would be done again because something changed is counted by its reasons.
    """
    from msgspec import to_builtins

    from rejudge.cli.output import columns, put, put_json
    from rejudge.cli.selecting import selecting
    from rejudge.cli.store import store_or_empty
    from rejudge.front.evaluation_file import load_evaluation
    from rejudge.front.lines import broken

    said = selecting(ids=ids, condition=condition, sample=sample, stratify=stratify, seed=seed, limit=limit)
    loaded = load_evaluation(file).selecting(said)
    planned = loaded.wish.plan(store_or_empty(store or loaded.store))
    if json:
        put_json(to_builtins(planned))
    else:
        put("\n".join(broken(str(planned).splitlines(), columns())))
    return ExitCode.DONE
