"""Whether two sides order and scale items alike: Pearson, Spearman, Kendall's τ-b, Lin's concordance.

All intervals are by Fisher's z with a standard error that takes no shape of the values for granted: the jackknife's
(Efron and Tibshirani 1993, chapter 11), for Spearman the delta method's. Ties are told by `coded`. `items` are the
places of the pairs' items, where items come more than once: the error is the delta method's over items then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rejudge.stats.column import column
from rejudge.stats.confusion import NO_PAIRS, check_pairs
from rejudge.stats.differences import TIE
from rejudge.stats.estimate import Estimate, Statistic, delta_z, jackknife_z
from rejudge.stats.interval import LEVEL, Undefined
from rejudge.stats.ties import above, coded, mid_ranks, smaller_before

if TYPE_CHECKING:
    from rejudge.stats.ties import Codes, Floats

ONE_PAIR = Undefined("one pair has no correlation")
JUDGE_CONSTANT = Undefined("the judge gave every item the same value")
HUMAN_CONSTANT = Undefined("the people gave every item the same value")
BOTH_CONSTANT = Undefined("no variation: either side gave every item the same value")


def pearson(
    judge: Sequence[float], human: Sequence[float], *, items: Codes | None = None, level: float = LEVEL
) -> Statistic:
    """The linear correlation of the two sides; undefined under two pairs and where a side is constant."""
    pairs = _pairs(judge, human)
    if isinstance(pairs, Undefined):
        return pairs
    one, other = _standardised(pairs.judge), _standardised(pairs.human)
    n = len(one)
    value = float(one @ other) / n
    # Leaving out an item moves the means too, so it takes n / (n − 1) times its own part.
    part = n / (n - 1)
    spread, other_spread = n - part * one**2, n - part * other**2
    without = _ratio(n * value - part * one * other, spread * other_spread)
    influence = one * other - value * (one**2 + other**2) / 2
    return _correlation(value, influence, without, items=items, level=level)


def spearman(
    judge: Sequence[float], human: Sequence[float], *, items: Codes | None = None, level: float = LEVEL
) -> Statistic:
    """Pearson's correlation of the ranks, ties sharing their mean rank; undefined as `pearson` is."""
    import numpy as np

    pairs = _pairs(judge, human)
    if isinstance(pairs, Undefined):
        return pairs
    sides = [(codes, np.bincount(codes).astype(np.float64)) for codes in (pairs.judge_codes, pairs.human_codes)]
    one, other = ((mid_ranks(counts) - 0.5)[codes] for codes, counts in sides)
    n = len(one)
    common, spread, other_spread = float(one @ other) / n, float(one @ one) / n, float(other @ other) / n
    scale = (spread * other_spread) ** 0.5
    value = common / scale

    def of_ranks(codes: Codes, weights: Floats) -> Floats:
        return above(np.asarray(np.bincount(codes, weights=weights / n), dtype=np.float64))[codes]

    # A further item also moves the ranks of all the others.
    moves = one * other + of_ranks(pairs.judge_codes, other) + of_ranks(pairs.human_codes, one) - 3 * common
    own = one**2 + 2 * of_ranks(pairs.judge_codes, one) - 3 * spread
    others = other**2 + 2 * of_ranks(pairs.human_codes, other) - 3 * other_spread
    influence = moves / scale - value / 2 * (own / spread + others / other_spread)
    return _correlation(value, influence, items=items, level=level)


def kendall(
    judge: Sequence[float], human: Sequence[float], *, items: Codes | None = None, level: float = LEVEL
) -> Statistic:
    """τ-b: the pairs of items in the same order less those in the opposite one, ties left out of each side's total.

    It, and what it is without each item in turn, follow from how many partners each item has in the same order, so that
    the interval needs no drawing (τ as a U-statistic: Hoeffding 1948, Annals of Mathematical Statistics 19). Undefined
    as `pearson` is.
    """
    import numpy as np

    pairs = _pairs(judge, human)
    if isinstance(pairs, Undefined):
        return pairs
    n = len(pairs.judge)
    tied_one, tied_other, tied_both, same = _partners(pairs.judge_codes, pairs.human_codes)
    untied, other_untied = n - tied_one, n - tied_other
    # Of all others that are tied with a pair on neither side those not in the same order are in the opposite one.
    order = 2 * same - (n - tied_one - tied_other + tied_both)
    per_partner = np.array([order, untied, other_untied]) / (n - 1)
    net, share, other_share = (float(row.mean()) for row in per_partner)
    scale = (share * other_share) ** 0.5
    value = net / scale
    moves = 2 * (per_partner[0] - net) / scale
    influence = moves - value * ((per_partner[1] - share) / share + (per_partner[2] - other_share) / other_share)
    net_without, *untied_without = (n * row.mean() - 2 * row for row in per_partner)
    without = _ratio(net_without, untied_without[0] * untied_without[1])
    return _correlation(value, influence, without, items=items, level=level)


def concordance(
    judge: Sequence[float], human: Sequence[float], *, items: Codes | None = None, level: float = LEVEL
) -> Statistic:
    """Lin's coefficient: how near the pairs lie to the line judge = human: 2·cov / (var + var + bias²).

    Variances are over n, as in Lin 1989. 1 only for equal values, unlike a correlation. Undefined under two pairs and
    where both sides are constant; 0 where one is.
    """
    pairs = _pairs(judge, human)
    if isinstance(pairs, Undefined):
        if pairs in (JUDGE_CONSTANT, HUMAN_CONSTANT):
            return Estimate(value=0.0, n=len(judge), interval=pairs)
        return pairs
    one, other = pairs.judge - pairs.judge.mean(), pairs.human - pairs.human.mean()
    bias = float(pairs.judge.mean() - pairs.human.mean())
    n = len(one)
    common, spread = float(one @ other) / n, float(one @ one + other @ other) / n
    apart = spread + bias * bias
    value = 2 * common / apart
    moves = 2 * (one * other - common) - value * (one**2 + other**2 - spread + 2 * bias * (one - other))
    part = n / (n - 1)
    bias_without = bias - (one - other) / (n - 1)
    apart_without = (n * spread - part * (one**2 + other**2)) / (n - 1) + bias_without**2
    top = 2 * (n * common - part * one * other) / (n - 1)
    return _correlation(value, moves / apart, _ratio(top, apart_without**2), items=items, level=level)


class _Pairs(NamedTuple):
    judge: Floats
    human: Floats
    judge_codes: Codes
    human_codes: Codes


def _pairs(judge: Sequence[float], human: Sequence[float]) -> _Pairs | Undefined:
    check_pairs(judge, human)
    one, other = column(judge), column(human)
    if len(one) < 2:
        return ONE_PAIR if len(one) else NO_PAIRS
    (codes, values), (other_codes, other_values) = coded(one), coded(other)
    if len(values) == 1 or len(other_values) == 1:
        if len(values) == len(other_values):
            return BOTH_CONSTANT
        return JUDGE_CONSTANT if len(values) == 1 else HUMAN_CONSTANT
    return _Pairs(one, other, codes, other_codes)


def _correlation(
    value: float, influence: Floats, without: Floats | None = None, *, items: Codes | None, level: float
) -> Statistic:
    value = min(1.0, max(-1.0, value))
    if len(influence) == 2:
        return Estimate(value=value, n=2, interval=Undefined("two pairs always lie on a line"))
    if without is None or items is not None:
        return Estimate(value=value, n=len(influence), interval=delta_z(value, influence, items=items, level=level))
    return Estimate(value=value, n=len(influence), interval=jackknife_z(value, without, influence, level=level))


def _ratio(top: Floats, squared: Floats) -> Floats:
    """top / √squared; 1, which has no z, where leaving out the item leaves a side constant."""
    import numpy as np

    possible = squared > TIE * squared.max()
    return np.divide(
        top, np.sqrt(squared, where=possible, out=np.ones_like(squared)), where=possible, out=np.ones_like(top)
    )


def _standardised(values: Floats) -> Floats:
    import numpy as np

    centred = values - values.mean()
    return np.asarray(centred / np.sqrt(np.mean(centred**2)))


class _Partners(NamedTuple):
    """For each pair how many pairs, itself too, are tied with it on a side or on both, and lie in the same order."""

    tied_one: Codes
    tied_other: Codes
    tied_both: Codes
    same: Codes


def _partners(one: Codes, other: Codes) -> _Partners:
    """Knight's counting (1966, Journal of the American Statistical Association 61), kept for each pair.

    Those that are smaller on both sides are counted in one pass; those that are larger on both follow, as all that are
    not smaller or equal on either side.
    """
    import numpy as np

    n, size, other_size = len(one), int(one.max()) + 1, int(other.max()) + 1
    counts, other_counts = np.bincount(one, minlength=size), np.bincount(other, minlength=other_size)
    cells, cell, in_cell = np.unique(one * other_size + other, return_inverse=True, return_counts=True)
    rows, columns = cells // other_size, cells % other_size

    def before(groups: Codes, of_group: Codes) -> Codes:
        """For each cell, in this order, the pairs in earlier cells of its group."""
        earlier = np.cumsum(of_group) - of_group
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        return np.asarray(earlier - np.repeat(earlier[starts], np.diff(starts, append=len(groups))))

    smaller_in_row = before(rows, in_cell)
    by_column = np.argsort(columns, kind="stable")
    smaller_in_column = np.empty_like(in_cell)
    smaller_in_column[by_column] = before(columns[by_column], in_cell[by_column])
    # Row after row, and the larger ones of a row first, so that none of the same row is counted.
    order = np.argsort(one * other_size + (other_size - 1 - other), kind="stable")
    smaller = np.empty(n, dtype=np.intp)
    smaller[order] = smaller_before(other[order])
    not_larger = smaller + (smaller_in_row + smaller_in_column + in_cell)[cell]
    larger = n - np.cumsum(counts)[one] - np.cumsum(other_counts)[other] + not_larger
    return _Partners(counts[one], other_counts[other], in_cell[cell], smaller + larger)
