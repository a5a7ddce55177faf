"""A suite's result as data and as text for people, failures first.

The document (`schema_version` 1) has these keys; what is unknown is null.

- `name`, `experiment`, `run`, `dataset`, `dataset_version`, `task`, `status`, `suite_passed`
- `items_total`, `items_passed`, `items_asserted`, `pass_rate` (over the items with an assertion) and its `interval`
- `policy` (`runs`, `threshold`), `assertions`, `model` of the suite; `notes`, `warnings`
- `items`, in the order of the dataset: `id`, `input`, `status`, `threshold`, `runs_passed`, `runs_total`, `asserted`,
  `runs`
- of each run: `trial`, `status`, `output`, `error`, `pending`, `trace`, `seconds`, `assertions`
- of each assertion: `name`, `scorer`, `status`, `value`, `reason`, `confidence`, `error`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import to_builtins

from rejudge.domain.case import QualityStatus
from rejudge.domain.suite import SuiteStatus
from rejudge.front.amounts import counted
from rejudge.front.lines import NAME, TEXT, clipped, item_name, wrapped
from rejudge.stats.interval import Interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.suite_result import Assertion, ItemResult, ItemRun, SuiteResult

SCHEMA_VERSION = 1

WIDTH = 100
"""The most columns of a line of text."""

OUTPUT = 160
"""Columns of an output; the other reports hold all of it."""

INDENT = "    "
"""Stands before the further lines of a reason."""

SHOWN = 50
"""So many items that did not pass are shown in a text; the others are counted."""

TITLES = {
    SuiteStatus.PASSED: "PASSED",
    SuiteStatus.FAILED: "FAILED",
    SuiteStatus.NEEDS_HUMAN_REVIEW: "NEEDS HUMAN REVIEW",
    SuiteStatus.NOT_EVALUATED: "NOT EVALUATED",
    SuiteStatus.EMPTY: "EMPTY",
}
"""What a suite came to, as a heading."""


def suite_dict(suite: SuiteResult) -> dict[str, object]:
    """The suite as JSON-like data; the module's text lists its keys."""
    experiment, run = suite.result.experiment, suite.result.run()
    interval = suite.interval
    return {
        "schema_version": SCHEMA_VERSION,
        "name": suite.name,
        "experiment": experiment.id,
        "run": run.id,
        "dataset": experiment.dataset,
        "dataset_version": experiment.dataset_version,
        "task": run.task,
        "status": suite.status.value,
        "suite_passed": suite.passed,
        "items_total": suite.items_total,
        "items_passed": suite.items_passed,
        "items_asserted": suite.items_asserted,
        "pass_rate": suite.pass_rate,
        "interval": to_builtins(interval) if isinstance(interval, Interval) else {"undefined": interval.reason},
        "policy": to_builtins(suite.rules.policy_for(None, item="")),
        "assertions": list(suite.rules.assertions),
        "model": suite.rules.model,
        "notes": suite.notes,
        "warnings": list(suite.warnings),
        "items": [_item(item) for item in suite.items],
    }


def suite_text(suite: SuiteResult, *, columns: int = WIDTH) -> str:
    """The suite as plain text of at most so many columns: what it came to, then failures, then notes."""
    lines = [clipped(f"{headline(suite)} · {suite.name}", columns), *wrapped(rate_text(suite), columns)]
    missed = [item for item in suite.failures_first if item.status is not QualityStatus.PASSED]
    for item in missed[:SHOWN]:
        lines += ["", clipped(item_title(item), columns)]
        lines.append(clipped(f"  input: {item.input}", columns))
        lines += [line for told in item_lines(item) for line in _beside(told, columns)]
    if len(missed) > SHOWN:
        lines += ["", f"{counted(len(missed) - SHOWN, 'more item')} did not pass"]
    told = [*suite.notes, *(f"warning: {one}" for one in suite.warnings)]
    if told:
        lines.append("")
    for note in told:
        lines += wrapped(f"note: {clipped(note, TEXT)}", columns)
    return "\n".join(lines)


def _beside(told: str, columns: int) -> list[str]:
    """What went wrong in as many lines as it takes, of which the first begins further left."""
    first, *more = wrapped(clipped(told, TEXT), columns - len(INDENT))
    return [f"  {first}", *(f"{INDENT}{line}" for line in more)]


def headline(suite: SuiteResult) -> str:
    """`FAILED: 1 of 3 items passed`."""
    return f"{TITLES[suite.status]}: {suite.items_passed} of {counted(suite.items_total, 'item')} passed"


def rate_text(suite: SuiteResult) -> str:
    """The pass rate with its interval and n."""
    if suite.pass_rate is None:
        return "pass rate: undefined because no item has an assertion"
    interval = suite.interval
    told = f"pass rate {suite.pass_rate:.0%}"
    if isinstance(interval, Interval):
        told += f" ({interval.level:.0%} {interval.method} {interval.low:.0%} to {interval.high:.0%})"
    return f"{told}, n={suite.items_asserted}"


def item_title(item: ItemResult) -> str:
    """`q3: failed, 1 of 3 runs passed, 2 needed`."""
    told = f"{item_name(item.id, NAME)}: {item.status.value.replace('_', ' ')}"
    if not item.asserted:
        return f"{told}, no assertion"
    if len(item.runs) == 1:
        return told
    return f"{told}, {item.runs_passed} of {len(item.runs)} runs passed, {item.threshold} needed"


def item_lines(item: ItemResult) -> Iterator[str]:
    """What went wrong with an item, a line each; equal words of several runs once."""
    told: dict[str, list[int]] = {}
    for run in item.runs:
        for text in run_lines(run):
            told.setdefault(text, []).append(run.trial)
    for text, trials in told.items():
        where = f"run {', '.join(map(str, trials))}: " if len(item.runs) > 1 else ""
        yield where + text


def run_lines(run: ItemRun) -> Iterator[str]:
    """What went wrong in a run; its output where an assertion failed."""
    if run.pending:
        yield "not run yet"
    if run.error is not None:
        yield f"error: {run.error}"
    bad = [one for one in run.assertions if one.status is not QualityStatus.PASSED]
    yield from map(assertion_text, bad)
    if bad and run.output is not None:
        yield f"output: {clipped(run.output, OUTPUT)}"


def assertion_text(assertion: Assertion) -> str:
    """`failed: The answer is polite (confidence 0.9): It insults the user.`."""
    facts = assertion_facts(assertion)
    told = f"{assertion.status.value.replace('_', ' ')}: {clipped(assertion.name, TEXT)}"
    told += f" ({', '.join(facts)})" if facts else ""
    why = assertion.error or assertion.reason
    return f"{told}: {clipped(why, TEXT)}" if why else told


def assertion_facts(assertion: Assertion) -> list[str]:
    """The value where it says more than the status, and how sure a judge was."""
    facts = []
    if isinstance(assertion.value, str) or assertion.value not in (None, 0.0, 1.0):
        facts.append(f"{assertion.value}" if isinstance(assertion.value, str) else f"{assertion.value:.6g}")
    if assertion.confidence is not None:
        facts.append(f"confidence {assertion.confidence:.2g}")
    return facts


def _item(item: ItemResult) -> dict[str, object]:
    return {
        "id": item.id,
        "input": item.input,
        "status": item.status.value,
        "threshold": item.threshold,
        "runs_passed": item.runs_passed,
        "runs_total": len(item.runs),
        "asserted": item.asserted,
        "runs": to_builtins(list(item.runs)),
    }
