"""The items of two dataset versions as one list: each item once, by its id."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError
from rejudge.release.alignment import PAGE, Fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.stats.column import Places
    from rejudge.storage.store import Store

    Mask = NDArray[np.bool_]


class BothVersions:
    """Items by their place: those of the first version in its order, then those that the second has alone.

    `places` are, for either version, the places of its items by position. `same` are the items that both have with
    equal content.
    """

    def __init__(self, store: Store, first: DatasetVersion, second: DatasetVersion) -> None:
        import numpy as np

        self._store = store
        self._versions = first, second
        self._alone: list[int] = []
        here = np.arange(first.count)
        if first.id == second.id:
            self.places = here, here
            self.same = np.ones(first.count, dtype=bool)
            return
        modified = {change.item_id for change in store.changes(first.id, second.id) if change.kind == "modified"}
        known = {item_id: position for position, item_id in _ids(store, first)}
        there = np.empty(second.count, dtype=np.int64)
        common: list[int] = []
        for position, item_id in _ids(store, second):
            place = known.get(item_id)
            if place is None:
                place = first.count + len(self._alone)
                self._alone.append(position)
            elif item_id not in modified:
                common.append(place)
            there[position] = place
        self.places = here, there
        self.same = np.zeros(len(self), dtype=bool)
        self.same[common] = True

    def __len__(self) -> int:
        return self._versions[0].count + len(self._alone)

    @cached_property
    def positions(self) -> tuple[Places, Places]:
        """For either version the position of the item at each place, −1 where it has none."""
        import numpy as np

        found = []
        for places in self.places:
            positions = np.full(len(self), -1, dtype=np.int64)
            positions[places] = np.arange(len(places))
            found.append(positions)
        return found[0], found[1]

    def ids(self, places: Sequence[int]) -> list[str]:
        """The ids of the items at some places."""
        count = self._versions[0].count
        return [
            self._id(self._versions[0], place)
            if place < count
            else self._id(self._versions[1], self._alone[place - count])
            for place in places
        ]

    def clusters(self, path: str) -> list[str]:
        """The cluster of every item, of changed ones as the first version has it.

        Raises ConfigurationError where an item has none.
        """
        first, second = (Fields(self._store, version).texts(path) for version in self._versions)
        found = [*first, *(second[position] for position in self._alone)]
        if None in found:
            (item_id,) = self.ids([found.index(None)])
            raise ConfigurationError(
                f"item {item_id!r} has no field {path!r}", fix="give every item its cluster, or go without clusters"
            )
        return [one for one in found if one is not None]

    def _id(self, version: DatasetVersion, position: int) -> str:
        return self._store.items(version.id, start=position, count=1)[0].item_id


def _ids(store: Store, version: DatasetVersion) -> Iterator[tuple[int, str]]:
    for start in range(0, version.count, PAGE):
        for item in store.items(version.id, start=start, count=PAGE):
            yield item.position, item.item_id
