"""`rejudge resume`: go on with what was interrupted or failed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rejudge.cli.command import command
from rejudge.cli.options import Concurrency, Json, MaxErrors, Named, Quiet, Store, Traceback
from rejudge.wiring import DEFAULT_STORE

Source = Annotated[
    Path | None,
    typer.Option(
        "--file", "-f", metavar="FILE", help="The evaluation file.  [default: where the experiment came from]"
    ),
]


@command
def resume(
    name: Named,
    *,
    file: Source = None,
    store: Store = DEFAULT_STORE,
    concurrency: Concurrency = None,
    max_errors: MaxErrors = 0,
    json: Json = False,
    quiet: Quiet = False,
    traceback: Traceback = False,
) -> int:
    """Go on with what was interrupted or failed.

    What is pending is run, what ended in an error is tried again, and a scorer that the evaluation file has changed
    or added judges what is stored. It refuses a file whose name, dataset, tasks or trials are others by now. What was
    selected, and items whose file is gone, come from the store. An experiment that is complete is shown, whatever its
    file says.
    """
    from rejudge.cli.evaluating import ended, finished, show_stored, tested
    from rejudge.cli.output import tell
    from rejudge.cli.store import opened
    from rejudge.domain.suite import rules_in
    from rejudge.front.evaluation_file import load_begun
    from rejudge.front.resumption import is_finished, resumption, source_of
    from rejudge.front.run_names import result_named

    workspace = opened(store)
    experiment = result_named(workspace, name).experiment
    if is_finished(workspace.store, experiment):
        tell(f"there is nothing to resume: {experiment.name} is complete")
        result = workspace.result(experiment.id)
        show_stored(result, json=json)
        return ended(result, max_errors=max_errors)
    path = file or source_of(experiment)
    loaded = load_begun(path).at_once(concurrency)
    evaluation = resumption(experiment, loaded, store=workspace.store)
    if rules_in(experiment.protocol) is not None:
        return tested(
            evaluation, scorers=loaded.wish.scorers, reports=(), max_errors=max_errors, json=json, quiet=quiet
        )
    return finished(evaluation, scorers=loaded.wish.scorers, store=store, max_errors=max_errors, json=json, quiet=quiet)
