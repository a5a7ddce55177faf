"""The result of a suite: what passed, what failed and why, and whether the suite as a whole did.

It is made of stored records alone, so a result that is read again says the same.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from rejudge.datasets.selection import told as selected
from rejudge.domain.case import ExecutionStatus, QualityStatus, quality
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.ids import id_of
from rejudge.domain.item import Item
from rejudge.domain.payload import decode
from rejudge.domain.protocol import SELECTION
from rejudge.domain.run import RunState
from rejudge.domain.scale import Direction, Outcome, ScoreSpec, ScoreType
from rejudge.domain.score import ScoreStatus
from rejudge.domain.suite import SuiteStatus, item_quality, rules_in, suite_status
from rejudge.domain.view import as_text
from rejudge.front.cases import error_of, input_of, value_name, value_text
from rejudge.front.notes import shared_names
from rejudge.runner.assignment import policies_in
from rejudge.stats.interval import wilson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rejudge.domain.policy import MergedPolicy
    from rejudge.domain.score import Score, ScoreValue
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.domain.suite import SuiteRules
    from rejudge.front.result import Result, RunResult
    from rejudge.stats.interval import Interval, Undefined
    from rejudge.storage.records import CaseRow, StoredItem

PAGE = 500

ORDER = (QualityStatus.FAILED, QualityStatus.NOT_EVALUATED, QualityStatus.NEEDS_HUMAN_REVIEW, QualityStatus.PASSED)
"""Failures first."""


class Assertion(Struct, frozen=True, kw_only=True):
    """What one assertion or scorer came to in one run; `error` says why it could not be evaluated."""

    name: str
    scorer: str
    status: QualityStatus
    value: float | str | None = None
    reason: str = ""
    confidence: float | None = None
    error: str | None = None


class ItemRun(Struct, frozen=True, kw_only=True):
    """One run of an item; `error` is what kept the task from giving an output. Without a case it is pending."""

    trial: int
    status: QualityStatus
    assertions: tuple[Assertion, ...] = ()
    output: str | None = None
    error: str | None = None
    trace: str | None = None
    seconds: float | None = None
    pending: bool = False


class ItemResult(Struct, frozen=True, kw_only=True):
    """What one item came to: `runs_passed` of its runs passed, of which `threshold` have to.

    `asserted` says whether anything was to be judged at all, `input` what the task was given of the item, as text.
    """

    id: str
    input: str
    position: int
    status: QualityStatus
    threshold: int
    runs_passed: int
    runs: tuple[ItemRun, ...]
    asserted: bool


class SuiteResult:
    """What `run_tests` gives back; `result` is that of the evaluation behind it."""

    def __init__(self, result: Result) -> None:
        rules = rules_in(result.experiment.protocol)
        if rules is None:
            raise ConfigurationError(f"the experiment {result.name!r} is no suite", fix="run it with run_tests")
        self.result = result
        self.rules = rules
        self.warnings: list[str] = []

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.result.name

    @cached_property
    def items(self) -> list[ItemResult]:
        """All items, in the order of the dataset."""
        return list(_Reading(self.result.run(), self.result, self.rules).items())

    @property
    def failures_first(self) -> list[ItemResult]:
        """All items: those that failed, then those that could not be evaluated, then the others."""
        return sorted(self.items, key=lambda item: (ORDER.index(item.status), item.position))

    @cached_property
    def status(self) -> SuiteStatus:
        """What the suite came to; an empty suite is empty, and not passed."""
        return suite_status(item.status for item in self.items)

    @property
    def passed(self) -> bool:
        """Whether every item passed."""
        return self.status is SuiteStatus.PASSED

    @property
    def items_total(self) -> int:
        """How many items there are."""
        return len(self.items)

    @property
    def items_passed(self) -> int:
        """How many items passed."""
        return sum(item.status is QualityStatus.PASSED for item in self.items)

    @property
    def items_asserted(self) -> int:
        """How many items have an assertion."""
        return sum(item.asserted for item in self.items)

    @property
    def pass_rate(self) -> float | None:
        """The share of the items with an assertion that passed; None where there are none."""
        return self.items_passed / self.items_asserted if self.items_asserted else None

    @property
    def interval(self) -> Interval | Undefined:
        """The Wilson interval of the pass rate."""
        return wilson(self.items_passed, self.items_asserted)

    @cached_property
    def assumed(self) -> tuple[str, ...]:
        """The numbers of which nothing says when they pass; in a suite they pass at 1."""
        run = self.result.run()
        names = _decisive(run, self.rules)
        found: dict[str, None] = {}
        for one in run.counts.moments:
            config = run.scorers.get(one.scorer)
            if config is None or config.name not in names or one.judged == one.values:
                continue
            if _passes_at_one(next((spec for spec in config.scores if spec.key == one.name), None)):
                found[value_name(config.name, one.name)] = None
        return tuple(found)

    @property
    def notes(self) -> list[str]:
        """What is to be known about these numbers."""
        protocol = self.result.experiment.protocol
        told: list[str] = []
        if SELECTION in protocol:
            told.append(f"selected: {selected(protocol[SELECTION])}; nothing is said of the rest")
        told += [f"{name} says not when it passes: in a suite it passes at 1 (passes_at: 1)" for name in self.assumed]
        bare = self.items_total - self.items_asserted
        if bare:
            told.append(f"{bare} of {self.items_total} items have no assertion: they are not evaluated, and not passed")
        open_ = sum(item.asserted and item.status is QualityStatus.NOT_EVALUATED for item in self.items)
        if open_:
            told.append(
                f"{open_} of {self.items_total} items could not be evaluated: the pass rate counts them as not passed"
            )
        if not self.items:
            told.append("the suite is empty: it has neither passed nor failed")
        return [*told, *shared_names(self.result.run()), *_of_the_run(self.result)]

    def exit_code(self, *, max_errors: int = 0) -> int:
        """What a command would end with: 0 passed, 1 failed, 3 incomplete, 4 needs review or inconclusive."""
        if any(run.state is RunState.CANCELLED for run in self.result.runs):
            return 130
        if self.status is SuiteStatus.FAILED:
            return 1
        incomplete = self.result.exit_code(max_errors=max_errors)
        if incomplete:
            return incomplete
        return 0 if self.passed else 4

    def to_dict(self) -> dict[str, object]:
        """The suite as JSON-like data: what it came to, and every item with its runs and assertions."""
        from rejudge.front.suite_report import suite_dict

        return suite_dict(self)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        from rejudge.front.export import json_text

        return json_text(self.to_dict())

    def to_junit(self) -> str:
        """The suite as JUnit XML, which CI systems show: one test case for each item."""
        from rejudge.front.suite_junit import junit_xml

        return junit_xml(self)

    def to_html(self) -> str:
        """The suite as one HTML page that loads nothing from anywhere."""
        from rejudge.front.suite_html import html_page

        return html_page(self)

    def write(self, path: str | Path) -> Path:
        """Write a report: `.json`, `.html`, or `.xml` for JUnit; raises ConfigurationError or OSError."""
        from rejudge.front.suite_file import written

        return written(self, path)

    def __str__(self) -> str:
        from rejudge.front.suite_report import suite_text

        return suite_text(self)

    def __repr__(self) -> str:
        return f"<SuiteResult of {self.name!r}: {self.status.value}, {self.items_passed} of {self.items_total} passed>"


class _Reading:
    """Reads the items of a suite from the store, with what their runs came to."""

    def __init__(self, run: RunResult, result: Result, rules: SuiteRules) -> None:
        self._run = run
        self._result = result
        self._scorers = run.scorers
        self._late = frozenset(run.run.added_later)
        self._everywhere = run.reaches.everywhere
        self._own = {
            position: frozenset(scorer.config.name for scorer in scorers)
            for position, scorers in run.reaches.assignment.own.items()
        }
        self._policies: Mapping[int, MergedPolicy] = dict(policies_in(result.store, run.reaches.version, rules))
        self._policy = rules.policy_for(None, item="")

    def items(self) -> Iterator[ItemResult]:
        """All items of the version, those without a case too."""
        store, version = self._result.store, self._run.reaches.version
        cases = self._run.cases()
        row = next(cases, None)
        for start in range(0, version.count, PAGE):
            for item in store.items(version.id, start=start, count=PAGE):
                rows: dict[int, CaseRow] = {}
                while row is not None and row.case.position == item.position:
                    rows[row.case.trial] = row
                    row = next(cases, None)
                yield self._item(item, rows)

    def _item(self, item: StoredItem, rows: Mapping[int, CaseRow]) -> ItemResult:
        position = item.position
        names = self._everywhere | self._own.get(position, frozenset())
        policy = self._policies.get(position, self._policy)
        runs = tuple(self._item_run(trial, rows.get(trial), names) for trial in range(policy.runs))
        statuses = [run.status for run in runs]
        return ItemResult(
            id=item.item_id,
            input=input_of(
                Item(id=item.item_id, fields=cast("dict[str, object]", decode(item.body))),
                self._run.run_config,
                reference=self._run.reaches.version.reference,
            ),
            position=position,
            status=item_quality(statuses, policy.threshold),
            threshold=policy.threshold,
            runs_passed=statuses.count(QualityStatus.PASSED),
            runs=runs,
            asserted=any(run.assertions or (names and run.output is None) for run in runs),
        )

    def _item_run(self, trial: int, row: CaseRow | None, names: frozenset[str]) -> ItemRun:
        if row is None:
            return ItemRun(trial=trial, status=QualityStatus.NOT_EVALUATED, pending=True)
        if row.case.execution_status is not ExecutionStatus.COMPLETED or row.trace is None:
            failed = row.case.execution_status is ExecutionStatus.ERROR
            why = error_of(row) if failed else row.case.reason or "the output is gone"
            return ItemRun(trial=trial, status=QualityStatus.NOT_EVALUATED, error=why)
        assertions: list[Assertion] = []
        missing = set(names)
        for score in row.scores:
            config = self._scorers.get(score.scorer)
            if config is not None and config.name in names and score.scorer not in self._late:
                missing.discard(config.name)
                assertions += _assertions(score, config)
        assertions += [
            Assertion(name=name, scorer=name, status=QualityStatus.NOT_EVALUATED, error="not judged yet")
            for name in sorted(missing)
        ]
        return ItemRun(
            trial=trial,
            status=quality(map(_outcome, assertions)),
            assertions=tuple(assertions),
            output=as_text(row.trace.produced.output),
            trace=None if row.case.trace is None else id_of("trace", row.case.trace),
            seconds=None if self._run.run_config.recorded else row.trace.seconds,
        )


def _decisive(run: RunResult, rules: SuiteRules) -> frozenset[str]:
    own = run.reaches.assignment.own.values()
    return run.reaches.everywhere.union(scorer.config.name for scorers in own for scorer in scorers)


def _of_the_run(result: Result) -> Iterator[str]:
    """What experiment scorers said of the whole run, which decides nothing here, or why they could not."""
    for score in result.run().scores:
        name = result.store.scorer(score.scorer).name
        told = [f"{value_name(name, value.name)} of the whole run: {value_text(value)}" for value in score.values]
        if score.status is not ScoreStatus.SCORED:
            told.append(f"{name} of the whole run: {score.status.value}")
        yield from (f"{one}: {score.reason}" if score.reason else one for one in told)


def _assertions(score: Score, config: ScorerConfig) -> Iterator[Assertion]:
    """What a score says; nothing of a value that is neither good nor bad, such as a label without passing ones."""
    if score.status is not ScoreStatus.SCORED:
        cause = f"{score.status.value} ({score.cause})" if score.cause else score.status.value
        yield Assertion(
            name=config.name,
            scorer=config.id,
            status=QualityStatus.NOT_EVALUATED,
            error=f"{cause}: {score.reason}" if score.reason else cause,
        )
    for value in score.values:
        outcome = _outcome_of(value, config)
        if outcome is not None:
            yield Assertion(
                name=value_name(config.name, value.name) if len(score.values) > 1 else config.name,
                scorer=config.id,
                status=quality([outcome]),
                value=value.label if value.label is not None else value.number,
                reason=score.reason,
                confidence=_confidence(score, config),
            )


def _outcome_of(value: ScoreValue, config: ScorerConfig) -> Outcome | None:
    """The outcome of a value; a number of which nothing says when it passes does so at 1 (ruling 14)."""
    if value.outcome is not None or value.number is None:
        return value.outcome
    spec = next((spec for spec in config.scores if spec.key == value.name), None)
    if not _passes_at_one(spec):
        return None
    lower = spec is not None and spec.direction is Direction.LOWER
    good = value.number <= 1 if lower else value.number >= 1
    return Outcome.PASSED if good else Outcome.FAILED


def _passes_at_one(spec: ScoreSpec | None) -> bool:
    """Whether a number is to pass at 1: one that is neither a matter of stars nor declared neither good nor bad."""
    if spec is None:
        return True
    return spec.type is ScoreType.NUMBER and not spec.has_outcome and spec.direction is not Direction.INFORMATIONAL


def _outcome(assertion: Assertion) -> Outcome | None:
    return None if assertion.status is QualityStatus.NOT_EVALUATED else Outcome(assertion.status.value)


def _confidence(score: Score, config: ScorerConfig) -> float | None:
    found = (score.evidence or {}).get("assertions")
    of = config.settings.get("of", config.settings.get("assertions"))
    if not isinstance(found, dict) or not isinstance(of, list | tuple) or len(of) != 1:
        return None
    stated = cast("dict[str, object]", found.get(of[0]) or {})
    confidence = stated.get("confidence")
    return float(confidence) if isinstance(confidence, int | float) else None
