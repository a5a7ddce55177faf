"""Which values are one value, and how much lies above and below each."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rejudge.stats.differences import tie_groups

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.intp]
    Mask: TypeAlias = NDArray[np.bool_]


def coded(values: Floats) -> tuple[Codes, Floats]:
    """The place of each value in the sorted list of different values, and that list.

    Values within 1e-9 (for those beyond ±1 in proportion to them) are one.
    """
    import numpy as np

    order = np.argsort(values, kind="stable")
    ordered = values[order]
    groups = tie_groups(ordered)
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
    """For each value how many earlier ones are strictly smaller, by merging sorted halves: O(n log² n)."""
    import numpy as np

    n = len(codes)
    found = np.zeros(n, dtype=np.intp)
    places = np.arange(n)
    width = 1
    while width < n:
        pair = places // (2 * width)
        late = (places // width) % 2 == 1
        # Within a pair of blocks late values come before early equal ones, so that equal ones do not count.
        order = np.lexsort((~late, codes, pair))
        early = np.cumsum(~late[order]) - pair[order] * width
        found[order] += np.where(late[order], early, 0)
        width *= 2
    return found
