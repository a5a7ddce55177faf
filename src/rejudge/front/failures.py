"""The cases that failed, as a report shows them: the first of each kind, and that there are more."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from rejudge.front.amounts import counted
from rejudge.front.cases import CaseKind, error_of, input_of, kind_of, output_of, scores_of
from rejudge.front.lines import NAME, TEXT, clipped, item_name
from rejudge.storage.records import CaseOrder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.front.result import RunResult
    from rejudge.storage.records import CaseRow
    from rejudge.storage.store import ResultStore

NOTHING = '""'
"""Stands where a text is empty."""

FEW = 200
"""So many cases with scorer errors are read through; the end of more is searched for."""

TRIALS = 20
"""So many failed trials of an item are read where several items are shown."""

TOLD = 3
"""So many different outputs, and so many different words of one scorer, are shown of the trials of an item."""

KINDS = {
    CaseKind.TASK_ERROR: ("case with a task error", "cases with a task error"),
    CaseKind.SCORER_ERROR: ("case with a scorer error", "cases with a scorer error"),
    CaseKind.FAILED: ("failed case", "failed cases"),
}
"""The failures that a report shows, in the order of their weight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCase:
    """One item: what it is called, and the error, input, output and scores of its failed trials by name."""

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
    """The first failures of a run, up to `most` items of each kind."""
    trials = -(-run.run.planned // version.count) if version.count else 1
    room = most * min(trials, TRIALS) + 1
    for kind, (one, several) in KINDS.items():
        rows = _first_of(run, kind, store=store, most=room)
        if not rows:
            continue
        items = [list(cases) for _, cases in groupby(rows, key=lambda row: row.case.position)]
        if len(items) > most or len(rows) == room:
            number = f"the first {most}" if trials == 1 else f"the first {counted(len(items[:most]), 'item')} of the"
        else:
            number = str(len(rows))
        yield Failures(
            title=f"{clipped(run.task, NAME)}: {number} {one if len(rows) == 1 else several}",
            cases=tuple(_shown(cases, run, scorers, version) for cases in items[:most]),
        )


def failures_in(run: RunResult, *, store: ResultStore) -> int:
    """How many cases of a run have an error, a fail or a skip."""

    def good(place: int) -> bool:
        row = store.cases(run.id, start=place, count=1, order=CaseOrder.FAILURES_FIRST)
        return not row or kind_of(row[0]) is CaseKind.OTHER

    return bisect_left(range(run.run.planned), True, key=good)


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


def _shown(
    cases: Sequence[CaseRow], run: RunResult, scorers: dict[bytes, ScorerConfig], version: DatasetVersion
) -> ShownCase:
    """The failed trials of one item; what several of them have in common is told once."""
    told: dict[str, list[str]] = {}
    for row in cases:
        for name, text in _parts(row, run, scorers, version):
            texts = told.setdefault(clipped(name, NAME), [])
            if (shown := clipped(text, TEXT) or NOTHING) not in texts and len(texts) < TOLD:
                texts.append(shown)
    trials = ""
    if run.run.planned > version.count:
        trials = f", trial {cases[0].case.trial}" if len(cases) == 1 else f" ({len(cases)} trials)"
    return ShownCase(
        title=item_name(cases[0].item.id, 2 * NAME) + trials,
        parts=tuple((name, text) for name, texts in told.items() for text in texts),
    )


def _parts(
    row: CaseRow, run: RunResult, scorers: dict[bytes, ScorerConfig], version: DatasetVersion
) -> Iterator[tuple[str, str]]:
    if kind_of(row) is CaseKind.TASK_ERROR:
        yield from _with_advice("error", error_of(row))
    yield "input", input_of(row.item, run.run_config, reference=version.reference)
    if row.trace is not None:
        yield "output", output_of(row)
    for name, text, good in scores_of(row, scorers):
        if not good:
            yield from _with_advice(name, text)


def _with_advice(name: str, text: str) -> Iterator[tuple[str, str]]:
    """What went wrong, and in a line of its own what to do next, where the error says so."""
    what, _, advice = text.partition("\n  next: ")
    yield name, what
    if advice:
        yield "next", advice
