"""What McNemar's exact test, which decides a comparison of passes and failures, will show.

The formula of `power.items_for_rates` (Connor 1987) is that of the χ² test. The exact test never errs more often than
it says, and pays for it: with the items of that formula it finds a difference in some 76 instead of 80 % of samples.
Here the binomial probabilities are summed, over how many items are discordant and how they fall.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rejudge.stats.interval import Undefined
from rejudge.stats.power import USUAL, Aim, Needed, check_discordant, detectable_rate, items_for_rates

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Places

MOST_SUMMED = 1_000_000
"""Beyond so many items both tests need the same to within a thousandth, and the formula is taken."""

_RESOLUTION = 1e-4
_DEVIATIONS = 8  # standard deviations of the number of discordant items, beyond which nothing is left


def exact_power(difference: float, items: int, discordant: float, *, aim: Aim = USUAL) -> float:
    """The chance that the exact test on `items` independent items finds a true `difference` of pass rates.

    On either side; `discordant` is the share of items that exactly one system passes. The power and the design effect
    of `aim` are unused. Raises ConfigurationError as `items_for_rates` does.
    """
    import numpy as np
    from scipy.special import bdtr

    check_discordant(difference, discordant)
    if not discordant:
        return 0.0
    middle, room = items * discordant, _DEVIATIONS * math.sqrt(items * discordant * (1 - discordant)) + _DEVIATIONS
    unequal = np.arange(max(0, math.floor(middle - room)), min(items, math.ceil(middle + room)) + 1)
    limits = _limits(unequal, 1 - aim.level)
    share = min(1.0, (1 + abs(difference) / discordant) / 2)
    rejects = np.where(limits >= 0, sum(bdtr(np.maximum(limits, 0), unequal, one) for one in (share, 1 - share)), 0.0)
    return min(1.0, float(_chances(unequal, items, discordant) @ rejects))


def items_for_exact_test(difference: float, discordant: float, *, aim: Aim = USUAL) -> int | Undefined:
    """The items with which the exact test finds a `difference` with the power of `aim`; the design effect is unused.

    Undefined for a difference of 0. Raises ConfigurationError as `items_for_rates` does.
    """
    formula = items_for_rates(difference, discordant, aim=Aim(level=aim.level, power=aim.power))
    if not isinstance(formula, Needed):
        return formula
    if formula.items > MOST_SUMMED:
        return math.ceil(formula.exactly + 1 / abs(difference))
    few, enough = 0, formula.items
    while exact_power(difference, enough, discordant, aim=aim) < aim.power:
        few, enough = enough, math.ceil(1.1 * enough) + 1
    while enough - few > 1:
        between = (few + enough) // 2
        if exact_power(difference, between, discordant, aim=aim) < aim.power:
            few = between
        else:
            enough = between
    return enough


def detectable_by_exact_test(items: int, discordant: float, *, aim: Aim = USUAL) -> float | Undefined:
    """The smallest true difference of pass rates that the exact test on `items` independent items finds.

    The share of discordant items is `discordant`, or the difference where that is more. Beyond MOST_SUMMED items it is
    the formula's. Undefined where even a difference of 1 is not found.
    """
    if items > MOST_SUMMED:
        return detectable_rate(items, max(discordant, 1 / items), aim=Aim(level=aim.level, power=aim.power))

    def found(difference: float) -> bool:
        return exact_power(difference, items, max(discordant, difference), aim=aim) >= aim.power

    if items < 1 or not found(1.0):
        few = "1 item is" if items == 1 else f"{items} items are"
        return Undefined(f"{few} too few for the exact test to show any difference")
    low, high = _around(detectable_rate(items, max(discordant, 1 / items), aim=Aim(level=aim.level, power=aim.power)))
    low, high = (0.0 if found(low) else low), (high if found(high) else 1.0)
    while high - low > _RESOLUTION * high:
        middle = (low + high) / 2
        if found(middle):
            high = middle
        else:
            low = middle
    return high


def _around(formula: float | Undefined) -> tuple[float, float]:
    """Where to begin to look: the exact test finds a little less than the formula says."""
    return (0.0, 1.0) if isinstance(formula, Undefined) else (0.98 * formula, min(1.0, 1.05 * formula))


def _limits(unequal: Places, error: float) -> Floats:
    """For each number of discordant items the largest smaller part at which the test rejects; −1 where none does."""
    import numpy as np
    from scipy.special import bdtr, ndtri

    found = np.floor(unequal / 2 + float(ndtri(error / 2)) * np.sqrt(unequal) / 2) + 2
    found = np.minimum(np.maximum(found, 0), unequal // 2)
    while (over := (found >= 0) & (2 * bdtr(np.maximum(found, 0), unequal, 0.5) > error)).any():
        found[over] -= 1
    return np.asarray(found)


def _chances(unequal: Places, items: int, discordant: float) -> Floats:
    """How likely so many of the items are discordant."""
    import numpy as np
    from scipy.special import gammaln, xlog1py, xlogy

    ways = gammaln(items + 1) - gammaln(unequal + 1) - gammaln(items - unequal + 1)
    return np.asarray(np.exp(ways + xlogy(unequal, discordant) + xlog1py(items - unequal, -discordant)))
