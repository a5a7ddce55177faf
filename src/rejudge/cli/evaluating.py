"""What `run`, `score` and `resume` have in common: progress on stderr, the report on stdout, and the exit code."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, NamedTuple, cast

from rejudge.cli.exit_code import ExitCode
from rejudge.cli.output import columns, put, put_json, tell
from rejudge.domain.errors import Interrupted
from rejudge.domain.suite import rules_in
from rejudge.wiring import DEFAULT_STORE, MEMORY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rejudge.front.evaluation import Evaluation
    from rejudge.front.result import Result, RunResult
    from rejudge.scorers.scorer import Scorer
    from rejudge.storage.records import CaseRow


def finished(
    evaluation: Evaluation,
    *,
    scorers: Sequence[Scorer],
    store: str,
    max_errors: int,
    json: bool,
    quiet: bool,
    also: Callable[[Result], Sequence[str]] | None = None,
) -> int:
    """Run an evaluation to its end, print its result, and say how it went and where `store` keeps it.

    `also` gives lines about the result that follow its report. A suite says what it came to, and ends as it did.
    """
    ran = _ran(evaluation, scorers=scorers, quiet=quiet)
    if ran.result is None:
        tell("interrupted before anything was stored")
        return ExitCode.INTERRUPTED
    result = ran.result
    show_result(result, json=json)
    if also is not None and not json and not ran.interrupted and (lines := also(result)):
        put("\n".join(["", *lines]))
    if ran.interrupted:
        tell("interrupted; what was finished is kept\n  next: the same command goes on from here")
        return ExitCode.INTERRUPTED
    if not quiet and store != MEMORY:
        tell(_kept(result, store))
    return ended(result, max_errors=max_errors)


def tested(
    evaluation: Evaluation,
    *,
    scorers: Sequence[Scorer],
    reports: Sequence[Path],
    max_errors: int,
    json: bool,
    quiet: bool,
) -> int:
    """Run a suite to its end, write its reports and print what it came to."""
    from rejudge.front.suite_file import write_reports
    from rejudge.front.suite_report import suite_text
    from rejudge.front.suite_result import SuiteResult

    ran = _ran(evaluation, scorers=scorers, quiet=quiet)
    if ran.result is None:
        tell("interrupted before anything was stored")
        return ExitCode.INTERRUPTED
    suite = SuiteResult(ran.result)
    write_reports(suite, reports)
    if json:
        put_json(suite.to_dict())
    else:
        put(suite_text(suite, columns=columns()))
    if ran.interrupted:
        tell("interrupted; what was finished is kept\n  next: the same command goes on from here")
        return ExitCode.INTERRUPTED
    return suite.exit_code(max_errors=max_errors)


def ended(result: Result, *, max_errors: int) -> int:
    """What a command that shows this result ends with; a suite says what it came to, and ends as it did."""
    if rules_in(result.experiment.protocol) is None:
        return result.exit_code(max_errors=max_errors)
    from rejudge.front.suite_result import SuiteResult

    suite = SuiteResult(result)
    status = suite.status.value.replace("_", " ")
    tell(f"the suite {result.name} is {status}: {suite.items_passed} of {suite.items_total} items passed")
    return suite.exit_code(max_errors=max_errors)


class _Ran(NamedTuple):
    """What came of an evaluation, and whether somebody interrupted it."""

    result: Result | None
    interrupted: bool


def _ran(evaluation: Evaluation, *, scorers: Sequence[Scorer], quiet: bool) -> _Ran:
    """Run an evaluation with its progress on stderr."""
    from rejudge.front.progress import progress_for, shown_names

    with progress_for(None if quiet else sys.stderr, names=shown_names(scorers)) as progress:
        try:
            # What a task prints is not data of this command.
            with redirect_stdout(sys.stderr):
                return _Ran(evaluation.listen(progress).run(), interrupted=False)
        except Interrupted as stopped:
            return _Ran(cast("Result | None", stopped.result), interrupted=True)


def _kept(result: Result, store: str) -> str:
    """Where the result is, and what to look at next: the first case that went wrong, if there is one."""
    from rejudge.front.lines import item_name

    path = Path(store)
    shown = str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else store
    words = ["rejudge", "show", result.name]
    failed = next(filter(None, map(_first_failed, result.runs)), None)
    if failed is not None:
        item = failed.case.item_id
        words += ["--item", item_name(item, len(item) + 1).removesuffix("…")]
    if shown != DEFAULT_STORE:
        words += ["--store", shown]
    return f"stored in {shown} · next: {join(words)}"


def _first_failed(run: RunResult) -> CaseRow | None:
    from rejudge.front.cases import CaseKind, kind_of
    from rejudge.storage.records import CaseOrder

    row = next(run.cases(order=CaseOrder.FAILURES_FIRST), None)
    return row if row is not None and kind_of(row) < CaseKind.SKIPPED else None


def show_result(result: Result, *, json: bool) -> None:
    """Print a result: for programs, as plain text, or in colour on a terminal."""
    if json:
        put_json(result.to_dict())
    elif sys.stdout.isatty():
        from rich.console import Console

        from rejudge.front.report import print_report

        print_report(result, Console())
    else:
        from rejudge.front.report import text_report

        put(text_report(result, columns=columns()))


def show_stored(result: Result, *, json: bool) -> None:
    """Print a stored result; of a suite, what it came to, then the figures, which also tell scorers that were added."""
    from rejudge.front.report import figures_report
    from rejudge.front.suite_report import suite_text
    from rejudge.front.suite_result import SuiteResult

    if rules_in(result.experiment.protocol) is None or not result.runs:
        show_result(result, json=json)
        return
    suite = SuiteResult(result)
    if json:
        put_json(result.to_dict() | {"suite": suite.to_dict()})
    else:
        put("\n\n".join((suite_text(suite, columns=columns()), figures_report(result, columns=columns()))))
