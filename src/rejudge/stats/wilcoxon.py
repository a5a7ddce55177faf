"""Wilcoxon's signed-rank test of paired values, with the handling of pairs that tie said.

Sources: Wilcoxon 1945; Pratt 1959, Journal of the American Statistical Association 54, for ranking the zeros too;
variance under ties as in Hollander, Wolfe and Chicken 2014, section 3.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from rejudge.stats.column import column
from rejudge.stats.differences import TIE, tie_groups, tie_unit
from rejudge.stats.interval import Undefined
from rejudge.stats.p_value import PValue

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Numbers

Zeros: TypeAlias = Literal["drop", "pratt"]

MOST_EXACT = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class SignedRanks:
    """The differences that are not 0, by size: how many share each size, how many of them are positive, their rank.

    Sizes equal within `TIE` of the scores' size share their mean rank; ranks begin with 1. `zeros` counts the pairs
    that tie.
    """

    zeros: int
    shared: Floats
    positive: Floats
    ranks: Floats

    @classmethod
    def of(cls, differences: Numbers, *, unit: float | None = None) -> SignedRanks:
        """The ranks of `differences`, in any order; `unit` is the size of the scores, that of most differences if None.

        It is told by `tie_unit`.
        """
        import numpy as np

        values = column(differences)
        unit = tie_unit(values) if unit is None else unit
        moved = values[np.abs(values) > TIE * unit]
        sizes = np.abs(moved)
        order = np.argsort(sizes)
        groups = tie_groups(sizes[order], unit=unit)
        shared = np.bincount(groups).astype(np.float64)
        positive = np.bincount(groups, weights=moved[order] > 0).astype(np.float64)
        return cls(
            zeros=len(values) - len(moved),
            shared=shared,
            positive=positive,
            ranks=np.cumsum(shared) - (shared - 1) / 2,
        )

    @property
    def n(self) -> int:
        """The differences that are not 0."""
        return int(self.shared.sum())


def wilcoxon(ranks: SignedRanks, *, zeros: Zeros) -> PValue:
    """The p-value by the normal approximation with ties, without continuity correction; W is the smaller rank sum.

    `zeros`: "drop" leaves pairs without a difference out; "pratt" ranks them with the others and then leaves their
    ranks out. All zero: p = 1.
    """
    from scipy.special import ndtr

    test: Literal["wilcoxon-drop", "wilcoxon-pratt"] = "wilcoxon-drop" if zeros == "drop" else "wilcoxon-pratt"
    still = ranks.zeros if zeros == "pratt" else 0
    if not ranks.n:
        return PValue(test=test, p=1.0, statistic=0.0, n=0)
    up, down = _rank_sums(ranks, below=still)
    variance = _variance(ranks.n + still) - _variance(still) - float((ranks.shared**3 - ranks.shared).sum()) / 48
    z = (min(up, down) - (up + down) / 2) / math.sqrt(variance)
    return PValue(test=test, p=min(1.0, 2 * float(ndtr(z))), statistic=min(up, down), n=ranks.n)


def wilcoxon_exact(ranks: SignedRanks) -> PValue | Undefined:
    """The exact p-value over all signs of the ranks, zeros dropped, ties sharing their mean rank.

    Undefined above MOST_EXACT differences, where the normal approximation is as good.
    """
    import numpy as np

    if ranks.n > MOST_EXACT:
        return Undefined(f"more than {MOST_EXACT} pairs differ, where the normal approximation is as good")
    smaller = min(_rank_sums(ranks, below=0))
    ways = np.ones(1)
    for doubled in np.repeat(np.rint(2 * ranks.ranks), ranks.shared.astype(int)).astype(int):
        longer = np.zeros(len(ways) + doubled)
        longer[: len(ways)] += ways
        longer[doubled:] += ways
        ways = longer
    p = 2 * float(ways[: round(2 * smaller) + 1].sum()) / 2**ranks.n
    return PValue(test="wilcoxon-exact", p=min(1.0, p), statistic=smaller, n=ranks.n)


def _rank_sums(ranks: SignedRanks, *, below: int) -> tuple[float, float]:
    """The rank sums of rises and of falls, where `below` smaller values are ranked too."""
    each = ranks.ranks + below
    return float(each @ ranks.positive), float(each @ (ranks.shared - ranks.positive))


def _variance(n: int) -> float:
    """The variance of the rank sum of `n` values without ties."""
    return n * (n + 1) * (2 * n + 1) / 24
