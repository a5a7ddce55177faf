"""How many items, and trials of each, a comparison of two systems on the same items needs, and what n can show.

Sources: for means Miller 2024, arXiv 2411.00640, section 5; for passes and failures Connor 1987, Biometrics 43, whose
test is McNemar's. Both take the normal distribution for granted; `t_power` and `mcnemar_power` have what the tests that
decide will show.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.column import trials_column
from rejudge.stats.components import Layout
from rejudge.stats.interval import LEVEL, Undefined, check_level

_ROUNDING = 1e-9
_MOST = 1e15


class Aim(msgspec.Struct, frozen=True, kw_only=True):
    """How sure a comparison is to be: it finds a true difference with the chance `power`, two-sided at `level`.

    `design_effect` multiplies the items where they come in clusters; see `clusters.cluster_effect`.
    """

    level: float = LEVEL
    power: float = 0.8
    design_effect: float = 1.0

    def __post_init__(self) -> None:
        check_level(self.level)
        if not 0.5 <= self.power < 1:
            raise ConfigurationError(f"{self.power} is not a power", fix="use a number from 0.5 to 1, such as 0.8")
        if not (math.isfinite(self.design_effect) and self.design_effect > 0):
            raise ConfigurationError(f"{self.design_effect} is not a design effect", fix="use 1 for independent items")

    @property
    def quantiles(self) -> tuple[float, float]:
        """z(α/2) and z(β)."""
        from scipy.special import ndtri

        return float(ndtri((1 + self.level) / 2)), float(ndtri(self.power))


USUAL = Aim()


class PairedVariance(msgspec.Struct, frozen=True, kw_only=True):
    """Where the spread of the differences of two systems comes from.

    `between` (ω²) is the variance over items of the difference of their true means; `first` and `second` (σ²) that of
    single trials of one item, of which `first_trials` and `second_trials` are averaged.
    """

    between: float
    first: float = 0.0
    second: float = 0.0
    first_trials: int = 1
    second_trials: int = 1

    def __post_init__(self) -> None:
        parts = (self.between, self.first, self.second)
        if not all(math.isfinite(part) and part >= 0 for part in parts):
            raise ConfigurationError(f"{parts} are no variances", fix="a variance is a number from 0 on")
        if min(self.first_trials, self.second_trials) < 1:
            raise ConfigurationError("each system has one trial or more of each item")

    @property
    def of_one_item(self) -> float:
        """The variance of one item's difference, ω² + σ_A²/K_A + σ_B²/K_B."""
        return self.between + self.first / self.first_trials + self.second / self.second_trials


class Needed(msgspec.Struct, frozen=True, kw_only=True):
    """How many `items` find a true `difference` with the power of `aim`: `exactly`, rounded up."""

    difference: float
    items: int
    exactly: float
    aim: Aim


def items_for_means(difference: float, variance: PairedVariance, *, aim: Aim = USUAL) -> Needed | Undefined:
    """The items that find a `difference` of means: (z(α/2) + z(β))²·(ω² + σ_A²/K_A + σ_B²/K_B)/δ²."""
    if not _checked(difference):
        return _NO_DIFFERENCE
    ratio = sum(aim.quantiles) * math.sqrt(variance.of_one_item) / difference
    exactly = ratio * ratio
    return _needed(difference, exactly, aim)


def trials_for_means(difference: float, items: int, variance: PairedVariance, *, aim: Aim = USUAL) -> int | Undefined:
    """The trials of each of `items` items, as many for both systems, that find a `difference` of means.

    The numbers of trials in `variance` are not looked at. Undefined where endless trials would not suffice.
    """
    _check_items(items)
    if not _checked(difference):
        return _NO_DIFFERENCE
    allowed = items / aim.design_effect * difference**2 / sum(aim.quantiles) ** 2
    return trials_within(allowed, items, variance, lambda between: items_for_means(difference, between, aim=aim))


def trials_within(
    allowed: float, items: int, variance: PairedVariance, needed: Callable[[PairedVariance], Needed | Undefined]
) -> int | Undefined:
    """The trials that bring the variance of an item's difference under `allowed`.

    `needed` says how many items it takes where no trial adds chance, for whoever has too few.
    """
    spare = allowed - variance.between
    noise = variance.first + variance.second
    if noise == 0 and spare >= 0:
        return 1
    if spare <= 0:
        least = needed(PairedVariance(between=variance.between))
        told = f" it takes {least.items} at least" if isinstance(least, Needed) else ""
        return Undefined(f"{items} items are too few, however often each is tried;{told}")
    return max(1, _up(noise / spare))


def detectable_mean(items: int, variance: PairedVariance, *, aim: Aim = USUAL) -> float:
    """The smallest true difference of means that `items` items find: the minimum detectable effect."""
    _check_items(items)
    return sum(aim.quantiles) * math.sqrt(variance.of_one_item * aim.design_effect / items)


def power_for_means(difference: float, items: int, variance: PairedVariance, *, aim: Aim = USUAL) -> float:
    """The chance that `items` items find a true `difference` of means, on either side; the power in `aim` is unused."""
    _check_items(items)
    _checked(difference)
    if variance.of_one_item == 0:
        return 1.0 if difference else 1 - aim.level
    from scipy.special import ndtr

    shift = difference / math.sqrt(variance.of_one_item * aim.design_effect / items)
    z = aim.quantiles[0]
    return float(ndtr(shift - z) + ndtr(-shift - z))


def items_for_rates(difference: float, discordant: float, *, aim: Aim = USUAL) -> Needed | Undefined:
    """The items that find a `difference` of pass rates by McNemar's test: (z(α/2)·√ψ + z(β)·√(ψ − δ²))²/δ².

    `discordant` (ψ) is the share of items that exactly one system passes, so it is at least the difference.
    """
    check_discordant(difference, discordant)
    if not _checked(difference):
        return _NO_DIFFERENCE
    z_level, z_power = aim.quantiles
    rest = max(0.0, discordant - difference**2)
    ratio = (z_level * math.sqrt(discordant) + z_power * math.sqrt(rest)) / difference
    exactly = ratio * ratio
    return _needed(difference, exactly, aim)


def detectable_rate(items: int, discordant: float, *, aim: Aim = USUAL) -> float | Undefined:
    """The smallest true difference of pass rates that `items` items find: `items_for_rates` solved for it."""
    _check_items(items)
    _check_share(discordant)
    z_level, z_power = aim.quantiles
    n = items / aim.design_effect
    root = n - z_level**2 + z_power**2
    if root >= 0:
        found = math.sqrt(discordant) * (z_level * math.sqrt(n) + z_power * math.sqrt(root)) / (n + z_power**2)
        if 0 < found <= discordant:
            return found
    return Undefined(f"{items} items with {discordant:g} of them discordant are too few to find any difference")


def power_for_rates(difference: float, items: int, discordant: float, *, aim: Aim = USUAL) -> float:
    """The chance that McNemar's test on `items` items finds a true `difference` of pass rates."""
    _check_items(items)
    check_discordant(difference, discordant)
    from scipy.special import ndtr

    n = items / aim.design_effect
    shift, bar = difference * math.sqrt(n), aim.quantiles[0] * math.sqrt(discordant)
    rest = math.sqrt(max(0.0, discordant - difference**2))
    if rest == 0:
        return 1.0 if abs(shift) >= bar and difference else 0.0
    return float(ndtr((shift - bar) / rest) + ndtr((-shift - bar) / rest))


def check_discordant(difference: float, discordant: float) -> None:
    """Raises ConfigurationError for a difference that such a share of discordant items does not allow."""
    _check_share(discordant)
    _checked(difference)
    if abs(difference) > discordant + _ROUNDING:
        raise ConfigurationError(
            f"rates cannot differ by {abs(difference):g} where only {discordant:g} of the items are discordant",
            fix="give the share of items that exactly one of the two passes",
        )


def discordant_share(first: float, second: float, *, correlation: float) -> float:
    """The share ψ of items that exactly one system passes, from both pass rates and the correlation of passing.

    Raises ConfigurationError for a correlation that two such rates cannot have.
    """
    _check_share(first)
    _check_share(second)
    both = first * second + correlation * math.sqrt(first * (1 - first) * second * (1 - second))
    least, most = max(0.0, first + second - 1), min(first, second)
    if not least - _ROUNDING <= both <= most + _ROUNDING:
        raise ConfigurationError(
            f"pass rates of {first:g} and {second:g} cannot have a correlation of {correlation:g}",
            fix="a correlation of 0.5 is common where both systems answer the same items",
        )
    return max(0.0, first + second - 2 * both)


def observed_variance(
    first_by_item: Sequence[Sequence[float]], second_by_item: Sequence[Sequence[float]]
) -> PairedVariance | Undefined:
    """The variance of a comparison that was made: one inner sequence of trials per item, the same items in both.

    Items without a scored trial on either side are left out. With single trials everywhere nothing tells chance from
    items: all variance then is `between`, and holds for single trials alone. Trials are the harmonic mean over items,
    rounded; a negative ω² counts as 0. Undefined under two items.
    """
    import numpy as np

    if len(first_by_item) != len(second_by_item):
        raise RecordError(f"{len(first_by_item)} items cannot be paired with {len(second_by_item)}")
    pairs = [(one, two) for one, two in zip(first_by_item, second_by_item, strict=True) if len(one) and len(two)]
    if len(pairs) < 2:
        return Undefined("fewer than two items show no spread between items")
    means, noise, shares = [], [], []
    for side in zip(*pairs, strict=True):
        numbers, place = trials_column(side)
        sizes = np.bincount(place)
        within = float(Layout.of(numbers, place, len(pairs)).within[0])
        means.append(np.bincount(place, weights=numbers) / sizes)
        noise.append(within if math.isfinite(within) else 0.0)
        shares.append(float((1 / sizes).mean()))
    whole = float((means[1] - means[0]).var(ddof=1))
    return PairedVariance(
        between=max(0.0, whole - noise[0] * shares[0] - noise[1] * shares[1]),
        first=noise[0],
        second=noise[1],
        first_trials=round(1 / shares[0]),
        second_trials=round(1 / shares[1]),
    )


_NO_DIFFERENCE = Undefined("no number of items finds a difference of 0")


def _needed(difference: float, exactly: float, aim: Aim) -> Needed | Undefined:
    exactly *= aim.design_effect
    if not exactly < _MOST:
        return Undefined(f"no number of items that anybody has finds a difference of {difference:.3g}")
    return Needed(difference=difference, items=max(1, _up(exactly)), exactly=exactly, aim=aim)


def _up(exactly: float) -> int:
    return math.ceil(exactly * (1 - _ROUNDING))


def _checked(difference: float) -> bool:
    """Whether there is a difference at all; raises ConfigurationError where it is no number."""
    if not math.isfinite(difference):
        raise ConfigurationError(f"{difference} is not a difference")
    return difference != 0


def _check_items(items: int) -> None:
    if items < 1:
        raise ConfigurationError(f"{items} items show nothing", fix="use one item or more")


def _check_share(share: float) -> None:
    if not 0 <= share <= 1:
        raise ConfigurationError(f"{share} is not a share", fix="use a number between 0 and 1")
