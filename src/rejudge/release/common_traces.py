"""What two scorers of one run say of the traces that both of them scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rejudge.release.scores import ItemScores

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonTraces:
    """`sides` hold what each scorer said of these traces, `whole` of all; `first` and `second` are trace by trace.

    `alone` counts the traces that only the first, only the second has a score for, and `alone_items` are the positions
    of the items that each scored without any trace in common.
    """

    whole: tuple[ItemScores, ItemScores]
    sides: tuple[ItemScores, ItemScores]
    first: Floats
    second: Floats
    alone: tuple[int, int]
    alone_items: tuple[Places, Places]

    @property
    def n(self) -> int:
        """Traces with a score by both."""
        return len(self.first)

    @classmethod
    def of(cls, first: ItemScores, second: ItemScores, traces: tuple[Places, Places]) -> CommonTraces:
        """Of two columns over one run, and the trace of each of their values."""
        import numpy as np

        both = np.intersect1d(*traces)
        kept = [np.isin(one, both) for one in traces]
        sides = first.only(kept[0]), second.only(kept[1])
        one, other = (_by_trace(side, of[mask], both) for side, of, mask in zip(sides, traces, kept, strict=True))
        alone, other_alone = (len(np.unique(of[~mask])) for of, mask in zip(traces, kept, strict=True))
        items, other_items = (
            np.setdiff1d(whole.positions, side.positions) for whole, side in zip((first, second), sides, strict=True)
        )
        return cls(
            whole=(first, second),
            sides=sides,
            first=one,
            second=other,
            alone=(alone, other_alone),
            alone_items=(items, other_items),
        )


def _by_trace(scores: ItemScores, traces: Places, ordered: Places) -> Floats:
    """The value of each trace; the mean where a scorer judged one trace several times."""
    import numpy as np

    place = np.searchsorted(ordered, traces)
    totals = np.bincount(place, weights=scores.values, minlength=len(ordered))
    return np.asarray(totals / np.bincount(place, minlength=len(ordered)))
