"""How far a judge can be trusted: everything that its values and those of people on the same items say, in one record.

Which statistics apply follows from the kind of score; one that applies and does not exist says why.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.accuracy import accuracy, matthews, true_negative_rate, true_positive_rate
from rejudge.stats.agreement import gwet
from rejudge.stats.alpha import krippendorff_alpha
from rejudge.stats.column import repeated
from rejudge.stats.confusion import Category, Confusion, Outcomes, Placed, check_pairs, confusion_of
from rejudge.stats.correlation import concordance, kendall, pearson, spearman
from rejudge.stats.deviation import (
    limits_of_agreement,
    mean_error,
    normalised,
    root_mean_squared_error,
)
from rejudge.stats.differences import differences, tie_unit
from rejudge.stats.estimate import Statistic
from rejudge.stats.interval import LEVEL, Undefined, check_level
from rejudge.stats.kappa import Weighting, cohen_kappa
from rejudge.stats.moments import finite
from rejudge.stats.probability import Reliability, brier_score, reliability
from rejudge.stats.ratings import Ratings, Tally
from rejudge.stats.scale import Kind, Scale
from rejudge.stats.steps import NO_CATEGORIES, NOT_WHOLE, measurements, steps, whole
from rejudge.stats.ties import coded

if TYPE_CHECKING:
    from rejudge.stats.column import Names
    from rejudge.stats.ties import Codes

Passes: TypeAlias = float | Collection[str]
"""From which value on a score passes, or which labels do."""

NO_PASSING_VALUE = Undefined("nothing says from which value on this score passes")
NO_PROBABILITIES = Undefined("the judge gives no probabilities of outcomes that are 0 or 1")


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """What `n` pairs of `items` items say about a judge, each with a value of the judge and one of people.

    Where an item comes more than once, in trials or in several runs, every interval takes the item for one case (its
    method says "cluster"); trials that contradict each other by chance make no error smaller than that of pairs.
    `statistics` holds, by name, all that apply to the kind, each with its interval or as undefined with the reason.
    `confusion` counts the values where they are categories, `outcomes` what passed and failed where something says so:
    `passes` is from which value on, or with which labels. `reliability` is the curve of a judge that gives
    probabilities. `disagreements` are the places of the pairs that differ, worst first: the largest difference, then
    those that the judge rates better than people do, then the order given. `seed` is that of all drawing.
    """

    kind: Kind
    n: int
    items: int
    level: float
    seed: int
    passes: float | tuple[str, ...] | None
    statistics: dict[str, Statistic]
    confusion: Confusion | Undefined
    outcomes: Outcomes | Undefined
    reliability: Reliability | Undefined
    disagreements: tuple[int, ...]


def calibrate(
    judge: Sequence[Category],
    human: Sequence[Category],
    *,
    kind: Kind,
    scale: Scale,
    seed: int,
    passes: Passes | None = None,
    items: Names | None = None,
    level: float = LEVEL,
) -> Calibration:
    """The calibration of a judge from aligned pairs; `items` names the item of each, without it each is of its own.

    A pass_fail passes at 1 unless `passes` says otherwise. A pass_fail with fractions, or a number on a scale from 0
    to 1, is calibrated as a probability too where people said 0 or 1. Raises RecordError for sides of different
    lengths, labels among numbers, NaN, infinity and values outside the declared range.
    """
    check_level(level)
    check_pairs(judge, human)
    codes = None if items is None else repeated(items, len(judge))
    if kind == "label":
        return _of_labels(judge, human, seed=seed, passes=passes, codes=codes, level=level)
    if passes is not None and not isinstance(passes, int | float):
        raise ConfigurationError(f"a {kind} passes from a number on, not with labels", fix="give passes a number")
    if passes is None and kind in ("pass_fail", "pass_fail_critical"):
        passes = 1.0
    sides = _Sides(_numbers(judge, scale), _numbers(human, scale))
    outcomes, by_outcome = _outcomes(sides, passes, scale)
    categories = _categories(sides, by_outcome, kind=kind, scale=scale)
    confusion = _confusion(categories)
    statistics: dict[str, Statistic] = {}
    if not isinstance(categories, Undefined) or kind != "number":
        statistics |= _of_categories(categories, confusion, kind=kind, codes=codes, level=level)
    statistics |= _of_outcomes(outcomes, by_outcome, codes=codes, level=level)
    curve: Reliability | Undefined = NO_PROBABILITIES
    if _are_probabilities(sides, kind=kind, scale=scale):
        curve = reliability(sides.judge, sides.human, seed=seed, items=codes, level=level)
        statistics["brier"] = brier_score(sides.judge, sides.human, items=codes, level=level)
        statistics["ece"] = curve if isinstance(curve, Undefined) else curve.ece
    return Calibration(
        kind=kind,
        n=len(judge),
        items=_items(codes, len(judge)),
        level=level,
        seed=seed,
        passes=None if passes is None else float(passes),
        statistics=statistics | _of_numbers(sides, kind=kind, scale=scale, codes=codes, level=level),
        confusion=confusion,
        outcomes=outcomes,
        reliability=curve,
        disagreements=_worst_first(sides, scale),
    )


class _Sides(NamedTuple):
    judge: list[float]
    human: list[float]


class _Categories(NamedTuple):
    judge: Sequence[Category]
    human: Sequence[Category]
    known: Sequence[Category]


def _items(codes: Codes | None, n: int) -> int:
    return n if codes is None else int(codes.max()) + 1


def _of_labels(
    judge: Sequence[Category],
    human: Sequence[Category],
    *,
    seed: int,
    passes: Passes | None,
    codes: Codes | None,
    level: float,
) -> Calibration:
    if any(not isinstance(label, str) for label in (*judge, *human)):
        raise RecordError("a label is text", fix="calibrate numbers as a number")
    if isinstance(passes, int | float | str):
        raise ConfigurationError("a label passes with one of several labels", fix="give passes a list of labels")
    outcomes: Outcomes | Undefined = NO_PASSING_VALUE
    by_outcome: _Sides | Undefined = NO_PASSING_VALUE
    good = None if passes is None else tuple(sorted(passes))
    kinder = [0] * len(judge)
    if good is not None:
        passed, wanted = ([int(label in good) for label in side] for side in (judge, human))
        outcomes, by_outcome = Outcomes.of(passed, wanted), _Sides([*map(float, passed)], [*map(float, wanted)])
        kinder = [two - one for one, two in zip(passed, wanted, strict=True)]
    categories = _Categories(judge, human, ())
    confusion = _confusion(categories)
    apart = [place for place, (one, two) in enumerate(zip(judge, human, strict=True)) if one != two]
    # With passing labels: wrongly passed, then wrongly failed, then what differs without changing the outcome.
    rank = {-1: 0, 1: 1, 0: 2}
    return Calibration(
        kind="label",
        n=len(judge),
        items=_items(codes, len(judge)),
        level=level,
        seed=seed,
        passes=good,
        statistics=_of_categories(categories, confusion, kind="label", codes=codes, level=level)
        | _of_outcomes(outcomes, by_outcome, codes=codes, level=level),
        confusion=confusion,
        outcomes=outcomes,
        reliability=NO_PROBABILITIES,
        disagreements=tuple(sorted(apart, key=lambda place: rank[kinder[place]])),
    )


def _outcomes(sides: _Sides, passes: float | None, scale: Scale) -> tuple[Outcomes | Undefined, _Sides | Undefined]:
    """What passed, counted and pair by pair."""
    if passes is None:
        return NO_PASSING_VALUE, NO_PASSING_VALUE
    lower = scale.direction == "lower"
    judge, human = ([int(one <= passes if lower else one >= passes) for one in side] for side in sides)
    return Outcomes.of(judge, human), _Sides([*map(float, judge)], [*map(float, human)])


def _categories(sides: _Sides, by_outcome: _Sides | Undefined, *, kind: Kind, scale: Scale) -> _Categories | Undefined:
    """The values where they are categories, else what passed and failed, else why there are none."""
    known = steps(scale)
    if known and whole(sides.judge) and whole(sides.human):
        judge, human = ([float(round(value)) for value in side] for side in sides)
        return _Categories(judge, human, known)
    if kind != "five_star" and not isinstance(by_outcome, Undefined):
        return _Categories(*by_outcome, (0.0, 1.0))
    return NOT_WHOLE if known else NO_CATEGORIES


def _confusion(categories: _Categories | Undefined) -> Confusion | Undefined:
    if isinstance(categories, Undefined):
        return categories
    return confusion_of(categories.judge, categories.human, categories=categories.known)


def _of_categories(
    categories: _Categories | Undefined,
    confusion: Confusion | Undefined,
    *,
    kind: Kind,
    codes: Codes | None,
    level: float,
) -> dict[str, Statistic]:
    ordered = kind not in ("label", "pass_fail")
    kappas: tuple[Weighting, ...] = ("linear", "quadratic") if ordered else ()
    weighted: tuple[Weighting, ...] = ("linear", "quadratic", "ordinal") if ordered else ()
    names = ["accuracy", "kappa", "ac1", "alpha_nominal", "mcc"]
    names += [f"kappa_{name}" for name in kappas] + [f"ac2_{name}" for name in weighted]
    if isinstance(confusion, Undefined) or isinstance(categories, Undefined):
        return dict.fromkeys(names, confusion if isinstance(confusion, Undefined) else NO_CATEGORIES)
    ratings = Ratings.of([categories.judge, categories.human], categories=categories.known)
    placed = _placed(categories, codes)
    tally = Tally.of_pairs(confusion) if placed is None else Tally.of_cells(placed.cells, confusion.categories)
    return {
        "accuracy": accuracy(confusion, placed=placed, level=level),
        "kappa": cohen_kappa(confusion, placed=placed, level=level),
        **{f"kappa_{name}": cohen_kappa(confusion, weighting=name, placed=placed, level=level) for name in kappas},
        "ac1": gwet(tally, items=codes, level=level),
        **{f"ac2_{name}": gwet(tally, weighting=name, items=codes, level=level) for name in weighted},
        "alpha_nominal": krippendorff_alpha(ratings, measurement="nominal", items=codes, level=level),
        "mcc": matthews(confusion, placed=placed, level=level),
    }


def _placed(categories: _Categories, codes: Codes | None) -> Placed | None:
    if codes is None:
        return None
    found = Placed.of(categories.judge, categories.human, codes, categories=categories.known)
    return None if isinstance(found, Undefined) else found


def _of_outcomes(
    outcomes: Outcomes | Undefined, by_outcome: _Sides | Undefined, *, codes: Codes | None, level: float
) -> dict[str, Statistic]:
    if isinstance(outcomes, Undefined) or isinstance(by_outcome, Undefined):
        return dict.fromkeys(("tpr", "tnr"), NO_PASSING_VALUE)
    placed = _placed(_Categories(*by_outcome, (0.0, 1.0)), codes)
    return {
        "tpr": true_positive_rate(outcomes, placed=placed, level=level),
        "tnr": true_negative_rate(outcomes, placed=placed, level=level),
    }


def _of_numbers(sides: _Sides, *, kind: Kind, scale: Scale, codes: Codes | None, level: float) -> dict[str, Statistic]:
    limits = limits_of_agreement(*sides, items=codes, level=level)
    absolute = mean_error(*sides, power=1, scale=scale, items=codes, level=level)
    squared = mean_error(*sides, power=2, scale=scale, items=codes, level=level)
    root = root_mean_squared_error(*sides, scale=scale, items=codes, level=level)
    found: dict[str, Statistic] = {}
    if kind != "pass_fail":
        ratings = Ratings.of(sides)
        for each in measurements(scale):
            found[f"alpha_{each}"] = krippendorff_alpha(ratings, measurement=each, items=codes, level=level)
    return found | {
        "pearson": pearson(*sides, items=codes, level=level),
        "spearman": spearman(*sides, items=codes, level=level),
        "kendall": kendall(*sides, items=codes, level=level),
        "ccc": concordance(*sides, items=codes, level=level),
        "mae": absolute,
        "mse": squared,
        "rmse": root,
        "normalised_mae": normalised(absolute, scale, power=1),
        "normalised_mse": normalised(squared, scale, power=2),
        "bias": limits.bias,
        "limit_low": limits.low,
        "limit_high": limits.high,
    }


def _are_probabilities(sides: _Sides, *, kind: Kind, scale: Scale) -> bool:
    if not set(sides.human) <= {0.0, 1.0}:
        return False
    if kind == "pass_fail":
        return not set(sides.judge) <= {0.0, 1.0}
    return kind == "number" and (scale.low, scale.high) == (0, 1)


def _numbers(values: Sequence[Category], scale: Scale) -> list[float]:
    numbers = finite(value for value in values if not isinstance(value, str))
    if len(numbers) < len(values):
        raise RecordError("a label stands among numbers", fix="calibrate labels as a label")
    for number in numbers:
        if not scale.holds(number):
            raise RecordError(
                f"{number:g} is outside the declared range {scale.low} to {scale.high}",
                fix="declare the range that both sides really have",
            )
    return numbers


def _worst_first(sides: _Sides, scale: Scale) -> tuple[int, ...]:
    import numpy as np

    gaps = differences(sides.human, sides.judge)
    sizes = np.abs(gaps)
    stricter = gaps > 0 if scale.direction == "lower" else gaps < 0
    codes, _ = coded(sizes, unit=tie_unit(np.array(sides.human), np.array(sides.judge)))
    order = np.lexsort((stricter, -codes))
    return tuple(order[sizes[order] > 0].tolist())
