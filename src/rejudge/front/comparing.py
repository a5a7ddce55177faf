"""The verbs that compare runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from msgspec import structs

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.run import RunState
from rejudge.front.amounts import counted
from rejudge.front.compared import ComparisonResult, RunInfo
from rejudge.front.described import Description
from rejudge.front.missing_words import absent_words, lacking_words, turn_words
from rejudge.front.questions import asked
from rejudge.front.ranking import RankingResult
from rejudge.front.run_names import runs_named
from rejudge.front.workspace import Workspace
from rejudge.stats.interval import LEVEL
from rejudge.wiring import DEFAULT_STORE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.domain.run import Run
    from rejudge.front.result import RunResult
    from rejudge.front.run_names import NamedRuns, RunLike
    from rejudge.release.comparison import Compared, CompareQuestion
    from rejudge.release.describe import DescribeQuestion
    from rejudge.release.leaderboard import Ranked, RankQuestion
    from rejudge.wiring import Address


def compare(
    first: RunLike,
    second: RunLike | None = None,
    *,
    scorers: Sequence[str] = (),
    store: Address = DEFAULT_STORE,
    **question: Unpack[CompareQuestion],
) -> ComparisonResult:
    """Compare two runs on the items that both have, or two scorers of one run on the same traces.

    Args:
        first: the baseline: a result with one task, a run, or its name: `experiment`, `experiment:task`, or a run id.
        second: the candidate, as `first`. Left out where `first` has two tasks, or where `scorers` are compared.
        scorers: two scorers of `first`, to compare with each other.
        store: where names are looked up.
        question: `scorer` and `value` (which score; every common one where none is named), `clusters` (a field of the
            items whose equal values make them resemble each other), `by` (a field whose values are slices), `margin`
            (how much worse is acceptable), `smallest` (the smallest difference of interest), `level`, `seed`, `listed`.

    The difference is second − first. Raises ConfigurationError, UnknownName or NotFound before anything is computed.
    """
    from rejudge.release.compare import compare_runs
    from rejudge.release.comparison import CompareQuestion

    question = asked(question, CompareQuestion)
    named = runs_named([one for one in (first, second) if one is not None], store)
    if scorers:
        return _scorers_compared(named.runs, tuple(scorers), question)
    if len(named.runs) == 1:
        raise ConfigurationError(
            f"only one run is named: {named.labels[0]}", fix="name another one, or two of its scorers to compare"
        )
    if len(named.runs) != 2:
        labels = ", ".join(named.labels)
        raise ConfigurationError(
            f"two runs are compared, and {len(named.runs)} are named: {labels}",
            fix="name two, such as EXPERIMENT:TASK; more than two have a leaderboard",
        )
    one, other = named.runs
    found = compare_runs(named.store, one.run, other.run, **question)
    sides = info_of(one, named.labels[0]), info_of(other, named.labels[1])
    notes = (*missing_notes(found, named.labels), *_notes(found, named.runs, question))
    return ComparisonResult(sides, found, notes=notes)


def leaderboard(*runs: RunLike, store: Address = DEFAULT_STORE, **question: Unpack[RankQuestion]) -> RankingResult:
    """Rank runs by a score on the items that all of them have, with the ranks that the data allow.

    Args:
        runs: results (each counts as all of its runs), runs, or names as `compare` takes them. Where they hold what
            `compare_pairwise` found, or `scorer` names a pairwise judge, systems are ranked by who was preferred to
            whom; the name of an experiment then counts as all pairs that were compared in it.
        store: where names are looked up.
        question: `scorer` and `value` (which score; the first common one where none is named), `clusters` (a field of
            the items whose equal values make them resemble each other), `smallest` (the smallest difference of
            interest), `level`, `seed`.

    Raises ConfigurationError, UnknownName or NotFound before anything is computed.
    """
    from rejudge.release.leaderboard import RankQuestion, rank_runs
    from rejudge.release.pairwise import pairwise_scorer

    question = asked(question, RankQuestion)
    named = runs_named(runs, store)
    pairs = _pairs_of(runs, named, question.get("scorer"))
    scorer = None if pairs is None else pairwise_scorer(named.store, pairs, question.get("scorer"))
    if pairs is not None and scorer is not None:
        return _ranked_by_pairs(named, pairs, scorer, question)
    found = rank_runs(named.store, [run.run for run in named.runs], named.labels, **question)
    sides = tuple(info_of(run, label) for run, label in zip(named.runs, named.labels, strict=True))
    notes = [*_absent_notes(found.rankings), *found.apart]
    if found.others:
        notes.append(f"ranked by {found.rankings[0].leaderboard.name}; the runs also share {', '.join(found.others)}")
    notes += unfinished(named.runs)
    if not all(one.same_scorer for one in found.rankings):
        notes.append("the runs were judged by different scorers of that name; the order may be the judges'")
    return RankingResult(sides, found.rankings, notes=tuple(notes))


def describe(run: RunLike, *, store: Address = DEFAULT_STORE, **question: Unpack[DescribeQuestion]) -> Description:
    """One run in depth: slices, clusters, repeats and resampling of each score, and percentiles of what traces took.

    Args:
        run: a result with one task, a run, or its name, as `compare` takes it.
        store: where names are looked up.
        question: `scorer` and `value` (which score; all where none is named), `clusters` (a field of the items whose
            equal values make them resemble each other), `by` (a field whose values are slices), `level`, `seed`,
            `listed`.

    Raises ConfigurationError, UnknownName or NotFound before anything is computed.
    """
    from rejudge.release.describe import DescribeQuestion, describe_run

    question = asked(question, DescribeQuestion)
    named = runs_named([run], store)
    if len(named.runs) != 1:
        labels = ", ".join(named.labels)
        raise ConfigurationError(f"{len(named.runs)} runs are named: {labels}", fix="name one, as EXPERIMENT:TASK")
    (one,) = named.runs
    found = describe_run(named.store, one.run, **question)
    summaries = {f"{scorer}.{summary.name}": summary for scorer, summary in one.summaries}
    notes = [*found.left_out, *unfinished(named.runs)]
    if found.sliceless:
        notes.insert(0, _sliceless(found.sliceless, question.get("by")))
    return Description(info_of(one, named.labels[0]), found, summaries, notes=tuple(notes))


def info_of(run: RunResult, label: str) -> RunInfo:
    """What a run is, for whoever reads a finding about it."""
    return RunInfo(
        label=label,
        run=run.id,
        experiment=run.experiment,
        task=run.task,
        state=run.state.value,
        pending=run.pending if run.state is not RunState.COMPLETED else 0,
    )


def _pairs_of(given: Sequence[RunLike], named: NamedRuns, scorer: str | None) -> list[Run] | None:
    """The runs in which pairs were compared: those that are given, or, of an experiment by its name, all that it has.

    None where other runs are given and no scorer is named, so that they are to be ranked by what each scored alone.
    """
    runs = [run.run for run in named.runs]
    if all(run.opponent_run_id is not None for run in runs) and not any(isinstance(one, str) for one in given):
        return runs
    if scorer is None and not all(run.opponent_run_id is not None for run in runs):
        return None
    experiments = dict.fromkeys(run.experiment for run in runs)
    found = [run for one in experiments for run in named.store.runs(one) if run.opponent_run_id is not None]
    return found or None


def _ranked_by_pairs(named: NamedRuns, pairs: Sequence[Run], scorer: str, question: RankQuestion) -> RankingResult:
    from rejudge.release.pairwise import rank_pairs

    for name in ("value", "clusters", "smallest"):
        if question.get(name) is not None:
            raise ConfigurationError(f"{name} is named, and pairs are ranked by who was preferred", fix="leave it out")
    if question.get("seed", 0):
        raise ConfigurationError(
            f"the seed {question['seed']} is named, and nothing is drawn where pairs are ranked", fix="leave it out"
        )
    ranked = rank_pairs(named.store, pairs, scorer, level=question.get("level", LEVEL))
    held = [Workspace(named.store).run(run.id).runs[0] for run in pairs]
    sides = tuple(info_of(run, run.task) for run in held)
    return RankingResult(sides, (), pairwise=ranked, notes=tuple(unfinished(held)))


def _scorers_compared(
    runs: Sequence[RunResult], scorers: tuple[str, ...], question: CompareQuestion
) -> ComparisonResult:
    if len(runs) != 1 or len(scorers) != 2:
        named = f"{counted(len(scorers), 'scorer')} of {counted(len(runs), 'run')}"
        fix = "name a second scorer" if (len(runs), len(scorers)) == (1, 1) else "name two scorers of one run"
        raise ConfigurationError(f"{named} {'is' if len(scorers) == 1 else 'are'} named", fix=fix)
    if question.get("scorer") is not None:
        raise ConfigurationError(
            f"the scorer {question['scorer']!r} is named beside the two that are compared", fix="leave it out"
        )
    from rejudge.release.compare import compare_scorers

    (run,) = runs
    first, second = scorers
    found = compare_scorers(run.store, run.run, first, second, **question)
    sides = info_of(run, scorers[0]), info_of(run, scorers[1])
    notes = [*found.not_comparable, *missing_notes(found, scorers), *unfinished(runs)]
    if found.sliceless:
        notes.append(_sliceless(found.sliceless, question.get("by")))
    return ComparisonResult(sides, found, notes=tuple(notes))


def missing_notes(found: Compared, names: Sequence[str]) -> Iterator[str]:
    """What has no score, once for all labels of a score."""
    told: dict[str, None] = {}
    for one in found.scores:
        if one.unpaired_traces is None:
            what, lacking = one.measure.removesuffix(f" = {one.label}"), one.lacking
        else:  # of two scorers a trace that one of them lost counts for neither, which is told beside the numbers
            what, lacking = " and ".join(names), structs.replace(one.lacking, partial=(0, 0), lost=(0, 0))
        clauses = lacking_words(lacking, neither=one.unscored.count, names=names)
        told |= dict.fromkeys(f"{what}: {clause}" for clause in clauses)
    yield from told


def _absent_notes(rankings: Sequence[Ranked]) -> Iterator[str]:
    """What has no score, once for all labels of a score; and what it could turn."""
    told = dict.fromkeys(
        f"{one.leaderboard.name.removesuffix(f' = {one.label}')}: {clause}"
        for one in rankings
        if (clause := absent_words(one.absent))
    )
    yield from told
    for one in rankings:
        if clause := turn_words(one.absent):
            yield f"{one.leaderboard.name}: {clause}"


def _sliceless(items: int, field: str | None) -> str:
    return f"{counted(items, 'item')} without a value of {field!r}: in no slice"


def _notes(found: Compared, runs: Sequence[RunResult], question: CompareQuestion) -> Iterator[str]:
    """What a reader must know before the numbers are believed."""
    others = [one.measure for one in found.scores if not one.same_scorer]
    if others:
        names = ", ".join(others)
        yield (
            f"{names}: the two runs were judged by different scorers of that name, so the difference may be the "
            "judge's; rejudge explain tells them apart"
        )
    if found.changed_items:
        changed = counted(len(found.changed_items), "item")
        yield f"{changed} changed content between the dataset versions, and no changed item is paired"
    if found.only_first or found.only_second:
        alone = _are(found.only_first, "item")
        yield f"{alone} in the first dataset version alone, {found.only_second} in the second"
    if found.sliceless:
        yield _sliceless(found.sliceless, question.get("by"))
    yield from found.not_comparable
    yield from unfinished(runs)


def unfinished(runs: Sequence[RunResult]) -> Iterator[str]:
    """What to say of runs that are not at their end."""
    for run in runs:
        if run.state is not RunState.COMPLETED:
            pending = counted(run.pending, "case")
            yield f"run {run.id} is {run.state.value} with {pending} pending, which may change the numbers"


def _are(count: int, thing: str) -> str:
    return f"{counted(count, thing)} {'is' if count == 1 else 'are'}"
