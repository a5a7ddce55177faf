"""The result of an evaluation: numbers with their n and interval, and every case behind them.

A result reads from the store when it is asked, page by page; it holds no outputs itself.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.run import RunState
from rejudge.front.by_item import by_item
from rejudge.front.collisions import collisions
from rejudge.front.summaries import Summaries
from rejudge.release.reach import Reaches
from rejudge.stats.attempts import all_of, any_of
from rejudge.storage.records import CaseOrder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run import Run
    from rejudge.domain.run_config import RunConfig
    from rejudge.domain.run_score import RunScore
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.domain.span import Spans
    from rejudge.front.by_item import ItemResult
    from rejudge.stats.attempts import AttemptSummary
    from rejudge.stats.summary import Summary
    from rejudge.storage.records import CaseRow, RunCounts, RunUsage
    from rejudge.storage.store import Store

PAGE = 500


class RunResult:
    """One run: one task over the dataset, with its scores."""

    def __init__(self, store: Store, run_id: str, *, experiment: Experiment, same_name: int = 0) -> None:
        self._store = store
        self._same_name = same_name
        self._experiment = experiment
        self.id = run_id

    def __repr__(self) -> str:
        return f"<RunResult of {self.task!r}: {self.state.value}, {self.run.planned} cases>"

    @cached_property
    def run(self) -> Run:
        """The run's record as it was when first asked for."""
        return self._store.run(self.id)

    @cached_property
    def run_config(self) -> RunConfig:
        """What the task was."""
        return self._store.run_config(self.run.run_config)

    @property
    def task(self) -> str:
        """The task's name, with a number where the experiment has others of the same name."""
        name = self.run_config.name
        return name if not self._same_name else f"{name} {self._same_name + 1}"

    @property
    def store(self) -> Store:
        """Where the run is stored."""
        return self._store

    @property
    def experiment(self) -> str:
        """The name of the run's experiment."""
        return self._experiment.name

    @property
    def state(self) -> RunState:
        """Where the run ended."""
        return self.run.state

    @cached_property
    def counts(self) -> RunCounts:
        """How the cases and judgements ended."""
        return self._store.counts(self.id)

    @cached_property
    def usage(self) -> RunUsage:
        """What generating the outputs took, and how many were reused."""
        return self._store.usage(self.id)

    @property
    def pending(self) -> int:
        """Cases that have not been run."""
        cases = self.counts.cases
        return self.run.planned - cases.completed - cases.skipped - cases.errors

    @property
    def scores(self) -> list[RunScore]:
        """What experiment scorers said about the run as a whole, failures included."""
        return self._store.run_scores(self.id)

    @cached_property
    def summaries(self) -> Summaries:
        """The summary of each scorer's values."""
        return Summaries(
            list(self.scorers.values()), self.counts, reach=self.reaches.of, labels_by_item=self._labels_by_item
        )

    @cached_property
    def reaches(self) -> Reaches:
        """Which cases each scorer is for."""
        return Reaches(self._store, self.run, self.counts, self._experiment, scorers=self.scorers)

    @cached_property
    def scorers(self) -> dict[bytes, ScorerConfig]:
        """The scorers of the run by their digests."""
        return {digest: self._store.scorer(digest) for digest in self.run.scorers}

    @property
    def complete(self) -> bool:
        """Whether nothing is pending and neither the task nor a scorer failed anywhere."""
        return self.state is RunState.COMPLETED and self.errors == 0 and self.pending == 0

    @property
    def errors(self) -> int:
        """Task errors and scorer errors together."""
        return self.counts.cases.errors + sum(scores.errors for scores in self.counts.scores)

    def cases(self, *, order: CaseOrder = CaseOrder.POSITION) -> Iterator[CaseRow]:
        """Every case that has ended, in dataset order or failures first."""
        start = 0
        while page := self._store.cases(self.id, start=start, count=PAGE, order=order):
            yield from page
            start += len(page)

    @cached_property
    def collisions(self) -> dict[str, int]:
        """Names that items and what the task returned both have, each with the cases in which that is so.

        By such a name scorers see the item's value, and the task's as `output.NAME`; by `output` they see the task's.
        Every case is read.
        """
        return collisions(self.cases())

    def case(self, item_id: str, *, trial: int = 0) -> CaseRow:
        """One case by its item's id; raises NotFound."""
        return self._store.case(self.id, item_id, trial=trial)

    def spans(self, row: CaseRow) -> Spans | None:
        """What was recorded inside the task call of a case; None where nothing was, as of a recorded output."""
        if row.trace is None:
            return None
        found = self._store.find_traces([row.trace.key]).get(row.trace.key)
        if found is None or found.digest != row.case.trace:
            return None
        return self._store.load_spans([found.ref]).get(found.ref)

    def _labels_by_item(self, scorers: Collection[bytes], name: str) -> list[list[str]]:
        labels: dict[int, list[str]] = {position: [] for position in range(self.reaches.version.count)}
        for row in self.cases():
            for score in row.scores:
                if score.scorer in scorers:
                    labels[row.case.position] += [v.label for v in score.values if v.name == name and v.label]
        return list(labels.values())


class Result:
    """What an evaluation gives back, always: one run per task."""

    def __init__(self, store: Store, experiment: Experiment, run_ids: tuple[str, ...]) -> None:
        self.store = store
        self.experiment = experiment
        self.runs = tuple(_labelled(store, run_ids, experiment))

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.experiment.name

    def run(self, task: str | None = None) -> RunResult:
        """The run of a task, which need not be named where there is only one."""
        if task is None:
            if len(self.runs) == 1:
                return self.runs[0]
            names = ", ".join(run.task for run in self.runs)
            raise ConfigurationError(f"the experiment has {len(self.runs)} tasks", fix=f"name one with task=: {names}")
        for run in self.runs:
            if task in (run.task, run.id):
                return run
        raise UnknownName.among("task", task, [run.task for run in self.runs])

    def summary(self, scorer: str | None = None, *, task: str | None = None, value: str | None = None) -> Summary:
        """The summary of a scorer's value: mean, n, interval, and the counts that add up to what was planned."""
        return self.run(task).summaries.one(scorer, value=value)

    def pass_at_k(
        self, k: int, scorer: str | None = None, *, task: str | None = None, value: str | None = None
    ) -> AttemptSummary:
        """pass@k: the chance that at least one of k trials of an item passes, as a mean over items with its interval.

        Raises ConfigurationError for a value without an outcome.
        """
        _check_trials(k, "pass_at_k")
        summary, tried = self.run(task).summaries.tried(scorer, value=value)
        return any_of(tried, k, items=summary.items)

    def pass_hat_k(
        self, k: int, scorer: str | None = None, *, task: str | None = None, value: str | None = None
    ) -> AttemptSummary:
        """pass^k: the chance that all of k trials of an item pass, as `pass_at_k`."""
        _check_trials(k, "pass_hat_k")
        summary, tried = self.run(task).summaries.tried(scorer, value=value)
        return all_of(tried, k, items=summary.items)

    def cases(self, *, task: str | None = None, order: CaseOrder = CaseOrder.POSITION) -> Iterator[CaseRow]:
        """Every case of a task's run."""
        return self.run(task).cases(order=order)

    def by_item(self, *, task: str | None = None) -> Iterator[ItemResult]:
        """The items of a task's run in dataset order, each with its trials and their statistics."""
        run = self.run(task)
        scorers = {digest: self.store.scorer(digest) for digest in run.run.scorers}
        return by_item(run.cases(), scorers)

    @property
    def complete(self) -> bool:
        """Whether every run is."""
        return bool(self.runs) and all(run.complete for run in self.runs)

    @property
    def errors(self) -> int:
        """Task errors and scorer errors of all runs."""
        return sum(run.errors for run in self.runs)

    def exit_code(self, *, max_errors: int = 0) -> int:
        """What a command would end with: 0 done, 3 failed or with more than `max_errors` errors, 130 cancelled."""
        if any(run.state is RunState.CANCELLED for run in self.runs):
            return 130
        unfinished = any(run.state is not RunState.COMPLETED or run.pending for run in self.runs)
        if unfinished or self.errors > max_errors:
            return 3
        return 0

    def to_dict(self) -> dict[str, object]:
        """The summary as JSON-like data: the experiment, its runs, and each value with n, interval and counts."""
        from rejudge.front.export import result_dict

        return result_dict(self)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        from rejudge.front.export import json_text

        return json_text(self.to_dict())

    def to_rows(self) -> Iterator[dict[str, object]]:
        """One flat row per case: ids, status, output, and each score with outcome and reason."""
        from rejudge.front.export import rows

        return rows(self)

    def to_pandas(self) -> object:
        """`to_rows` as a pandas data frame; needs `rejudge[data]`."""
        from rejudge.front.export import pandas_frame

        return pandas_frame(self)

    def to_polars(self) -> object:
        """`to_rows` as a polars data frame; needs `rejudge[data]`."""
        from rejudge.front.export import polars_frame

        return polars_frame(self)

    def __str__(self) -> str:
        from rejudge.front.report import text_report

        return text_report(self)

    def __repr__(self) -> str:
        return f"<Result of {self.name!r}: {len(self.runs)} run{'s' if len(self.runs) != 1 else ''}>"

    def _repr_html_(self) -> str:
        from rejudge.front.notebook import html_report

        return html_report(self)


def _labelled(store: Store, run_ids: tuple[str, ...], experiment: Experiment) -> Iterator[RunResult]:
    seen: Counter[str] = Counter()
    for run_id in run_ids:
        name = RunResult(store, run_id, experiment=experiment).task
        yield RunResult(store, run_id, experiment=experiment, same_name=seen[name])
        seen[name] += 1


def _check_trials(k: object, verb: str) -> None:
    """Refuse what is no number of trials, such as a scorer that stands in its place."""
    if isinstance(k, bool) or not isinstance(k, int):
        raise ConfigurationError(f"{verb}: k is {k!r}, and no number of trials", fix=f'write {verb}(3, "a scorer")')
