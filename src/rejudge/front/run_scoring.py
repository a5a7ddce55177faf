"""Scores of a whole run: functions of the user over all its results, asked once the run is completed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from msgspec.structs import replace

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.run import RunState
from rejudge.domain.run_score import RunScore
from rejudge.domain.score import ScoreStatus
from rejudge.domain.way import Way
from rejudge.runner.saying import said
from rejudge.scorers.function import function_scorer
from rejudge.scorers.record import scored_values
from rejudge.scorers.scorer import as_verdict

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeAlias

    from rejudge.domain.scorer import ScorerConfig
    from rejudge.front.result import Result, RunResult
    from rejudge.runner.clock import Clock

    RunFunction: TypeAlias = Callable[[RunResult], object]
    RunFunctions: TypeAlias = RunFunction | Sequence[RunFunction]

KIND = "run_function"
"""The type of a scorer that is a function over all results of a run."""


class RunScorer(NamedTuple):
    """A function under the config that names it."""

    config: ScorerConfig
    function: RunFunction
    awaited: bool


def run_scorers_of(functions: RunFunctions) -> tuple[RunScorer, ...]:
    """Functions of a run's result, checked; raises ConfigurationError for two of one name and for what is no function.

    A function returns a number, a boolean, a label, a pair (value, reason), a dict of named values, or a Verdict.
    """
    given = [functions] if callable(functions) or not isinstance(functions, Sequence) else functions
    scorers = tuple(map(_run_scorer, given))
    for name, times in Counter(scorer.config.name for scorer in scorers).items():
        if times > 1:
            raise ConfigurationError(
                f"{times} experiment scorers are called {name!r}", fix="give each a name of its own, with .name"
            )
    return scorers


async def score_runs(result: Result, scorers: Sequence[RunScorer], *, clock: Clock) -> None:
    """Ask each scorer about each completed run that it has not scored yet; its failure is stored and nothing else."""
    for run in result.runs:
        if run.state is not RunState.COMPLETED or not run.run.planned:
            continue
        known = {score.scorer for score in run.scores if score.status is ScoreStatus.SCORED}
        made = []
        for scorer in scorers:
            config = scorer.config.bound_to(result.experiment.id)
            if config.digest() not in known:
                result.store.save_scorers([config])
                made.append(replace(await _scored(scorer, config, run), at=clock.now()))
        result.store.save_run_scores(run.id, made)


def _run_scorer(function: object) -> RunScorer:
    if not callable(function):
        raise ConfigurationError(
            f"an experiment scorer is a function of a run's result, not a {type(function).__name__}",
            fix="give a function such as `def spread(run): return run.summaries.one(None).std`",
        )
    scorer = function_scorer(function)
    if scorer.way not in (Way.THREAD, Way.LOOP):
        raise ConfigurationError(
            f"experiment scorer {scorer.config.name!r} is a generator", fix="return a value; ask models in a scorer"
        )
    config = replace(scorer.config, type=KIND, sees=None)
    return RunScorer(config, cast("RunFunction", function), scorer.way is Way.LOOP)


async def _scored(scorer: RunScorer, config: ScorerConfig, run: RunResult) -> RunScore:
    cases = run.counts.cases.completed
    score = RunScore(scorer=config.digest(), status=ScoreStatus.SCORED, cases=cases, planned=run.run.planned)
    try:
        if scorer.awaited:
            answer = await cast("Awaitable[object]", scorer.function(run))
        else:
            answer = await asyncio.to_thread(scorer.function, run)
        verdict = as_verdict(answer, config)
        if verdict.skip is not None:
            return replace(score, status=ScoreStatus.SKIPPED, reason=verdict.reason, cause=str(verdict.skip))
        return replace(score, values=scored_values(verdict, config), reason=verdict.reason)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's function fails for itself alone
        return replace(score, status=ScoreStatus.ERROR, reason=said(error), cause=type(error).__name__)
