"""What `run`, `score` and `resume` have in common: progress on stderr, the report on stdout, and the exit code."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, cast

from rejudge.cli.exit_code import ExitCode
from rejudge.cli.output import put, put_json, tell
from rejudge.domain.errors import Interrupted

if TYPE_CHECKING:
    from rejudge.front.evaluation import Evaluation
    from rejudge.front.result import Result


def finished(evaluation: Evaluation, *, max_errors: int, json: bool, quiet: bool) -> int:
    """Run an evaluation to its end, print its result, and say how it went."""
    from rejudge.front.progress import progress_for

    interrupted = False
    with progress_for(None if quiet else sys.stderr) as progress:
        try:
            # What a task prints is not data of this command.
            with redirect_stdout(sys.stderr):
                result = evaluation.listen(progress).run()
        except Interrupted as stopped:
            result = cast("Result", stopped.result)
            interrupted = True
    show_result(result, json=json)
    if interrupted:
        tell("interrupted; what was finished is kept\n  next: the same command goes on from here")
        return ExitCode.INTERRUPTED
    return result.exit_code(max_errors=max_errors)


def show_result(result: Result, *, json: bool) -> None:
    """Print a result: for programs, as plain text, or in colour on a terminal."""
    if json:
        put_json(result.to_dict())
    elif sys.stdout.isatty():
        from rich.console import Console

        from rejudge.front.report import print_report

        print_report(result, Console())
    else:
        put(str(result))
