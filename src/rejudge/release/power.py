"""How many items, and trials of each, a comparison needs, and what a given number of them can show."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack

import msgspec

from rejudge.domain.errors import ConfigurationError
from rejudge.release.alignment import Fields, aligned, dataset_of
from rejudge.release.common_measures import common_scorers, paired
from rejudge.release.joined import Joined
from rejudge.release.scores import ScoresOf
from rejudge.stats.clusters import cluster_effect
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import LEVEL, Undefined
from rejudge.stats.planning import (
    CORRELATION,
    Planned,
    Spread,
    highest_correlation,
    planned,
    spread_of_rates,
    spread_of_scores,
)
from rejudge.stats.power import Aim, observed_variance
from rejudge.stats.repeats import summarise_repeats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rejudge.domain.run import Run
    from rejudge.release.scores import ItemScores
    from rejudge.storage.store import Store


class PowerQuestion(TypedDict, total=False):
    """What is asked, and what is assumed; each may be left out.

    `difference`: the smallest difference of interest, second − first, in the score's unit. `items` and `trials`: how
    many items there are, and trials of each. `rate`: the pass rate of the first system. `std`: the standard deviation
    of a score over items. `correlation`: how alike both systems do on the same items. `reliability`: the share of the
    variance that is between items and not chance between trials of one. `power`, `level`: how sure it is to be.
    `design_effect`: by how much clusters multiply the items, or `clusters`, the field that tells them. `scorer` and
    `value`: which score of the runs.
    """

    difference: float | None
    items: int | None
    trials: int | None
    rate: float | None
    std: float | None
    correlation: float | None
    reliability: float | None
    power: float
    level: float
    design_effect: float | None
    clusters: str | None
    scorer: str | None
    value: str | None


class Power(msgspec.Struct, frozen=True, kw_only=True):
    """What a comparison can show; `basis` says in words where its numbers come from.

    `pass_fail` says whether differences are of pass rates. `trials` has the plan for more trials of each item, where
    the chance between trials is known.
    """

    measure: str | None
    runs: int
    pass_fail: bool
    basis: tuple[str, ...]
    plan: Planned
    trials: tuple[Planned, ...]


class _Basis(NamedTuple):
    """The spread of differences with where it comes from, and what is known of the runs that it comes from."""

    spread: Spread
    words: tuple[str, ...]
    pass_fail: bool
    measure: str | None = None
    items: int | None = None
    trials: int = 1
    design_effect: float = 1.0


TRIALS = (1, 2, 4, 8)


def power_of(store: Store | None, runs: Sequence[Run], **question: Unpack[PowerQuestion]) -> Power:
    """The power of a comparison: assumed without runs, planned from one run, looked back on from two.

    Raises ConfigurationError or UnknownName for what cannot be asked or is not there.
    """
    if len(runs) > 2:
        raise ConfigurationError(f"{len(runs)} runs are named", fix="name one to plan from, or two that were compared")
    if runs and (question.get("rate") is not None or question.get("std") is not None):
        raise ConfigurationError(
            "a rate or a std is assumed, and a run tells it", fix="leave out the run, or rate= and std="
        )
    if store is None or not runs:
        basis = _assumed(question)
    else:
        basis = _of_one(store, runs[0], question) if len(runs) == 1 else _of_two(store, runs, question)
    aim = Aim(level=question.get("level", LEVEL), power=question.get("power", 0.8), design_effect=basis.design_effect)
    difference, items = question.get("difference"), question.get("items")
    items = basis.items if items is None else items
    trials = basis.trials if (said := question.get("trials")) is None else said
    plan = planned(basis.spread, difference=difference, items=items, trials=trials, aim=aim)
    more = sorted({*TRIALS, trials}) if basis.spread.split else ()
    return Power(
        measure=basis.measure,
        runs=len(runs),
        pass_fail=basis.pass_fail,
        basis=basis.words,
        plan=plan,
        trials=tuple(
            planned(basis.spread, difference=difference, items=items, trials=number, aim=aim) for number in more
        ),
    )


def _assumed(question: PowerQuestion) -> _Basis:
    rate, std, difference = question.get("rate"), question.get("std"), question.get("difference")
    if (rate is None) == (std is None):
        raise ConfigurationError(
            "neither a run, nor a pass rate, nor a standard deviation is named"
            if rate is None
            else "both a pass rate and a standard deviation are named",
            fix="name a run, or say rate= for passes and failures, or std= for other scores",
        )
    if question.get("clusters") is not None:
        raise ConfigurationError("a field of clusters is named, and no run", fix="name a run, or say design_effect=")
    for name in ("scorer", "value"):
        if question.get(name) is not None:
            raise ConfigurationError(f"a {name} is named, and no run", fix=f"name a run, or leave {name}= out")
    reliability, given = question.get("reliability"), question.get("design_effect")
    effect = 1.0 if given is None else given
    if rate is None:
        assert std is not None
        spread, words = _alike(question, partial(spread_of_scores, std, std), reliability=reliability)
        return _Basis(
            spread, (f"assumed: a standard deviation of {std:g} over items", *words), False, design_effect=effect
        )
    moved = _moved(rate, difference)
    highest = highest_correlation(rate, moved)
    spread, words = _alike(question, partial(spread_of_rates, rate, moved), reliability=reliability, highest=highest)
    return _Basis(spread, (f"assumed: a pass rate of {100 * rate:g} %", *words), True, design_effect=effect)


def _of_one(store: Store, run: Run, question: PowerQuestion) -> _Basis:
    """As if a second system were as variable as the one that was run."""
    (scores,) = _columns([ScoresOf(store, run)], question)
    if scores.n < 2:
        raise ConfigurationError(f"{scores.n} scored items tell no spread", fix="name a run with more of them")
    repeats = summarise_repeats(scores.by_item(), scale=scores.scale)
    reliability, mean = question.get("reliability"), float(scores.means.mean())
    said: tuple[str, ...] = (f"run {run.id}: {scores.n} items, mean {mean:.4g}",)
    if isinstance(repeats.between, Estimate) and isinstance(repeats.within, Estimate):
        between = max(0.0, repeats.between.value)
        variance = between + repeats.within.value
        reliability = between / variance if variance and reliability is None else reliability
        said = (*said, f"{scores.n} items with {repeats.trials:.3g} trials: reliability of one trial {reliability:.3g}")
    else:
        variance = float(scores.means.var(ddof=1))
    if _is_binary(scores):
        moved = _moved(mean, question.get("difference"))
        build, highest = partial(spread_of_rates, mean, moved), highest_correlation(mean, moved)
        spread, words = _alike(question, build, reliability=reliability, highest=highest)
    elif variance:
        build = partial(spread_of_scores, variance**0.5, variance**0.5)
        spread, words = _alike(question, build, reliability=reliability, trials=round(repeats.trials))
    else:
        raise ConfigurationError(
            f"every item of the run has the same {scores.measure.name}", fix="assume a spread: std="
        )
    effect, told = _design_effect(store, run, scores.positions.tolist(), scores.means.tolist(), question)
    return _Basis(
        spread,
        (*said, *words, *told),
        scores.kind == "pass_fail",
        measure=scores.measure.name,
        items=scores.n,
        trials=round(repeats.trials),
        design_effect=effect,
    )


def _of_two(store: Store, runs: Sequence[Run], question: PowerQuestion) -> _Basis:
    """What two runs that were made could show, and what it would take to show more."""
    first, second = _columns([ScoresOf(store, run) for run in runs], question)
    if question.get("correlation") is not None or question.get("reliability") is not None:
        raise ConfigurationError("two runs tell how alike they are", fix="leave correlation= and reliability= out")
    joined = Joined(first, second, aligned(store, *(dataset_of(store, run) for run in runs)))
    n = len(joined.positions)
    trials = _paired_trials(joined)
    variance = observed_variance(*trials)
    if isinstance(variance, Undefined):
        raise ConfigurationError(f"the spread is {variance}", fix="name runs with more scored items in common")
    split = variance.first > 0 or variance.second > 0 or any(one.repeated for one in joined.sides)
    differences = joined.second - joined.first
    discordant = float((differences != 0).mean()) if _is_binary(first) and _is_binary(second) else None
    if discordant is not None:
        said = f"{100 * discordant:.3g} % of the items passed by exactly one"
    else:
        said = f"differences of items with a standard deviation of {float(differences.std(ddof=1)):.3g}"
    effect, told = _design_effect(store, runs[0], joined.positions.tolist(), differences.tolist(), question)
    return _Basis(
        Spread(
            discordant=discordant,
            variance=msgspec.structs.replace(variance, first_trials=1, second_trials=1),
            split=split,
        ),
        (f"runs {runs[0].id} and {runs[1].id}: {n} items in common, {said}", *told),
        first.kind == "pass_fail",
        measure=first.measure.name,
        items=n,
        trials=min(variance.first_trials, variance.second_trials),
        design_effect=effect,
    )


def _columns(sides: Sequence[ScoresOf], question: PowerQuestion) -> list[ItemScores]:
    """The column of one measure of every run."""
    scorer, *others = common_scorers(sides, question.get("scorer"), question.get("value"))
    if others:
        raise ConfigurationError(
            f"the runs have {len(others) + 1} scorers: {', '.join([scorer, *others])}", fix="name one with scorer="
        )
    measured, apart = paired(sides, scorer, question.get("value"))
    if len(measured) != 1 or apart:
        names = ", ".join(one[0].measure.name for one in measured) or "; ".join(apart) or "nothing"
        raise ConfigurationError(f"{scorer!r} measures {names}", fix="name one number with value=")
    return measured[0]


def _paired_trials(joined: Joined) -> tuple[list[list[float]], list[list[float]]]:
    one, other = (
        [side.by_item()[place] for place in places] for side, places in zip(joined.sides, joined.places, strict=True)
    )
    return one, other


def _design_effect(
    store: Store, run: Run, positions: Sequence[int], values: Sequence[float], question: PowerQuestion
) -> tuple[float, tuple[str, ...]]:
    """What clusters cost, said or told by the items' field."""
    given, path = question.get("design_effect"), question.get("clusters")
    if path is None:
        return (1.0, ()) if given is None else (given, (f"assumed: a design effect of {given:g}",))
    if given is not None:
        raise ConfigurationError("both clusters and a design effect are named", fix="leave out one of them")
    effect = cluster_effect(values, Fields(store, dataset_of(store, run)).clusters(path, positions))
    if isinstance(effect.design_effect, Undefined):
        raise ConfigurationError(
            f"the design effect of {path!r} is {effect.design_effect}", fix="say design_effect= instead"
        )
    found = max(1.0, effect.design_effect.value)
    return found, (f"{effect.clusters} clusters by {path}: design effect {found:.3g}",)


def _alike(
    question: PowerQuestion,
    build: Callable[..., Spread],
    *,
    reliability: float | None,
    highest: float = 1.0,
    trials: int = 1,
) -> tuple[Spread, tuple[str, ...]]:
    """The spread of differences, with words on how alike the two systems are taken to be, and what if they are not.

    What nobody said is no best case: the items' true means then correlate by CORRELATION, and single trials, which
    chance sets apart, by that much of their reliability.
    """
    given = question.get("correlation")
    alike = min(highest, CORRELATION * (1.0 if reliability is None else reliability)) if given is None else given
    because = "" if given is not None else ", which nobody said"
    words = [f"assumed{because}: the two systems' scores of the same items correlate by {alike:.3g}"]
    spread = build(correlation=alike, reliability=reliability)
    if given is None:
        if reliability is not None and alike < highest:
            words[0] += f" in single trials, and by {CORRELATION:g} in the items' true means"
        trials = max(1, question.get("trials") or trials)
        apart = _variance(build(correlation=0.0, reliability=reliability), trials)
        if (near := _variance(spread, trials)) and apart > 1.05 * near:
            words.append(f"were they independent, it would take some {apart / near:.2g} times as many items")
    if question.get("reliability") is not None:
        words.append(f"assumed: a reliability of {question.get('reliability'):g}")
    return spread, tuple(words)


def _variance(spread: Spread, trials: int) -> float:
    """What the number of items is in proportion to."""
    if spread.discordant is not None and trials == 1:
        return spread.discordant
    return msgspec.structs.replace(spread.variance, first_trials=trials, second_trials=trials).of_one_item


def _moved(rate: float, difference: float | None) -> float:
    moved = rate + (difference or 0.0)
    if not -1e-9 <= moved <= 1 + 1e-9:
        raise ConfigurationError(
            f"a pass rate of {100 * rate:.4g} % cannot move by {100 * (difference or 0):.4g} points",
            fix="name a smaller difference, or one of the other sign",
        )
    return min(1.0, max(0.0, moved))


def _is_binary(scores: ItemScores) -> bool:
    """Whether single trials passed or failed."""
    return (
        not scores.repeated and bool(((scores.values == 0) | (scores.values == 1)).all()) and scores.kind == "pass_fail"
    )
