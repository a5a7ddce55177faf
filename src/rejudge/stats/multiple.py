"""What a p-value is worth when it is one of several: adjusted for gates (Holm) and for looking around (BH).

Sources: Holm 1979, Scandinavian Journal of Statistics 6; Benjamini and Hochberg 1995, JRSS B 57. Both hold for tests
that share data as slices and metrics do: Holm for any dependence, BH for tests that tend to err together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import RecordError
from rejudge.stats.column import column

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Numbers, Places


def holm(p_values: Numbers) -> list[float]:
    """Adjusted so that at most α of all families have one false alarm or more, for those called at or under α.

    In the order given. Raises RecordError for what is no p-value.
    """
    import numpy as np

    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(len(p), 0, -1)
    return _restored(np.maximum.accumulate(scaled), order)


def benjamini_hochberg(p_values: Numbers) -> list[float]:
    """Adjusted so that on average at most α of what is called at or under α is a false alarm; otherwise as `holm`."""
    import numpy as np

    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    return _restored(np.minimum.accumulate(scaled[::-1])[::-1], order)


def _checked(p_values: Numbers) -> Floats:
    p = column(p_values)
    outside = p[(p < 0) | (p > 1)]
    if len(outside):
        raise RecordError(f"{outside[0]:g} is not a p-value", fix="leave out the tests that gave no p-value")
    return p


def _restored(adjusted: Floats, order: Places) -> list[float]:
    import numpy as np

    in_place = np.empty(len(adjusted))
    in_place[order] = np.minimum(adjusted, 1.0)
    return in_place.tolist()
