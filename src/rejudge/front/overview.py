"""What a report says, before anything decides how it looks: every text in it may be shown as it is.

Read once from the store; the same stored records give the same overview.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from rejudge.domain.protocol import SELECTION
from rejudge.domain.run import RunState
from rejudge.domain.score import ScoreStatus
from rejudge.front.amounts import counted, duration, money
from rejudge.front.cases import value_name, value_text
from rejudge.front.failures import Failures, failures_of
from rejudge.front.lines import NAME, TEXT, clipped, padded, width
from rejudge.front.notes import notes_on
from rejudge.front.skips import Skips
from rejudge.stats.attempts import all_of, any_of
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.render import (
    percent_decimals,
    render_attempts,
    render_bounds,
    render_counts,
    render_estimate,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.experiment import Experiment
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.front.result import Result, RunResult
    from rejudge.stats.summary import Summary
    from rejudge.storage.records import RunUsage, ScoreCounts

Number = TypeVar("Number", int, float)

SHORT_ID = 12
"""Hexadecimal digits of an id that a report shows; a store finds it again by them."""

FAILURES = 5
"""So many cases of each kind of failure are shown where nobody says otherwise."""

LABELS = 10
"""So many labels of one value are shown, the commonest; the others are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """How one run went; `bad` says whether `state` is to be seen at once."""

    task: str
    state: str
    bad: bool
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An estimate in words, of one label where there is one; `reach` is low, mean and high of a share of 1."""

    text: str
    label: str = ""
    reach: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One value of one scorer in one run: its estimate (one per label), and what is missing from it."""

    score: str
    task: str
    estimates: tuple[Estimate, ...]
    missing: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """The estimates as lines, labels aligned."""
        columns = max(width(one.label) for one in self.estimates)
        return [f"{padded(one.label, columns)}  {one.text}" if one.label else one.text for one in self.estimates]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Everything that a report says; `warnings` come before all else."""

    warnings: tuple[str, ...]
    experiment: str
    dataset: str
    runs: tuple[RunFacts, ...]
    figures: tuple[Figure, ...]
    failures: tuple[Failures, ...]
    notes: tuple[str, ...]


def overview(result: Result, *, failures: int = FAILURES) -> Overview:
    """Read what a report of `result` says, with up to `failures` cases of each kind of failure."""
    version = result.store.find_version(result.experiment.dataset_version)
    planned = any(run.run.planned for run in result.runs)
    skips = [Skips(run, result.store) for run in result.runs]
    return Overview(
        warnings=tuple(_warnings(result, skips)),
        experiment=clipped(result.name, 2 * NAME),
        dataset=_dataset(version, result.experiment),
        runs=tuple(_run_facts(run, result) for run in result.runs),
        figures=tuple(_figures(result)) if planned else (),
        failures=tuple(
            one
            for run in result.runs
            for one in failures_of(run, scorers_of(run, result), store=result.store, version=version, most=failures)
        ),
        notes=tuple(notes_on(result, version, skips)),
    )


def short(content_id: str) -> str:
    """The beginning of an id by which a store finds it again."""
    kind, _, digits = content_id.rpartition("-")
    return f"{kind}-{digits[:SHORT_ID]}"


def when(seconds: float) -> str:
    """A time in seconds since 1970 as people and programs read it, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def scorers_of(run: RunResult, result: Result) -> dict[bytes, ScorerConfig]:
    """The scorers of a run by their digests."""
    return run.scorers


def _dataset(version: DatasetVersion, experiment: Experiment) -> str:
    each = f" × {experiment.trials} trials" if experiment.trials > 1 else ""
    name = clipped(experiment.dataset, NAME)
    return f"{name}, version {short(version.id)}, {counted(version.count, 'item')}{each}"


def _run_facts(run: RunResult, result: Result) -> RunFacts:
    return RunFacts(
        task=_task(run),
        state=_state(run),
        bad=run.state in (RunState.FAILED, RunState.CANCELLED),
        details=tuple(
            filter(None, (_cases(run, result.experiment), _cost(run), *_judging(run, result), f"run {run.id}"))
        ),
    )


def _task(run: RunResult) -> str:
    return clipped(run.task, NAME)


def _state(run: RunResult) -> str:
    record = run.run
    if record.started_at is None:
        return f"{record.state.value} at {when(record.created_at)}"
    if record.ended_at is None:
        return f"{record.state.value} since {when(record.started_at)}"
    after = "in" if record.state is RunState.COMPLETED else "after"
    told = f"{record.state.value} {after} {duration(record.ended_at - record.started_at)}"
    if record.reason is None or record.reason == record.state.value:
        return told
    return f"{told}: {clipped(record.reason, TEXT)}"


def _cases(run: RunResult, experiment: Experiment) -> str:
    cases, reused = run.counts.cases, run.usage.reused
    if not run.run.planned:
        return f"no cases: {'nothing is selected' if SELECTION in experiment.protocol else 'the dataset is empty'}"
    of_them = "none" if not reused else "all" if reused == cases.completed else f"{reused} of them"
    told = [f"{cases.completed} completed ({of_them} reused)" if cases.completed else "0 completed"]
    if cases.errors:
        told.append(counted(cases.errors, "task error"))
    if cases.skipped:
        told.append(f"{cases.skipped} skipped")
    if run.pending:
        told.append(f"{run.pending} pending")
    return f"{counted(run.run.planned, 'case')}: {', '.join(told)}"


def _cost(run: RunResult) -> str:
    """What the outputs of a run cost; nothing where no model is known to have been called."""
    usage = run.usage
    fresh = run.counts.cases.completed - usage.reused
    unknown = usage.cost is None and usage.input_tokens is None and usage.output_tokens is None
    if run.run_config.recorded or (fresh and unknown):
        return ""
    if not fresh:
        return "task cost: no output was generated"
    return _spent("task cost", usage, of=counted(fresh, "output"), made=fresh)


def _judging(run: RunResult, result: Result) -> Iterator[str]:
    """What each scorer that is known to have asked a model spent in the run."""
    named: dict[str, list[ScoreCounts]] = {}
    for scores in run.counts.scores:
        if (scores.cost, scores.input_tokens, scores.output_tokens) != (None, None, None):
            named.setdefault(run.scorers[scores.scorer].name, []).append(scores)
    for name, several in named.items():
        total = _together(several)
        if len(several) == 1 or total.cost or total.input_tokens:
            yield _spent(f"{clipped(name, NAME)} cost", total, of=counted(total.made, "judgement"), made=total.made)


def _together(scores: Sequence[ScoreCounts]) -> ScoreCounts:
    """What scorers of one name spent, which judge different items."""
    return replace(
        scores[0],
        made=sum(one.made for one in scores),
        cost=_known([one.cost for one in scores]),
        known_costs=sum(one.known_costs for one in scores),
        input_tokens=_known([one.input_tokens for one in scores]),
        output_tokens=_known([one.output_tokens for one in scores]),
    )


def _known(numbers: Sequence[Number | None]) -> Number | None:
    known = [number for number in numbers if number is not None]
    return sum(known[1:], start=known[0]) if known else None


def _spent(what: str, usage: RunUsage | ScoreCounts, *, of: str, made: int) -> str:
    if usage.cost is None:
        cost = "unknown"
    elif usage.known_costs < made:
        cost = f"at least {money(usage.cost)}, known for {usage.known_costs} of {of}"
    else:
        cost = money(usage.cost)
    tokens = [
        f"{number} {side}"
        for number, side in ((usage.input_tokens, "in"), (usage.output_tokens, "out"))
        if number is not None
    ]
    return f"{what} {cost}" + (f", tokens {' and '.join(tokens)}" if tokens else "")


def _figures(result: Result) -> Iterator[Figure]:
    """Values of one name stand together, so that tasks can be read side by side; all shares have the same decimals."""
    found: dict[str, list[Figure]] = {}
    shares = [interval for run in result.runs for _, summary in run.summaries for interval in _shares(summary)]
    decimals = max(map(percent_decimals, shares), default=0)
    for run in result.runs:
        for scorer, summary in run.summaries:
            score = value_name(scorer, summary.name)
            figure = Figure(
                score=clipped(score, NAME),
                task=_task(run),
                estimates=(*_estimates(summary, decimals), *_attempts(run, scorer, summary, decimals)),
                missing=_missing(summary, decimals),
            )
            found.setdefault(score, []).append(figure)
        for figure in _run_scores(run, result):
            found.setdefault(figure.score, []).append(figure)
    for figures in found.values():
        yield from figures


def _run_scores(run: RunResult, result: Result) -> Iterator[Figure]:
    """What experiment scorers said of the run as a whole; such a number has no interval, and says so."""
    for score in run.scores:
        scorer = result.store.scorer(score.scorer).name
        over = f"over {counted(score.cases, 'case')}"
        why = () if not score.reason else (clipped(score.reason, TEXT),)
        if score.status is not ScoreStatus.SCORED:
            ended = f"{score.status.value} {over}"
            yield Figure(score=clipped(scorer, NAME), task=_task(run), estimates=(Estimate(text=ended),), missing=why)
        for value in score.values:
            said = f"{clipped(value_text(value), NAME)} {over}, given without an interval"
            name = clipped(value_name(scorer, value.name), NAME)
            yield Figure(score=name, task=_task(run), estimates=(Estimate(text=said),), missing=why)


def _shares(summary: Summary) -> Iterator[Interval]:
    """The intervals of a summary that are read in percent."""
    shares = [share.interval for share in summary.labels.values()]
    for interval in shares or [summary.interval] * (summary.kind == "pass_fail"):
        if isinstance(interval, Interval):
            yield interval


def _estimates(summary: Summary, decimals: int) -> Iterator[Estimate]:
    if not summary.labels:
        reach = _reach(summary.mean, summary.interval) if summary.kind == "pass_fail" else None
        yield Estimate(text=_with_method(render_estimate(summary, decimals=decimals), summary.interval), reach=reach)
    for place, (label, share) in enumerate(summary.labels.items()):
        if place == LABELS:
            rest = list(summary.labels.values())[LABELS:]
            given = sum(share.count for share in rest)
            yield Estimate(text=f"{counted(len(rest), 'more label')}, given {given} of {summary.counts.scored} times")
            return
        # The renderer puts the label before its share; here it stands in a column of its own.
        text = render_estimate(replace(summary, labels={"": share}), decimals=decimals).lstrip()
        reach = _reach(share.share, share.interval)
        yield Estimate(label=clipped(label, NAME), text=_with_method(text, share.interval), reach=reach)


def _attempts(run: RunResult, scorer: str, summary: Summary, decimals: int) -> Iterator[Estimate]:
    """How often one of an item's trials passed, and all of them, where items were tried several times."""
    if summary.kind != "pass_fail" or summary.trials < 2:
        return
    _, tried = run.summaries.tried(scorer, value=summary.name)
    for name, over in (("pass@", any_of), ("pass^", all_of)):
        found = over(tried, summary.trials, items=summary.items)
        yield Estimate(text=render_attempts(name, found, decimals=decimals))


def _reach(mean: float | None, interval: Interval | Undefined) -> tuple[float, float, float] | None:
    if mean is None or isinstance(interval, Undefined):
        return None
    return max(0.0, interval.low), mean, min(1.0, interval.high)


def _with_method(text: str, interval: Interval | Undefined) -> str:
    if isinstance(interval, Undefined):
        return text
    estimate, _, n = text.rpartition(" n=")
    return f"{estimate} {interval.method} n={n}"


def _missing(summary: Summary, decimals: int) -> tuple[str, ...]:
    if not summary.counts.missing:
        return ()
    bounds = () if summary.kind == "label" else (render_bounds(summary, decimals=decimals),)
    return (render_counts(summary.counts), *bounds)


def _warnings(result: Result, skips: Sequence[Skips]) -> Iterator[str]:
    for run, skipped in zip(result.runs, skips, strict=True):
        if skipped.are_all:
            task = f"{_task(run)}: " if len(result.runs) > 1 else ""
            yield task + skipped.warning()
