"""What a paired t test, which decides a comparison of scores, will show.

The formula of `power.items_for_means` (Miller 2024) takes the normal distribution for granted, and would have a
difference found by one item, which has no t test. Here the power is that of the noncentral t distribution with
items − 1 degrees of freedom, as in Cohen 1988, section 2.4; beyond some hundred items both are the same but for two.
Of items in clusters as many count as independent ones would say as much.
"""

from __future__ import annotations

import math

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.interval import Undefined
from rejudge.stats.power import USUAL, Aim, Needed, PairedVariance, items_for_means, trials_for_means, trials_within

FEWEST = 2
_TOO_FEW = Undefined("a t test takes two independent items at least")
_STEPS = 60


def power_of_t(difference: float, items: int, variance: PairedVariance, *, aim: Aim = USUAL) -> float | Undefined:
    """The chance that the t test of `items` items finds a true `difference` of means, on either side.

    The power in `aim` is unused. Undefined under two independent items.
    """
    independent = _independent(items, aim)
    if isinstance(independent, Undefined):
        return independent
    if variance.of_one_item == 0:
        return 1.0 if difference else 1 - aim.level
    return _power(abs(difference) / math.sqrt(variance.of_one_item / independent), independent - 1, aim.level)


def items_for_t(difference: float, variance: PairedVariance, *, aim: Aim = USUAL) -> Needed | Undefined:
    """The items with which the t test finds a `difference` of means; `exactly` is what the formula says, unrounded."""
    formula = items_for_means(difference, variance, aim=aim)
    if isinstance(formula, Undefined):
        return formula
    few = max(formula.items, math.ceil(FEWEST * aim.design_effect)) - 1
    enough = few + 1
    while not _suffice(difference, enough, variance, aim):
        few, enough = enough, enough + max(1, enough - few) * 2
    while enough - few > 1:
        between = (few + enough) // 2
        if _suffice(difference, between, variance, aim):
            enough = between
        else:
            few = between
    return Needed(difference=difference, items=enough, exactly=formula.exactly, aim=aim)


def detectable_by_t(items: int, variance: PairedVariance, *, aim: Aim = USUAL) -> float | Undefined:
    """The smallest true difference of means that the t test of `items` items finds; undefined under two."""
    independent = _independent(items, aim)
    if isinstance(independent, Undefined):
        return independent
    return _shift(independent - 1, aim) * math.sqrt(variance.of_one_item / independent)


def trials_for_t(difference: float, items: int, variance: PairedVariance, *, aim: Aim = USUAL) -> int | Undefined:
    """The trials of each of `items` items, as many for both systems, with which the t test finds a `difference`.

    The numbers of trials in `variance` are not looked at. Undefined where endless trials would not suffice.
    """
    independent = _independent(items, aim)
    formula = trials_for_means(difference, items, variance, aim=aim)
    if isinstance(independent, Undefined):
        return independent
    if isinstance(formula, Undefined):
        return formula
    allowed = independent * (difference / _shift(independent - 1, aim)) ** 2
    found = trials_within(allowed, items, variance, lambda between: items_for_t(difference, between, aim=aim))
    return found if isinstance(found, Undefined) else max(formula, found)


def _independent(items: int, aim: Aim) -> float | Undefined:
    if items < 1:
        raise ConfigurationError(f"{items} items show nothing", fix="use one item or more")
    count = items / aim.design_effect
    return _TOO_FEW if count < FEWEST * (1 - 1e-9) else count


def _suffice(difference: float, items: int, variance: PairedVariance, aim: Aim) -> bool:
    found = power_of_t(difference, items, variance, aim=aim)
    return not isinstance(found, Undefined) and found >= aim.power


def _power(shift: float, freedom: float, level: float) -> float:
    """The chance of a t beyond its limits on either side where its middle lies `shift` standard errors from 0."""
    from scipy.special import nctdtr, stdtrit

    limit = float(stdtrit(freedom, (1 + level) / 2))
    # SciPy has no number for a chance so small that it does not count.
    chances = (float(nctdtr(freedom, shift, end)) for end in (limit, -limit))
    inside, beyond = (0.0 if math.isnan(chance) else chance for chance in chances)
    return min(1.0, max(0.0, 1 - inside + beyond))


def _shift(freedom: float, aim: Aim) -> float:
    """The standard errors between 0 and a difference that is found with the power of `aim`."""
    low, high = 0.0, sum(aim.quantiles)
    while _power(high, freedom, aim.level) < aim.power:
        low, high = high, 2 * high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _power(middle, freedom, aim.level) < aim.power:
            low = middle
        else:
            high = middle
    return high
