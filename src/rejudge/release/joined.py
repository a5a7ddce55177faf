"""Two columns of scores over the items that both have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rejudge.release.alignment import item_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.release.alignment import Alignment, Places
    from rejudge.release.common_traces import CommonTraces
    from rejudge.release.scores import ItemScores
    from rejudge.storage.store import Store


class ItemChange(msgspec.Struct, frozen=True, kw_only=True):
    """One item with what either side scored: the mean of its trials."""

    item_id: str
    first: float
    second: float


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """How many items changed in one way, and the first of them, the worst or largest change before the others."""

    count: int
    items: tuple[ItemChange, ...]


class Unpaired(msgspec.Struct, frozen=True, kw_only=True):
    """How many items one side alone, or neither, has a score for, and the first of them in the dataset's order."""

    count: int
    items: tuple[str, ...]


def named(store: Store, version: DatasetVersion, positions: Places, listed: int) -> Unpaired:
    """The items at some positions: how many, and the first of them by their ids."""
    return Unpaired(count=len(positions), items=tuple(item_ids(store, version, positions[:listed].tolist())))


class Joined:
    """`first` and `second` are the values at the same `positions` of the first side's dataset version.

    `places` are their places in the columns of `sides`, and `whole` the columns that were given. Two scorers of one run
    are joined on their `common` traces, and `sides` hold these alone.
    """

    def __init__(
        self, first: ItemScores, second: ItemScores, alignment: Alignment, *, common: CommonTraces | None = None
    ) -> None:
        import numpy as np

        mapped = alignment.mapped(second.positions)
        known = np.flatnonzero(mapped >= 0)
        order = known[np.argsort(mapped[known], kind="stable")]
        self.sides = self.whole = first, second
        self.positions, here, there = np.intersect1d(
            first.positions, mapped[order], assume_unique=True, return_indices=True
        )
        self.places = here, order[there]
        self.first, self.second = first.means[here], second.means[order[there]]
        self.common = common
        self._alignment = alignment
        self._alone = np.delete(first.positions, here), np.delete(second.positions, order[there])
        if common is not None:
            self.whole, self._alone = common.whole, common.alone_items

    @classmethod
    def scorers(cls, common: CommonTraces, alignment: Alignment) -> Joined:
        """Of what two scorers of one run say of the same traces."""
        return cls(*common.sides, alignment, common=common)

    @property
    def unpaired(self) -> tuple[int, int]:
        """How many items the first alone has a score for, and the second alone."""
        return len(self._alone[0]), len(self._alone[1])

    def unpaired_at(self, positions: Sequence[int]) -> tuple[int, int]:
        """How many of the items at these positions the first alone, and the second alone, has a score for."""
        import numpy as np

        inside = np.asarray(positions, dtype=np.int64)
        first, second = self._alone[0], self._alignment.mapped(self._alone[1])
        return int(np.isin(first, inside).sum()), int(np.isin(second, inside).sum())

    def at(self, positions: Sequence[int]) -> NDArray[np.intp]:
        """The places of the items at these positions."""
        import numpy as np

        return np.flatnonzero(np.isin(self.positions, np.asarray(positions, dtype=np.int64)))

    def alone(self, store: Store, versions: Sequence[DatasetVersion], listed: int) -> tuple[Unpaired, Unpaired]:
        """The unpaired items of the first and of the second, each named as in its own dataset version."""
        one, other = (
            named(store, version, positions, listed) for positions, version in zip(self._alone, versions, strict=True)
        )
        return one, other

    def changed(self, store: Store, version: DatasetVersion, places: Places, listed: int) -> Changed:
        """The items at some places, named as in the first side's dataset version."""
        shown = places[:listed]
        ids = item_ids(store, version, self.positions[shown].tolist())
        values = zip(ids, self.first[shown].tolist(), self.second[shown].tolist(), strict=True)
        return Changed(
            count=len(places),
            items=tuple(ItemChange(item_id=item_id, first=one, second=other) for item_id, one, other in values),
        )
