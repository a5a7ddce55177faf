"""What a comparison of two systems on the same items will be able to show, from what its differences spread like.

The sums are those of `power`. What they need is either assumed (pass rates or a standard deviation, with a correlation
and a reliability) or taken from runs that exist.
"""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.interval import Undefined
from rejudge.stats.mcnemar_power import exact_power, items_for_exact_test
from rejudge.stats.power import (
    Aim,
    Needed,
    PairedVariance,
    detectable_rate,
    discordant_share,
    items_for_means,
    items_for_rates,
    power_for_rates,
)
from rejudge.stats.t_power import detectable_by_t, items_for_t, power_of_t, trials_for_t

CORRELATION = 0.5
"""How alike two systems do on the same items, chance between trials aside, where nobody says otherwise."""

_ROUNDING = 1e-9
_SINGLE = Undefined(
    "single trials do not tell what more trials would remove; say the reliability, or use a run with several trials"
)


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """How far the differences of two systems' items spread.

    `discordant` is the share of items that exactly one system passes, and None where scores are no passes and failures
    of single trials. `variance` is that of single trials; `split` says whether chance between trials is told from
    differences between items in it, which more trials need.
    """

    discordant: float | None
    variance: PairedVariance
    split: bool


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """What `items` items with `trials` trials each show of a `difference`, as far as these were said.

    `needed` items find the difference with the power of the aim; `trials_needed` trials of each of `items` items do.
    `detectable` is the smallest difference that `items` items find so, `power` the chance that they find `difference`.
    For passes and failures these are of McNemar's χ² test; `needed_exact` and `power_exact` are of the exact test, by
    which a comparison of independent items is decided. For other scores they are of the t test, and `needed_normal` is
    what the normal formula (Miller 2024) says. What could not be asked for, because nothing was said of the items or
    of the difference, is None.
    """

    difference: float | None
    items: int | None
    trials: int
    aim: Aim
    spread: Spread
    test: Literal["mcnemar", "t"]
    needed: Needed | Undefined | None
    trials_needed: int | Undefined | None
    detectable: float | Undefined | None
    power: float | Undefined | None
    needed_exact: int | Undefined | None = None
    power_exact: float | None = None
    needed_normal: int | None = None


def spread_of_rates(
    first: float, second: float, *, correlation: float = CORRELATION, reliability: float | None = None
) -> Spread:
    """The spread where two systems pass these shares of the items, and their passes correlate so."""
    for rate in (first, second):
        if not 0 <= rate <= 1:
            raise ConfigurationError(f"{rate:g} is no pass rate", fix="use a number from 0 to 1")
    discordant = discordant_share(first, second, correlation=correlation)
    variances = first * (1 - first), second * (1 - second)
    return Spread(
        discordant=discordant,
        variance=_variance(variances, correlation=correlation, reliability=reliability),
        split=reliability is not None,
    )


def spread_of_scores(
    first: float, second: float, *, correlation: float = CORRELATION, reliability: float | None = None
) -> Spread:
    """The spread where single trials of two systems have these standard deviations over items."""
    for std in (first, second):
        if not (math.isfinite(std) and std > 0):
            raise ConfigurationError(f"{std:g} is no standard deviation of scores", fix="use a number above 0")
    variance = _variance((first * first, second * second), correlation=correlation, reliability=reliability)
    return Spread(discordant=None, variance=variance, split=reliability is not None)


def highest_correlation(first: float, second: float) -> float:
    """The highest correlation of passing that two such pass rates can have: all that one passes the other does too."""
    spread = math.sqrt(first * (1 - first) * second * (1 - second))
    return (min(first, second) - first * second) / spread if spread else 1.0


def planned(
    spread: Spread, *, difference: float | None = None, items: int | None = None, trials: int = 1, aim: Aim
) -> Planned:
    """What can be shown; raises ConfigurationError where neither a difference nor a number of items is said."""
    if difference is None and items is None:
        raise ConfigurationError(
            "neither a difference nor a number of items is named",
            fix="say what you want to find (difference), or what you have (items, or runs)",
        )
    if trials < 1:
        raise ConfigurationError(f"{trials} trials of an item show nothing", fix="use one trial or more")
    discordant = spread.discordant if trials == 1 else None
    variance = msgspec.structs.replace(spread.variance, first_trials=trials, second_trials=trials)
    unknown = trials > 1 and not spread.split
    needed: Needed | Undefined | None = None
    more_trials: int | Undefined | None = None
    detectable: float | Undefined | None = None
    power: float | Undefined | None = None
    if difference is not None:
        needed = _SINGLE if unknown else _needed(difference, discordant, variance, aim)
    if items is not None:
        detectable = _SINGLE if unknown else _detectable(items, discordant, variance, aim)
    if difference is not None and items is not None:
        power = _SINGLE if unknown else _power(difference, items, discordant, variance, aim)
        more_trials = trials_for_t(difference, items, variance, aim=aim) if spread.split else _SINGLE
    needed_exact, power_exact = _exact(difference, items, discordant, aim)
    return Planned(
        difference=difference,
        items=items,
        trials=trials,
        aim=aim,
        spread=spread,
        test="t" if discordant is None else "mcnemar",
        needed=needed,
        trials_needed=more_trials,
        detectable=detectable,
        power=power,
        needed_exact=needed_exact,
        power_exact=power_exact,
        needed_normal=_normal(difference, variance, aim) if discordant is None and not unknown else None,
    )


def _variance(variances: tuple[float, float], *, correlation: float, reliability: float | None) -> PairedVariance:
    """ω² = Σ r·σ² − 2·ρ·σ_A·σ_B and, within items, (1 − r)·σ²; without a reliability all of it is ω²."""
    if not -1 <= correlation <= 1:
        raise ConfigurationError(f"{correlation:g} is no correlation", fix="use a number from -1 to 1, such as 0.5")
    share = 1.0 if reliability is None else reliability
    if not 0 <= share <= 1:
        raise ConfigurationError(
            f"{share:g} is no reliability", fix="use a number from 0 to 1; rejudge describe tells it"
        )
    shared = 2 * correlation * math.sqrt(variances[0] * variances[1])
    between = share * sum(variances) - shared
    if between < -_ROUNDING:
        raise ConfigurationError(
            f"scores with a reliability of {share:g} cannot have a correlation of {correlation:g}",
            fix="chance between trials keeps the correlation of two systems below their reliability",
        )
    first, second = ((1 - share) * one for one in variances)
    return PairedVariance(between=max(0.0, between), first=first, second=second)


def _needed(difference: float, discordant: float | None, variance: PairedVariance, aim: Aim) -> Needed | Undefined:
    if discordant is None:
        return items_for_t(difference, variance, aim=aim)
    return items_for_rates(difference, max(discordant, abs(difference)), aim=aim)


def _normal(difference: float | None, variance: PairedVariance, aim: Aim) -> int | None:
    found = None if difference is None else items_for_means(difference, variance, aim=aim)
    return found.items if isinstance(found, Needed) else None


def _detectable(items: int, discordant: float | None, variance: PairedVariance, aim: Aim) -> float | Undefined:
    if discordant is None:
        return detectable_by_t(items, variance, aim=aim)
    return detectable_rate(items, discordant, aim=aim)


def _power(
    difference: float, items: int, discordant: float | None, variance: PairedVariance, aim: Aim
) -> float | Undefined:
    if discordant is None:
        return power_of_t(difference, items, variance, aim=aim)
    return power_for_rates(difference, items, max(discordant, abs(difference)), aim=aim)


def _exact(
    difference: float | None, items: int | None, discordant: float | None, aim: Aim
) -> tuple[int | Undefined | None, float | None]:
    """The items that the exact test needs and what it finds with `items`; it does not test items in clusters."""
    if difference is None or discordant is None or aim.design_effect != 1:
        return None, None
    share = max(discordant, abs(difference))
    found = None if items is None else exact_power(difference, items, share, aim=aim)
    return items_for_exact_test(difference, share, aim=aim), found
