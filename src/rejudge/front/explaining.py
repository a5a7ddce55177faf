"""The verb that explains why the number of one run is another than that of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.front.answering import Answering, may_ask
from rejudge.front.comparing import info_of, unfinished
from rejudge.front.evaluation import Evaluation
from rejudge.front.explanation import Explanation
from rejudge.front.inputs import scorers_of
from rejudge.front.missing_words import unscored_words
from rejudge.front.questions import asked
from rejudge.front.run_names import runs_named
from rejudge.front.watching import shown
from rejudge.runner.crossing import cross, refused
from rejudge.runner.evaluate import Evaluated
from rejudge.runner.settings import Settings
from rejudge.scorers.assertions import merged
from rejudge.wiring import DEFAULT_STORE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run import Run
    from rejudge.front.evaluation import Wanted
    from rejudge.front.inputs import ScorerLike
    from rejudge.front.run_names import NamedRuns, RunLike
    from rejudge.release.explain import Explaining
    from rejudge.release.score_explanations import ExplainQuestion, Which
    from rejudge.runner.crossing import Made
    from rejudge.runner.evaluate import Engine
    from rejudge.runner.progress import Progress
    from rejudge.wiring import Address, PricesLike, ProviderLike

Judging = Literal["new", "stored"]
"""Whether stored traces may be judged for an explanation, or only scores that are stored count."""

_JUDGING = ("new", "stored")


def explain(
    first: RunLike,
    second: RunLike | None = None,
    *,
    scorers: ScorerLike | Sequence[ScorerLike] = (),
    judging: Judging = "new",
    store: Address = DEFAULT_STORE,
    concurrency: int = Settings().concurrency,
    provider: ProviderLike = None,
    prices: PricesLike = None,
    progress: str = "auto",
    **question: Unpack[ExplainQuestion],
) -> Explanation:
    """Why did the number move? What differs between two runs, and what judge, task and data each did to the mean.

    Args:
        first: the run before: a result with one task, a run, or its name: `experiment`, `experiment:task`, or a run id.
        second: the run after, as `first`. Left out where `first` has two tasks.
        scorers: scorers of either run that are functions, whose code is not stored: they are recognised by digest.
        judging: "new" lets each run's judge judge the other run's stored traces where that is not stored yet; "stored"
            asks nobody.
        store: where names are looked up.
        concurrency: how many judgements are under way at once.
        provider, prices: who answers the model calls of judges and what they cost, as for `evaluate`.
        progress: as for `evaluate`.
        question: `scorer` (a name, or the first run's and the second's) and `value` (which score; every common one
            where none is named), `clusters` (a field of the items whose equal values make them resemble each other),
            `level`, `seed`, `listed`.

    No task is called, and nothing of either run changes: what is judged is stored in an experiment of its own
    (`explain/EXPERIMENT:TASK`), so that a second call judges nothing again. Where a judge cannot be asked any more, the
    explanation says so, and what can still be said. Raises ConfigurationError, UnknownName or NotFound before anything
    is judged, Interrupted on Ctrl-C.
    """
    ahead = Ahead(
        first,
        second,
        scorers=scorers,
        judging=judging,
        store=store,
        concurrency=concurrency,
        **question,
    )
    with shown(progress) as display:
        return ahead.run(display, Answering(provider, prices))


class Ahead:
    """An explanation that has not begun: `judgements` says what it would judge, `run` does it."""

    def __init__(
        self,
        first: RunLike,
        second: RunLike | None = None,
        *,
        scorers: ScorerLike | Sequence[ScorerLike] = (),
        judging: Judging = "new",
        store: Address = DEFAULT_STORE,
        concurrency: int = Settings().concurrency,
        **question: Unpack[ExplainQuestion],
    ) -> None:
        from rejudge.release.explain import Explaining
        from rejudge.release.score_explanations import ExplainQuestion

        question = asked(question, ExplainQuestion)
        if judging not in _JUDGING:
            raise UnknownName.among("judging", str(judging), _JUDGING)
        self._named = _two([one for one in (first, second) if one is not None], store)
        one, other = self._named.runs
        handed_in = scorers_of(scorers)
        self._explaining = Explaining(
            self._named.store, one.run, other.run, handed_in=(*handed_in, *merged(handed_in)), **question
        )
        if judging == "stored":
            self._explaining.leave_unjudged()
        self._settings = Settings(concurrency=concurrency)
        self.judgements = self._explaining.judgements()

    def words(self) -> list[str]:
        """What would be judged, a line for each judge."""
        others: dict[Which, str] = {"first": "second", "second": "first"}
        return [
            f"the {which} run's judge {name} has to judge {count} traces of the {others[which]} run"
            for which, counts in self.judgements.items()
            for name, count in counts.items()
        ]

    def asking(self) -> list[Experiment]:
        """The experiments whose judges would ask a model now, before and after."""
        first, second = self._explaining.runs
        runs: dict[Which, Run] = {"first": first, "second": second}
        store = self._named.store
        return [
            store.experiment(runs[which].experiment)
            for which, crossing in self._explaining.crossings
            if self.judgements[which] and may_ask(crossing.scorers)
        ]

    def run(self, listener: Callable[[Progress], None], answering: Answering) -> Explanation:
        """Judge what is missing, then explain; `listener` is told of the progress."""
        made: list[Made] = []
        explaining = self._explaining
        if explaining.crossings:
            provider, prices = answering
            judging = Evaluation(self._wanted(made), store=self._named.store, provider=provider, prices=prices)
            judging.listen(listener).run()
        one, other = self._named.runs
        labels = self._named.labels
        explained = explaining.explained(made)
        return Explanation(
            (info_of(one, labels[0]), info_of(other, labels[1])),
            explained,
            unscored=explaining.unscored,
            notes=(*self._notes(explaining), *explained.left_out, *map(unscored_words, explaining.unscored)),
        )

    def _wanted(self, made: list[Made]) -> Wanted:
        explaining, settings = self._explaining, self._settings

        async def wanted(engine: Engine) -> Evaluated:
            for which, crossing in explaining.crossings:
                reasons = await refused(engine, crossing)
                explaining.refuse(which, reasons)
                left = crossing.without(frozenset(reasons))
                if left.wanted and not engine.control.cancelled:
                    made.append(await cross(engine, left, settings=settings))
            nothing = Evaluated(experiment=engine.store.experiment(explaining.runs[0].experiment), runs=())
            return engine.begun or nothing

        return wanted

    def _notes(self, explaining: Explaining) -> list[str]:
        notes = [*unfinished(self._named.runs)]
        if not explaining.has_scores:
            notes.append(
                "the runs have no scorer in common, so no number is split; name the one of each that stand for each "
                'other: scorer=("…", "…"), or --scorer twice'
            )
        return notes


def _two(given: Sequence[RunLike], store: Address) -> NamedRuns:
    named = runs_named(given, store)
    if len(named.runs) != 2:
        labels = ", ".join(named.labels) or "none"
        raise ConfigurationError(
            f"two runs are explained, and {len(named.runs)} are named: {labels}", fix="name two, as EXPERIMENT:TASK"
        )
    return named
