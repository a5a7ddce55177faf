"""The sign-flip test: if nothing differs, each difference could as well have had the other sign.

Source: Fisher 1935, The Design of Experiments, section 21; the drawn p-value counts the data as one of the flips,
as in Phipson and Smyth 2010, Statistical Applications in Genetics and Molecular Biology 9, article 39.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.stats.column import column
from rejudge.stats.differences import TIE
from rejudge.stats.p_value import PValue

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Numbers

FLIPS = 10_000
MOST_ENUMERATED = 20  # differing units: 2^20 assignments of signs
MOST_DRAWN = 2_000  # differing units: beyond, the sum of so many flips is normal

_AT_ONCE = 4_000_000


def sign_flip(differences: Numbers, *, seed: int, flips: int = FLIPS) -> PValue:
    """How often random signs give a sum as far from 0, from independent `differences` (of clusters: their sums).

    What it tests is that a gain and a loss of each size are equally likely, which is more than a mean of 0.
    Exact over all signs for up to MOST_ENUMERATED that are not 0, and at any number where all are of one size (the
    sign test, which on 0/1 data is McNemar's exact test); then from `flips` random ones, drawn from `seed`; above
    MOST_DRAWN, or with `flips` = 0, by the normal approximation Σd/√Σd². The statistic is the mean. All zero: p = 1.
    """
    import numpy as np

    values = column(differences)
    moved = values[values != 0]
    sizes = np.abs(moved)
    mean = float(values.mean()) if len(values) else 0.0
    observed = abs(float(moved.sum()))
    if not len(moved) or np.ptp(sizes) <= _room(sizes):
        return PValue(test="sign-flip-exact", p=_sign_test(moved), statistic=mean, n=len(moved))
    if len(moved) <= MOST_ENUMERATED:
        return PValue(test="sign-flip-exact", p=_enumerated(sizes, observed), statistic=mean, n=len(moved))
    if flips and len(moved) <= MOST_DRAWN:
        p = _drawn(sizes, observed, seed=seed, flips=flips)
        return PValue(test="sign-flip-drawn", p=p, statistic=mean, n=len(moved), drawn=flips)
    from scipy.special import ndtr

    largest = float(sizes.max())
    z = observed / largest / float(np.linalg.norm(sizes / largest))
    return PValue(test="sign-flip-normal", p=min(1.0, 2 * float(ndtr(-z))), statistic=mean, n=len(moved))


def _sign_test(moved: Floats) -> float:
    from scipy.special import bdtr

    up = int((moved > 0).sum())
    return min(1.0, 2 * float(bdtr(min(up, len(moved) - up), len(moved), 0.5)))


def _enumerated(sizes: Floats, observed: float) -> float:
    import numpy as np

    sums = sizes[:1]  # the other sign of the first gives the same sums, negated
    for size in sizes[1:]:
        sums = np.concatenate([sums + size, sums - size])
    return float((np.abs(sums) >= observed - _room(sizes)).mean())


def _drawn(sizes: Floats, observed: float, *, seed: int, flips: int) -> float:
    import numpy as np

    chance = np.random.default_rng(seed)
    total, as_far = float(sizes.sum()), 0
    step = max(1, _AT_ONCE // len(sizes))
    for start in range(0, flips, step):
        rows = min(step, flips - start)
        width = -(-len(sizes) // 8)
        bits = np.unpackbits(chance.integers(0, 256, size=(rows, width), dtype=np.uint8), axis=1, count=len(sizes))
        sums = 2 * (bits.astype(np.float64) @ sizes) - total
        as_far += int((np.abs(sums) >= observed - _room(sizes)).sum())
    return (1 + as_far) / (1 + flips)


def _room(sizes: Floats) -> float:
    """Sums that differ by less than a tie of the largest are equal."""
    return TIE * float(sizes.max())
