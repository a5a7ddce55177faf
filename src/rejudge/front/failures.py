"""The cases that failed, as a report shows them: the first of each kind, and that there are more."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rejudge.domain.view import as_text
from rejudge.front.cases import CaseKind, error_of, input_of, kind_of, scores_of
from rejudge.front.lines import NAME, TEXT, clipped
from rejudge.storage.records import CaseOrder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.front.result import RunResult
    from rejudge.storage.records import CaseRow
    from rejudge.storage.store import ResultStore

NOTHING = '""'
"""Stands where a text is empty."""

FEW = 200
"""So many cases with scorer errors are read through; the end of more is searched for."""

KINDS = {
    CaseKind.TASK_ERROR: ("case with a task error", "cases with a task error"),
    CaseKind.SCORER_ERROR: ("case with a scorer error", "cases with a scorer error"),
    CaseKind.FAILED: ("failed case", "failed cases"),
}
"""The failures that a report shows, in the order of their weight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCase:
    """One case: what it is called, and its error, input, output and scores by name."""

    title: str
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """The first cases of one kind in one run, under a title that says how many there are."""

    title: str
    cases: tuple[ShownCase, ...]


def failures_of(
    run: RunResult, scorers: dict[bytes, ScorerConfig], *, store: ResultStore, version: DatasetVersion, most: int
) -> Iterator[Failures]:
    """The first failures of a run, up to `most` cases of each kind."""
    for kind, (one, several) in KINDS.items():
        rows = _first_of(run, kind, store=store, most=most + 1)
        if not rows:
            continue
        number = f"the first {most}" if len(rows) > most else str(len(rows))
        yield Failures(
            title=f"{clipped(run.task, NAME)}: {number} {one if len(rows) == 1 else several}",
            cases=tuple(_shown(row, run, scorers, version) for row in rows[:most]),
        )


def _first_of(run: RunResult, kind: CaseKind, *, store: ResultStore, most: int) -> list[CaseRow]:
    """Up to `most` cases of one kind, found by its place in the order of failures."""
    task_errors = run.counts.cases.errors
    errors = [scores.errors for scores in run.counts.scores]

    def read(start: int, count: int) -> list[CaseRow]:
        rows = store.cases(run.id, start=start, count=count, order=CaseOrder.FAILURES_FIRST)
        return [row for row in rows if kind_of(row) is kind][:most]

    if kind is CaseKind.TASK_ERROR:
        return read(0, min(task_errors, most)) if task_errors else []
    if kind is CaseKind.SCORER_ERROR:
        return read(task_errors, most) if any(errors) else []
    if sum(errors) <= FEW:
        return read(task_errors, sum(errors) + most)

    def beyond(place: int) -> bool:
        row = store.cases(run.id, start=place, count=1, order=CaseOrder.FAILURES_FIRST)
        return not row or kind_of(row[0]) > CaseKind.SCORER_ERROR

    places = range(task_errors + max(errors), task_errors + sum(errors))
    return read(places.start + bisect_left(places, True, key=beyond), most)


def _shown(row: CaseRow, run: RunResult, scorers: dict[bytes, ScorerConfig], version: DatasetVersion) -> ShownCase:
    parts = [("input", input_of(row.item, run.run_config, reference=version.reference))]
    if kind_of(row) is CaseKind.TASK_ERROR:
        parts.insert(0, ("error", error_of(row)))
    if row.trace is not None:
        parts.append(("output", as_text(row.trace.produced.output)))
    parts += [(name, text) for name, text, good in scores_of(row, scorers) if not good]
    trial = f", trial {row.case.trial}" if run.run.planned > version.count else ""
    return ShownCase(
        title=clipped(row.item.id, 2 * NAME) + trial,
        parts=tuple((clipped(name, NAME), clipped(text, TEXT) or NOTHING) for name, text in parts),
    )
