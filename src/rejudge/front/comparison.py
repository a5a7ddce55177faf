"""Two tasks compared by a judge that sees their outputs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError
from rejudge.front.evaluation import Evaluation
from rejudge.front.result import Result, RunResult
from rejudge.runner.pairing import pair_up
from rejudge.runner.settings import Settings
from rejudge.scorers.pairwise import PairwiseScorer
from rejudge.wiring import DEFAULT_STORE, Address

if TYPE_CHECKING:
    from rejudge.domain.run import Run
    from rejudge.providers.provider import Provider
    from rejudge.runner.evaluate import Engine, Evaluated
    from rejudge.scorers.scorer import Scorer


def compare_pairwise(
    first: Result | RunResult,
    second: Result | RunResult,
    judge: Scorer,
    *,
    store: Address = DEFAULT_STORE,
    concurrency: int = 16,
    provider: Provider | None = None,
) -> Result:
    """Let a judge say, item by item, which of two tasks did better; each pair is shown in both orders.

    Args:
        first: a run, or a result with one task.
        second: the same, over the same dataset version and in the same store.
        judge: what `pairwise(...)` makes.
        store: where both are stored.
        concurrency: how many judgements are under way at once.
        provider: who answers the calls of the judge.

    Returns a new run of the first task. Its scores have both traces as their subject: `preferred` (first, tie or
    second), `win` (the first task's share, ties counting half), `flipped` (how often the preference went with the place
    and not with the trace) and `shown_first` (the share for the trace that was shown first; 0.5 is fair). A null output
    loses, and nobody is asked: `flipped` and `shown_first` count the other pairs alone. Raises ConfigurationError
    before anything is spent. A pair that was judged before costs nothing.
    """
    if not isinstance(judge, PairwiseScorer):
        raise ConfigurationError(
            "the judge judges single traces", fix="make one with rejudge.scorers.pairwise(model=…)"
        )
    runs = _run_of(first), _run_of(second)
    settings = Settings(concurrency=concurrency)

    async def wanted(engine: Engine) -> Evaluated:
        return await pair_up(engine, *runs, judge, settings=settings)

    return Evaluation(wanted, store=store, provider=provider).run()


def _run_of(side: Result | RunResult) -> Run:
    if isinstance(side, RunResult):
        return side.run
    if not isinstance(side, Result):
        raise ConfigurationError(f"a {type(side).__name__} is no result", fix="give what evaluate returned")
    if len(side.runs) != 1:
        raise ConfigurationError(f"the result {side.name!r} has {len(side.runs)} runs", fix="name one: result.runs[0]")
    return side.runs[0].run
