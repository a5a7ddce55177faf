"""Which values are one value, and how much lies above and below each."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from rejudge.stats.differences import tie_groups, tie_unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.intp]
    Mask: TypeAlias = NDArray[np.bool_]


def coded(values: Floats, *, unit: float | None = None) -> tuple[Codes, Floats]:
    """The place of each value in the sorted list of different values, and that list.

    Values within 1e-9 of `unit` are one, those beyond it in proportion to them; it is `tie_unit` of the values if None.
    """
    import numpy as np

    order = np.argsort(values, kind="stable")
    ordered = values[order]
    groups = tie_groups(ordered, unit=tie_unit(values) if unit is None else unit)
    codes = np.empty(len(values), dtype=np.intp)
    codes[order] = groups
    return codes, ordered[np.diff(groups, prepend=-1) > 0]


def above(sums: Floats) -> Floats:
    """For each place what lies on larger places, and half of what lies on the place itself."""
    import numpy as np

    up_to = np.cumsum(sums)
    return np.asarray(up_to[-1] - up_to + sums / 2)


def mid_ranks(counts: Floats) -> Floats:
    """For each place, with so many values on it, the share of values below and half of those on it: (rank − ½) / n."""
    import numpy as np

    return np.asarray((np.cumsum(counts) - counts / 2) / counts.sum())


def smaller_before(codes: Codes) -> Codes:
    """For each value how many earlier ones are strictly smaller, in O(n log n).

    Values are told apart bit by bit from the highest on, as in a wavelet tree (Grossi, Gupta and Vitter 2003): where
    two first differ, the smaller has a 0 and the larger a 1. Before each bit they stand in blocks that agree in all
    higher bits, in their order, so that a running count of zeros tells the smaller ones before each.
    """
    import numpy as np

    n = len(codes)
    # Made different from each other: of equal values an earlier one is the larger, so that it does not count.
    order = n - 1 - np.argsort(codes[::-1], kind="stable")
    left = cast("Codes", np.empty(n, dtype=np.int32 if n < 2**31 else np.intp))
    places = np.arange(n, dtype=left.dtype)
    left[order] = places
    found = np.zeros(n, dtype=left.dtype)
    who = places.copy()
    for bit in reversed(range(max(n - 1, 0).bit_length())):
        one = (left >> bit) & 1
        start = (left >> (bit + 1)) << (bit + 1)
        zeros = np.cumsum(1 - one, dtype=left.dtype) - (1 - one) - (start >> 1)
        found += one * zeros
        # Zeros of a block first, then its ones; a block that has ones is full of zeros.
        target = np.where(one == 1, places - zeros + (1 << bit), start + zeros)
        moved = np.empty((3, n), dtype=left.dtype)
        for row, column in zip(moved, (left, who, found), strict=True):
            row[target] = column
        left, who, found = moved[0], moved[1], moved[2]
    told = np.empty(n, dtype=np.intp)
    told[who] = found
    return told
