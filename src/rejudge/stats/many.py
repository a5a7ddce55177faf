"""Several comparisons at once: verdicts that hold together, because their p-values are corrected by Holm's method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Unpack

import msgspec

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.comparison import Comparison, Terms, compare
from rejudge.stats.decision import ComparisonVerdict
from rejudge.stats.interval import Undefined
from rejudge.stats.multiple import holm
from rejudge.stats.scale import Kind, Scale

if TYPE_CHECKING:
    from rejudge.stats.column import Numbers


class Corrected(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison as one of `family`: `p` is its deciding p-value, corrected, and `verdict` what that allows.

    Its interval is not widened: each covers at its own level, the verdicts hold all at once.
    """

    comparison: Comparison
    family: int
    p: float | Undefined
    verdict: ComparisonVerdict
    because: str


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two of several systems; the difference is that of `second` − `first`."""

    first: str
    second: str
    corrected: Corrected


def correct(comparisons: Sequence[Comparison]) -> tuple[Corrected, ...]:
    """The comparisons (several metrics of two systems, say) as one family, in their order.

    By Holm's method the chance of one false "better" or "worse" or more among them is 1 − level at most, however they
    depend on each other. A comparison without a p-value counts as one that shows nothing. Raises ConfigurationError
    for different levels.
    """
    if len({comparison.level for comparison in comparisons}) > 1:
        raise ConfigurationError("comparisons of different levels are no family", fix="compare all at one level")
    known = [1.0 if isinstance(comparison.p, Undefined) else comparison.p for comparison in comparisons]
    return tuple(
        _corrected(comparison, comparison.p if isinstance(comparison.p, Undefined) else p, len(comparisons))
        for comparison, p in zip(comparisons, holm(known), strict=True)
    )


def compare_pairs(
    columns: Mapping[str, Numbers], *, name: str, kind: Kind, scale: Scale, seed: int, **terms: Unpack[Terms]
) -> tuple[Pair, ...]:
    """Every two of the columns, which are over the same items in the same order, as one family.

    Nothing is resampled unless `resamples` is given: with k columns it would be done k(k − 1)/2 times. Raises as
    `compare` does.
    """
    asked: Terms = {"resamples": 0, **terms}
    named = list(combinations(columns, 2))
    found = [
        compare(columns[first], columns[second], name=name, kind=kind, scale=scale, seed=seed, **asked)
        for first, second in named
    ]
    return tuple(
        Pair(first=first, second=second, corrected=corrected)
        for (first, second), corrected in zip(named, correct(found), strict=True)
    )


def _corrected(comparison: Comparison, p: float | Undefined, family: int) -> Corrected:
    decision = comparison.decided_by(p)
    return Corrected(comparison=comparison, family=family, p=p, verdict=decision.verdict, because=decision.because)
