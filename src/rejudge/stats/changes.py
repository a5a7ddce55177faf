"""Which items got worse, which got better, and which both sides get wrong: the places in the aligned columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rejudge.stats.differences import TIE, aligned, differences, tie_unit
from rejudge.stats.interval import Undefined
from rejudge.stats.scale import Kind, Scale

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rejudge.stats.column import Floats, Numbers, Places

_NO_OUTCOME = Undefined("a score without a value to pass at is never wrong; say passes_at")
_NO_BETTER = Undefined("an informational score has no better end")


class Changes(NamedTuple):
    """Places in the columns, worst first.

    `regressions` lost most first, and of equal losses those first whose second value is worst; `fixes` start with the
    greatest gain; `both_wrong`, where neither side passes, with the worst second value. Places break ties.
    """

    regressions: Places
    fixes: Places
    both_wrong: Places | Undefined


def changes(
    first: Numbers, second: Numbers, *, kind: Kind, scale: Scale, passes_at: float | None = None
) -> Changes | Undefined:
    """The items that changed, by the direction of the score; undefined where it has no better end.

    Passes and fails pass at 1 where `passes_at` says nothing else; another score has no outcome without it.
    """
    import numpy as np

    if scale.direction == "informational":
        return _NO_BETTER
    if passes_at is None and kind in ("pass_fail", "pass_fail_critical"):
        passes_at = 1.0
    sign = 1.0 if scale.direction == "higher" else -1.0
    before, after = aligned(first, second)
    gains, unit = sign * differences(before, after), tie_unit(before, after)
    gains[np.abs(gains) <= TIE * unit] = 0
    good = sign * after
    wrong: Places | Undefined = _NO_OUTCOME
    if passes_at is not None:
        limit = sign * passes_at - TIE * max(unit, abs(passes_at))
        wrong = _ordered((sign * before < limit) & (good < limit), good / unit)
    return Changes(
        regressions=_ordered(gains < 0, gains / unit, good / unit),
        fixes=_ordered(gains > 0, -gains / unit, good / unit),
        both_wrong=wrong,
    )


def _ordered(chosen: NDArray[np.bool_], *keys: Floats) -> Places:
    """The chosen places by the keys, the first of them first, ascending."""
    import numpy as np

    places = np.flatnonzero(chosen)
    # Rounded, so that equal losses of different values tie.
    order = np.lexsort([np.round(key[places], 9) for key in reversed(keys)])
    return places[order]
